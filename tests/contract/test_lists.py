"""Lists: selectors, pages, and what the items say of themselves."""

import pytest

from tests.contract.support import refused
from tests.kubernetes_api import KUEUE, Cluster, config_map


def test_labels_select(cluster: Cluster, maps: str) -> None:
    for name, labels in {
        "sel-a": {"team": "a", "tier": "gold"},
        "sel-b": {"team": "b"},
        "sel-c": {"sel": "c"},
    }.items():
        cluster.create(maps, config_map(name, labels={**labels, "suite": "select"}))

    def selected(text: str) -> list[str]:
        return cluster.names(maps, labelSelector=f"suite=select,{text}")

    assert selected("team") == ["sel-a", "sel-b"]
    assert selected("!team") == ["sel-c"]
    assert selected("team=a") == ["sel-a"]
    assert selected("team==a,tier=gold") == ["sel-a"]
    assert selected("team!=a") == ["sel-b", "sel-c"]
    assert selected("team in (a, b),tier") == ["sel-a"]
    assert selected("team notin (a)") == ["sel-b", "sel-c"]
    assert selected("team in (c)") == []


@pytest.mark.parametrize("text", ["a b c", "=a", "a in b", "a=b=c", "-a"])
def test_a_label_selector_that_cannot_be_read_is_refused(
    cluster: Cluster, maps: str, text: str
) -> None:
    answer = cluster.call("GET", maps, labelSelector=text)
    assert refused(answer) == (400, "BadRequest")


def test_fields_select_by_name_and_refuse_the_unknown(cluster: Cluster, maps: str) -> None:
    cluster.create(maps, config_map("wanted"))
    assert cluster.names(maps, fieldSelector="metadata.name=wanted") == ["wanted"]
    assert "wanted" not in cluster.names(maps, fieldSelector="metadata.name!=wanted")
    everywhere = "/api/v1/configmaps"
    assert cluster.names(everywhere, fieldSelector="metadata.namespace=nowhere") == []
    code, status = cluster.call("GET", maps, fieldSelector="data.a=1")
    assert refused((code, status)) == (400, "BadRequest")
    assert status["message"] == (
        '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"'
    )


def test_a_list_over_all_namespaces_may_name_one(cluster: Cluster, maps: str, home: str) -> None:
    name = f"only-{home}"
    cluster.create(maps, config_map(name))
    assert cluster.names("/api/v1/configmaps", fieldSelector=f"metadata.name={name}") == [name]


def test_a_list_comes_in_pages_as_it_was_at_the_first(cluster: Cluster, fresh: str) -> None:
    path = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{fresh}/roles"

    def role(number: int) -> dict[str, object]:
        return {"metadata": {"name": f"m{number}"}, "rules": []}

    for number in range(5):
        cluster.create(path, role(number))
    first = cluster.get(path, limit=2)
    assert first["metadata"]["remainingItemCount"] == 3
    cluster.create(path, role(15))
    token = first["metadata"]["continue"]
    second = cluster.get(path, limit=2, **{"continue": token})
    last = cluster.get(path, limit=2, **{"continue": second["metadata"]["continue"]})
    pages = [[item["metadata"]["name"] for item in page["items"]] for page in (first, second, last)]
    assert pages == [["m0", "m1"], ["m2", "m3"], ["m4"]]
    assert "continue" not in last["metadata"]
    assert "continue" not in cluster.get(path, limit=6)["metadata"]
    assert len({page["metadata"]["resourceVersion"] for page in (first, second, last)}) == 1


def test_pages_of_what_a_selector_lets_through_do_not_count_the_rest(
    cluster: Cluster, maps: str
) -> None:
    for number in range(3):
        cluster.create(maps, config_map(f"page-{number}", labels={"in": "pages"}))
    first = cluster.get(maps, limit=2, labelSelector="in=pages")
    assert "remainingItemCount" not in first["metadata"]
    rest = cluster.names(
        maps, limit=2, labelSelector="in=pages", **{"continue": first["metadata"]["continue"]}
    )
    assert rest == ["page-2"]


def test_a_page_that_was_never_begun_is_refused(cluster: Cluster, maps: str) -> None:
    answer = cluster.call("GET", maps, limit=2, **{"continue": "abc"})
    assert refused(answer) == (400, "BadRequest")


def test_a_limit_is_a_number(cluster: Cluster, maps: str) -> None:
    assert refused(cluster.call("GET", maps, limit="x")) == (400, "BadRequest")


def test_items_of_built_in_kinds_do_not_repeat_their_kind(cluster: Cluster, home: str) -> None:
    listed = cluster.get("/api/v1/namespaces")
    assert (listed["kind"], listed["apiVersion"]) == ("NamespaceList", "v1")
    assert all("kind" not in item and "apiVersion" not in item for item in listed["items"])


def test_items_of_custom_kinds_say_what_they_are(cluster: Cluster, home: str) -> None:
    path = f"{KUEUE}/namespaces/{home}/localqueues"
    queue = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "listed"},
        "spec": {"clusterQueue": "nowhere"},
    }
    cluster.create(path, queue)
    listed = cluster.get(path)
    assert listed["kind"] == "LocalQueueList"
    assert {item["kind"] for item in listed["items"]} == {"LocalQueue"}


def test_a_list_of_a_namespace_that_is_not_there_is_empty(cluster: Cluster) -> None:
    assert cluster.names("/api/v1/namespaces/nowhere/configmaps") == []


def test_lists_are_in_order_of_namespace_and_name(cluster: Cluster, fresh: str) -> None:
    path = f"/api/v1/namespaces/{fresh}/secrets"
    for name in ("b", "c", "a", "a-b", "a.b"):
        cluster.create(path, {"metadata": {"name": name}})
    assert cluster.names(path) == ["a", "a-b", "a.b", "b", "c"]
