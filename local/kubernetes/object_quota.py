"""Resource quotas, as far as they count objects: kept from being exceeded, and told in status.

Amounts of CPU, memory and devices are not counted: no pods run here.
"""

import re
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
_SERVICES = {"services.loadbalancers": "LoadBalancer", "services.nodeports": "NodePort"}
"""Services that a quota counts by their type; one with a load balancer has node ports too."""
_AMOUNTS = re.compile(
    r"(requests\.|limits\.)?(cpu|memory|ephemeral-storage|storage|hugepages-.+)"
    r"|replicationcontrollers|.+/.+"
)
_WRITER = Manager("kube-controller-manager", "Update", "v1", "status")


def complete(quota: Document) -> None:
    """Write the limits, in place, as the API server stores them."""
    hard = (quota.get("spec") or {}).get("hard") or {}
    for name, limit in hard.items():
        hard[name] = quantities.canonical(limit)


def verify(kind: Kind, quota: Document, _: Document | None) -> None:
    """Raises Invalid for a limit of nothing known, a negative one, or half an object."""
    hard = (quota.get("spec") or {}).get("hard") or {}
    for name, limit in hard.items():
        value, field = quantities.parse(limit), f"spec.hard[{name}]"
        countable = name in _PLAIN or name in _SERVICES
        if not countable and not _AMOUNTS.fullmatch(name):
            problem = f'Invalid value: "{name}": must be a standard resource for quota'
        elif value < 0:
            problem = f'Invalid value: "{limit}": must be greater than or equal to 0'
        elif (countable or name.startswith("count/")) and value != int(value):
            problem = f'Invalid value: "{limit}": must be an integer'
        else:
            continue
        raise errors.invalid(kind, name_of(quota), field, problem, "FieldValueInvalid")


def _counted(quota: Document) -> dict[str, tuple[Kind, str]]:
    """The limits of a quota that count objects, by name: kind and limit."""
    spec = quota.get("spec") or {}
    if spec.get("scopes") or spec.get("scopeSelector"):
        return {}
    names = {f"count/{kind.qualified}": kind for kind in KINDS if kind.namespaced}
    names |= {plural: kinds.named(plural) for plural in _PLAIN}
    names |= dict.fromkeys(_SERVICES, kinds.named("services"))
    hard = spec.get("hard") or {}
    return {name: (names[name], str(limit)) for name, limit in hard.items() if name in names}


def check(store: Store, kind: Kind, namespace: str, document: Document) -> None:
    """Raises Forbidden where one more object would exceed a quota of the namespace."""
    for quota in store.all(_QUOTAS, namespace) if namespace else []:
        for counted, (limited_kind, limit) in _counted(quota).items():
            if limited_kind != kind or not _counts(counted, document):
                continue
            used = _used(store, kind, namespace, counted)
            if used + 1 > quantities.parse(limit):
                problem = (
                    f"exceeded quota: {name_of(quota)}, requested: {counted}=1, "
                    f"used: {counted}={used}, limited: {counted}={limit}"
                )
                raise errors.forbidden(kind, name_of(document), problem)


def _used(store: Store, kind: Kind, namespace: str, counted: str) -> int:
    return sum(_counts(counted, each) for each in store.all(kind, namespace))


def _counts(counted: str, document: Document) -> bool:
    wanted = _SERVICES.get(counted)
    type_ = (document.get("spec") or {}).get("type", "ClusterIP")
    return wanted is None or type_ in {wanted, "LoadBalancer"}


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
            name: quantities.write(Decimal(_used(store, kind, namespace, name)), name)
            for name, (kind, _) in counted.items()
        },
    }
