"""The difference between the objects a namespace should have and those it has."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from commons.domain.errors import Conflict
from commons.domain.namespace_objects import MANAGED, MANAGED_LABEL, Object


class ObjectPlan(NamedTuple):
    """Deletions go first: a RoleBinding to another Role can only be made anew."""

    delete: list[Object]
    apply: list[Object]

    def actions(self) -> list[str]:
        """In words, without people."""
        return [
            f"{verb} {each['kind']} {each['metadata']['name']}"
            for verb, objects in (("delete", self.delete), ("apply", self.apply))
            for each in objects
        ]


def plan(wanted: Iterable[Object], observed: Iterable[Object]) -> ObjectPlan:
    """Raises Conflict for an object that has the name of one of ours and is somebody else's.

    Observed objects must carry `kind`, and all be ones that we could manage.
    """
    found = {_key(each): each for each in observed}
    wishes = {_key(each): each for each in wanted}
    unwanted = [each for key, each in found.items() if key not in wishes and is_ours(each)]
    bound_elsewhere = [
        found[key]
        for key, wish in wishes.items()
        if key in found and _bound_elsewhere(wish, found[key])
    ]
    changed = [wish for key, wish in wishes.items() if _differs(wish, found.get(key))]
    return ObjectPlan(delete=unwanted + bound_elsewhere, apply=changed)


def covers(observed: Any, wanted: Any) -> bool:
    """Whether everything wanted is there; what else an object has, the server or others put in."""
    match wanted:
        case dict():
            return isinstance(observed, dict) and all(
                key in observed and covers(observed[key], value) for key, value in wanted.items()
            )
        case list():
            return (
                isinstance(observed, list)
                and len(observed) == len(wanted)
                and all(covers(mine, other) for mine, other in zip(observed, wanted, strict=True))
            )
    return bool(observed == wanted)


def _differs(wish: Object, found: Object | None) -> bool:
    if found is None:
        return True
    if wish["kind"] != "Namespace" and not is_ours(found):
        raise Conflict(
            f"{found['kind']} {found['metadata']['name']} in {found['metadata'].get('namespace')} "
            f"is not ours: rename it, or label it {MANAGED_LABEL}={MANAGED} to hand it over"
        )
    # what is listed does not say its apiVersion
    return not covers({**found, "apiVersion": wish["apiVersion"]}, wish)


def _bound_elsewhere(wish: Object, found: Object) -> bool:
    return "roleRef" in wish and not covers(found.get("roleRef"), wish["roleRef"])


def is_ours(found: Object) -> bool:
    """Whether an object has the label of what the product made."""
    labels = found["metadata"].get("labels") or {}
    return bool(labels.get(MANAGED_LABEL) == MANAGED)


def _key(each: Object) -> tuple[str, str]:
    return each["kind"], each["metadata"]["name"]
