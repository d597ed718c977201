"""Members and pinned groups in the `teams` table, with the look-ups that lead events to a team.

TEAM#<team> / MEMBER#<user id>         user_id, user_name, role, state, group_ids, memberships
TEAM#<team> / LEFT#<user id>           who lost access, until when a session may live; expires
TEAM#<team> / GROUP#<display name>     group_id, role: the group that was first found by that name
USER#<user id> / TEAM#<team>
MEMBERSHIP#<membership id> / GROUP#<group id>   user_id
GROUP#<group id> / TEAM#<team>         role, display_name
"""

from collections.abc import Iterable
from typing import Any

from commons.adapters.table_items import TableItems
from commons.domain.group_pins import GroupPin
from commons.domain.leavers import Leaver
from commons.domain.membership import Member, MembershipPlan


class MemberTable(TableItems):
    def members(self, team: str) -> dict[str, Member]:
        """Everybody remembered, by user id."""
        items = self._below(f"TEAM#{team}", "MEMBER#")
        return {item["user_id"]: Member.model_validate(item) for item in items}

    def pins(self, team: str) -> dict[str, GroupPin]:
        """The team's groups by the display name under which each was first found."""
        items = self._below(f"TEAM#{team}", "GROUP#")
        return {item["display_name"]: GroupPin.model_validate(item) for item in items}

    def left(self, team: str) -> list[Leaver]:
        """Who lost their access, the last of them first; who came back is still among them."""
        found = [Leaver.model_validate(item) for item in self._below(f"TEAM#{team}", "LEFT#")]
        return sorted(found, key=lambda each: (each.left_at, each.user_id), reverse=True)

    def save(self, team: str, plan: MembershipPlan, left: Iterable[Leaver] = ()) -> None:
        """Write what changed and nothing else.

        The look-ups go first: a worker that is killed in between is made good by the next run,
        because the member itself still differs.
        """
        self._batch(
            [
                {"pk": f"MEMBERSHIP#{key}", "sk": f"GROUP#{group_id}", "user_id": user_id}
                for group_id, users in plan.begun.items()
                for key, user_id in users.items()
            ]
            + [{"pk": f"USER#{each.user_id}", "sk": f"TEAM#{team}"} for each in plan.changed]
            + [_left(team, each) for each in left],
            [
                (f"MEMBERSHIP#{key}", f"GROUP#{group_id}")
                for group_id, ended in plan.ended.items()
                for key in ended
            ]
            + [(f"USER#{each.user_id}", f"TEAM#{team}") for each in plan.gone],
        )
        self._batch(
            [_member(team, each) for each in plan.changed],
            [(f"TEAM#{team}", f"MEMBER#{each.user_id}") for each in plan.gone],
        )

    def pin(self, team: str, display_name: str, pin: GroupPin) -> None:
        """Know a group by its id from now on, from the id first."""
        content = {"display_name": display_name, **pin.model_dump()}
        self._put({"pk": f"GROUP#{pin.group_id}", "sk": f"TEAM#{team}", **content})
        self._put({"pk": f"TEAM#{team}", "sk": f"GROUP#{display_name}", **content})

    def unpin(self, team: str, display_name: str, pin: GroupPin) -> None:
        """Let a name go that the document lists no more; its group may have another by now."""
        others = {each.group_id for name, each in self.pins(team).items() if name != display_name}
        if pin.group_id not in others:
            self._delete(f"GROUP#{pin.group_id}", f"TEAM#{team}")
        self._delete(f"TEAM#{team}", f"GROUP#{display_name}")


def _member(team: str, member: Member) -> dict[str, Any]:
    key = {"pk": f"TEAM#{team}", "sk": f"MEMBER#{member.user_id}"}
    return {**key, **member.model_dump()}


def _left(team: str, leaver: Leaver) -> dict[str, Any]:
    return {"pk": f"TEAM#{team}", "sk": f"LEFT#{leaver.user_id}", **leaver.model_dump()}
