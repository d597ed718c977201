"""The first and the last step of a reconcile, its end by accident, and the sweep."""

from typing import Any

import pytest

from commons import bootstrap
from commons.domain.documents import ClusterDocument, MembershipGuard, TeamDocument
from commons.domain.errors import Throttled, UnknownTeam
from commons.domain.group_pins import GroupPin
from commons.domain.sweep import Directory, KnownTeam, Observed
from commons.domain.team import Accepted
from teams import on_reconcile_end, read_team, record_outcome, sweep_teams
from tests.handlers.conftest import MACHINE, Context, Stack
from tests.sample_events import batch, sample

ARN = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
NAMESPACE = {"cluster": ARN, "namespace": "hyperpod-ns-vision", "project": None}
WELL = {"conditions": [{"type": "T", "status": "True", "reason": "UpToDate", "message": "m"}]}


def accept(stack: Stack, team: str = "vision", state: str = "active") -> None:
    document = TeamDocument.model_validate(
        {
            "kind": "Team",
            "team": team,
            "title": team,
            "state": state,
            "namespaces": [{"cluster": ARN}],
        }
    )
    keep(stack, document)


def register(stack: Stack) -> None:
    keep(stack, ClusterDocument(kind="Cluster", cluster=ARN, name="r", eks_cluster="e"))


def keep(stack: Stack, document: TeamDocument | ClusterDocument) -> None:
    stack.table.keep(
        Accepted[TeamDocument | ClusterDocument](
            document=document, key="k", version="1", etag="e", uploaded_at="t", accepted_at="t"
        )
    )


def outcome(stack: Stack, **changes: Any) -> dict[str, Any]:
    """What the state machine hands to the last step."""
    namespaces = [{**NAMESPACE, "quota": WELL, "shape": WELL}]
    whole = {
        "team": "vision",
        "execution": stack.table.status("vision").execution_arn,
        "requested": 1,
        "blocked": [],
        "read": {},
        "members": WELL,
        "access": WELL,
        "namespaces": namespaces,
    }
    return whole | changes


@pytest.fixture
def running(stack: Stack) -> Stack:
    """Team vision on a registered cluster, with one execution under way."""
    accept(stack)
    register(stack)
    stack.runner.request("vision", bootstrap.now())
    return stack


def test_the_first_step_reads_what_is_wanted(running: Stack, context: Context) -> None:
    assert read_team.handler({"team": "vision"}, context) == {
        "team": "vision",
        "requested": 1,
        "accounts": ["111122223333"],
        "namespaces": [NAMESPACE],
        "blocked": [],
    }


def test_a_team_on_a_cluster_that_is_not_registered_is_blocked_with_the_command(
    stack: Stack, context: Context
) -> None:
    accept(stack)
    stack.runner.request("vision", bootstrap.now())
    read = read_team.handler({"team": "vision"}, context)
    assert read["namespaces"] == []
    found = outcome(stack, blocked=read["blocked"], namespaces=[])
    assert record_outcome.handler(found, context)["phase"] == "Blocked"
    [record] = stack.table.namespaces("vision")
    assert "commons cluster register" in record.conditions[0].message
    register(stack)
    assert read_team.handler({"team": "vision"}, context)["blocked"] == []


def test_an_unknown_team_is_said_to_be_unknown(stack: Stack, context: Context) -> None:
    with pytest.raises(UnknownTeam):
        read_team.handler({"team": "vision"}, context)


def test_the_last_step_records_tells_and_frees(running: Stack, context: Context) -> None:
    answer = record_outcome.handler(outcome(running), context)
    assert answer == {"team": "vision", "failed": False, "phase": "Ready"}
    status = running.table.status("vision")
    assert (status.phase, status.execution_arn) == ("Ready", None)
    assert status.reconciled_at == "2026-11-02T08:00:00Z"
    [record] = running.table.namespaces("vision")
    assert (record.phase, record.project) == ("Ready", None)
    [told] = running.bus.details("TeamReconciled")
    assert (told["team"], told["phase"]) == ("vision", "Ready")


def test_a_failed_facet_is_recorded_and_the_team_is_freed_all_the_same(
    running: Stack, context: Context
) -> None:
    found = outcome(running, access={"error": "AccessDenied", "cause": "why"})
    answer = record_outcome.handler(found, context)
    assert (answer["failed"], answer["phase"]) == (True, "Failed")
    assert running.table.status("vision").execution_arn is None


def test_a_request_that_came_meanwhile_starts_the_next_execution(
    running: Stack, context: Context
) -> None:
    first = running.end("vision")
    running.runner.request("vision", bootstrap.now())
    record_outcome.handler(outcome(running, execution=first), context)
    status = running.table.status("vision")
    assert status.execution_arn not in (None, first)
    assert running.states.started == ["vision", "vision"]


