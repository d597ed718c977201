"""Which row of the matrix, or which attempt, notices a mutation."""

from tests.cluster.isolation import matrix, trial
from tests.cluster.isolation.callers import Callers
from tests.cluster.isolation.company import AMBER
from tests.cluster.isolation.escapes.catalogue import ATTEMPTS
from tests.cluster.isolation.loosen.mutation import Mutation
from tests.cluster.isolation.matrix import Cell
from tests.cluster.isolation.specification import ACTS, ROLES, Act


def failing(mutation: Mutation, callers: Callers) -> str:
    """The first row that the server does not answer as it must; empty if all are right."""
    subject, *kinds = mutation.about
    if subject in ROLES:
        return _cell("amber", subject, kinds, callers)
    if subject == "cobalt viewer":
        return _cell("cobalt", "viewer", ["pods"], callers)
    return _attempt(subject, callers)


def _cell(team: str, role: str, kinds: list[str], callers: Callers) -> str:
    acts = [act for act in ACTS if act.kind in kinds]
    wrong = matrix.wrong(_at_ambers(team, role, acts), callers)
    if wrong:
        return str(wrong[0])
    expected = matrix.expected_rules(role, team == "amber")
    different = matrix.rules(team, role, AMBER, callers) ^ expected
    return (
        f"{team} {role}: the server's list of rights: {sorted(different)[0]}" if different else ""
    )


def _at_ambers(team: str, role: str, acts: list[Act]) -> list[Cell]:
    cells = matrix.cells([role], acts)
    return [cell for cell in cells if cell.team == team and cell.namespace == AMBER]


def _attempt(policy: str, callers: Callers) -> str:
    for attempt in ATTEMPTS:
        if attempt.by == policy:
            verdict = trial.made(attempt, callers)
            if (verdict.status, verdict.by) != (attempt.status, attempt.by):
                answer = f"{verdict.status} {verdict.by}".strip()
                return f"{attempt.id} ({attempt.who}): {answer}"
    return ""
