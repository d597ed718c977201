"""What counts as used, what as noticed, and that no reason stays for nothing."""

from tests.least_privilege import report
from tests.least_privilege.grants import Grant, Role
from tests.least_privilege.proof import Loss
from tests.least_privilege.reasons import Reasons
from tests.least_privilege.record import Judged

ROLE = Role("ReadFunctionRole", "stack-ReadFunctionRole-1A")
TABLE = "arn:aws:dynamodb:us-west-2:111122223333:table/teams"
INDEX = f"{TABLE}/index/*"
NONE = Reasons(why={}, unused={}, unnoticed={})


def grant(action: str, *resources: str) -> Grant:
    return Grant(ROLE, "own", 0, action, resources or (TABLE,))


def judged(action: str, resource: str = TABLE, allowed: bool = True) -> Judged:
    return Judged(role=ROLE.name, action=action, resource=resource, allowed=allowed)


def test_an_action_is_used_if_a_call_was_allowed_on_one_of_its_resources() -> None:
    granted = [grant("dynamodb:Query"), grant("dynamodb:GetItem"), grant("dynamodb:PutItem")]
    seen = {
        judged("dynamodb:Query"),
        judged("dynamodb:GetItem", "arn:aws:dynamodb:us-west-2:111122223333:table/other"),
        judged("dynamodb:PutItem", allowed=False),
    }
    found = {each.what for each in report.unused(granted, seen)}
    assert found == {"dynamodb:GetItem", "dynamodb:PutItem"}


def test_a_resource_of_a_statement_is_used_if_any_of_its_actions_was_allowed_on_it() -> None:
    granted = [grant(f"dynamodb:{name}", TABLE, INDEX) for name in ("Query", "GetItem")]
    seen = {judged("dynamodb:Query"), judged("dynamodb:GetItem")}
    assert [each.what for each in report.unused(granted, seen)] == ["dynamodb:table/teams/index/*"]
    seen.add(judged("dynamodb:Query", f"{TABLE}/index/by_kind"))
    assert report.unused(granted, seen) == []


def test_what_is_unused_needs_a_reason() -> None:
    (idle,) = report.unused([grant("dynamodb:Query")], set())
    assert report.tell_unused([idle], NONE)[1] == 1
    told = Reasons(why={}, unused={ROLE.logical: {"dynamodb:Query": "a race"}}, unnoticed={})
    lines, bare = report.tell_unused([idle], told)
    assert bare == 0
    assert "a race" in lines[0]


def test_a_loss_that_nobody_notices_needs_a_reason() -> None:
    silent = Loss(grant("dynamodb:Query"), "a play", None, 1.0)
    loud = Loss(grant("dynamodb:GetItem"), "a play", "AccessDenied: reading", 1.0)
    assert report.tell_losses([silent, loud], NONE)[1] == 1
    told = Reasons(why={}, unused={}, unnoticed={ROLE.logical: {"dynamodb:Query": "spare"}})
    assert report.tell_losses([silent, loud], told)[1] == 0


def test_a_reason_for_what_is_used_by_now_is_told() -> None:
    told = Reasons(why={}, unused={"A": {"s3:GetObject": "x"}}, unnoticed={})
    assert told.superfluous([]) == ["A s3:GetObject"]
    assert told.superfluous([("A", "s3:GetObject")]) == []
