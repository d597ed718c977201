"""kubectl on either cluster, for what people do with it most."""

import json
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from local.controlplane import binaries
from tests.kubernetes_api import Cluster, binding, config_map, role

SUBJECT = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "kate"}
BINDING = {**binding("reads", "kate"), "subjects": [SUBJECT]}
FILES = [
    {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "queue"},
        "spec": {"clusterQueue": "nowhere"},
    },
    role("reads", {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}),
    BINDING,
    config_map("settings", {"a": "1"}),
]

type Kubectl = Callable[..., str]


@pytest.fixture(scope="module")
def program() -> str:
    try:
        return binaries.kubectl()
    except binaries.BinariesMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def kubectl(program: str, cluster: Cluster, fresh: str, tmp_path: Path) -> Kubectl:
    """The command in a namespace of the test's own; answers what it printed."""
    server = {"server": cluster.url, "certificate-authority": str(cluster.authority)}
    config = {
        "current-context": "c",
        "clusters": [{"name": "c", "cluster": server}],
        "users": [{"name": "u", "user": {"token": cluster.token}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u", "namespace": fresh}}],
    }
    (tmp_path / "kubeconfig").write_text(json.dumps(config))
    environment = {"HOME": str(tmp_path), "KUBECONFIG": str(tmp_path / "kubeconfig")}

    def run(*words: str, expected: int = 0, given: Iterable[Any] = ()) -> str:
        ended = subprocess.run(
            [program, *words],
            input=yaml.safe_dump_all(given),
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert ended.returncode == expected, ended.stderr
        return ended.stdout + ended.stderr

    return run


def test_files_are_applied_again_without_a_change(kubectl: Kubectl) -> None:
    first = kubectl("apply", "-f", "-", given=FILES).splitlines()
    assert [line.rpartition(" ")[2] for line in first] == ["created"] * 4
    again = kubectl("apply", "-f", "-", given=FILES).splitlines()
    assert [line.rpartition(" ")[2] for line in again] == ["unchanged"] * 4
    changed = [*FILES[:-1], config_map("settings", {"b": "2"})]
    assert "configmap/settings configured" in kubectl("apply", "-f", "-", given=changed)
    assert kubectl("get", "cm", "settings", "-o", "jsonpath={.data}") == '{"b":"2"}'


def test_files_are_applied_by_the_server(kubectl: Kubectl) -> None:
    said = kubectl("apply", "--server-side", "-f", "-", given=FILES).splitlines()
    assert [line.rpartition(" ")[2] for line in said] == ["serverside-applied"] * 4


def test_objects_are_made_labelled_patched_and_deleted(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=FILES)
    assert "already exists" in kubectl("create", "-f", "-", expected=1, given=FILES)
    kubectl("label", "lq", "queue", "team=a")
    assert kubectl("get", "lq", "-l", "team=a", "-o", "name").strip() == (
        "localqueue.kueue.x-k8s.io/queue"
    )
    kubectl("patch", "cm", "settings", "--type", "merge", "-p", '{"data": {"c": "3"}}')
    assert kubectl("get", "cm", "settings", "-o", "jsonpath={.data.c}") == "3"
    kubectl("delete", "cm", "settings")
    assert "NotFound" in kubectl("get", "cm", "settings", expected=1)


def test_who_one_is_and_what_one_may_is_told(kubectl: Kubectl, fresh: str) -> None:
    kubectl("apply", "-f", "-", given=FILES)
    assert kubectl("auth", "can-i", "create", "pods").strip() == "yes"
    as_kate = ("--as", "kate", "-n", fresh)
    assert kubectl("auth", "can-i", "delete", "pods", *as_kate, expected=1).strip() == "no"
    assert "kate" in kubectl("auth", "whoami", "--as", "kate")
