"""Documents, look-ups, claims and records of a team in a table like the deployed one."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from commons.adapters.team_table import TeamTable
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.errors import UnknownTeam
from commons.domain.status import Condition
from commons.domain.team import Accepted, Access, QuotaRecord
from tests.adapters.team_tables import team_table

NOW = datetime(2026, 11, 2, 8, tzinfo=UTC)
ARN = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
OTHER = "arn:aws:sagemaker:us-west-2:111122223333:cluster/zz12cd34ef56"


@pytest.fixture
def raw(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    with team_table() as table:
        yield table


@pytest.fixture
def table(raw: Any) -> TeamTable:
    return TeamTable(raw)


def team(name: str, *namespaces: tuple[str, str | None]) -> TeamDocument:
    return TeamDocument.model_validate(
        {
            "kind": "Team",
            "team": name,
            "title": name,
            "groups": {"member": [f"gpu-{name}"]},
            "namespaces": [{"cluster": arn, "project": project} for arn, project in namespaces],
        }
    )


def accepted(
    document: TeamDocument | ClusterDocument,
    version: str = "01",
    key: str = "k",
    at: str = "2026-11-02T08:00:00+00:00",
) -> Accepted[TeamDocument | ClusterDocument]:
    return Accepted[TeamDocument | ClusterDocument](
        document=document,
        key=key,
        version=version,
        etag="e",
        uploaded_at=at,
        accepted_at="2026-11-02T08:00:00Z",
    )


def test_a_document_comes_back_as_it_was(table: TeamTable) -> None:
    document = team("vision", (ARN, None), (ARN, "detection"))
    assert table.keep(accepted(document)) == ["vision"]
    assert table.get_team_document("vision") == document
    assert [each.document.team for each in table.teams()] == ["vision"]


def test_an_unknown_team_is_said_to_be_unknown(table: TeamTable) -> None:
    with pytest.raises(UnknownTeam, match="commons team apply"):
        table.team("vision")
    assert table.find_team("vision") is None
    assert table.get_cluster_document(ARN) is None


def test_documents_under_two_keys_are_ordered_by_the_time_of_upload(table: TeamTable) -> None:
    later = accepted(team("vision"), "01", "b", "2026-11-02T09:00:00+00:00")
    assert table.keep(later) == ["vision"]
    earlier = accepted(team("vision", (ARN, None)), "FF", "a", "2026-11-02T08:59:59+00:00")
    assert table.keep(earlier) is None
    assert table.get_team_document("vision").namespaces == []
    assert table.teams_of_cluster(ARN) == []


def test_a_cluster_leads_to_every_team_with_a_namespace_there(table: TeamTable) -> None:
    for name in ("vision", "language"):
        table.keep(accepted(team(name, (ARN, None))))
    assert table.teams_of_cluster(ARN) == ["language", "vision"]
    cluster = ClusterDocument(kind="Cluster", cluster=ARN, name="r", eks_cluster="e")
    assert table.keep(accepted(cluster)) == ["language", "vision"]
    document, clusters = table.with_clusters("vision")
    assert (document.team, list(clusters)) == ("vision", [ARN])


def test_more_teams_than_one_page_holds_are_all_found(table: TeamTable, raw: Any) -> None:
    with raw.batch_writer() as batch:
        for number in range(1_500):
            filler = {"pk": f"CLUSTER#{ARN}", "sk": f"TEAM#{number:04}", "text": "x" * 1_000}
            batch.put_item(Item=filler)
    assert len(table.teams_of_cluster(ARN)) == 1_500


def test_the_second_claimant_of_a_namespace_is_told_whose_it_is(table: TeamTable) -> None:
    assert table.claim_namespaces(team("a", (ARN, "b")), NOW) == []
    [fault] = table.claim_namespaces(team("a-b", (OTHER, None), (ARN, None)), NOW)
    assert fault.path == ("namespaces", 1)
    assert "hyperpod-ns-a-b belongs to project b of team a" in fault.message
    assert table.holder(OTHER, "hyperpod-ns-a-b") is None


def test_the_holder_may_claim_again_and_the_same_name_on_another_cluster_is_free(
    table: TeamTable,
) -> None:
    assert table.claim_namespaces(team("a", (ARN, "b")), NOW) == []
    assert table.claim_namespaces(team("a", (ARN, "b")), NOW) == []
    assert table.claim_namespaces(team("a-b", (OTHER, None)), NOW) == []
    assert table.holder(ARN, "hyperpod-ns-a-b") == ("a", "b")
    assert table.holder(OTHER, "hyperpod-ns-a-b") == ("a-b", None)


def test_facets_write_their_part_of_a_namespace_and_keep_the_others(table: TeamTable) -> None:
    name = "hyperpod-ns-vision"
    quota = QuotaRecord(id="q", version=2, resources=[{"instance_type": "ml.x", "vcpu": 1.5}])
    table.note_quota("vision", ARN, name, quota)
    table.note_access_entry("vision", ARN, name, "arn:aws:iam::1:role/r")
    bad = Condition(type="QuotaReady", status="False", reason="Held", message="m", since="s")
    table.note_conditions("vision", ARN, name, "p", "Held", [bad])
    [record] = table.namespaces("vision")
    assert (record.project, record.phase, record.conditions) == ("p", "Held", [bad])
    assert (record.quota, record.access_entry) == (quota, "arn:aws:iam::1:role/r")
    table.note_access_entry("vision", ARN, name, None)
    assert table.namespaces("vision")[0].access_entry is None


def test_access_is_kept_per_account(table: TeamTable) -> None:
    access = Access(account="1", permission_set="commons-vision", permission_set_arn="arn:ps")
    table.put_access("vision", access)
    table.put_access("vision", access.model_copy(update={"account": "2", "role_arn": "arn:r"}))
    assert [(each.account, each.role_arn) for each in table.access("vision")] == [
        ("1", None),
        ("2", "arn:r"),
    ]


def test_a_look_up_of_one_id_finds_no_other(table: TeamTable, raw: Any) -> None:
    for pk, sk in (
        ("GROUP#g", "TEAM#vision"),
        ("GROUPNAME#gpu-vision", "TEAM#vision"),
        ("USER#u", "TEAM#vision"),
        ("USER#u", "TEAM#language"),
        ("MEMBERSHIP#m", "GROUP#g"),
    ):
        raw.put_item(Item={"pk": pk, "sk": sk})
    assert table.teams_of_group("g") == ["vision"]
    assert table.teams_of_group_name("gpu-vision") == ["vision"]
    assert table.teams_of_user("u") == ["language", "vision"]
    assert table.groups_of_membership("m") == ["g"]
    assert table.teams_of_user("g") == table.teams_of_group("u") == []
    assert table.groups_of_membership("g") == []
