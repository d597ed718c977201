"""Which lists and maps of a kind merge by part, as the real API's schemas mark them.

Maps are granular unless named here; lists are atomic unless they have keys here or are sets.
"""

from dataclasses import dataclass, field
from typing import Any

from local.kubernetes.kinds import Kind

SET: tuple[str, ...] = ()
"""In place of keys: the list is a set of plain values."""

type Lists = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Structure:
    """Lists with keys and atomic maps of one kind, by dotted path."""

    lists: Lists = field(default_factory=dict)
    atomic: frozenset[str] = frozenset()


_METADATA: Lists = {"metadata.ownerReferences": ("uid",), "metadata.finalizers": SET}
_CONDITIONS: Lists = {"status.conditions": ("type",)}
_CONTAINER: Lists = {
    "env": ("name",),
    "ports": ("containerPort", "protocol"),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
}
_DEFAULTS = {"protocol": "TCP"}


def _pod(prefix: str) -> Lists:
    lists: Lists = {
        f"{prefix}.volumes": ("name",),
        f"{prefix}.imagePullSecrets": ("name",),
        f"{prefix}.hostAliases": ("ip",),
        f"{prefix}.topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    }
    for containers in ("containers", "initContainers", "ephemeralContainers"):
        lists[f"{prefix}.{containers}"] = ("name",)
        for part, keys in _CONTAINER.items():
            lists[f"{prefix}.{containers}.{part}"] = keys
    return lists


def _selectors(*paths: str) -> frozenset[str]:
    return frozenset(paths)


_WORKLOAD: Lists = {
    "spec.podSets": ("name",),
    "status.admission.podSetAssignments": ("name",),
    "status.admissionChecks": ("name",),
    "status.requeueState": ("name",),
    "status.resourceRequests": ("name",),
    "status.reclaimablePods": ("name",),
}
_FLAVORS: Lists = {
    f"status.{part}": ("name",)
    for parts in ("flavorsUsage", "flavorsReservation")
    for part in (parts, f"{parts}.resources")
}

_KINDS: dict[str, Structure] = {
    "pods": Structure(_pod("spec"), _selectors("spec.nodeSelector")),
    "deployments": Structure(
        _pod("spec.template.spec"), _selectors("spec.selector", "spec.template.spec.nodeSelector")
    ),
    "statefulsets": Structure(
        _pod("spec.template.spec"), _selectors("spec.selector", "spec.template.spec.nodeSelector")
    ),
    "jobs": Structure(
        _pod("spec.template.spec"), _selectors("spec.selector", "spec.template.spec.nodeSelector")
    ),
    "services": Structure({"spec.ports": ("port", "protocol")}, _selectors("spec.selector")),
    "serviceaccounts": Structure({"secrets": ("name",)}),
    "persistentvolumeclaims": Structure({}, _selectors("spec.selector", "spec.dataSource")),
    "resourcequotas": Structure({}, _selectors("spec.scopeSelector")),
    "nodes": Structure({"status.addresses": ("type",), "spec.podCIDRs": SET}),
    "roles": Structure(),
    "clusterroles": Structure({}),
    "rolebindings": Structure({}, frozenset({"roleRef"})),
    "clusterrolebindings": Structure({}, frozenset({"roleRef"})),
    "networkpolicies": Structure({}, _selectors("spec.podSelector")),
    "validatingadmissionpolicies": Structure(
        {"spec.matchConditions": ("name",), "spec.variables": ("name",)},
        frozenset({"spec.matchConstraints", "spec.paramKind"}),
    ),
    "validatingadmissionpolicybindings": Structure(
        {"spec.validationActions": SET}, frozenset({"spec.paramRef", "spec.matchResources"})
    ),
    "workloads": Structure(_WORKLOAD),
    "clusterqueues": Structure(_FLAVORS, _selectors("spec.namespaceSelector")),
    "localqueues": Structure(_FLAVORS),
}


def _dotted(path: tuple[str, ...]) -> str:
    return ".".join(step[2:] for step in path if step.startswith("f:"))


def keys(kind: Kind, path: tuple[str, ...]) -> tuple[str, ...] | None:
    """Keys of the list at that path; SET for a set of values; None where it is atomic."""
    dotted = _dotted(path)
    own = _KINDS.get(kind.plural, Structure()).lists
    return {**_METADATA, **_CONDITIONS, **own}.get(dotted)


def is_atomic(kind: Kind, path: tuple[str, ...]) -> bool:
    """Whether the map at that path is replaced as a whole."""
    return _dotted(path) in _KINDS.get(kind.plural, Structure()).atomic


def key_of(item: Any, wanted: tuple[str, ...]) -> dict[str, Any]:
    """What tells a list item from the others; a missing key counts as its default."""
    return {key: item.get(key, _DEFAULTS.get(key)) for key in sorted(wanted)}
