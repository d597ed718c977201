"""The kinds of Kubernetes that we speak of, as lightkube resources that are plain dicts.

lightkube's typed models would drop fields of newer servers and cost a second of cold start.
"""

from functools import cache
from typing import Any, NamedTuple

from lightkube.generic_resource import (
    GenericGlobalResource,
    GenericNamespacedResource,
    create_api_info,
)

KUEUE = "kueue.x-k8s.io"
_ADMISSION = "admissionregistration.k8s.io"
_RBAC = "rbac.authorization.k8s.io"


class Kind(NamedTuple):
    """`versions`: the newest first; which of them a cluster serves is found by asking."""

    group: str
    versions: tuple[str, ...]
    plural: str
    namespaced: bool = True


KINDS: dict[str, Kind] = {
    "Namespace": Kind("", ("v1",), "namespaces", namespaced=False),
    "Node": Kind("", ("v1",), "nodes", namespaced=False),
    "Pod": Kind("", ("v1",), "pods"),
    "ResourceQuota": Kind("", ("v1",), "resourcequotas"),
    "Role": Kind(_RBAC, ("v1",), "roles"),
    "RoleBinding": Kind(_RBAC, ("v1",), "rolebindings"),
    "ClusterRole": Kind(_RBAC, ("v1",), "clusterroles", namespaced=False),
    "ClusterRoleBinding": Kind(_RBAC, ("v1",), "clusterrolebindings", namespaced=False),
    "SubjectAccessReview": Kind(
        "authorization.k8s.io", ("v1",), "subjectaccessreviews", namespaced=False
    ),
    "NetworkPolicy": Kind("networking.k8s.io", ("v1",), "networkpolicies"),
    "ValidatingAdmissionPolicy": Kind(
        _ADMISSION, ("v1",), "validatingadmissionpolicies", namespaced=False
    ),
    "ValidatingAdmissionPolicyBinding": Kind(
        _ADMISSION, ("v1",), "validatingadmissionpolicybindings", namespaced=False
    ),
    "LocalQueue": Kind(KUEUE, ("v1beta2", "v1beta1"), "localqueues"),
    "ClusterQueue": Kind(KUEUE, ("v1beta2", "v1beta1"), "clusterqueues", namespaced=False),
    "Workload": Kind(KUEUE, ("v1beta2", "v1beta1"), "workloads"),
}


@cache
def resource(kind: str, version: str) -> Any:
    """A lightkube resource class. Not through its registry, which prefers the typed models."""
    known = KINDS[kind]
    base = GenericNamespacedResource if known.namespaced else GenericGlobalResource
    info = create_api_info(known.group, version, kind, known.plural)
    return type(kind, (base,), {"_api_info": info})


def version_of(resource_class: Any) -> str:
    """What objects of the class say as their apiVersion."""
    return str(resource_class._api_info.resource.api_version)
