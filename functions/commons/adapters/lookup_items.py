"""Which teams an id of the directory touches: look-ups by key in the `teams` table."""

from commons.adapters.table_items import TableItems


class LookupItems(TableItems):
    def teams_of_group(self, group_id: str) -> list[str]:
        """Teams that have pinned the group; also after it was deleted."""
        return self._teams(f"GROUP#{group_id}")

    def teams_of_group_name(self, display_name: str) -> list[str]:
        """Teams whose document names a group that was not found yet."""
        return self._teams(f"GROUPNAME#{display_name}")

    def teams_of_user(self, user_id: str) -> list[str]:
        return self._teams(f"USER#{user_id}")

    def groups_of_membership(self, membership_id: str) -> list[str]:
        """The group of a membership that we have seen; none if we have not."""
        items = self._below(f"MEMBERSHIP#{membership_id}", "GROUP#")
        return [str(item["sk"]).removeprefix("GROUP#") for item in items]

    def _teams(self, pk: str) -> list[str]:
        return [str(item["sk"]).removeprefix("TEAM#") for item in self._below(pk, "TEAM#")]
