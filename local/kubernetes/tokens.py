"""EKS tokens: `k8s-aws-v1.` and a presigned URL; what of the URL is believed."""

import base64
from urllib.parse import parse_qs, urlsplit

from local.kubernetes import caller
from local.kubernetes.access_entries import Refused

PREFIX = "k8s-aws-v1."
CLUSTER_HEADER = "x-k8s-aws-id"


def url(token: str) -> str:
    """The presigned URL in a token."""
    encoded = token.removeprefix(PREFIX)
    try:
        padded = encoded + "=" * (-len(encoded) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except ValueError as error:
        raise Refused("not base64url of a URL") from error


def check(url: str, gateway: str, now: float) -> None:
    """Raises Refused unless the URL is a GetCallerIdentity, signed lately, at our own STS."""
    parts, ours = urlsplit(url), urlsplit(gateway)
    if (parts.scheme, parts.netloc, parts.path) not in {
        (ours.scheme, ours.netloc, ""),
        (ours.scheme, ours.netloc, "/"),
    }:
        raise Refused(f"{parts.scheme}://{parts.netloc}{parts.path} is not the STS of this cluster")
    query = parse_qs(parts.query, keep_blank_values=True)
    if any(len(values) != 1 for values in query.values()):
        raise Refused("a query parameter is given twice")
    fields = {name.lower(): values[0] for name, values in query.items()}
    if fields.get("action") != "GetCallerIdentity":
        raise Refused("the URL asks for something else than GetCallerIdentity")
    if CLUSTER_HEADER not in fields.get("x-amz-signedheaders", "").lower().split(";"):
        raise Refused(f"{CLUSTER_HEADER} is not signed")
    caller.check_age(fields.get("x-amz-date", ""), now)
