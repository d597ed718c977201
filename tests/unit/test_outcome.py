"""What a reconcile came to, and what it set out to do."""

from datetime import UTC, datetime
from typing import Any

from commons.domain.documents import TeamDocument
from commons.domain.outcome import Outcome, Result, reconciled_event, result_of
from commons.domain.reconcile_plan import reconcile_plan
from commons.domain.status import Condition
from commons.domain.team import NamespaceRecord, TeamStatus

NOW = datetime(2026, 11, 2, 8, tzinfo=UTC)
ARN = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
OTHER = "arn:aws:sagemaker:eu-west-1:444455556666:cluster/zz12cd34ef56"
WELL = {"type": "X", "status": "True", "reason": "UpToDate", "message": "fine"}


def document(state: str = "active") -> TeamDocument:
    return TeamDocument.model_validate(
        {
            "kind": "Team",
            "team": "vision",
            "title": "Vision",
            "state": state,
            "namespaces": [{"cluster": ARN, "project": "detection"}, {"cluster": OTHER}],
        }
    )


def facet(type_: str) -> dict[str, Any]:
    return {"conditions": [{**WELL, "type": type_}], "actions": []}


def failed(error: str, cause: str = "why") -> dict[str, str]:
    return {"error": error, "cause": cause}


def outcome(**changes: Any) -> Outcome:
    whole: dict[str, Any] = {
        "team": "vision",
        "execution": "arn:execution",
        "requested": 1,
        "members": facet("MembersReady"),
        "access": facet("AccessReady"),
        "namespaces": [
            {
                "cluster": ARN,
                "namespace": "hyperpod-ns-vision-detection",
                "quota": facet("QuotaReady"),
                "shape": facet("NamespaceReady"),
            },
            {
                "cluster": OTHER,
                "namespace": "hyperpod-ns-vision",
                "quota": facet("QuotaReady"),
                "shape": facet("NamespaceReady"),
            },
        ],
    }
    return Outcome.model_validate(whole | changes)


def result(
    found: Outcome,
    state: str = "active",
    status: TeamStatus | None = None,
    before: list[NamespaceRecord] | None = None,
) -> Result:
    return result_of(found, document(state), status or TeamStatus(), before or [], NOW)


def test_a_plan_holds_ids_of_what_is_wanted() -> None:
    plan = reconcile_plan(document(), 7, [ARN, OTHER])
    assert plan.model_dump() == {
        "team": "vision",
        "requested": 7,
        "accounts": ["111122223333", "444455556666"],
        "namespaces": [
            {
                "cluster": ARN,
                "namespace": "hyperpod-ns-vision-detection",
                "project": "detection",
            },
            {"cluster": OTHER, "namespace": "hyperpod-ns-vision", "project": None},
        ],
        "blocked": [],
    }


def test_an_unregistered_cluster_blocks_its_own_namespaces_only() -> None:
    plan = reconcile_plan(document(), 1, [ARN])
    assert [each["cluster"] for each in plan.namespaces] == [ARN]
    assert plan.accounts == ["111122223333"]
    [blocked] = plan.blocked
    assert (blocked["cluster"], blocked["namespace"]) == (OTHER, "hyperpod-ns-vision")
    assert "commons cluster register" in blocked["message"]


def test_a_team_whose_facets_are_well_is_ready() -> None:
    found = result(outcome())
    assert found.phase == "Ready"
    assert [each.type for each in found.conditions] == [
        "MembersReady",
        "AccessReady",
        "NamespacesReady",
    ]
    assert [(each.project, each.phase) for each in found.namespaces] == [
        ("detection", "Ready"),
        (None, "Ready"),
    ]
    assert outcome().failed is False


def test_a_facet_that_failed_is_named_and_the_others_stay_well() -> None:
    found = outcome(access=failed("AccessDenied", '{"errorMessage": "renew the role"}'))
    told = {each.type: each for each in result(found).conditions}
    assert told["AccessReady"].message == "renew the role"
    assert told["MembersReady"].status == "True"
    assert result(found).phase == "Failed"
    assert found.failed is True


def test_a_fault_of_one_namespace_is_seen_there_and_of_the_team() -> None:
    namespaces = outcome().model_dump()["namespaces"]
    namespaces[0]["quota"] = failed("Conflict", "rename it")
    found = result(outcome(namespaces=namespaces))
    assert [each.phase for each in found.namespaces] == ["Conflict", "Ready"]
    assert found.phase == "Conflict"
    summary = found.conditions[-1]
    assert (summary.type, summary.status, summary.reason) == (
        "NamespacesReady",
        "False",
        "Conflict",
    )
    assert summary.message == "1 of 2 are ready; the first fault: rename it"


