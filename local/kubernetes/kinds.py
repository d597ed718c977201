"""The kinds that the local cluster serves; all others it refuses."""

from dataclasses import dataclass

VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
REVIEW_VERBS = ("create",)


@dataclass(frozen=True)
class Kind:
    """One kind. `versions`: served, the preferred and stored one first."""

    group: str
    versions: tuple[str, ...]
    plural: str
    kind: str
    namespaced: bool = True
    short: tuple[str, ...] = ()
    status: bool = False
    """The status is a subresource: the object's own path leaves it alone, and the reverse."""
    custom: bool = False
    """Comes from a CustomResourceDefinition: no strategic merge, updates name their version."""
    generation: bool = False
    """A change outside metadata and status counts the generation up."""
    fields: tuple[str, ...] = ()
    """Field selectors beside metadata.name and metadata.namespace."""
    name: str = "subdomain"
    """Rule for names: subdomain, label or path."""

    @property
    def qualified(self) -> str:
        """Plural and group, as error messages name a resource."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def api_version(self, version: str) -> str:
        """What objects of that version carry as apiVersion."""
        return f"{self.group}/{version}" if self.group else version


_RBAC = "rbac.authorization.k8s.io"
_KUEUE = "kueue.x-k8s.io"
_KUEUE_VERSIONS = ("v1beta2", "v1beta1")
_INFERENCE = "inference.sagemaker.aws.amazon.com"
_ADMISSION = "admissionregistration.k8s.io"
_EVENT_FIELDS = (
    "involvedObject.kind",
    "involvedObject.name",
    "involvedObject.namespace",
    "involvedObject.uid",
    "reason",
    "type",
)


def _core(plural: str, kind: str, *short: str, namespaced: bool = True, **more: object) -> Kind:
    return Kind("", ("v1",), plural, kind, namespaced, short, **more)  # type: ignore[arg-type]


def _kueue(plural: str, kind: str, *short: str, namespaced: bool, status: bool) -> Kind:
    return Kind(
        _KUEUE,
        _KUEUE_VERSIONS,
        plural,
        kind,
        namespaced,
        short,
        status=status,
        custom=True,
        generation=True,
    )


def _custom(group: str, version: str, plural: str, kind: str, *short: str) -> Kind:
    return Kind(
        group, (version,), plural, kind, short=short, status=True, custom=True, generation=True
    )


KINDS: tuple[Kind, ...] = (
    _core("namespaces", "Namespace", "ns", namespaced=False, status=True, name="label"),
    _core("serviceaccounts", "ServiceAccount", "sa"),
    _core("secrets", "Secret", fields=("type",)),
    _core("configmaps", "ConfigMap", "cm"),
    _core("pods", "Pod", "po", status=True, fields=("spec.nodeName", "status.phase")),
    _core("services", "Service", "svc", status=True, name="label"),
    _core("persistentvolumeclaims", "PersistentVolumeClaim", "pvc", status=True),
    _core("persistentvolumes", "PersistentVolume", "pv", namespaced=False, status=True),
    _core("resourcequotas", "ResourceQuota", "quota", status=True),
    _core("limitranges", "LimitRange", "limits"),
    _core("events", "Event", "ev", fields=_EVENT_FIELDS),
    _core("nodes", "Node", "no", namespaced=False, status=True),
    Kind("apps", ("v1",), "deployments", "Deployment", True, ("deploy",), True, generation=True),
    Kind("apps", ("v1",), "statefulsets", "StatefulSet", True, ("sts",), True, generation=True),
    Kind("batch", ("v1",), "jobs", "Job", status=True, generation=True),
    Kind(_RBAC, ("v1",), "roles", "Role", name="path"),
    Kind(_RBAC, ("v1",), "rolebindings", "RoleBinding", name="path"),
    Kind(_RBAC, ("v1",), "clusterroles", "ClusterRole", False, name="path"),
    Kind(_RBAC, ("v1",), "clusterrolebindings", "ClusterRoleBinding", False, name="path"),
    Kind(
        "networking.k8s.io",
        ("v1",),
        "networkpolicies",
        "NetworkPolicy",
        short=("netpol",),
        generation=True,
    ),
    Kind("coordination.k8s.io", ("v1",), "leases", "Lease"),
    Kind(
        _ADMISSION,
        ("v1",),
        "validatingadmissionpolicies",
        "ValidatingAdmissionPolicy",
        False,
        status=True,
        generation=True,
    ),
    Kind(
        _ADMISSION,
        ("v1",),
        "validatingadmissionpolicybindings",
        "ValidatingAdmissionPolicyBinding",
        False,
        generation=True,
    ),
    _kueue("workloads", "Workload", "wl", namespaced=True, status=True),
    _kueue("clusterqueues", "ClusterQueue", "cq", namespaced=False, status=True),
    _kueue("localqueues", "LocalQueue", "lq", namespaced=True, status=True),
    _kueue("resourceflavors", "ResourceFlavor", "flavor", namespaced=False, status=False),
    _kueue("workloadpriorityclasses", "WorkloadPriorityClass", namespaced=False, status=False),
    _kueue("cohorts", "Cohort", namespaced=False, status=True),
    _custom("sagemaker.amazonaws.com", "v1", "hyperpodpytorchjobs", "HyperPodPyTorchJob"),
    _custom("workspace.jupyter.org", "v1alpha1", "workspaces", "Workspace"),
    _custom(_INFERENCE, "v1", "inferenceendpointconfigs", "InferenceEndpointConfig"),
    _custom(_INFERENCE, "v1", "jumpstartmodels", "JumpStartModel"),
)

REVIEWS: tuple[Kind, ...] = (
    Kind("authorization.k8s.io", ("v1",), "subjectaccessreviews", "SubjectAccessReview", False),
    Kind(
        "authorization.k8s.io",
        ("v1",),
        "selfsubjectaccessreviews",
        "SelfSubjectAccessReview",
        False,
    ),
    Kind("authorization.k8s.io", ("v1",), "localsubjectaccessreviews", "LocalSubjectAccessReview"),
    Kind(
        "authorization.k8s.io", ("v1",), "selfsubjectrulesreviews", "SelfSubjectRulesReview", False
    ),
    Kind("authentication.k8s.io", ("v1",), "selfsubjectreviews", "SelfSubjectReview", False),
)

_BY_PLURAL = {(kind.group, kind.plural): kind for kind in (*KINDS, *REVIEWS)}


def find(group: str, version: str, plural: str) -> Kind | None:
    """The kind served under that path."""
    kind = _BY_PLURAL.get((group, plural))
    return kind if kind and version in kind.versions else None


def named(plural: str, group: str = "") -> Kind:
    """A kind that is known to be served; KeyError otherwise."""
    return _BY_PLURAL[group, plural]


def built_in(group: str) -> bool:
    """Whether the API server itself has the group, rather than a CustomResourceDefinition."""
    return any(kind.group == group and not kind.custom for kind in (*KINDS, *REVIEWS))


def group_versions() -> dict[str, list[str]]:
    """Groups with their versions, preferred first; the core group is the empty name."""
    found: dict[str, list[str]] = {}
    for kind in (*KINDS, *REVIEWS):
        versions = found.setdefault(kind.group, [])
        versions += [version for version in kind.versions if version not in versions]
    return found


def served(group: str, version: str) -> list[Kind]:
    """Kinds of one group and version."""
    return [kind for kind in (*KINDS, *REVIEWS) if kind.group == group and version in kind.versions]
