"""From an id of the directory to the teams it touches."""

from typing import Protocol

from commons.adapters.lookup_items import LookupItems
from commons.domain.directory_events import Subject


class GroupNames(Protocol):
    def group_name(self, group_id: str) -> str | None: ...


class TeamLookup:
    """Everything by key, so that one event costs the same however many teams there are."""

    def __init__(self, table: LookupItems, directory: GroupNames, group_prefix: str) -> None:
        self._table = table
        self._directory = directory
        self._prefix = group_prefix

    def teams_of(self, subject: Subject) -> set[str]:
        """Empty for a subject that nobody of ours knows."""
        match subject.kind:
            case "user":
                return set(self._table.teams_of_user(subject.id))
            case "membership":
                groups = self._table.groups_of_membership(subject.id)
                return {team for group in groups for team in self._table.teams_of_group(group)}
            case "group":
                return self._of_group(subject)

    def _of_group(self, subject: Subject) -> set[str]:
        """A group not yet pinned is asked for its name, which its events hide."""
        known = set(self._table.teams_of_group(subject.id))
        if known or subject.gone:
            return known
        name = self._directory.group_name(subject.id)
        if name is None or not name.startswith(self._prefix):
            return set()
        return set(self._table.teams_of_group_name(name))
