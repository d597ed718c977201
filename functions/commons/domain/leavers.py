"""Who lost their access, and until when a session of theirs may still live at AWS.

In a cluster they are refused from the reconcile on. At AWS nothing ends a role session that has
begun: it can do what the permission set allowed until it is over by itself.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from commons.domain.access import SESSION_HOURS
from commons.domain.membership import BOUND, Frozen, Member, MembershipPlan, Role
from commons.domain.status import iso

# how long the record is kept after the last session must be over
_KEPT = timedelta(days=30)


class Leaver(Frozen):
    """Somebody who could use the team's namespaces and cannot any more. Times: ISO 8601, UTC.

    `expires_at`: when the record itself goes, in seconds since 1970.
    """

    user_id: str
    user_name: str
    role: Role
    left_at: str
    sessions_until: str
    expires_at: int


def leavers(
    plan: MembershipPlan, current: Mapping[str, Member], now: datetime
) -> tuple[Leaver, ...]:
    """Who was bound and is no longer, whether they left, were disabled, or are held apart."""
    bound = {member.user_id for member in plan.members if member.state in BOUND}
    return tuple(
        _leaver(member, now)
        for member in current.values()
        if member.state in BOUND and member.user_id not in bound
    )


def _leaver(member: Member, now: datetime) -> Leaver:
    # a session that began at the very last moment lives longest
    until = now + timedelta(hours=SESSION_HOURS)
    return Leaver(
        user_id=member.user_id,
        user_name=member.user_name,
        role=member.role,
        left_at=iso(now),
        sessions_until=iso(until),
        expires_at=int((until + _KEPT).timestamp()),
    )
