"""ResourceQuotas count objects: kept from being exceeded, told in their status."""

from typing import Any

import pytest

from tests.contract.support import eventually, refused
from tests.kubernetes_api import Cluster


def quota(**hard: Any) -> dict[str, Any]:
    named = {name.replace("__", "/").replace("_", "."): limit for name, limit in hard.items()}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "objects"},
        "spec": {"hard": named},
    }


def used(cluster: Cluster, place: str) -> dict[str, str]:
    found: dict[str, str] = cluster.get(f"{place}/resourcequotas/objects")["status"].get("used", {})
    return found


def give(cluster: Cluster, place: str, document: dict[str, Any]) -> None:
    """Create the quota, and wait until it counts."""
    cluster.create(f"{place}/resourcequotas", document)
    eventually(lambda: set(used(cluster, place)) == set(document["spec"]["hard"]))


def secret(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}


@pytest.fixture
def place(fresh: str) -> str:
    return f"/api/v1/namespaces/{fresh}"


def test_a_quota_counts_objects(cluster: Cluster, place: str) -> None:
    give(cluster, place, quota(secrets="2", count__jobs_batch="1"))
    for name in ("one", "two"):
        cluster.create(f"{place}/secrets", secret(name))
    code, status = cluster.call("POST", f"{place}/secrets", secret("three"))
    assert refused((code, status)) == (403, "Forbidden")
    assert status["message"] == (
        'secrets "three" is forbidden: exceeded quota: objects, requested: secrets=1, '
        "used: secrets=2, limited: secrets=2"
    )
    assert status["details"] == {"name": "three", "kind": "secrets"}
    assert used(cluster, place) == {"secrets": "2", "count/jobs.batch": "0"}
    limits = cluster.get(f"{place}/resourcequotas/objects")["status"]["hard"]
    assert limits == {"secrets": "2", "count/jobs.batch": "1"}


def test_what_is_deleted_is_given_back(cluster: Cluster, place: str) -> None:
    give(cluster, place, quota(secrets="1"))
    cluster.create(f"{place}/secrets", secret("one"))
    cluster.call("DELETE", f"{place}/secrets/one")
    eventually(lambda: used(cluster, place) == {"secrets": "0"})
    eventually(lambda: cluster.call("POST", f"{place}/secrets", secret("two"))[0] == 201)


def test_an_apply_counts_when_it_creates(cluster: Cluster, place: str) -> None:
    give(cluster, place, quota(secrets="1"))
    assert cluster.apply(f"{place}/secrets/one", secret("one"), "x")[0] == 201
    assert cluster.apply(f"{place}/secrets/one", secret("one"), "x")[0] == 200
    assert refused(cluster.apply(f"{place}/secrets/two", secret("two"), "x"))[0] == 403


def test_services_count_by_their_type_too(cluster: Cluster, place: str) -> None:
    give(cluster, place, quota(services="5", services_loadbalancers="0", services_nodeports="0"))

    def service(name: str, type_: str) -> dict[str, Any]:
        ports = [{"port": 80, "protocol": "TCP"}]
        return {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": name},
            "spec": {"type": type_, "ports": ports, "selector": {"a": "b"}},
        }

    cluster.create(f"{place}/services", service("plain", "ClusterIP"))
    for type_ in ("LoadBalancer", "NodePort"):
        code, status = cluster.call("POST", f"{place}/services", service("out", type_))
        assert refused((code, status)) == (403, "Forbidden")
        assert "exceeded quota: objects" in status["message"]
    wanted = {"services": "1", "services.loadbalancers": "0", "services.nodeports": "0"}
    eventually(lambda: used(cluster, place) == wanted)


def test_amounts_are_written_in_the_clusters_way(cluster: Cluster, place: str) -> None:
    given = quota(pods="1000", secrets=2000, count__jobs_batch="500")
    made = cluster.create(f"{place}/resourcequotas", given)
    assert made["spec"]["hard"] == {"pods": "1k", "secrets": "2k", "count/jobs.batch": "500"}


@pytest.mark.parametrize(
    ("limits", "code"),
    [({"pods": "many"}, 400), ({"pods": "0.5"}, 422), ({"pods": "-1"}, 422), ({"bees": "1"}, 422)],
)
def test_a_limit_that_makes_no_sense_is_refused(
    cluster: Cluster, place: str, limits: dict[str, str], code: int
) -> None:
    document = {**quota(), "spec": {"hard": limits}}
    assert refused(cluster.call("POST", f"{place}/resourcequotas", document))[0] == code