def test_the_last_step_again_tells_nothing_twice_that_it_has_recorded(
    running: Stack, context: Context
) -> None:
    found = outcome(running)
    record_outcome.handler(found, context)
    again = record_outcome.handler(found, context)
    assert again["phase"] == "Ready"
    assert len(running.bus.details("TeamReconciled")) == 1


def test_nothing_is_recorded_before_it_was_told(
    running: Stack, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Deaf:
        def publish(self, events: list[Any]) -> None:
            raise Throttled("the bus takes nothing")

    monkeypatch.setattr(bootstrap, "event_bus", Deaf)
    with pytest.raises(Throttled):
        record_outcome.handler(outcome(running), context)
    assert running.table.status("vision").phase is None
    assert running.table.status("vision").execution_arn is not None


def test_a_team_that_could_not_be_read_is_freed_unless_somebody_asked_since(
    running: Stack, context: Context
) -> None:
    broken = {"requested": 0, "read": {"error": "KeyError", "cause": "x"}, "namespaces": []}
    first = running.end("vision")
    running.runner.request("vision", bootstrap.now())
    record_outcome.handler(outcome(running, execution=first, **broken), context)
    second = running.end("vision")
    assert second != first
    record_outcome.handler(outcome(running, **broken), context)
    assert running.table.status("vision").execution_arn is None


def test_an_execution_that_failed_by_accident_is_followed_by_another(
    running: Stack, context: Context
) -> None:
    event = sample("reconcile_aborted")
    event["detail"]["executionArn"] = running.end("vision")
    assert on_reconcile_end.handler(batch(event), context) == {"batchItemFailures": []}
    assert running.states.started == ["vision", "vision"]


@pytest.mark.parametrize("name", ["reconcile_failed", "reconcile_aborted"])
def test_the_end_of_an_execution_that_is_not_recorded_changes_nothing(
    running: Stack, context: Context, name: str
) -> None:
    before = running.table.status("vision")
    assert on_reconcile_end.handler(batch(sample(name)), context) == {"batchItemFailures": []}
    assert running.table.status("vision") == before


@pytest.mark.parametrize("text", ["x", '{"detail": {"executionArn": "a", "status": "FAILED"}}'])
def test_a_malformed_end_is_put_aside(stack: Stack, context: Context, text: str) -> None:
    assert on_reconcile_end.handler(batch(text), context) == {"batchItemFailures": []}
    assert [each["what"] for each in stack.refused()] == ["event"]


class Seen:
    """Observations that were made before, or that cannot be made."""

    def __init__(self, stack: Stack, roles: dict[str, str], broken: bool = False) -> None:
        self._stack = stack
        self._roles = roles
        self._broken = broken

    def known(self) -> list[KnownTeam]:
        return [
            KnownTeam(
                document=each.document,
                clusters=[],
                members={},
                pins=dict[str, GroupPin](),
                access=self._stack.table.access(each.document.team),
                namespaces=[],
                status=self._stack.table.status(each.document.team),
                guard=MembershipGuard(),
            )
            for each in self._stack.table.teams()
        ]

    def observed(self, _known: list[KnownTeam]) -> Observed:
        if self._broken:
            raise Throttled("ListUsers: no answer")
        directory = Directory(people={}, groups={}, memberships={})
        return Observed(directory=directory, quotas={}, roles=self._roles)


def sweep(stack: Stack, monkeypatch: pytest.MonkeyPatch, broken: bool = False) -> dict[str, Any]:
    monkeypatch.setattr(bootstrap, "observations", lambda: Seen(stack, {}, broken))
    answer: dict[str, Any] = sweep_teams.handler({}, Context())
    return answer


def test_a_sweep_starts_a_reconcile_only_where_something_differs(
    running: Stack, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_outcome.handler(outcome(running), context)
    running.end_all()
    accept(running, "language")
    answer = sweep(running, monkeypatch)
    assert answer == {"teams": 2, "mended": {}, "drifted": {"language": ["never_reconciled"]}}
    assert running.states.started == ["vision", "language"]
    assert running.table.status("vision").swept_at == "2026-11-02T08:00:00Z"
    assert running.table.status("language").swept_at is None


def test_a_sweep_mends_a_team_that_is_locked_for_nothing(
    running: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.end("vision")
    answer = sweep(running, monkeypatch)
    assert answer["mended"] == {"vision": "execution_ended_unnoticed"}
    assert running.states.started == ["vision", "vision"]


def test_half_a_read_is_no_read(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    accept(stack)
    with pytest.raises(Throttled):
        sweep(stack, monkeypatch, broken=True)
    assert stack.states.started == []
    assert stack.table.status("vision").requested == 0


def test_executions_are_named_in_the_machine_s_own_arn(running: Stack) -> None:
    arn = running.table.status("vision").execution_arn or ""
    assert arn.startswith(MACHINE.replace(":stateMachine:", ":execution:") + ":vision-1-")
