"""`commons team whoami`: each link from a signed session to the namespaces, and what is wrong."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from botocore.exceptions import ClientError

from cli import cluster_access, stack, whoami_cluster
from commons.adapters.member_table import MemberTable
from commons.domain.access import ROLE_ID_TAG, TEAM_TAG, username
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.errors import AccessDenied
from commons.domain.membership import Member, MembershipPlan, State
from commons.domain.team import Accepted, Access
from tests.access_fakes import EksFake, IamFake
from tests.cli.stack_support import Deployed, deployed

CLUSTER = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
USER, NAME = "ada@example.com", "commons:vision:ada-example.com"
DOCUMENT = {"kind": "Cluster", "cluster": CLUSTER, "name": "research", "eks_cluster": "hp-eks"}


class Bindings:
    """What the administrator reads in the cluster."""

    def __init__(self) -> None:
        self.people = [NAME]
        self.error: Exception | None = None

    def list(self, kind: str, namespace: str) -> list[dict[str, Any]]:
        assert kind == "RoleBinding"
        if self.error:
            raise self.error
        subjects = [{"name": name} for name in self.people]
        empty = {"roleRef": {"name": "commons-lead"}}
        return [{"roleRef": {"name": "commons-member"}, "subjects": subjects}, empty]


class Company:
    """Team vision with one member, its role, and its entry on one cluster: all in order."""

    def __init__(self, cloud: Deployed) -> None:
        self.cloud, self.iam, self.eks, self.bindings = cloud, IamFake(), EksFake(), Bindings()
        rows = [{"cluster": CLUSTER}]
        team = {"kind": "Team", "team": "vision", "title": "Vision", "namespaces": rows}
        documents: list[Any] = [
            TeamDocument.model_validate(team),
            ClusterDocument.model_validate(DOCUMENT),
        ]
        for document in documents:
            of = {"key": "k", "version": "1", "etag": "e", "uploaded_at": "t", "accepted_at": "2"}
            cloud.table.keep(Accepted[Any](document=document, **of))
        self.role = self.iam.make("commons-vision")
        self.member("active")
        self.remember()
        self.entry(self.role)

    def member(self, state: State) -> None:
        ada = Member(user_id="u", user_name=USER, role="member", state=state)
        plan = MembershipPlan(members=(ada,), changed=(ada,), gone=())
        MemberTable(self.cloud.raw).save("vision", plan)

    def remember(self) -> None:
        access = Access(
            account="111122223333",
            permission_set="commons-vision",
            permission_set_arn="arn:ps",
            role_arn=self.role,
            role_id=self.role_id,
        )
        self.cloud.table.put_access("vision", access)

    @property
    def role_id(self) -> str:
        return str(self.iam.roles[self.role]["RoleId"])

    def entry(self, principal: str, **fields: Any) -> None:
        tags = {TEAM_TAG: "vision", ROLE_ID_TAG: self.role_id}
        self.eks.put(principal, **{"username": username("vision"), "tags": tags, **fields})

    def session(self, user: str = USER, role: str = "") -> str:
        name = role or self.role.rpartition("/")[2]
        return f"arn:aws:sts::111122223333:assumed-role/{name}/{user}"

    def links(self, arn: str = "") -> dict[str, tuple[str, str]]:
        answer = self.cloud.run("team", "whoami", "--caller", arn or self.session(), "--json")
        found = {each["name"]: (each["result"], each["found"]) for each in answer.json()}
        problem = any(result == "problem" for result, _ in found.values())
        assert answer.code == (1 if problem else 0)
        return found


@pytest.fixture
def company(monkeypatch: pytest.MonkeyPatch) -> Iterator[Company]:
    with deployed(monkeypatch) as cloud:
        made = Company(cloud)
        cloud.clients["iam"] = made.iam.client
        monkeypatch.setattr(cluster_access, "regional", lambda *_: made.eks.client)
        monkeypatch.setattr(cluster_access, "as_caller", lambda _: made.bindings)
        yield made


def test_every_link_is_shown_when_all_hold(company: Company) -> None:
    assert company.links() == {
        "caller": ("ok", f"{USER}, by commons-vision"),
        "team": ("ok", "vision (Vision)"),
        "role": ("ok", company.role),
        "member": ("ok", "member, active"),
        "research: access entry": ("ok", company.role),
        "research: user name": ("ok", NAME),
        "research: hyperpod-ns-vision": ("ok", "commons-member"),
    }


@pytest.mark.parametrize("state", ["disabled", "conflict", "pending"])
def test_a_member_who_may_do_nothing_is_a_problem(company: Company, state: State) -> None:
    company.member(state)
    assert company.links()["member"] == ("problem", f"member, {state}")


def test_a_member_who_is_held_is_in_order(company: Company) -> None:
    company.member("held")
    assert company.links()["member"] == ("ok", "member, held")


def test_who_is_in_no_group_is_told_so_and_their_other_case_is_theirs(company: Company) -> None:
    assert company.links(company.session("eve@example.com"))["member"] == (
        "problem",
        "is in no group of team vision",
    )
    assert company.links(company.session("Ada@Example.com"))["member"][0] == "ok"


def test_ac_01_a_session_of_a_former_role_is_told_which_there_is_now(company: Company) -> None:
    former = "AWSReservedSSO_commons-vision_0000000000000000"
    assert company.links(company.session(role=former))["role"] == (
        "problem",
        f"{former} is gone; the team's role is {company.role}",
    )


def test_a_role_that_was_made_again_is_a_problem_of_role_and_entry(company: Company) -> None:
    company.iam.roles[company.role]["RoleId"] = "AROA9999999999999999"
    links = company.links()
    assert links["role"] == ("problem", f"{company.role} was made again and is not known yet")
    assert links["research: access entry"][0] == "problem"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"tags": {ROLE_ID_TAG: "AROAOLD"}}, "was made for a role of this name that is gone"),
        ({"username": "somebody"}, "its user name is somebody"),
    ],
)
def test_an_entry_that_is_not_as_it_must_be_is_a_problem(
    company: Company, fields: dict[str, Any], said: str
) -> None:
    company.entry(company.role, **fields)
    assert company.links()["research: access entry"] == ("problem", said)


def test_ac_01_no_entry_and_a_second_one_are_problems(company: Company) -> None:
    older = company.role[:-4] + "0000"
    company.entry(older)
    assert company.links()["research: access entry"] == (
        "problem",
        "there are 1 more, on older roles",
    )
    del company.eks.entries[company.role]
    assert company.links()["research: access entry"] == ("problem", f"none on {company.role}")


def test_a_name_that_no_binding_lists_is_a_problem(company: Company) -> None:
    company.bindings.people = ["commons:vision:ada-example.co"]
    assert company.links()["research: hyperpod-ns-vision"] == (
        "problem",
        "no RoleBinding lists this user name",
    )


def test_bindings_that_may_not_be_read_are_no_problem_of_the_person(company: Company) -> None:
    company.bindings.error = AccessDenied("you may not")
    assert company.links()["research: hyperpod-ns-vision"] == ("warning", "you may not")


def test_without_a_role_nothing_is_in_order(company: Company) -> None:
    session = company.session()
    company.iam.roles.clear()
    links = company.links(session)
    assert links["role"] == ("problem", "Identity Center has made none")
    assert links["research: access entry"] == ("problem", "none on any role")


@pytest.mark.parametrize(
    ("arn", "code", "said"),
    [
        ("arn:aws:iam::111122223333:root", 2, "is not a person of a team"),
        (
            "arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Admin_ab/ada",
            1,
            "No team has the permission set Admin in account 111122223333",
        ),
        (
            "arn:aws:sts::444455556666:assumed-role/AWSReservedSSO_commons-vision_ab/ada",
            1,
            "No team has the permission set commons-vision in account 444455556666",
        ),
    ],
)
def test_who_is_of_no_team_is_told_so(company: Company, arn: str, code: int, said: str) -> None:
    answer = company.cloud.run("team", "whoami", "--caller", arn)
    assert answer.code == code
    assert said in answer.error


def test_a_cluster_that_the_team_is_not_on_is_named(company: Company) -> None:
    answer = company.cloud.run("team", "whoami", "--caller", company.session(), "--cluster", "far")
    assert (answer.code, answer.error) == (1, "Team vision is on no registered cluster far")
    for known in ("research", "hp-eks"):
        words = ("--caller", company.session(), "--cluster", known)
        assert company.cloud.run("team", "whoami", *words).code == 0


class Sts:
    def __init__(self, arn: str) -> None:
        self.arn = arn

    def get_caller_identity(self) -> dict[str, str]:
        return {"Arn": self.arn}


class Cluster:
    """Answers who asks: with a name, or with a status of refusal."""

    def __init__(self, name: str, status: int = 201) -> None:
        self.name, self.status = name, status

    def create(self, _: Any) -> Any:
        if self.status >= 400:
            request = httpx2.Request("POST", "https://x")
            response = httpx2.Response(self.status, request=request)
            raise httpx2.HTTPStatusError("no", request=request, response=response)
        return {"status": {"userInfo": {"username": self.name}}}


@pytest.fixture
def alone(company: Company, monkeypatch: pytest.MonkeyPatch) -> Company:
    """A person with nothing but their own permission set."""

    def denied(_: str) -> Any:
        raise ClientError({"Error": {"Code": "AccessDenied"}}, "DescribeStacks")

    monkeypatch.setattr(stack, "table", denied)
    company.cloud.clients["sts"] = Sts(company.session())
    company.cloud.clients["eks"] = company.eks.client
    return company


@pytest.mark.parametrize(
    ("cluster", "result", "found"),
    [
        (Cluster(NAME), "ok", NAME),
        (Cluster("commons:vision:bob-example.com"), "problem", "commons:vision:bob-example.com"),
        (Cluster("arn:ada-example.com"), "problem", "arn:ada-example.com"),
        (
            Cluster("", 401),
            "problem",
            "the cluster does not know your role: it has no access entry, or was made again",
        ),
    ],
)
def test_a_person_hears_from_the_cluster_itself_who_they_are(
    alone: Company, monkeypatch: pytest.MonkeyPatch, cluster: Cluster, result: str, found: str
) -> None:
    monkeypatch.setattr(whoami_cluster.cluster_access, "sign_in", lambda *_: cluster)
    answer = alone.cloud.run("team", "whoami", "--cluster", "hp-eks", "--json")
    assert answer.code == (0 if result == "ok" else 1)
    assert [(e["name"], e["result"], e["found"]) for e in answer.json()] == [
        ("caller", "ok", f"{USER}, by commons-vision"),
        ("hp-eks: user name", result, found),
    ]


def test_a_cluster_that_fails_otherwise_is_not_taken_for_a_refusal(
    alone: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whoami_cluster.cluster_access, "sign_in", lambda *_: Cluster("", 503))
    with pytest.raises(httpx2.HTTPStatusError):
        alone.cloud.run("team", "whoami", "--cluster", "hp-eks")


def test_a_person_must_name_the_cluster_and_cannot_ask_for_others(alone: Company) -> None:
    answer = alone.cloud.run("team", "whoami")
    assert answer.code == 2
    assert "name the EKS cluster with --cluster" in answer.error
    asked = alone.cloud.run("team", "whoami", "--caller", alone.session("bob"))
    assert asked.code == 1
    assert "AWS refused DescribeStacks" in asked.error