def test_the_worst_fault_of_any_namespace_decides_the_phase() -> None:
    namespaces = outcome().model_dump()["namespaces"]
    namespaces[0]["quota"] = failed("StillConverging")
    namespaces[1]["shape"] = failed("AccessDenied")
    found = result(outcome(namespaces=namespaces))
    assert [each.phase for each in found.namespaces] == ["Converging", "Failed"]
    assert found.phase == "Failed"


def test_each_facet_that_failed_fails_the_execution() -> None:
    for name in ("read", "members", "access"):
        assert outcome(**{name: failed("KeyError")}).failed is True
    for name in ("quota", "shape"):
        namespaces = outcome().model_dump()["namespaces"]
        namespaces[1][name] = failed("KeyError")
        assert outcome(namespaces=namespaces).failed is True


def test_a_blocked_namespace_says_the_command_and_fails_nothing() -> None:
    blocked = [
        {"cluster": OTHER, "namespace": "hyperpod-ns-vision", "project": None, "message": "do this"}
    ]
    namespaces = outcome().model_dump()["namespaces"][:1]
    found = outcome(blocked=blocked, namespaces=namespaces)
    assert found.failed is False
    told = result(found)
    assert told.phase == "Blocked"
    assert [each.phase for each in told.namespaces] == ["Ready", "Blocked"]
    [condition] = told.namespaces[1].conditions
    assert (condition.type, condition.message) == ("ClusterRegistered", "do this")


def test_a_team_that_could_not_be_read_says_why() -> None:
    found = Outcome.model_validate(
        {
            "team": "vision",
            "execution": "e",
            "requested": 0,
            "read": failed("UnknownTeam", '{"errorMessage": "no document"}'),
        }
    )
    told = result_of(found, None, TeamStatus(), [], NOW)
    assert told.phase == "Failed"
    assert [(c.type, c.reason, c.message) for c in told.conditions] == [
        ("DocumentReady", "UnknownTeam", "no document")
    ]
    assert told.namespaces == []


def test_a_frozen_team_that_is_well_says_that_it_is_frozen() -> None:
    assert result(outcome(), state="frozen").phase == "Frozen"
    assert result(outcome(), state="leaving").phase == "Leaving"
    assert {each.phase for each in result(outcome(), state="frozen").namespaces} == {"Frozen"}


def test_what_is_left_to_a_person_of_a_team_that_leaves_is_told_and_no_failure() -> None:
    left = {"type": "QuotaReady", "status": "False", "reason": "LeftToAPerson", "message": "look"}
    spaces = [each.model_dump() for each in outcome().namespaces]
    spaces[0]["quota"] = {"conditions": [left]}

    found = result(outcome(namespaces=spaces), state="leaving")

    assert found.phase == "Leaving"
    assert {each.phase for each in found.namespaces} == {"Leaving"}
    (short,) = [each for each in found.conditions if each.type == "NamespacesReady"]
    assert short.message == "1 of 2 are ready; the first fault: look"


def test_a_verification_that_failed_or_could_not_be_made_is_a_fault_of_its_namespace() -> None:
    wide = {"type": "AccessVerified", "status": "False", "reason": "AccessTooWide", "message": "m"}
    for verify in ({"conditions": [wide]}, failed("AccessDenied")):
        spaces = [each.model_dump() for each in outcome().namespaces]
        spaces[0]["verify"] = verify

        found = outcome(namespaces=spaces)

        first, second = result(found).namespaces
        assert (first.phase, second.phase) == ("Failed", "Ready")
        assert first.conditions[-1].type == "AccessVerified"
        assert found.failed is ("error" in verify)


def test_since_is_kept_per_team_and_per_namespace() -> None:
    old = "2026-11-01T00:00:00Z"
    status = TeamStatus(conditions=[Condition(**{**WELL, "type": "MembersReady"}, since=old)])  # type: ignore[arg-type]
    record = NamespaceRecord(
        cluster=OTHER,
        namespace="hyperpod-ns-vision",
        conditions=[Condition(**{**WELL, "type": "QuotaReady"}, since=old)],  # type: ignore[arg-type]
    )
    found = result(outcome(), status=status, before=[record])
    new = "2026-11-02T08:00:00Z"
    assert [c.since for c in found.conditions] == [old, new, new]
    assert [[c.since for c in each.conditions] for each in found.namespaces] == [
        [new, new],
        [old, new],
    ]
    assert [c.type for c in found.news] == ["AccessReady", "NamespacesReady"]


def test_the_event_tells_phases_and_news_and_nothing_about_people() -> None:
    found = result(outcome(access=failed("Held", "confirm it")))
    event = reconciled_event(found)
    assert event.detail_type == "TeamReconciled"
    assert event.detail["team"] == "vision"
    assert event.detail["phase"] == "Held"
    assert {
        "type": "AccessReady",
        "status": "False",
        "reason": "Held",
        "message": "confirm it",
    } in (event.detail["changed"])
    assert event.detail["namespaces"][0] == {
        "cluster": ARN,
        "namespace": "hyperpod-ns-vision-detection",
        "phase": "Ready",
    }
