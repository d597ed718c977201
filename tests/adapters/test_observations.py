"""A sweep reads the directory whole or not at all, and leaves out a cluster that is silent."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from commons.adapters.access_entries import AccessEntries
from commons.adapters.access_reviews import AccessReviews
from commons.adapters.cluster_observations import ClusterObservations
from commons.adapters.compute_quotas import ComputeQuotas
from commons.adapters.iam_roles import IamRoles
from commons.adapters.identity_store import IdentityStore
from commons.adapters.member_table import MemberTable
from commons.adapters.namespace_shape import Shaped
from commons.adapters.observations import Observations
from commons.adapters.team_table import TeamTable
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.errors import Blocked, Throttled
from commons.domain.group_pins import GroupPin
from commons.domain.membership import Member, MembershipPlan
from commons.domain.namespace_objects import TEAM_LABEL
from commons.domain.sweep import differences
from commons.domain.team import Accepted, QuotaRecord
from tests.adapters.team_tables import team_table
from tests.aws_fake import FakeAws, page
from tests.cluster_fakes import KubernetesFake, QuotasFake
from tests.directory_fake import STORE, DirectoryFake

ARN = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
OTHER = ARN.replace("ab12", "zz12")
NAME = "hyperpod-ns-vision"


class Shape:
    """What a reconcile would do in a namespace, or why that cannot be said."""

    def __init__(self, answers: dict[str, list[str] | Exception]) -> None:
        self.answers = answers
        self.acted = False
        self.asked: list[dict[str, Any]] = []

    def reach(
        self, team: str, project: Any, namespace: str, members: Any, act: bool, **more: Any
    ) -> Shaped:
        self.acted |= act
        self.asked.append({"namespace": namespace, "members": len(members), **more})
        answer = self.answers.get(namespace, [])
        if isinstance(answer, Exception):
            raise answer
        return Shaped(answer, [])


class Log:
    def __init__(self) -> None:
        self.left_out: list[str] = []

    def warning(self, msg: object, *args: object, **more: Any) -> None:
        self.left_out.append(more["cluster"])


class World:
    def __init__(self, raw: Any) -> None:
        self.teams = TeamTable(raw)
        self.members = MemberTable(raw)
        self.directory = DirectoryFake()
        self.directory.answer("ListGroups", self._groups)
        self.quotas = QuotasFake()
        self.eks = FakeAws("eks")
        self.eks.answer("ListAccessEntries", lambda **_: {"accessEntries": ["arn:aws:iam::1:r"]})
        self.iam = FakeAws("iam")
        self.iam.answer("ListRoles", lambda **_: {"Roles": [], "IsTruncated": False})
        self.shapes: dict[str, Shape] = {}
        self.kubernetes = KubernetesFake()
        self.log = Log()

    def _groups(self, IdentityStoreId: str, NextToken: str | None = None) -> dict[str, Any]:
        everything = [self.directory._group(IdentityStoreId, one) for one in self.directory.groups]
        chosen, more = page(everything, NextToken)
        return {"Groups": chosen, **more}

    def observations(self, quotas: Callable[[str], Any] | None = None) -> Observations:
        clusters = ClusterObservations(
            quotas or (lambda _: ComputeQuotas(self.quotas.client)),
            lambda _: AccessEntries(self.eks.client),
            lambda cluster: self.shapes.get(cluster.cluster, Shape({})),  # type: ignore[arg-type,return-value]
            lambda _: AccessReviews(self.kubernetes),  # type: ignore[arg-type]
            self.log,
        )
        return Observations(
            self.teams,
            self.members,
            IdentityStore(self.directory.client, STORE),
            IamRoles(self.iam.client),
            clusters,
            "gpu-",
        )

    def keep(self, document: TeamDocument | ClusterDocument) -> None:
        self.teams.keep(
            Accepted[TeamDocument | ClusterDocument](
                document=document, key="k", version="1", etag="e", uploaded_at="t", accepted_at="t"
            )
        )

    def team(self, name: str, *clusters: str) -> None:
        self.keep(
            TeamDocument.model_validate(
                {
                    "kind": "Team",
                    "team": name,
                    "title": name,
                    "groups": {"member": [f"gpu-{name}"]},
                    "namespaces": [{"cluster": arn} for arn in clusters],
                }
            )
        )
        for arn in clusters:
            quota = QuotaRecord(id="q", version=1)
            self.teams.note_quota(name, arn, f"hyperpod-ns-{name}", quota)

    def cluster(self, arn: str, mode: str = "enforce") -> None:
        self.keep(
            ClusterDocument.model_validate(
                {"kind": "Cluster", "cluster": arn, "name": "c", "eks_cluster": "e", "mode": mode}
            )
        )


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    with team_table() as raw:
        yield World(raw)


def test_id_03_sixty_groups_and_263_members_are_read_whole(world: World) -> None:
    for number in range(60):
        name = f"team-{number:02}"
        people = [f"u{number}-{n}" for n in range(263 if number == 55 else 1)]
        for each in people:
            world.directory.user(each)
        world.directory.group(f"g{number}", f"gpu-{name}", people)
        world.team(name)
    observations = world.observations()
    known = observations.known()
    directory = observations.observed(known).directory
    assert len(known) == 60
    assert len(directory.groups) == len(directory.memberships) == 60
    assert len(directory.memberships["g55"]) == 263
    assert len(directory.people) == 263 + 59
    # one read of everybody, and one of each group
    assert world.directory.count("DescribeUser") == 0
    observed = observations.observed(known)
    reasons = [differences(team, observed) for team in known]
    assert all("members" in each for each in reasons)


def test_groups_of_nobody_are_not_read(world: World) -> None:
    world.directory.group("g1", "gpu-vision")
    world.directory.group("g2", "gpu-others")
    world.directory.group("g3", "administrators")
    world.team("vision")
    observations = world.observations()
    directory = observations.observed(observations.known()).directory
    assert directory.groups == {"g1": "gpu-vision", "g2": "gpu-others"}
    assert list(directory.memberships) == ["g1"]


def test_a_pinned_group_that_is_gone_has_no_members_and_is_not_an_empty_one(world: World) -> None:
    world.team("vision")
    world.members.pin("vision", "gpu-vision", GroupPin(group_id="gone", role="member"))
    observations = world.observations()
    assert observations.observed(observations.known()).directory.memberships == {}


def test_half_a_directory_is_no_directory(world: World) -> None:
    people = [world.directory.user(f"u{n}") for n in range(250)]
    world.directory.group("g1", "gpu-vision", people)
    world.directory.fail_on_page = 2
    world.team("vision")
    observations = world.observations()
    with pytest.raises(Throttled):
        observations.observed(observations.known())


def test_a_cluster_tells_quotas_entries_and_what_would_change(world: World) -> None:
    world.team("vision", ARN)
    world.cluster(ARN)
    quota = world.quotas.put("vision")
    world.shapes[ARN] = Shape({NAME: ["apply RoleBinding commons-member"]})
    observations = world.observations()
    observed = observations.observed(observations.known())
    assert observed.quotas == {ARN: {quota["ComputeQuotaId"]: 1}}
    assert observed.entries == {ARN: frozenset({"arn:aws:iam::1:r"})}
    assert observed.misshapen == {(ARN, NAME)}
    assert world.shapes[ARN].acted is False


def test_a_namespace_that_left_the_document_is_compared_without_people(world: World) -> None:
    world.team("vision", ARN)
    world.cluster(ARN)
    world.teams.note_quota("vision", ARN, f"{NAME}-old", QuotaRecord(id="q", version=1))
    world.teams.note_conditions("vision", ARN, f"{NAME}-old", "old", "Ready", [])
    member = {"user_id": "u", "user_name": "u@x", "role": "lead", "state": "active"}
    world.members.save("vision", MembershipPlan(members=(), changed=(Member(**member),), gone=()))  # type: ignore[arg-type]
    world.shapes[ARN] = Shape({})

    observations = world.observations()
    observations.observed(observations.known())

    asked = {each["namespace"]: each for each in world.shapes[ARN].asked}
    assert (asked[NAME]["members"], asked[f"{NAME}-old"]["members"]) == (1, 0)
    assert (asked[NAME]["state"], asked[f"{NAME}-old"]["spec"]) == ("active", None)
    assert asked[NAME]["spec"].cluster == ARN


def test_a_team_whose_people_are_listed_elsewhere_is_seen(world: World) -> None:
    world.team("vision", ARN)
    world.cluster(ARN)
    for team in ("vision", "sound"):
        world.kubernetes.put("Namespace", f"hyperpod-ns-{team}", labels={TEAM_LABEL: team})
    person = {"kind": "User", "name": "commons:vision:ada"}
    world.kubernetes.put("RoleBinding", "b", "hyperpod-ns-sound", subjects=[person])

    observations = world.observations()
    observed = observations.observed(observations.known())

    assert observed.trespassing == {(ARN, "vision")}


def test_a_namespace_that_cannot_be_had_is_left_to_a_reconcile(world: World) -> None:
    world.team("vision", ARN)
    world.cluster(ARN)
    world.shapes[ARN] = Shape({NAME: Blocked("the namespace is gone")})
    observations = world.observations()
    assert observations.observed(observations.known()).misshapen == {(ARN, NAME)}


def test_a_cluster_that_does_not_answer_is_left_out_and_the_others_are_seen(world: World) -> None:
    world.team("vision", ARN, OTHER)
    world.cluster(ARN)
    world.cluster(OTHER)
    world.shapes[ARN] = Shape({NAME: Throttled("no answer")})
    world.shapes[OTHER] = Shape({NAME: ["apply Role commons-lead"]})
    observations = world.observations()
    observed = observations.observed(observations.known())
    assert observed.misshapen == {(OTHER, NAME)}
    assert world.log.left_out == [ARN]


def test_clusters_that_are_only_observed_or_not_registered_are_not_looked_at(world: World) -> None:
    world.team("vision", ARN, OTHER)
    world.cluster(ARN, mode="observe")
    observations = world.observations()
    [known] = observations.known()
    assert known.clusters == []
    assert observations.observed([known]).quotas == {}
    assert world.quotas.calls == world.eks.calls == []
