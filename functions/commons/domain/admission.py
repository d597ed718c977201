"""Admission policies of a cluster with teams: what no role can give.

Roles say what a person may do; these say what must hold of it, judged by the API server. What
differs between namespaces they read from annotations of the Namespace, which no tenant can edit.
"""

from collections.abc import Iterable
from typing import Any

from commons.domain import (
    admission_guard,
    admission_pods,
    admission_policy,
    admission_priority,
    admission_queue,
)
from commons.domain.namespace_plan import is_ours

POLICIES = (
    admission_queue.POLICY,
    admission_priority.POLICY,
    admission_pods.POLICY,
    admission_guard.NAMESPACED,
    admission_guard.CLUSTER,
)


KINDS = ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")


def manifests() -> list[dict[str, Any]]:
    """Each policy with its binding; in force some seconds after they are applied."""
    return [each for policy in POLICIES for each in admission_policy.manifests(policy)]


def differences(observed: Iterable[dict[str, Any]]) -> list[str]:
    """What a cluster's policies lack or have too much of, in words; they must carry `kind`.

    One field more would loosen a policy as well as one less: both are told.
    """
    found = {_key(each): each["spec"] for each in observed}
    return [
        f"{kind} {name} is {'changed' if (kind, name) in found else 'missing'}"
        for (kind, name), spec in {_key(each): each["spec"] for each in manifests()}.items()
        if found.get((kind, name)) != spec
    ]


def outdated(observed: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Policies of an older version of the product, which this one does not have."""
    wanted = {_key(each) for each in manifests()}
    return [each for each in observed if is_ours(each) and _key(each) not in wanted]


def _key(each: dict[str, Any]) -> tuple[str, str]:
    return each["kind"], each["metadata"]["name"]
