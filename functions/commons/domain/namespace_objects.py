"""What makes a namespace the team's: labels, Roles, RoleBindings that list people, isolation.

Everything is given whole, defaults included, so that what a cluster answers can be compared.
"""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from commons.domain import network_policy, rbac
from commons.domain.admission_parameters import HOST_PATHS
from commons.domain.errors import Blocked, Conflict
from commons.domain.membership import BOUND, ROLES, Member, Role
from commons.domain.names import kubernetes_user, session_name

TEAM_LABEL = "gpu.commons/team"
PROJECT_LABEL = "gpu.commons/project"
MANAGED_LABEL = "app.kubernetes.io/managed-by"
MANAGED = "gpu-commons"
DIGEST = "gpu.commons/applied"
SAGEMAKER_LABEL = "sagemaker.amazonaws.com/sagemaker-managed-queue"
OBJECT_COUNTS = "commons-objects"
KINDS = ("Role", "RoleBinding", "NetworkPolicy", "ResourceQuota")

# counts of objects only: CPU, memory and devices are Kueue's. Numbers as Kubernetes itself writes
# them: a thousand would come back as 1k
_COUNTS = {
    "configmaps": "500",
    "count/cronjobs.batch": "50",
    "count/jobs.batch": "500",
    "persistentvolumeclaims": "50",
    "pods": "2500",
    "secrets": "500",
    "services": "100",
    "services.loadbalancers": "0",
    "services.nodeports": "0",
}

Object = dict[str, Any]


def check_namespace(observed: Object | None, namespace: str, team: str) -> Object:
    """Raises Blocked if there is none yet, and Conflict if it is not the team's to shape."""
    if observed is None:
        raise Blocked(f"The namespace {namespace} does not exist: its compute quota makes it")
    labels = observed["metadata"].get("labels") or {}
    owner = labels.get(TEAM_LABEL, team)
    if owner != team:
        raise Conflict(
            f"The namespace {namespace} is labelled as team {owner}'s: rename the project, or take "
            f"the label {TEAM_LABEL} off to hand it over"
        )
    if labels.get(SAGEMAKER_LABEL) != "true":
        raise Conflict(
            f"The namespace {namespace} was not made by a compute quota, so its tasks would run "
            f"ungoverned: delete it if it is empty, or give it the label {SAGEMAKER_LABEL}=true"
        )
    return observed


def namespace_labels(
    team: str, project: str | None, namespace: str, parameters: dict[str, str]
) -> Object:
    """The Namespace with our labels and annotations only; SageMaker's are not ours to touch."""
    # the admission policies refuse; the level itself, which knows no list of paths, only records
    labels = {TEAM_LABEL: team, "pod-security.kubernetes.io/audit": "baseline"}
    if not parameters.get(HOST_PATHS):
        # where no path is allowed it tells, too, on a cluster that has no policies yet
        labels["pod-security.kubernetes.io/warn"] = "baseline"
    if project:
        labels[PROJECT_LABEL] = project
    metadata = {"name": namespace, "labels": labels, "annotations": parameters}
    return _sealed("v1", "Namespace", metadata, {})


def wanted_objects(team: str, namespace: str, members: Iterable[Member]) -> list[Object]:
    """Everything inside the namespace, in an order in which it can be applied."""
    people = _people(team, members)
    objects = [
        _object(team, namespace, rbac.RBAC + "/v1", "Role", rbac.role_name(role), _rules(role))
        for role in ROLES
    ]
    objects += [
        _object(
            team, namespace, rbac.RBAC + "/v1", "RoleBinding", name, _binding(name, people[role])
        )
        for role in ROLES
        if people[role] and (name := rbac.role_name(role))
    ]
    isolation = {"spec": network_policy.spec()}
    counts = {"spec": {"hard": dict(_COUNTS)}}
    return [
        *objects,
        _object(
            team,
            namespace,
            "networking.k8s.io/v1",
            "NetworkPolicy",
            network_policy.NAME,
            isolation,
        ),
        _object(team, namespace, "v1", "ResourceQuota", OBJECT_COUNTS, counts),
    ]


def _people(team: str, members: Iterable[Member]) -> dict[Role, list[str]]:
    """User names by role, as the access entry makes them of each session."""
    people: dict[Role, list[str]] = {role: [] for role in ROLES}
    for member in members:
        session = session_name(member.user_name)
        if member.state in BOUND and session:
            people[member.role].append(kubernetes_user(team, session))
    return {role: sorted(names) for role, names in people.items()}


def _rules(role: Role) -> Object:
    return {"rules": rbac.rules(role)}


def _binding(name: str, people: list[str]) -> Object:
    return {
        "roleRef": {"apiGroup": rbac.RBAC, "kind": "Role", "name": name},
        "subjects": [{"apiGroup": rbac.RBAC, "kind": "User", "name": person} for person in people],
    }


def _object(
    team: str, namespace: str, version: str, kind: str, name: str, content: Object
) -> Object:
    labels = {MANAGED_LABEL: MANAGED, TEAM_LABEL: team}
    return _sealed(version, kind, {"name": name, "namespace": namespace, "labels": labels}, content)


def _sealed(version: str, kind: str, metadata: Object, content: Object) -> Object:
    """With a digest of what is wanted: a field that we no longer want is noticed by it."""
    text = json.dumps([metadata, content], sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    annotations = {**metadata.get("annotations", {}), DIGEST: digest}
    annotated = {**metadata, "annotations": annotations}
    return {"apiVersion": version, "kind": kind, "metadata": annotated, **content}
