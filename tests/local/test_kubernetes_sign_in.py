"""Signing in to a cluster with a presigned STS token, through the real gateway."""

import base64
import dataclasses
import json
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest

from local import kubeconfig
from local.clients import client
from local.kubernetes import caller, tokens
from local.kubernetes.access_entries import Refused
from local.settings import ACCOUNT, REGION, Ports
from tests.kubernetes_api import RBAC, Cluster, binding, namespace, role
from tests.local.kubernetes_process import Embedded, running

TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
)
WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
POLICY = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"


@dataclasses.dataclass(frozen=True)
class Account:
    """The gateway's account, and an EKS cluster of its own for each test."""

    ports: Ports
    admin: Embedded
    name: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.ports.gateway}"

    def client(self, service: str) -> Any:
        return client(service, self.ports)

    def role(self, name: str = "") -> str:
        name = name or f"role-{uuid.uuid4().hex[:8]}"
        made = self.client("iam").create_role(
            RoleName=name, Path="/aws-reserved/", AssumeRolePolicyDocument=TRUST
        )
        return str(made["Role"]["Arn"])

    def entry(self, role: str, **more: Any) -> None:
        more.setdefault("username", "commons:team:{{SessionName}}")
        self.client("eks").create_access_entry(clusterName=self.name, principalArn=role, **more)

    def session(self, role: str, session: str = "alice@example.com") -> boto3.Session:
        answer = self.client("sts").assume_role(RoleArn=role, RoleSessionName=session)
        given = answer["Credentials"]
        return boto3.Session(
            given["AccessKeyId"],
            given["SecretAccessKey"],
            given["SessionToken"],
            region_name=REGION,
        )

    def token(self, role: str, **options: Any) -> str:
        return kubeconfig.token(self.session(role, **options), self.url, self.name)

    def as_role(self, role: str, **options: Any) -> Cluster:
        return self.admin.named(self.name, self.token(role, **options))


@pytest.fixture(scope="module")
def admin(gateway: Ports, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    url = f"http://127.0.0.1:{gateway.gateway}"
    with running(tmp_path_factory.mktemp("kubernetes"), url) as started:
        yield started


@pytest.fixture
def account(gateway: Ports, admin: Embedded) -> Account:
    name = f"eks-{uuid.uuid4().hex[:8]}"
    made = Account(gateway, admin.named(name), name)
    ec2 = made.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
    made.client("eks").create_cluster(
        name=name, roleArn=made.role(), resourcesVpcConfig={"subnetIds": [subnet]}
    )
    return made


def user_of(cluster: Cluster) -> dict[str, Any]:
    info: dict[str, Any] = cluster.create(WHO, {})["status"]["userInfo"]
    return info


def test_an_access_entry_names_the_person(account: Account) -> None:
    role_arn = account.role()
    account.entry(role_arn, kubernetesGroups=["readers"])
    assert user_of(account.as_role(role_arn)) == {
        "username": "commons:team:alice-example.com",
        "groups": ["readers", "system:authenticated"],
    }


def test_a_person_is_allowed_at_home_and_forbidden_next_door(account: Account) -> None:
    for name in ("team-a", "team-b"):
        account.admin.create("/api/v1/namespaces", namespace(name))
    rule = {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}
    place = f"{RBAC}/namespaces/team-a"
    account.admin.create(f"{place}/roles", role("member", rule))
    user = "commons:team:alice-example.com"
    account.admin.create(f"{place}/rolebindings", binding("member", user))
    role_arn = account.role()
    account.entry(role_arn)
    alice = account.as_role(role_arn)
    assert alice.call("GET", "/api/v1/namespaces/team-a/pods")[0] == 200
    assert alice.call("GET", "/api/v1/namespaces/team-b/pods")[0] == 403
    teammate = account.as_role(role_arn, session="bob")
    assert teammate.call("GET", "/api/v1/namespaces/team-a/pods")[0] == 403


def test_a_role_without_an_entry_is_nobody(account: Account) -> None:
    assert account.as_role(account.role()).call("GET", "/api")[0] == 401


def test_a_removed_entry_ends_access_within_a_second(account: Account) -> None:
    role_arn = account.role()
    account.entry(role_arn)
    alice = account.as_role(role_arn)
    assert alice.call("GET", "/api")[0] == 200
    account.client("eks").delete_access_entry(clusterName=account.name, principalArn=role_arn)
    time.sleep(1.1)
    assert alice.call("GET", "/api")[0] == 401


def test_a_role_made_again_under_its_name_is_a_stranger(account: Account) -> None:
    role_arn = account.role()
    account.entry(role_arn)
    alice = account.as_role(role_arn)
    assert alice.call("GET", "/api")[0] == 200
    name = role_arn.rpartition("/")[2]
    account.client("iam").delete_role(RoleName=name)
    assert account.role(name) == role_arn
    time.sleep(1.1)
    assert alice.call("GET", "/api")[0] == 401, "the old session"
    assert account.as_role(role_arn).call("GET", "/api")[0] == 401, "a session of the new role"
    account.client("eks").delete_access_entry(clusterName=account.name, principalArn=role_arn)
    time.sleep(1.1)  # entries tell the time of their creation in whole seconds
    account.entry(role_arn)
    assert account.as_role(role_arn).call("GET", "/api")[0] == 200
    assert alice.call("GET", "/api")[0] == 401, "the old session, once there is a new entry"


def test_a_role_made_again_is_a_stranger_even_to_a_new_process(account: Account) -> None:
    role_arn = account.role()
    account.entry(role_arn)
    name = role_arn.rpartition("/")[2]
    account.client("iam").delete_role(RoleName=name)
    time.sleep(1.1)
    account.role(name)
    assert account.as_role(role_arn).call("GET", "/api")[0] == 401


def test_a_token_is_for_one_cluster_only(account: Account) -> None:
    role_arn = account.role()
    account.entry(role_arn)
    elsewhere = kubeconfig.token(account.session(role_arn), account.url, "another")
    assert account.admin.named(account.name, elsewhere).call("GET", "/api")[0] == 401


def test_an_access_policy_makes_an_administrator(account: Account) -> None:
    role_arn = account.role()
    account.entry(role_arn, username="commons:writer")
    account.client("eks").associate_access_policy(
        clusterName=account.name,
        principalArn=role_arn,
        policyArn=POLICY,
        accessScope={"type": "cluster"},
    )
    writer = account.as_role(role_arn)
    writer.create("/api/v1/namespaces", namespace("made"))
    assert user_of(writer)["username"] == "commons:writer"


def test_an_access_policy_may_hold_in_one_namespace(account: Account) -> None:
    for name in ("inside", "outside"):
        account.admin.create("/api/v1/namespaces", namespace(name))
    role_arn = account.role()
    account.entry(role_arn)
    account.client("eks").associate_access_policy(
        clusterName=account.name,
        principalArn=role_arn,
        policyArn=POLICY,
        accessScope={"type": "namespace", "namespaces": ["inside"]},
    )
    person = account.as_role(role_arn)
    assert person.call("GET", "/api/v1/namespaces/inside/secrets")[0] == 200
    assert person.call("GET", "/api/v1/namespaces/outside/secrets")[0] == 403
    assert person.call("GET", "/api/v1/nodes")[0] == 403


def test_the_products_client_signs_in(account: Account) -> None:
    role_arn = account.role()
    account.entry(role_arn)
    lightkube = account.as_role(role_arn).lightkube()
    assert lightkube.config.cluster.server.endswith(f"/clusters/{account.name}")


def changed(token: str, *replacements: tuple[str, str]) -> str:
    encoded = token.removeprefix("k8s-aws-v1.")
    url = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    for old, new in replacements:
        assert old in url
        url = url.replace(old, new)
    return "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "replacement",
    [
        ("127.0.0.1", "localhost"),
        ("GetCallerIdentity", "GetSessionToken"),
        ("/?Action", "/other?Action"),
        ("&Version", "&Action=GetCallerIdentity&Version"),
        ("x-k8s-aws-id", "x-other"),
        ("X-Amz-Signature=", "X-Amz-Signature=0"),
        ("X-Amz-Date=2", "X-Amz-Date=1"),
        ("X-Amz-Date=", "X-Amz-Date=no"),
    ],
)
def test_a_token_that_was_tampered_with_is_nobody(
    account: Account, replacement: tuple[str, str]
) -> None:
    role_arn = account.role()
    account.entry(role_arn)
    token = account.token(role_arn)
    assert account.admin.named(account.name, token).call("GET", "/api")[0] == 200
    forged = account.admin.named(account.name, changed(token, replacement))
    assert forged.call("GET", "/api")[0] == 401


