"""Who may do what where: every person, in every namespace, by each verb, on each kind."""

from collections import Counter
from itertools import product

import pytest

from tests.cluster.isolation import matrix, page
from tests.cluster.isolation.callers import Callers
from tests.cluster.isolation.company import HOMES, PLATFORM, TEAMS
from tests.cluster.isolation.matrix import Cell
from tests.cluster.isolation.specification import ROLES

NAMESPACES = (*(home for homes in HOMES.values() for home in homes), *PLATFORM)


@pytest.mark.parametrize(("team", "role"), list(product(TEAMS, ROLES)))
def test_a_person_may_do_at_home_what_the_role_says_and_nothing_anywhere_else(
    callers: Callers, team: str, role: str
) -> None:
    asked = [cell for cell in matrix.cells([role]) if cell.team == team]

    assert [str(cell) for cell in matrix.wrong(asked, callers)] == []


@pytest.mark.parametrize(("team", "role"), list(product(TEAMS, ROLES)))
def test_no_rule_gives_a_person_what_nobody_thought_of_asking(
    callers: Callers, team: str, role: str
) -> None:
    for namespace in NAMESPACES:
        expected = matrix.expected_rules(role, namespace in HOMES[team])
        assert matrix.rules(team, role, namespace, callers) == expected, namespace


def test_the_page_shows_what_the_server_lets_each_role_do(callers: Callers) -> None:
    home = {role: matrix.rules("amber", role, "hyperpod-ns-amber", callers) for role in ROLES}
    kinds = sorted({kind for rules in home.values() for _, kind in rules})
    said = {
        kind: {role: sorted(verb for verb, of in home[role] if of == kind) for role in ROLES}
        for kind in kinds
    }

    page.compare("roles", said)
    page.compare("cells", dict(Counter(_place(cell) for cell in matrix.cells())))


def _place(cell: Cell) -> str:
    if not cell.namespace:
        return "all namespaces at once"
    if cell.namespace in HOMES[cell.team]:
        return "at home"
    return "the platform's" if cell.namespace in PLATFORM else "next door"
