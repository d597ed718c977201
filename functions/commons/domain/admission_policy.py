"""An admission policy as we write it, and as Kubernetes does: a policy and its binding.

Expressions are CEL, judged by the API server itself: no webhook of ours can be down. Optional
fields are read by `.?`, which the oldest Kubernetes of task governance (1.30) knows.
"""

from typing import Any, NamedTuple

from commons.domain.namespace_objects import MANAGED, MANAGED_LABEL, TEAM_LABEL

API_VERSION = "admissionregistration.k8s.io/v1"
GOVERNED = {"matchExpressions": [{"key": TEAM_LABEL, "operator": "Exists"}]}
"""Selects the namespaces of teams; a label that the product sets and no tenant can change."""

# by the group, which an administrator's access entry gives, not by the name: a team may be called
# writer; a pod's own user counts by the prefix that every namespace of a quota has
TENANT = (
    "(request.userInfo.username.startsWith('commons:')"
    " && !request.userInfo.?groups.orValue([])"
    ".exists(g, g in ['commons:readers', 'commons:writers']))"
    " || request.userInfo.username.startsWith('system:serviceaccount:hyperpod-ns-')"
)

Rule = dict[str, Any]


class Cel(str):
    """An expression that makes a text, where a text may stand as well."""

    __slots__ = ()


class Check(NamedTuple):
    """What must be true, and what is answered if it is not."""

    about: str
    expression: str
    message: str | Cel


class Policy(NamedTuple):
    """`whom` and the checks' `about` are for people: they make the table in docs/security.md."""

    name: str
    whom: str
    rules: tuple[Rule, ...]
    condition: str
    variables: tuple[tuple[str, str], ...]
    checks: tuple[Check, ...]
    everywhere: bool = False
    """Not in governed namespaces only."""


def rule(
    group: str, resources: tuple[str, ...], operations: tuple[str, ...], scope: str = "Namespaced"
) -> Rule:
    """Every version: which one a cluster serves must not matter."""
    return {
        "apiGroups": [group],
        "apiVersions": ["*"],
        "resources": list(resources),
        "operations": list(operations),
        "scope": scope,
    }


def manifests(policy: Policy) -> list[dict[str, Any]]:
    """The policy, then its binding."""
    # whole, defaults included, so that a cluster's can be compared to the last field
    constraints: dict[str, Any] = {
        "matchPolicy": "Equivalent",
        "resourceRules": [*policy.rules],
        "namespaceSelector": {} if policy.everywhere else GOVERNED,
        "objectSelector": {},
    }
    spec: dict[str, Any] = {
        "failurePolicy": "Fail",
        "matchConstraints": constraints,
        "matchConditions": [{"name": "concerned", "expression": policy.condition}],
        "validations": [_validation(check) for check in policy.checks],
    }
    if policy.variables:
        spec["variables"] = [{"name": n, "expression": e} for n, e in policy.variables]
    binding = {"policyName": policy.name, "validationActions": ["Deny"]}
    return [
        _object("ValidatingAdmissionPolicy", policy.name, spec),
        _object("ValidatingAdmissionPolicyBinding", policy.name, binding),
    ]


def _validation(check: Check) -> dict[str, Any]:
    field = "messageExpression" if isinstance(check.message, Cel) else "message"
    return {"expression": check.expression, field: str(check.message), "reason": "Forbidden"}


def _object(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": name, "labels": {MANAGED_LABEL: MANAGED}}
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}
