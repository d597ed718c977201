"""What kubectl sends as protobuf: access reviews and namespaces, by the published field numbers."""

from collections.abc import Iterator

import httpx2
import pytest

from local.kubernetes import protobuf
from local.kubernetes.errors import ApiError
from tests.local.kubernetes_process import Embedded, running

REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


def field(number: int, content: bytes | str) -> bytes:
    data = content.encode() if isinstance(content, str) else content
    length = bytes([len(data) & 127 | 128, len(data) >> 7])  # two bytes: one would often do
    return bytes([number << 3 | 2]) + length + data


def body(version: str, kind: str, message: bytes) -> bytes:
    known = field(1, version) + field(2, kind)
    return b"k8s\x00" + field(1, known) + field(2, message) + field(3, "") + field(4, "")


def test_an_access_review_is_read() -> None:
    attributes = field(1, "team-a") + field(2, "get") + field(5, "pods") + field(6, "status")
    message = field(1, b"") + field(2, field(1, attributes))
    document = protobuf.decode(body("authorization.k8s.io/v1", "SelfSubjectAccessReview", message))
    assert document == {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "metadata": {},
        "spec": {
            "resourceAttributes": {
                "namespace": "team-a",
                "verb": "get",
                "resource": "pods",
                "subresource": "status",
            }
        },
    }


def test_groups_labels_and_numbers_are_read() -> None:
    spec = field(3, "alice") + field(4, "a") + field(4, "b") + field(2, field(1, "/version"))
    review = protobuf.decode(body("v1", "SubjectAccessReview", field(2, spec)))
    assert review["spec"] == {
        "user": "alice",
        "groups": ["a", "b"],
        "nonResourceAttributes": {"path": "/version"},
    }
    label = field(1, "team") + field(2, "a")
    generation = bytes([7 << 3, 5])
    meta = field(1, "n" * 200) + generation + field(11, label)
    named = protobuf.decode(body("v1", "Namespace", field(1, meta)))
    assert named["metadata"] == {"name": "n" * 200, "labels": {"team": "a"}}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"{}", 400),
        (b"k8s\x00\x0a", 400),
        (b"k8s\x00\x0d\x01", 400),
        (body("v1", "Pod", b""), 415),
        (body("v1", "Namespace", field(1, field(1, b"\xff"))), 400),
        (body("v1", "Namespace", field(1, field(11, b""))), 400),
    ],
)
def test_other_bodies_are_refused(content: bytes, code: int) -> None:
    with pytest.raises(ApiError) as refusal:
        protobuf.decode(content)
    assert refusal.value.code == code


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with running(tmp_path_factory.mktemp("kubernetes")) as started:
        yield started


def test_a_review_in_protobuf_is_answered_in_json(cluster: Embedded) -> None:
    message = field(2, field(1, field(2, "get") + field(5, "pods")))
    answer = httpx2.post(
        f"{cluster.url}{REVIEW}",
        content=body("authorization.k8s.io/v1", "SelfSubjectAccessReview", message),
        headers={"Authorization": f"Bearer {cluster.token}", "Content-Type": protobuf.MEDIA_TYPE},
        verify=str(cluster.home / "kubernetes" / "ca.crt"),
    )
    assert answer.status_code == 201
    assert answer.json()["status"]["allowed"] is True
