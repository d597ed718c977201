"""A token is a presigned GetCallerIdentity that names the cluster in a signed header."""

import base64
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest
from moto import mock_aws

from commons.adapters import eks_sign_in
from commons.adapters.eks_sign_in import connector, make_token
from commons.domain.errors import Blocked

ROLE = "arn:aws:iam::123456789012:role/gpu-commons-cluster-reader"


@pytest.fixture
def sts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    with mock_aws():
        yield boto3.client("sts", region_name="us-west-2")


def url_of(token: str) -> str:
    assert token.startswith("k8s-aws-v1.")
    assert "=" not in token
    encoded = token.removeprefix("k8s-aws-v1.")
    return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()


def test_a_token_is_a_presigned_url_of_the_regional_sts(sts: Any) -> None:
    parts = urlsplit(url_of(make_token(sts, "hp-eks")))
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}

    assert parts.netloc == "sts.us-west-2.amazonaws.com"
    assert query["Action"] == "GetCallerIdentity"
    assert query["X-Amz-Expires"] == "60"
    assert query["X-Amz-SignedHeaders"] == "host;x-k8s-aws-id"


def test_a_second_token_of_one_client_names_its_own_cluster(sts: Any) -> None:
    first, second = make_token(sts, "one"), make_token(sts, "two")

    signatures = {
        parse_qs(urlsplit(url_of(t)).query)["X-Amz-Signature"][0] for t in (first, second)
    }
    assert len(signatures) == 2


def test_a_cluster_that_does_not_exist_blocks(sts: Any) -> None:
    connect = connector(sts, ROLE, "us-west-2", "gone", "commons-test")

    with pytest.raises(Blocked, match=r"gone.*commons cluster register"):
        connect()


def test_the_client_goes_where_eks_says(sts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: dict[str, Any] = {}
    monkeypatch.setattr(eks_sign_in.lightkube, "Client", lambda **known: opened.update(known))
    eks = boto3.client("eks", region_name="us-west-2")
    eks.create_cluster(name="hp-eks", roleArn=ROLE, resourcesVpcConfig={"subnetIds": []})
    described = eks.describe_cluster(name="hp-eks")["cluster"]

    connector(sts, ROLE, "us-west-2", "hp-eks", "commons-test")()

    config = opened["config"].get()
    assert config.cluster.server == described["endpoint"]
    assert config.cluster.certificate_auth_data == described["certificateAuthority"]["data"]
    assert opened["field_manager"] == "commons"
    assert opened["trust_env"] is False
    query = parse_qs(urlsplit(url_of(config.user.token)).query)
    assert query["X-Amz-Credential"][0].startswith("ASIA"), "the role's credentials sign"
