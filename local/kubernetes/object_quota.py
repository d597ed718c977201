"""Resource quotas, as far as they count objects: kept from being exceeded, and told in status.

Amounts of CPU, memory and devices are not counted: no pods run here.
"""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

from local.kubernetes import apply, errors, kinds, objects, quantities
from local.kubernetes.kinds import KINDS, Kind
from local.kubernetes.objects import Document, copy, name_of
from local.kubernetes.ownership import Manager
from local.kubernetes.store import Change, Store

_QUOTAS = kinds.named("resourcequotas")
_PLAIN = ("configmaps", "persistentvolumeclaims", "pods", "resourcequotas", "secrets", "services")
"""Core kinds that a quota may name without `count/`."""
_WRITER = Manager("kube-controller-manager", "Update", "v1", "status")


def _counted(quota: Document) -> dict[str, tuple[Kind, str]]:
    """The limits of a quota that count objects, by name: kind and limit."""
    spec = quota.get("spec") or {}
    if spec.get("scopes") or spec.get("scopeSelector"):
        return {}
    names = {f"count/{kind.qualified}": kind for kind in KINDS if kind.namespaced}
    names |= {plural: kinds.named(plural) for plural in _PLAIN}
    hard = spec.get("hard") or {}
    return {name: (names[name], str(limit)) for name, limit in hard.items() if name in names}


def check(store: Store, kind: Kind, namespace: str, name: str) -> None:
    """Raises Forbidden where one more object would exceed a quota of the namespace."""
    for quota in store.all(_QUOTAS, namespace) if namespace else []:
        for counted, (limited_kind, limit) in _counted(quota).items():
            used = len(store.all(kind, namespace))
            if limited_kind == kind and used + 1 > quantities.parse(limit):
                problem = (
                    f"exceeded quota: {name_of(quota)}, requested: {counted}=1, "
                    f"used: {counted}={used}, limited: {counted}={limit}"
                )
                raise errors.forbidden(kind, name, problem)


def observer(store: Store, now: Callable[[], datetime]) -> Callable[[Change], None]:
    """Keeps the status of the quotas in step with what their namespaces hold."""

    def observe(change: Change) -> None:
        namespace = change.document["metadata"].get("namespace", "")
        for quota in store.all(_QUOTAS, namespace) if namespace else []:
            status = _status(store, quota, namespace)
            if quota.get("status") != status:
                after = {**copy(quota), "status": status}
                after["metadata"]["managedFields"] = apply.track_update(
                    _QUOTAS, _WRITER, objects.timestamp(now()), quota, after
                )
                store.put(_QUOTAS, after)

    return observe


def _status(store: Store, quota: Document, namespace: str) -> Document:
    counted = _counted(quota)
    return {
        "hard": {name: limit for name, (_, limit) in counted.items()},
        "used": {
            name: quantities.write(Decimal(len(store.all(kind, namespace))), name)
            for name, (kind, _) in counted.items()
        },
    }