GOOD = (
    "http://127.0.0.1:4566/?Action=GetCallerIdentity&Version=2011-06-15"
    "&X-Amz-Date=20261201T120000Z&X-Amz-SignedHeaders=host%3Bx-k8s-aws-id"
)
SIGNED_AT = datetime(2026, 12, 1, 12, tzinfo=UTC).timestamp()


def test_a_good_url_is_believed() -> None:
    tokens.check(GOOD, "http://127.0.0.1:4566", SIGNED_AT + 900)
    tokens.check(GOOD.replace("/?", "?"), "http://127.0.0.1:4566", SIGNED_AT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("127.0.0.1", "127.0.0.2"),
        (":4566", ":4567"),
        ("http:", "https:"),
        ("/?", "/role?"),
        ("127.0.0.1", "admin@127.0.0.1"),
        ("GetCallerIdentity", "GetSessionToken"),
        ("Version=", "Action=GetCallerIdentity&Version="),
        ("%3Bx-k8s-aws-id", ""),
        ("20261201T12", "20261201T11"),
        ("X-Amz-Date=2026", "X-Amz-Date="),
    ],
)
def test_a_url_is_not_believed_whatever_sts_would_say(old: str, new: str) -> None:
    with pytest.raises((Refused, caller.NotReadable)):
        tokens.check(GOOD.replace(old, new, 1), "http://127.0.0.1:4566", SIGNED_AT)


@pytest.mark.parametrize("token", ["k8s-aws-v1.", "k8s-aws-v1.é", "k8s-aws-v1.%%%", "other"])
def test_what_is_no_token_is_nobody(account: Account, token: str) -> None:
    stranger = account.admin.named(account.name, "unused")
    stranger.headers["Authorization"] = f"Bearer {token}".encode()
    assert stranger.call("GET", "/api")[0] == 401


@pytest.mark.parametrize(("age", "accepted"), [(0, True), (900, True), (901, False), (-301, False)])
def test_a_signature_is_good_for_fifteen_minutes(age: int, accepted: bool) -> None:
    signed = "20261201T120000Z"
    now = 1796126400 + age
    if accepted:
        caller.check_age(signed, now)
    else:
        with pytest.raises(caller.NotReadable):
            caller.check_age(signed, now)
