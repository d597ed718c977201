"""The Kubernetes adapter at the level of HTTP, under lightkube's own client."""

import json
from collections.abc import Callable
from typing import Any

import httpx2
import lightkube
import pytest
from lightkube.config.kubeconfig import KubeConfig
from lightkube.config.models import Cluster, User

from commons.adapters.eks_sign_in import TOKEN_SECONDS
from commons.adapters.kubernetes import Kubernetes
from commons.domain.errors import AccessDenied, ChangedMeanwhile, Throttled

SERVER = "https://10.0.0.1:6443/clusters/hp-eks"
Answer = Callable[[httpx2.Request], httpx2.Response]


class Api:
    """Answers what it is told to, and remembers what was asked and with which token."""

    def __init__(self) -> None:
        self.requests: list[httpx2.Request] = []
        self.answers: dict[tuple[str, str], Any] = {}
        self.next: list[int] = []
        self.tokens = 0
        self.now = 0.0
        self.kubernetes = Kubernetes(self._connect, "hp-eks", "our-role", lambda: self.now)

    def _connect(self) -> lightkube.Client:
        self.tokens += 1
        config = KubeConfig.from_one(
            cluster=Cluster(server=SERVER, insecure=True), user=User(token=f"t{self.tokens}")
        )
        transport = httpx2.MockTransport(self._answer)
        return lightkube.Client(config=config, transport=transport, trust_env=False)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        if self.next:
            return status(self.next.pop(0))
        path = request.url.path.removeprefix("/clusters/hp-eks")
        found = self.answers.get((request.method, path))
        if callable(found):
            return found(request)
        return httpx2.Response(200, json=found) if found is not None else status(404)


def status(code: int, message: str = "no") -> httpx2.Response:
    body = {"kind": "Status", "status": "Failure", "code": code, "message": message}
    return httpx2.Response(code, json=body)


@pytest.fixture
def api() -> Api:
    return Api()


NAMESPACE = {"metadata": {"name": "n", "labels": {"a": "b"}}, "newField": {"x": 1}}


def test_an_object_is_read_as_it_is_also_below_a_path_of_the_endpoint(api: Api) -> None:
    api.answers["GET", "/api/v1/namespaces/n"] = NAMESPACE

    assert api.kubernetes.get("Namespace", "n") == NAMESPACE
    assert str(api.requests[0].url) == f"{SERVER}/api/v1/namespaces/n"
    assert api.requests[0].headers["Authorization"] == "Bearer t1"


def test_what_is_not_there_is_none(api: Api) -> None:
    assert api.kubernetes.get("Namespace", "n") is None


def test_lists_are_read_to_the_end_and_say_what_they_hold(api: Api) -> None:
    def pages(request: httpx2.Request) -> httpx2.Response:
        second = "continue" in request.url.params
        more = {} if second else {"continue": "next"}
        items = [{"metadata": {"name": "b" if second else "a"}}]
        return httpx2.Response(200, json={"metadata": more, "items": items})

    path = "/apis/rbac.authorization.k8s.io/v1/namespaces/n/roles"
    api.answers["GET", path] = pages

    found = api.kubernetes.list("Role", "n", {"x": "y"})

    assert [each["metadata"]["name"] for each in found] == ["a", "b"]
    assert {each["kind"] for each in found} == {"Role"}
    assert api.requests[0].url.params["labelSelector"] == "x=y"


def test_all_namespaces_are_listed_at_once(api: Api) -> None:
    api.answers["GET", "/apis/kueue.x-k8s.io/v1beta2/workloads"] = {"metadata": {}, "items": []}

    assert api.kubernetes.list("Workload") == []


def test_the_version_that_a_cluster_serves_is_found_once(api: Api) -> None:
    path = "/apis/kueue.x-k8s.io/v1beta1/namespaces/n/localqueues/q"
    api.answers["GET", path] = {"metadata": {"name": "q"}}

    assert api.kubernetes.get("LocalQueue", "q", "n")
    assert api.kubernetes.get("LocalQueue", "q", "n")

    versions = [request.url.path.split("/")[5] for request in api.requests]
    assert versions == ["v1beta2", "v1beta1", "v1beta1"]


def test_apply_is_server_side_in_our_name(api: Api) -> None:
    path = "/apis/rbac.authorization.k8s.io/v1/namespaces/n/roles/r"
    api.answers["PATCH", path] = {"metadata": {"name": "r"}}
    role = {"kind": "Role", "metadata": {"name": "r", "namespace": "n"}, "rules": []}

    api.kubernetes.apply(role)

    (request,) = api.requests
    assert request.headers["Content-Type"] == "application/apply-patch+yaml"
    assert dict(request.url.params) == {"force": "true", "fieldManager": "commons"}
    assert json.loads(request.content) == {**role, "apiVersion": "rbac.authorization.k8s.io/v1"}


