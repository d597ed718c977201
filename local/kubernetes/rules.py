"""What single kinds get by default and do not allow."""

import base64
from collections.abc import Callable
from typing import Any

from local.kubernetes import errors, object_quota
from local.kubernetes.kinds import Kind
from local.kubernetes.objects import Document, metadata, name_of

_RBAC = "rbac.authorization.k8s.io"


def complete(kind: Kind, document: Document) -> None:
    """Fill in, in place, what the server fills in."""
    if fill := _DEFAULTS.get(kind.plural):
        fill(document)


def verify(kind: Kind, new: Document, old: Document | None) -> None:
    """Raises Invalid for a value or a change that the kind does not allow."""
    if check := _CHECKS.get(kind.plural):
        check(kind, new, old)


def _namespace(document: Document) -> None:
    labels = metadata(document).setdefault("labels", {})
    labels["kubernetes.io/metadata.name"] = name_of(document)
    document.setdefault("spec", {"finalizers": ["kubernetes"]})
    document.setdefault("status", {"phase": "Active"})


def _secret(document: Document) -> None:
    document.setdefault("type", "Opaque")
    plain = document.pop("stringData", None) or {}
    for key, value in plain.items():
        encoded = base64.b64encode(str(value).encode()).decode()
        document.setdefault("data", {})[key] = encoded


def _binding(document: Document) -> None:
    reference = document.get("roleRef")
    if isinstance(reference, dict) and not reference.get("apiGroup"):
        reference["apiGroup"] = _RBAC
    for subject in document.get("subjects") or []:
        if subject.get("kind") in {"User", "Group"} and not subject.get("apiGroup"):
            subject["apiGroup"] = _RBAC


def _network_policy(document: Document) -> None:
    spec = document.setdefault("spec", {})
    egress = ["Egress"] if spec.get("egress") else []
    spec.setdefault("policyTypes", ["Ingress", *egress])


def _claim(document: Document) -> None:
    document.setdefault("spec", {}).setdefault("volumeMode", "Filesystem")
    document.setdefault("status", {"phase": "Pending"})


def _local_queue(document: Document) -> None:
    document.setdefault("spec", {}).setdefault("stopPolicy", "None")


def _cluster_queue(document: Document) -> None:
    spec = document.setdefault("spec", {})
    spec.setdefault("queueingStrategy", "BestEffortFIFO")
    spec.setdefault("stopPolicy", "None")
    preemption = spec.setdefault("preemption", {})
    for scope in ("reclaimWithinCohort", "withinClusterQueue"):
        preemption.setdefault(scope, "Never")
    preemption.setdefault("borrowWithinCohort", {"policy": "Never"})
    fungibility = spec.setdefault("flavorFungibility", {})
    fungibility.setdefault("whenCanBorrow", "MayStopSearch")
    fungibility.setdefault("whenCanPreempt", "TryNextFlavor")


_DEFAULTS: dict[str, Callable[[Document], None]] = {
    "namespaces": _namespace,
    "secrets": _secret,
    "persistentvolumeclaims": _claim,
    "rolebindings": _binding,
    "clusterrolebindings": _binding,
    "networkpolicies": _network_policy,
    "resourcequotas": object_quota.complete,
    "localqueues": _local_queue,
    "clusterqueues": _cluster_queue,
}


def _refuse(kind: Kind, document: Document, field: str, problem: str, value: Any) -> None:
    message = f"Invalid value: {value!r}: {problem}"
    raise errors.invalid(kind, name_of(document), field, message, "FieldValueInvalid")


def _check_binding(kind: Kind, new: Document, old: Document | None) -> None:
    reference = new.get("roleRef") or {}
    if old and reference != old.get("roleRef"):
        _refuse(kind, new, "roleRef", "cannot change roleRef", reference)
    kinds = {"Role", "ClusterRole"} if kind.namespaced else {"ClusterRole"}
    if reference.get("kind") not in kinds:
        _refuse(kind, new, "roleRef.kind", "unsupported kind", reference.get("kind"))
    if not reference.get("name"):
        _refuse(kind, new, "roleRef.name", "name is required", "")
    for index, subject in enumerate(new.get("subjects") or []):
        _check_subject(kind, new, f"subjects[{index}]", subject)


def _check_subject(kind: Kind, new: Document, field: str, subject: Document) -> None:
    if not subject.get("name"):
        _refuse(kind, new, f"{field}.name", "name is required", "")
    match subject.get("kind"):
        case "ServiceAccount":
            if not (kind.namespaced or subject.get("namespace")):
                _refuse(kind, new, f"{field}.namespace", "namespace is required", "")
        case "User" | "Group":
            if subject.get("apiGroup") != _RBAC:
                _refuse(kind, new, f"{field}.apiGroup", "unsupported group", subject["apiGroup"])
        case other:
            _refuse(kind, new, f"{field}.kind", "unsupported kind", other)


def _check_role(kind: Kind, new: Document, _: Document | None) -> None:
    for index, rule in enumerate(new.get("rules") or []):
        field = f"rules[{index}]"
        if not rule.get("verbs"):
            _refuse(kind, new, f"{field}.verbs", "verbs must contain at least one value", [])
        if rule.get("nonResourceURLs"):
            if kind.namespaced:
                problem = "namespaced rules cannot apply to non-resource URLs"
                _refuse(kind, new, f"{field}.nonResourceURLs", problem, rule["nonResourceURLs"])
            continue
        if not rule.get("apiGroups"):
            _refuse(kind, new, f"{field}.apiGroups", "resource rules must supply an api group", [])
        if not rule.get("resources"):
            problem = "resource rules must supply at least one resource"
            _refuse(kind, new, f"{field}.resources", problem, [])


def _check_local_queue(kind: Kind, new: Document, old: Document | None) -> None:
    target = new["spec"].get("clusterQueue")
    if old and target != old["spec"].get("clusterQueue"):
        _refuse(kind, new, "spec.clusterQueue", "field is immutable", target)


_CHECKS: dict[str, Callable[[Kind, Document, Document | None], None]] = {
    "roles": _check_role,
    "clusterroles": _check_role,
    "rolebindings": _check_binding,
    "clusterrolebindings": _check_binding,
    "resourcequotas": object_quota.verify,
    "localqueues": _check_local_queue,
}
