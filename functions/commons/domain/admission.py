"""Admission policies of a cluster with teams: what no role can give.

Roles say what a person may do; these say what must hold of it, judged by the API server. What
differs between namespaces they read from annotations of the Namespace, which no tenant can edit.
"""

from typing import Any

from commons.domain import (
    admission_guard,
    admission_pods,
    admission_policy,
    admission_priority,
    admission_queue,
)

POLICIES = (
    admission_queue.POLICY,
    admission_priority.POLICY,
    admission_pods.POLICY,
    admission_guard.NAMESPACED,
    admission_guard.CLUSTER,
)


def manifests() -> list[dict[str, Any]]:
    """Each policy with its binding; in force some seconds after they are applied."""
    return [each for policy in POLICIES for each in admission_policy.manifests(policy)]