def test_apply_into_a_namespace_that_went_is_planned_again(api: Api) -> None:
    with pytest.raises(ChangedMeanwhile, match="Role r"):
        api.kubernetes.apply({"kind": "Role", "metadata": {"name": "r", "namespace": "n"}})


def test_what_is_gone_already_is_deleted(api: Api) -> None:
    api.kubernetes.delete({"kind": "Role", "metadata": {"name": "r", "namespace": "n"}})

    assert [request.method for request in api.requests] == ["DELETE"]


def test_op_09_a_token_that_is_too_old_is_renewed_and_the_call_repeated(api: Api) -> None:
    api.answers["GET", "/api/v1/namespaces/n"] = NAMESPACE
    api.kubernetes.get("Namespace", "n")
    api.next = [401]

    assert api.kubernetes.get("Namespace", "n") == NAMESPACE
    tokens = [request.headers["Authorization"] for request in api.requests]
    assert tokens == ["Bearer t1", "Bearer t1", "Bearer t2"]


def test_op_09_a_stranger_gets_a_clear_error_and_no_loop(api: Api) -> None:
    api.next = [401, 401, 401]

    with pytest.raises(AccessDenied, match=r"our-role.*access entry.*commons cluster register"):
        api.kubernetes.get("Namespace", "n")

    assert len(api.requests) == 2


def test_op_09_a_token_is_renewed_before_it_is_too_old(api: Api) -> None:
    api.answers["GET", "/api/v1/namespaces/n"] = NAMESPACE
    for moment in (0.0, TOKEN_SECONDS - 1.0, float(TOKEN_SECONDS)):
        api.now = moment
        api.kubernetes.get("Namespace", "n")

    tokens = [request.headers["Authorization"] for request in api.requests]
    assert tokens == ["Bearer t1", "Bearer t1", "Bearer t2"]


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (403, AccessDenied),
        (409, ChangedMeanwhile),
        (429, Throttled),
        (500, Throttled),
        (503, Throttled),
        (422, ValueError),
    ],
)
def test_answers_become_errors_that_say_what_should_happen_next(
    api: Api, code: int, error: type[Exception]
) -> None:
    api.next = [code]

    with pytest.raises(error, match="hp-eks"):
        api.kubernetes.get("Namespace", "n")


def test_a_refusal_names_the_role_and_the_way_out(api: Api) -> None:
    api.next = [403]

    with pytest.raises(AccessDenied, match=r"our-role may not.*commons cluster register"):
        api.kubernetes.get("Namespace", "n")


def test_an_answer_that_is_no_json_is_an_error_too(api: Api) -> None:
    api.answers["GET", "/api/v1/namespaces/n"] = lambda _: httpx2.Response(502, text="<html>")

    with pytest.raises(Throttled):
        api.kubernetes.get("Namespace", "n")


def test_a_cluster_that_does_not_answer_is_tried_later(api: Api) -> None:
    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused", request=request)

    api.answers["GET", "/api/v1/namespaces/n"] = refuse

    with pytest.raises(Throttled, match="hp-eks does not answer"):
        api.kubernetes.get("Namespace", "n")


@pytest.mark.parametrize("allowed", [True, False])
def test_an_authorizer_is_asked_by_a_review_that_names_the_user(api: Api, allowed: bool) -> None:
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    api.answers["POST", path] = {"status": {"allowed": allowed}}
    spec = {"user": "commons:alpha:ada", "resourceAttributes": {"verb": "list"}}

    assert api.kubernetes.allows(spec) is allowed

    sent = json.loads(api.requests[-1].content)
    assert sent["kind"] == "SubjectAccessReview"
    assert sent["apiVersion"] == "authorization.k8s.io/v1"
    assert sent["spec"] == spec


def test_an_older_version_that_the_cluster_serves_is_what_is_applied(api: Api) -> None:
    path = "/apis/kueue.x-k8s.io/v1beta1/namespaces/n/localqueues/q"
    api.answers["PATCH", path] = {"metadata": {"name": "q"}}
    meta = {"name": "q", "namespace": "n"}

    api.kubernetes.apply(
        {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue", "metadata": meta}
    )

    assert json.loads(api.requests[-1].content)["apiVersion"] == "kueue.x-k8s.io/v1beta1"
