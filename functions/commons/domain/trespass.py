"""Teams of whom somebody is listed where the team has no business, seen in one look at a cluster.

A sweep asks no cluster about every person; it reads the bindings once, and has the teams they name
looked at, whose reconcile then asks.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from commons.domain.verification import PLATFORM

_PERSON = "commons"


def trespassing(
    bindings: Iterable[Mapping[str, Any]], owners: Mapping[str, str | None]
) -> frozenset[str]:
    """Teams whose people or service accounts a binding lists elsewhere.

    `owners`: the team of each namespace, None where it is nobody's. Elsewhere is a namespace of
    another team, one where the cluster lives, or the whole cluster.
    """
    found = set()
    for binding in bindings:
        namespace = binding["metadata"].get("namespace")
        owner = owners.get(namespace or "")
        if namespace and not owner and namespace not in PLATFORM:
            continue
        teams = {_team(subject, owners) for subject in binding.get("subjects") or []}
        found |= teams - {owner, None}
    return frozenset(team for team in found if team)


def _team(subject: Mapping[str, Any], owners: Mapping[str, str | None]) -> str | None:
    match subject.get("kind"), str(subject.get("name", "")).split(":"):
        case "User", [first, team, _] if first == _PERSON:
            return team
        case "ServiceAccount", _:
            return owners.get(subject.get("namespace", ""))
    return None
