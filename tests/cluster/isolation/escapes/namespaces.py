"""Leaving governance: the namespace, its quotas, its isolation, and what is the product's in it."""

from typing import Any

from tests.cluster.isolation.company import AMBER, COBALT
from tests.cluster.isolation.escapes.attempt import (
    NETWORKS,
    RBAC,
    at,
    delete,
    patch,
    post,
    put,
    stopped,
    thing,
)

_HOME = f"/api/v1/namespaces/{AMBER}"
_OURS = {"app.kubernetes.io/managed-by": "gpu-commons"}
_OPEN = thing(
    NETWORKS,
    "NetworkPolicy",
    spec={"podSelector": {}, "policyTypes": ["Ingress", "Egress"], "ingress": [{}], "egress": [{}]},
)
_NO_LIMIT = thing("v1", "ResourceQuota", spec={"hard": {"pods": "9999"}})
_LIMITS = thing("v1", "LimitRange", spec={"limits": []})


def _labels(**labels: Any) -> Any:
    """None takes a label off; `team`: the product's, `quota` and `queue`: SageMaker's."""
    names = {
        "team": "gpu.commons/team",
        "quota": "sagemaker.amazonaws.com/activate-quota",
        "queue": "sagemaker.amazonaws.com/sagemaker-managed-queue",
        "pods": "pod-security.kubernetes.io/enforce",
    }
    return {"metadata": {"labels": {names[key]: value for key, value in labels.items()}}}


def _annotation(name: str, value: str | None) -> Any:
    return {"metadata": {"annotations": {f"gpu.commons/{name}": value}}}


ATTEMPTS = (
    *stopped(
        "roles",
        "amber lead",
        (
            "governance-off",
            "take off a label that switches governance",
            patch(_HOME, _labels(queue=None)),
        ),
        (
            "new-namespace",
            "make a namespace without rules",
            post("/api/v1/namespaces", thing("v1", "Namespace")),
        ),
        ("end-namespace", "delete their own namespace", delete(_HOME)),
        ("end-neighbour", "delete the namespace next door", delete(f"/api/v1/namespaces/{COBALT}")),
        (
            "end-quota",
            "delete the ResourceQuota",
            delete(at(AMBER, "resourcequotas", "commons-objects")),
        ),
        (
            "end-isolation",
            "delete the NetworkPolicy",
            delete(at(AMBER, f"networkpolicies.{NETWORKS}", "commons-isolation")),
        ),
        (
            "end-binding",
            "delete the RoleBinding of the viewers",
            delete(at(AMBER, f"rolebindings.{RBAC}", "commons-viewer")),
        ),
    ),
    *stopped(
        "commons-cluster",
        "amber favourite",
        (
            "team-label-by-favour",
            "take off the label that makes the namespace governed",
            patch(_HOME, _labels(team=None)),
        ),
        (
            "queue-label-by-favour",
            "switch SageMaker's governance off",
            patch(_HOME, _labels(quota="Disabled", queue=None)),
        ),
        (
            "pod-security-by-favour",
            "change the Pod Security level",
            patch(_HOME, _labels(pods="privileged")),
        ),
        (
            "host-paths-by-favour",
            "allow the namespace every path of the node",
            patch(_HOME, _annotation("host-paths", "/")),
        ),
        (
            "priorities-by-favour",
            "allow the namespace every priority",
            patch(_HOME, _annotation("priority-classes", None)),
        ),
        (
            "finalize-by-favour",
            "end the namespace past its finalizers",
            put(f"{_HOME}/finalize", thing("v1", "Namespace", AMBER)),
        ),
        ("end-namespace-by-favour", "delete the namespace", delete(_HOME)),
    ),
    *stopped(
        "commons-cluster",
        "amber pod",
        (
            "team-label-by-pod",
            "take off the label that makes the namespace governed",
            patch(_HOME, _labels(team=None)),
        ),
    ),
    *stopped(
        "commons-guard",
        "amber favourite",
        (
            "quota-by-favour",
            "raise the ResourceQuota",
            patch(
                at(AMBER, "resourcequotas", "commons-objects"), {"spec": {"hard": {"pods": "9999"}}}
            ),
        ),
        (
            "end-quota-by-favour",
            "delete the ResourceQuota",
            delete(at(AMBER, "resourcequotas", "commons-objects")),
        ),
        (
            "more-quota-by-favour",
            "make a ResourceQuota of their own",
            post(at(AMBER, "resourcequotas"), _NO_LIMIT),
        ),
        (
            "limits-by-favour",
            "make a LimitRange of their own",
            post(at(AMBER, "limitranges"), _LIMITS),
        ),
        (
            "network-by-favour",
            "open the network by one more NetworkPolicy",
            post(at(AMBER, f"networkpolicies.{NETWORKS}"), _OPEN),
        ),
        (
            "end-networks-by-favour",
            "delete all NetworkPolicies at once",
            delete(at(AMBER, f"networkpolicies.{NETWORKS}")),
        ),
        (
            "end-binding-by-favour",
            "delete a RoleBinding of the product",
            delete(at(AMBER, f"rolebindings.{RBAC}", "commons-lead")),
        ),
    ),
    *stopped(
        "commons-guard",
        "amber member",
        (
            "hide-as-ours",
            "label a new object as the product's, so that nobody looks at it",
            post(at(AMBER, "configmaps"), thing("v1", "ConfigMap", labels=_OURS)),
        ),
        (
            "become-ours",
            "label an old object of theirs as the product's",
            patch(at(AMBER, "configmaps", "notes"), {"metadata": {"labels": _OURS}}),
        ),
        (
            "edit-ours",
            "change an object that is labelled as the product's",
            patch(at(AMBER, "configmaps", "ours"), {"data": {"mine": "now"}}),
        ),
        (
            "end-ours",
            "delete an object that is labelled as the product's",
            delete(at(AMBER, "configmaps", "ours")),
        ),
    ),
)
