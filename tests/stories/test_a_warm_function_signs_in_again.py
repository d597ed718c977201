"""A function that has been warm for long: its client is renewed, and a stranger is told so."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import lightkube
import pytest
from lightkube.config.kubeconfig import KubeConfig
from lightkube.config.models import Cluster, User

from commons.adapters.kubernetes import Kubernetes
from commons.domain.errors import AccessDenied
from local import portal, settings
from tests.stories.company import register_cluster
from tests.stories.conftest import Cloud


class Functions:
    """Sessions of a role, as functions open them; `tokens` are those that were handed out."""

    def __init__(self, cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cloud, self._monkeypatch = cloud, monkeypatch
        self.tokens = 0

    def keys(self, role: str) -> portal.Keys:
        """Through the role of a function that the role trusts, or as the root where that is it."""
        found = self.cloud.client("iam").get_role(RoleName=role)["Role"]
        (statement,) = found["AssumeRolePolicyDocument"]["Statement"]
        trusted = statement["Principal"]["AWS"]
        caller = trusted if isinstance(trusted, str) else trusted[0]
        if caller.endswith(":root"):
            return _assumed(self.cloud.client("sts"), found["Arn"])
        function = _assumed(self.cloud.client("sts"), caller)
        gateway = settings.urls(self.cloud.state.ports)["COMMONS_LOCAL_GATEWAY_URL"]
        sts = portal.session(function).client("sts", endpoint_url=gateway)
        return _assumed(sts, found["Arn"])

    def client(self, role: str, signed_minutes_ago: int = 0) -> lightkube.Client:
        """The cluster, with a token that was made so long ago."""
        self.tokens += 1
        keys = self.keys(role)
        then = datetime.now(UTC) - timedelta(minutes=signed_minutes_ago)
        with self._monkeypatch.context() as patched:
            patched.setattr("botocore.auth.get_current_datetime", lambda: then)
            token = portal.token(self.cloud.state.ports, keys)
        return lightkube.Client(config=self._config(token), trust_env=False)

    def warm(self, role: str, *ages: int) -> Kubernetes:
        """The product's adapter; the clients that it opens have tokens of these ages (minutes)."""
        left = list(ages)
        return Kubernetes(lambda: self.client(role, left.pop(0)), "hp-eks", role)

    def _config(self, token: str) -> KubeConfig:
        started = self.cloud.state
        url = settings.kubernetes_endpoint(started.ports, started.kubernetes, settings.EKS_CLUSTER)
        certificate = str(self.cloud.home / "kubernetes" / "ca.crt")
        return KubeConfig.from_one(
            cluster=Cluster(server=url, certificate_auth=certificate), user=User(token=token)
        )


@pytest.fixture
def functions(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> Functions:
    register_cluster(cloud)
    return Functions(cloud, monkeypatch)


def _assumed(sts: Any, arn: str) -> portal.Keys:
    found = sts.assume_role(RoleArn=arn, RoleSessionName="warm")["Credentials"]
    return {
        "access_key_id": found["AccessKeyId"],
        "secret_access_key": found["SecretAccessKey"],
        "session_token": found["SessionToken"],
    }


def reader(cloud: Cloud) -> str:
    return cloud.outputs["ClusterReaderRole"].rpartition("/")[2]


def test_op_09_a_token_of_twenty_minutes_is_renewed_and_the_call_goes_on(
    functions: Functions,
) -> None:
    role = reader(functions.cloud)
    kubernetes = functions.warm(role, 20, 0)

    names = [each["metadata"]["name"] for each in kubernetes.list("Namespace")]

    assert "kube-system" in names
    assert functions.tokens == 2
    assert kubernetes.get("Namespace", "kube-system") is not None
    assert functions.tokens == 2


def test_op_09_who_has_no_entry_is_told_so_after_one_more_try(functions: Functions) -> None:
    role = _without_entry(functions.cloud)
    kubernetes = functions.warm(role, 0, 0)

    with pytest.raises(AccessDenied, match=f"hp-eks does not know {role}") as refusal:
        kubernetes.list("Namespace")

    assert "commons cluster register" in str(refusal.value)
    assert functions.tokens == 2


def test_a_reader_reads_and_a_writer_shapes_and_neither_does_more(functions: Functions) -> None:
    reads, role = functions.warm(reader(functions.cloud), 0), "ClusterWriterRole"
    writes = functions.warm(functions.cloud.outputs[role].rpartition("/")[2], 0)
    quota: Any = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "commons-objects", "namespace": "kube-public"},
        "spec": {"hard": {"services.loadbalancers": "0"}},
    }

    with pytest.raises(AccessDenied, match="may not do that on hp-eks"):
        reads.apply(quota)
    writes.apply(quota)
    assert reads.get("ResourceQuota", "commons-objects", "kube-public") is not None
    for each in (reads, writes):
        with pytest.raises(AccessDenied, match="may not do that"):
            each.delete({"kind": "Namespace", "metadata": {"name": "kube-public"}})
    writes.delete(quota)


def _without_entry(cloud: Cloud) -> str:
    root = {"AWS": f"arn:aws:iam::{settings.ACCOUNT}:root"}
    trust = {"Effect": "Allow", "Principal": root, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    cloud.client("iam").create_role(RoleName="no-entry", AssumeRolePolicyDocument=document)
    return "no-entry"
