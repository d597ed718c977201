"""Requests to the real API server as anybody, with nothing but admission between them and it."""

import json
from pathlib import Path
from typing import Any

import httpx2

Object = dict[str, Any]
NAMESPACE = "hyperpod-ns-admission"
OTHER = "hyperpod-ns-admission-next-door"
TENANT = "commons:admission:ada-example.com"
POD_OF_A_TENANT = f"system:serviceaccount:{NAMESPACE}:default"
POD_OF_A_PROJECT = f"system:serviceaccount:{NAMESPACE}-detection:default"
WRITER = "commons:writer:reconcile"
STRANGER = "somebody"

_PLURALS = {
    "Pod": "/api/v1/namespaces/{ns}/pods",
    "Service": "/api/v1/namespaces/{ns}/services",
    "Secret": "/api/v1/namespaces/{ns}/secrets",
    "ConfigMap": "/api/v1/namespaces/{ns}/configmaps",
    "ResourceQuota": "/api/v1/namespaces/{ns}/resourcequotas",
    "LimitRange": "/api/v1/namespaces/{ns}/limitranges",
    "Endpoints": "/api/v1/namespaces/{ns}/endpoints",
    "EndpointSlice": "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices",
    "Job": "/apis/batch/v1/namespaces/{ns}/jobs",
    "CronJob": "/apis/batch/v1/namespaces/{ns}/cronjobs",
    "Deployment": "/apis/apps/v1/namespaces/{ns}/deployments",
    "StatefulSet": "/apis/apps/v1/namespaces/{ns}/statefulsets",
    "NetworkPolicy": "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings",
    "Workload": "/apis/kueue.x-k8s.io/v1beta2/namespaces/{ns}/workloads",
    "LocalQueue": "/apis/kueue.x-k8s.io/v1beta2/namespaces/{ns}/localqueues",
    "Namespace": "/api/v1/namespaces",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "WorkloadPriorityClass": "/apis/kueue.x-k8s.io/v1beta2/workloadpriorityclasses",
    "ClusterQueue": "/apis/kueue.x-k8s.io/v1beta2/clusterqueues",
    "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses",
    "SelfSubjectAccessReview": "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    "HyperPodPyTorchJob": "/apis/sagemaker.amazonaws.com/v1/namespaces/{ns}/hyperpodpytorchjobs",
    "Workspace": "/apis/workspace.jupyter.org/v1alpha1/namespaces/{ns}/workspaces",
    "ValidatingAdmissionPolicy": (
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
    ),
    "ValidatingAdmissionPolicyBinding": (
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"
    ),
}


class Api:
    """One API server; every call says as whom, the administrator of the machine by default."""

    def __init__(self, endpoint: str, folder: Path) -> None:
        token = (folder / "admin-token").read_text().strip()
        self._client = httpx2.Client(
            base_url=endpoint,
            verify=str(folder / "ca.crt"),
            headers={"Authorization": f"Bearer {token}"},
            timeout=30,
            trust_env=False,
        )

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        user: str = "",
        content: str = "application/json",
        **query: str,
    ) -> httpx2.Response:
        headers = [("Content-Type", content)]
        if user:
            groups = ["system:authenticated", *(["commons:writers"] if user == WRITER else [])]
            headers += [("Impersonate-User", user), *(("Impersonate-Group", g) for g in groups)]
        data = None if body is None else json.dumps(body)
        return self._client.request(method, path, content=data, headers=headers, params=query)

    def create(self, thing: Object, user: str = "", dry: bool = True) -> httpx2.Response:
        query = {"dryRun": "All"} if dry else {}
        return self.call("POST", path(thing), thing, user, **query)

    def patch(self, thing: Object, changes: Any, user: str = "", sub: str = "") -> httpx2.Response:
        """A merge patch; a list is a JSON patch."""
        kind = "json-patch" if isinstance(changes, list) else "merge-patch"
        where = f"{path(thing)}/{thing['metadata']['name']}{sub}"
        return self.call("PATCH", where, changes, user, f"application/{kind}+json")

    def delete(self, thing: Object, user: str = "", dry: bool = False) -> httpx2.Response:
        query = {"dryRun": "All"} if dry else {}
        return self.call(
            "DELETE", f"{path(thing)}/{thing['metadata']['name']}", None, user, **query
        )

    def apply(self, thing: Object) -> None:
        """Server-side apply, as `commons cluster register` does."""
        where = f"{path(thing)}/{thing['metadata']['name']}"
        query = {"fieldManager": "commons", "force": "true"}
        answer = self.call("PATCH", where, thing, "", "application/apply-patch+yaml", **query)
        assert answer.is_success, answer.text

    def made(self, thing: Object, user: str = "") -> Object:
        """An object that is really there, afterwards as the server has it."""
        answer = self.create(thing, user, dry=False)
        assert answer.is_success, answer.text
        return dict(answer.json())


def path(thing: Object) -> str:
    namespace = thing["metadata"].get("namespace", "")
    return _PLURALS[thing["kind"]].format(ns=namespace)


def said(answer: httpx2.Response) -> str:
    """What the server says of a request; empty if it did it."""
    return "" if answer.is_success else str(answer.json()["message"])


def refused(answer: Any, policy: str, *words: str) -> None:
    text = said(answer)
    assert answer.status_code == 403, (answer.status_code, text)
    assert f"ValidatingAdmissionPolicy 'commons-{policy}'" in text, text
    for word in words:
        assert word in text, text


def allowed(answer: Any) -> None:
    assert answer.is_success, answer.text
