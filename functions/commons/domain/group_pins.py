"""Groups are named by people once, and known by their id from then on."""

from collections.abc import Iterable, Mapping

from commons.domain.membership import Frozen, GroupRead, Role


class GroupPin(Frozen):
    """The group that was first found by a name, and the role it gives. `missing`: deleted."""

    group_id: str
    role: Role
    missing: bool = False


def new_pins(
    groups: Iterable[GroupRead], pins: Mapping[str, GroupPin]
) -> list[tuple[str, GroupPin]]:
    """Groups by their names of which something else is known than what was read."""
    read = [
        (
            group.display_name,
            GroupPin(group_id=group.group_id, role=group.role, missing=group.fault is not None),
        )
        for group in groups
        if group.group_id
    ]
    return [(name, pin) for name, pin in read if pins.get(name) != pin]


def old_pins(
    groups: Iterable[GroupRead], pins: Mapping[str, GroupPin]
) -> list[tuple[str, GroupPin]]:
    """Groups by their names that the document lists no more."""
    listed = {group.display_name for group in groups}
    return [(name, pin) for name, pin in pins.items() if name not in listed]
