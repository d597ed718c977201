"""The two lists: what is granted and not used, and what became of each loss."""

from collections.abc import Iterable
from typing import NamedTuple

from tests.least_privilege.grants import Grant
from tests.least_privilege.proof import Loss
from tests.least_privilege.reasons import Reasons
from tests.least_privilege.record import Judged


class Unused(NamedTuple):
    """An action of a role, or a resource of a statement, that no call was allowed by."""

    role: str
    what: str


def unused(granted: Iterable[Grant], judgements: set[Judged]) -> list[Unused]:
    """Actions first, and then resources of statements whose actions are used."""
    granted = list(granted)
    idle = {g for g in granted if not any(g.covers(each) for each in judgements)}
    found = {Unused(each.role.logical, each.action): None for each in granted if each in idle}
    statements: dict[tuple[str, str, int], list[Grant]] = {}
    for each in granted:
        statements.setdefault((each.role.logical, each.policy, each.statement), []).append(each)
    for (role, _, _), of_statement in statements.items():
        if all(each in idle for each in of_statement):
            continue
        used = set().union(*(each.used_resources(judgements) for each in of_statement))
        wanted = of_statement[0].resources
        found |= {Unused(role, _short(each)): None for each in wanted if each not in used}
    return list(found)


def _short(arn: str) -> str:
    """What of an ARN is the same in every account: the service, and the resource's kind."""
    service, resource = arn.split(":", 5)[2], arn.split(":", 5)[5]
    return f"{service}:{resource}"


def tell_unused(found: Iterable[Unused], reasons: Reasons) -> tuple[list[str], int]:
    """Lines of the report, and how many have no reason."""
    lines, bare = [], 0
    for each in found:
        reason = reasons.of_unused(*each)
        bare += reason is None
        lines.append(f"{each.role:42} {each.what:52} {reason or 'NO REASON'}")
    return lines or ["nothing"], bare


def tell_losses(losses: Iterable[Loss], reasons: Reasons) -> tuple[list[str], int]:
    """Lines of the report, and how many losses nobody noticed and no reason explains."""
    lines, bare = [], 0
    for each in losses:
        role, action = each.grant.role.logical, each.grant.action
        reason = reasons.of_unnoticed(role, action)
        bare += not (each.noticed or reason)
        told = (
            _first_line(each.noticed) if each.noticed else f"not noticed: {reason or 'BY NOBODY'}"
        )
        lines.append(f"{role:42} {action:46} {each.play:90} {each.seconds:5.1f} s  {told}")
    return lines, bare


def _first_line(text: str) -> str:
    line = text.splitlines()[0]
    return line if len(line) <= 110 else f"{line[:109]}…"
