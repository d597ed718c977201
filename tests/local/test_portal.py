"""The access portal: who gets credentials of a permission set's role, and who does not."""

import json
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from local import portal, settings
from local.clients import client
from local.settings import Ports, urls
from tests.local.directory_process import STORE, Directory, eventually, running
from tests.local.test_sso_admin import ACCOUNT, assign, make_set, roles, target


class Company:
    """A directory with a person in a group that has a permission set."""

    def __init__(self, directory: Directory, gateway: Ports, name: str) -> None:
        self.directory, self.gateway, self.name = directory, gateway, name
        self.store, self.access = (directory.client(s) for s in ("identitystore", "sso-admin"))
        self.user_id = self.user(f"ada@{name}.example")
        self.group_id = self._made("group", DisplayName=f"gpu-{name}")
        self.membership_id = self.join(self.user_id)
        self.set = make_set(self.access, f"commons-{name}")
        assert assign(self.access, self.set, self.group_id)["Status"] == "SUCCEEDED"

    def user(self, name: str) -> str:
        full = {"FamilyName": "L", "GivenName": "A"}
        return self._made("user", UserName=name, DisplayName=name, Name=full)

    def join(self, user_id: str) -> str:
        member = {"UserId": user_id}
        made = self.store.create_group_membership(
            IdentityStoreId=STORE, GroupId=self.group_id, MemberId=member
        )
        return str(made["MembershipId"])

    def sign_in(self, user: str = "", permission_set: str = "", account: str = ACCOUNT) -> Any:
        ports = self.gateway.model_copy(
            update={"directory": int(self.directory.url.rpartition(":")[2])}
        )
        return portal.credentials(
            ports,
            user or f"ada@{self.name}.example",
            permission_set or f"commons-{self.name}",
            account,
        )

    def _made(self, kind: str, **fields: Any) -> str:
        made = getattr(self.store, f"create_{kind}")(IdentityStoreId=STORE, **fields)
        return str(made[f"{kind.capitalize()}Id"])


@pytest.fixture(scope="module")
def directory(gateway: Ports) -> Iterator[Directory]:
    with running(COMMONS_LOCAL_GATEWAY_URL=urls(gateway)["COMMONS_LOCAL_GATEWAY_URL"]) as part:
        yield part


@pytest.fixture
def company(directory: Directory, gateway: Ports, request: pytest.FixtureRequest) -> Company:
    return Company(directory, gateway, f"t{zlib.crc32(request.node.name.encode()):x}")


def identity(company: Company, keys: dict[str, str]) -> str:
    sts = portal.session(keys).client(
        "sts", endpoint_url=urls(company.gateway)["COMMONS_LOCAL_GATEWAY_URL"]
    )
    return str(sts.get_caller_identity()["Arn"])


def test_a_member_gets_a_session_named_after_them_as_long_as_the_permission_set_says(
    company: Company, gateway: Ports
) -> None:
    keys = company.sign_in()

    [role] = roles(client("iam", gateway), f"commons-{company.name}")
    assert identity(company, keys) == (
        f"arn:aws:sts::{ACCOUNT}:assumed-role/{role['RoleName']}/ada@{company.name}.example"
    )
    left = datetime.fromisoformat(keys["expiration"]) - datetime.now(UTC)
    assert 3.9 < left.total_seconds() / 3600 <= 4
    process = portal.credential_process(keys)
    assert process["Version"] == 1
    assert process["Expiration"].endswith("Z")


def test_a_user_who_is_assigned_themselves_needs_no_group(company: Company) -> None:
    user_id = company.user(f"bob@{company.name}.example")
    own = {**target(company.set, user_id), "PrincipalType": "USER"}
    company.access.create_account_assignment(**own)

    def get() -> Any:
        try:
            return company.sign_in(f"bob@{company.name}.example")
        except portal.NotLetIn:
            return None

    assert eventually(get, bool)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"user": "nobody@example.com"}, "nobody in the directory is called nobody@example.com"),
        ({"permission_set": "commons-none"}, "there is no permission set commons-none"),
        ({"account": "444455556666"}, "in account 444455556666: it is assigned to no group"),
    ],
)
def test_what_there_is_not_is_named(company: Company, wanted: dict[str, str], said: str) -> None:
    with pytest.raises(portal.NotLetIn, match=said):
        company.sign_in(**wanted)


def test_who_is_in_no_assigned_group_is_refused_and_told_which_there_are(company: Company) -> None:
    company.user(f"eve@{company.name}.example")

    with pytest.raises(portal.NotLetIn) as refusal:
        company.sign_in(f"eve@{company.name}.example")

    assert str(refusal.value) == (
        f"no assignment gives eve@{company.name}.example the permission set "
        f"commons-{company.name} in account {ACCOUNT}: it is assigned to the groups "
        f"gpu-{company.name}, of which they are in none"
    )


@pytest.mark.parametrize("way", ["remove", "disable", "delete"])
def test_who_leaves_gets_nothing_new_and_a_session_of_theirs_lives_on(
    company: Company, way: str
) -> None:
    before = company.sign_in()
    if way == "remove":
        company.store.delete_group_membership(
            IdentityStoreId=STORE, MembershipId=company.membership_id
        )
    elif way == "disable":
        company.directory.call("PUT", f"users/{company.user_id}/status", {"status": "DISABLED"})
    else:
        company.store.delete_user(IdentityStoreId=STORE, UserId=company.user_id)

    with pytest.raises(portal.NotLetIn) as refusal:
        company.sign_in()

    said = {"remove": "they are in none", "disable": "is disabled", "delete": "nobody"}[way]
    assert said in str(refusal.value)
    assert identity(company, before).endswith(f"/ada@{company.name}.example")


def test_who_comes_back_is_let_in_again(company: Company) -> None:
    company.store.delete_group_membership(IdentityStoreId=STORE, MembershipId=company.membership_id)
    company.join(company.user_id)
    assert company.sign_in()["role"].startswith(f"AWSReservedSSO_commons-{company.name}_")


def test_a_name_that_no_session_can_have_is_refused(company: Company) -> None:
    name = f"ada lovelace {company.name}"
    company.join(company.user(name))
    with pytest.raises(portal.NotLetIn, match="cannot be a session's name"):
        company.sign_in(name)


def test_nobody_but_the_portal_assumes_the_role(company: Company, gateway: Ports) -> None:
    keys = company.sign_in()
    [role] = roles(client("iam", gateway), f"commons-{company.name}")
    _role_that_may_assume(client("iam", gateway), company.name)
    stranger = client("sts", gateway).assume_role(
        RoleArn=f"arn:aws:iam::{ACCOUNT}:role/stranger-{company.name}", RoleSessionName="stranger"
    )["Credentials"]
    theirs = boto3.Session(
        stranger["AccessKeyId"], stranger["SecretAccessKey"], stranger["SessionToken"]
    )
    for session in (portal.session(keys), theirs):
        sts = session.client(
            "sts",
            endpoint_url=urls(gateway)["COMMONS_LOCAL_GATEWAY_URL"],
            region_name=settings.REGION,
        )
        with pytest.raises(ClientError, match="AccessDenied"):
            sts.assume_role(RoleArn=role["Arn"], RoleSessionName="somebody-else")


def _role_that_may_assume(iam: Any, name: str) -> None:
    trust = {"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    iam.create_role(RoleName=f"stranger-{name}", AssumeRolePolicyDocument=document)
    anything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    iam.put_role_policy(
        RoleName=f"stranger-{name}",
        PolicyName="all",
        PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [anything]}),
    )
