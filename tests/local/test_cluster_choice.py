"""Which Kubernetes `commons local up` starts, and what every part is told of it."""

from pathlib import Path

import pytest

from local import cluster, nodes, settings
from local.cluster import BadChoice, Cluster, Startable
from local.controlplane import binaries
from local.endpoint import NoKubernetes, chosen, endpoint
from local.settings import Ports

PORTS = Ports(gateway=1, events=2, directory=3, kubernetes=4)


def test_nothing_chosen_is_the_embedded_one_with_the_usual_machines():
    assert cluster.choose(None, None, None) == Cluster()
    assert Cluster().nodes == nodes.default()


def test_the_real_one_is_chosen_by_name_with_its_machines():
    wanted = cluster.choose(Startable.REAL, "ml.g5.8xlarge=2", None)
    assert (wanted.kubernetes, wanted.nodes) == ("real", {"ml.g5.8xlarge": 2})
    assert wanted.module == "local.controlplane"


def test_a_kubeconfig_brings_a_cluster(tmp_path: Path):
    file = tmp_path / "config"
    file.write_text("{}")
    wanted = cluster.choose(None, None, file)
    assert wanted.kubernetes == "brought"
    assert wanted.environment()["COMMONS_LOCAL_KUBECONFIG"] == str(file)


def test_bringing_one_and_starting_one_do_not_go_together(tmp_path: Path):
    with pytest.raises(BadChoice, match="give one of them"):
        cluster.choose(Startable.REAL, None, tmp_path / "config")


def test_a_kubeconfig_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(BadChoice, match="there is no file"):
        cluster.choose(None, None, tmp_path / "config")


def test_every_part_is_told_which_and_how_many():
    wanted = Cluster(kubernetes="real", nodes={"ml.g5.8xlarge": 2})
    assert wanted.environment() == {
        "COMMONS_LOCAL_KUBERNETES": "real",
        "COMMONS_LOCAL_NODES": "ml.g5.8xlarge=2",
    }


def test_the_real_one_cannot_start_before_it_is_built(tmp_path: Path, monkeypatch):
    monkeypatch.delenv(binaries.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(binaries.BinariesMissing, match="make kubernetes"):
        Cluster(kubernetes="real").check()
    Cluster().check()


@pytest.mark.parametrize(
    ("kubernetes", "eks_cluster", "where"),
    [
        ("embedded", "hp-eks", "https://127.0.0.1:4/clusters/hp-eks"),
        ("brought", "hp-eks", "https://127.0.0.1:4/clusters/hp-eks"),
        ("real", "hp-eks", "https://127.0.0.1:4"),
        # a real one serves nothing below that path: another cluster is not there
        ("real", "other", "https://127.0.0.1:4/clusters/other"),
    ],
)
def test_each_cluster_has_its_own_address(kubernetes, eks_cluster, where, monkeypatch):
    assert settings.kubernetes_endpoint(PORTS, kubernetes, eks_cluster) == where
    monkeypatch.setenv("COMMONS_LOCAL_KUBERNETES_URL", "https://127.0.0.1:4")
    monkeypatch.setenv("COMMONS_LOCAL_KUBERNETES", kubernetes)
    assert endpoint(eks_cluster) == where


def test_a_part_that_is_told_nothing_has_no_cluster(monkeypatch):
    monkeypatch.delenv("COMMONS_LOCAL_KUBERNETES_URL", raising=False)
    monkeypatch.delenv("COMMONS_LOCAL_KUBERNETES", raising=False)
    assert chosen() == "embedded"
    with pytest.raises(NoKubernetes):
        endpoint("hp-eks")
