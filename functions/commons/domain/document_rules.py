"""Rules of a document that span several fields, each fault at the exact one.

They read the document as it was written, faults and all, so that one reading names every fault.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, TypeIs

from commons.domain import host_paths
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.faults import Fault, Path
from commons.domain.names import (
    TEAM_NAME_LENGTH,
    is_reserved_group,
    namespace_name,
    quota_team_name,
)

_RESERVED_PREFIXES = ("idle-resource-sharing", "kube-")
# a person of such a team would have the user name of the product's own functions
_RESERVED = {"default", "system", "reader", "writer"}
# the field itself refuses a longer one, and sentences stay sentences
_WORD = 256


def cross_faults(raw: dict[str, Any], group_prefix: str) -> Iterator[Fault]:
    """Faults that no single field has. `group_prefix`: other directory groups do not exist."""
    if raw.get("kind") == "Cluster":
        yield from _twice(("priority_classes",), _column(raw.get("priority_classes"), "name"))
        return
    if raw.get("kind") == "ChargebackRules":
        return
    yield from _reserved(raw.get("team"))
    yield from _foreign_groups(raw.get("groups"), group_prefix)
    yield from _twice(("cost_centers",), _column(raw.get("cost_centers"), "valid_from"))
    yield from _namespaces(raw.get("team"), _rows(raw.get("namespaces")))


def is_word(value: Any) -> TypeIs[str]:
    """Whether it is text that a sentence may repeat."""
    return isinstance(value, str) and len(value) <= _WORD


def _reserved(team: Any) -> Iterator[Fault]:
    if is_word(team) and (team in _RESERVED or team.startswith(_RESERVED_PREFIXES)):
        yield Fault(("team",), f"{team} is a name that the cluster keeps for itself; take another")


def _foreign_groups(groups: Any, prefix: str) -> Iterator[Fault]:
    for role, names in groups.items() if isinstance(groups, dict) else ():
        for index, name in enumerate(names if isinstance(names, list) else []):
            if not is_word(name):
                continue
            if is_reserved_group(name):
                yield Fault(
                    ("groups", role, index),
                    f"{name!r} begins like a group that Kubernetes or AWS keeps for itself "
                    "(system:, eks:, aws:, amazon:, iam:); take another group of the directory",
                )
            elif not name.startswith(prefix):
                yield Fault(
                    ("groups", role, index),
                    f"{name!r} does not start with {prefix!r}: groups outside that prefix do not "
                    "exist for this stack (parameter GroupPrefix)",
                )


def _namespaces(team: Any, rows: list[tuple[int, dict[str, Any]]]) -> Iterator[Fault]:
    taken: dict[tuple[str, str], int] = {}
    for index, row in rows:
        quota = row.get("quota")
        path: Path = ("namespaces", index)
        if isinstance(quota, dict):
            types = _column(quota.get("resources"), "instance_type")
            yield from _twice((*path, "quota", "resources"), types)
        yield from _limits(path, row)
        cluster, project = row.get("cluster"), row.get("project")
        if not (is_word(team) and is_word(cluster)):
            continue
        if not (project is None or is_word(project)):
            continue
        if project and len(quota_team_name(team, project)) > TEAM_NAME_LENGTH:
            yield Fault(
                (*path, "project"),
                f"{quota_team_name(team, project)} is longer than {TEAM_NAME_LENGTH} characters, "
                "which is what SageMaker takes as the name of a team with its project",
            )
        name = (cluster, namespace_name(team, project))
        if name in taken:
            yield Fault(path, f"is {name[1]} on the same cluster as namespaces[{taken[name]}]")
        taken.setdefault(name, index)


def _limits(path: Path, row: dict[str, Any]) -> Iterator[Fault]:
    for field in ("priority_classes", "host_paths"):
        for index, word in _repeated(_words(row.get(field))):
            yield Fault((*path, field, index), f"{word} stands here a second time")
    for index, outer in host_paths.nested(_words(row.get("host_paths"))):
        yield Fault(
            (*path, "host_paths", index),
            f"must not lie in {outer}: who writes there could put a link to anywhere in its place",
        )


def unknown_classes(document: TeamDocument, clusters: Iterable[ClusterDocument]) -> list[Fault]:
    """Priority classes that a registered cluster does not have."""
    known = {each.cluster: [c.name for c in each.priority_classes] for each in clusters}
    return [
        Fault(
            ("namespaces", row, "priority_classes", index),
            f"must be one of the cluster's priority classes ({', '.join(names) or 'none'}), "
            f"and is {name}",
        )
        for row, spec in enumerate(document.namespaces)
        if (names := known.get(spec.cluster)) is not None
        for index, name in enumerate(spec.priority_classes or [])
        if name not in names
    ]


def _words(value: Any) -> list[tuple[int, str]]:
    items = enumerate(value) if isinstance(value, list) else ()
    return [(index, word) for index, word in items if is_word(word)]


def _repeated(words: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    seen: set[str] = set()
    for index, word in words:
        if word in seen:
            yield index, word
        seen.add(word)


def _rows(value: Any) -> list[tuple[int, dict[str, Any]]]:
    items = enumerate(value) if isinstance(value, list) else ()
    return [(index, row) for index, row in items if isinstance(row, dict)]


def _column(value: Any, field: str) -> list[tuple[int, str, str]]:
    return [(i, field, row[field]) for i, row in _rows(value) if is_word(row.get(field))]


def _twice(path: Path, column: list[tuple[int, str, str]]) -> Iterator[Fault]:
    """A fault for each value that stands there a second time."""
    seen: Counter[str] = Counter()
    for index, field, value in column:
        seen[value] += 1
        if seen[value] > 1:
            yield Fault((*path, index, field), f"{value} stands here a second time")
