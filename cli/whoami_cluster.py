"""What a cluster calls whoever asks: the one thing that every signed-in person may know of it."""

import httpx2
from lightkube.generic_resource import create_global_resource
from lightkube.models.meta_v1 import ObjectMeta

from cli import cluster_access, stack
from cli.cluster_checks import Check
from commons.domain.callers import Caller
from commons.domain.names import session_name

_REVIEW = create_global_resource(
    "authentication.k8s.io", "v1", "SelfSubjectReview", "selfsubjectreviews"
)
_UNAUTHORIZED = 401


def own_name(eks_cluster: str, caller: Caller) -> Check:
    """Whether the cluster knows the person, and under the name that bindings list."""
    what = f"{eks_cluster}: user name"
    client = cluster_access.sign_in(stack.client("eks"), stack.client("sts"), eks_cluster)
    try:
        name = client.create(_REVIEW(metadata=ObjectMeta()))["status"]["userInfo"]["username"]
    except httpx2.HTTPStatusError as error:
        if error.response.status_code != _UNAUTHORIZED:
            raise
        return Check(
            what,
            "problem",
            "the cluster does not know your role: it has no access entry, or was made again",
            "sign in again; if it stays, give the platform team the Arn that "
            "aws sts get-caller-identity says",
        )
    if str(name).startswith("commons:") and str(name).endswith(
        f":{session_name(caller.session_name)}"
    ):
        return Check(what, "ok", str(name))
    return Check(what, "problem", str(name), "the access entry is not ours: tell the platform team")
