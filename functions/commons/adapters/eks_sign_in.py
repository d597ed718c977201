"""Reaches a Kubernetes API as EKS hands it out: endpoint, certificate, and a token made by STS."""

import base64
from collections.abc import Callable
from typing import Any

import boto3
import lightkube
from botocore.config import Config
from botocore.exceptions import ClientError
from lightkube.config.kubeconfig import KubeConfig
from lightkube.config.models import Cluster, User

from commons.adapters.aws_errors import code_of, translated
from commons.domain.errors import AccessDenied, Blocked

FIELD_MANAGER = "commons"
# EKS takes the presigned URL for fifteen minutes after its date, whatever it says itself
TOKEN_SECONDS = 14 * 60
_URL_SECONDS = 60
_HEADER = "x-k8s-aws-id"
_PREFIX = "k8s-aws-v1."

Connect = Callable[[], lightkube.Client]


def connector(sts: Any, role_arn: str, region: str, eks_cluster: str, session: str) -> Connect:
    """Returns a function that assumes the role and opens a client; each call signs in anew."""

    def connect() -> lightkube.Client:
        keys = _assume(sts, role_arn, session)
        endpoint, certificate = _endpoint(_client("eks", region, keys), eks_cluster)
        token = make_token(_client("sts", region, keys), eks_cluster)
        cluster = Cluster(server=endpoint, certificate_auth_data=certificate)
        config = KubeConfig.from_one(cluster=cluster, user=User(token=token))
        # an HTTP proxy of the environment must not see what goes to the cluster
        return lightkube.Client(config=config, field_manager=FIELD_MANAGER, trust_env=False)

    return connect


def make_token(sts: Any, eks_cluster: str) -> str:
    """A presigned GetCallerIdentity that names the cluster in a signed header."""

    # the ids let a client that makes a second token keep one handler of each kind
    sts.meta.events.register("provide-client-params.sts.GetCallerIdentity", _keep, "commons-keep")
    sts.meta.events.register("before-sign.sts.GetCallerIdentity", _sign, "commons-sign")
    url = sts.generate_presigned_url(
        "get_caller_identity",
        Params={"ClusterName": eks_cluster},
        ExpiresIn=_URL_SECONDS,
        HttpMethod="GET",
    )
    return _PREFIX + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")


def _keep(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
    context["cluster"] = params.pop("ClusterName")


def _sign(request: Any, **_: Any) -> None:
    request.headers[_HEADER] = request.context["cluster"]


def _assume(sts: Any, role_arn: str, session: str) -> dict[str, str]:
    with translated(f"assuming {role_arn}"):
        answer = sts.assume_role(RoleArn=role_arn, RoleSessionName=session)["Credentials"]
    return {
        "aws_access_key_id": answer["AccessKeyId"],
        "aws_secret_access_key": answer["SecretAccessKey"],
        "aws_session_token": answer["SessionToken"],
    }


def _client(service: str, region: str, keys: dict[str, str]) -> Any:
    config = Config(retries={"mode": "standard"}, connect_timeout=5, read_timeout=20)
    return boto3.client(service, region_name=region, config=config, **keys)


def _endpoint(eks: Any, eks_cluster: str) -> tuple[str, str]:
    try:
        with translated(f"describing the EKS cluster {eks_cluster}"):
            cluster = eks.describe_cluster(name=eks_cluster)["cluster"]
    except ClientError as error:
        if code_of(error) != "ResourceNotFoundException":
            raise
        raise Blocked(
            f"The EKS cluster {eks_cluster} does not exist; correct eks_cluster in the cluster "
            "document: commons cluster register FILE"
        ) from error
    if "endpoint" not in cluster:
        raise AccessDenied(f"The EKS cluster {eks_cluster} is {cluster['status']}, not yet usable")
    return cluster["endpoint"], cluster["certificateAuthority"]["data"]
