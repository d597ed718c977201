"""Which guard against accidents holds for a team that is on several clusters."""

from collections.abc import Iterable

from commons.domain.documents import MembershipGuard


def strictest(guards: Iterable[MembershipGuard]) -> MembershipGuard:
    """The guard of a team on several clusters; the default where it is on none."""
    known = list(guards) or [MembershipGuard()]
    return MembershipGuard(
        max_remove_percent=min(guard.max_remove_percent for guard in known),
        max_remove_count=min(guard.max_remove_count for guard in known),
    )
