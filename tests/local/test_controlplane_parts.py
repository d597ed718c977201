"""What the real cluster is made of: who may do what by access policy, its machines, its queues."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509

from local.controlplane import absent, components, kueue, loopback, machines, webhooks
from local.controlplane.loopback import Files, Ports
from local.kubernetes.rbac import User
from local.nodes import Group

NOW = datetime(2026, 7, 1, 9, tzinfo=UTC)


@pytest.fixture
def ports() -> Ports:
    return loopback.choose_ports(6443)


@pytest.fixture
def files(tmp_path: Path, ports: Ports) -> Files:
    return loopback.write(tmp_path, ports, NOW)


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """The little of the built folder that is read while the cluster starts."""
    crds, webhook = tmp_path / "built/kueue-config/crd", tmp_path / "built/kueue-config/webhook"
    for folder in (crds / "bases", crds / "patches", webhook, tmp_path / "built/stages"):
        folder.mkdir(parents=True)
    for plural in ("workloads", "topologies", "resourceflavors"):
        definition = {"metadata": {"name": f"{plural}.kueue.x-k8s.io"}, "spec": {}}
        (crds / "bases" / f"{plural}.yaml").write_text(yaml.safe_dump(definition))
        if plural != "topologies":
            (crds / "patches" / f"webhook_in_{plural}.yaml").write_text(yaml.safe_dump(definition))
    asked = [
        {"name": f"v{kind}.kb.io", "clientConfig": {"service": {"path": f"/validate-{kind}"}}}
        for kind in ("pod", "workload")
    ]
    configuration = {
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "validating-webhook-configuration"},
        "webhooks": asked,
    }
    (webhook / "manifests.yaml").write_text(yaml.safe_dump_all([configuration]))
    for stage in ("node-initialize", "pod-ready", "pod-complete"):
        (tmp_path / "built/stages" / f"{stage}.yaml").touch()
    return tmp_path / "built"


def review(verb: str, namespace: str, *access: str, **more: Any) -> dict[str, Any]:
    """What the API server asks about somebody with that access."""
    wanted = {"verb": verb, "namespace": namespace, "resource": "pods"}
    return {"extra": {webhooks.ACCESS: list(access)}, "resourceAttributes": wanted, **more}


def test_nobody_is_not_authenticated():
    assert webhooks.authentication(None) == {"authenticated": False}


def test_somebody_has_the_name_and_the_groups_of_the_access_entry():
    user = User("commons:vision:ada", ("gpu-vision", "system:authenticated"))
    assert webhooks.authentication(user) == {
        "authenticated": True,
        "user": {
            "username": "commons:vision:ada",
            "groups": ["gpu-vision", "system:authenticated"],
        },
    }


@pytest.mark.parametrize(
    ("user", "verb", "namespace", "allowed"),
    [
        (User("a", cluster_admin=True), "delete", "team", True),
        (User("a", cluster_admin=True), "create", "", True),
        (User("a", reader=True), "watch", "team", True),
        (User("a", reader=True), "create", "team", False),
        (User("a", admin_namespaces=("team",)), "delete", "team", True),
        (User("a", admin_namespaces=("team",)), "get", "other", False),
        (User("a", admin_namespaces=("team",)), "get", "", False),
    ],
)
def test_an_access_policy_allows_what_it_says_and_no_more(user, verb, namespace, allowed):
    told = webhooks.authentication(user)["user"]["extra"][webhooks.ACCESS]
    assert webhooks.by_policy(review(verb, namespace, *told)) is allowed


def test_without_a_policy_nothing_is_allowed():
    assert not webhooks.by_policy({"resourceAttributes": {"verb": "get", "namespace": "team"}})


def test_an_administrator_may_ask_for_a_plain_path():
    asked = {"nonResourceAttributes": {"path": "/metrics", "verb": "get"}}
    assert webhooks.by_policy({"extra": {webhooks.ACCESS: ["administrator"]}, **asked})


def test_the_server_asks_about_those_who_have_a_policy_only(files: Files, ports: Ports):
    command = components.api_server(Path("/built"), files, ports)
    config = files.folder / "authorization.yaml"
    assert f"--authorization-config={config}" in command
    rbac, webhook = yaml.safe_load(config.read_text())["authorizers"]
    assert rbac["type"] == "RBAC"
    assert webhooks.ACCESS in webhook["webhook"]["matchConditions"][0]["expression"]


def test_what_we_said_of_a_person_is_believed_for_a_second(files: Files, ports: Ports):
    command = components.api_server(Path("/built"), files, ports)
    assert "--authentication-token-webhook-cache-ttl=1s" in command


def test_nothing_listens_beyond_this_machine(files: Files, ports: Ports, built: Path):
    for part in (components.api_server, components.controllers, components.scheduler):
        assert "--bind-address=127.0.0.1" in part(built, files, ports)
    told = kueue.configuration(files, ports)
    assert told["health"]["healthProbeBindAddress"].startswith("127.0.0.1:")
    assert told["metrics"]["bindAddress"].startswith("127.0.0.1:")
    assert told["webhook"]["host"] == "127.0.0.1"
    assert f"--server-address=127.0.0.1:{ports.kwok}" in machines.command(built, files, ports)


def test_secrets_are_readable_by_their_owner_only(files: Files):
    private = [files.tokens, files.service_accounts, files.folder / "admin-token"]
    private += [files.kubeconfig(name) for name in loopback.USERS]
    assert {file.stat().st_mode & 0o777 for file in private} == {0o600}


def test_each_process_has_a_token_of_its_own(files: Files):
    rows = [line.split(",", 3) for line in files.tokens.read_text().splitlines()]
    assert len({token for token, *_ in rows}) == len(rows) == len(loopback.USERS)
    assert rows[0][0] == (files.folder / "admin-token").read_text()
    assert rows[0][1] == "kubernetes-admin"


def test_the_serving_certificate_is_signed_by_the_authority_that_all_trust(files: Files):
    authority = x509.load_pem_x509_certificate(files.authority.read_bytes())
    serving = x509.load_pem_x509_certificate((files.serving / "tls.crt").read_bytes())
    serving.verify_directly_issued_by(authority)


def test_a_node_is_labelled_as_hyperpod_labels_it():
    first, second = machines.all_nodes([Group("gpu-h100", "ml.p5.48xlarge", 2)])
    labels = first["metadata"]["labels"]
    assert labels["node.kubernetes.io/instance-type"] == "ml.p5.48xlarge"
    assert labels["sagemaker.amazonaws.com/instance-group-name"] == "gpu-h100"
    assert labels["sagemaker.amazonaws.com/node-health-status"] == "Schedulable"
    assert first["metadata"]["name"].startswith("hyperpod-i-")
    assert first["metadata"]["name"] != second["metadata"]["name"]


@pytest.mark.parametrize(
    ("instance_type", "offered"),
    [
        ("ml.p5.48xlarge", {"cpu": "192", "memory": "2048Gi", "nvidia.com/gpu": "8"}),
        ("ml.c5.4xlarge", {"cpu": "16", "memory": "32Gi"}),
        (
            "ml.trn1.32xlarge",
            {
                "cpu": "128",
                "memory": "512Gi",
                "aws.amazon.com/neuron": "16",
                "aws.amazon.com/neurondevice": "16",
                "aws.amazon.com/neuroncore": "32",
            },
        ),
    ],
)
def test_a_machine_offers_what_its_type_has(instance_type, offered):
    assert machines.capacity(instance_type) == {**offered, "pods": "250"}


def test_a_jobs_pod_runs_until_somebody_ends_it(built: Path):
    assert {file.name for file in machines.stages(built)} >= {"node-initialize.yaml"}
    assert "pod-complete.yaml" not in {file.name for file in machines.stages(built)}


def test_kinds_without_an_operator_take_anything_and_have_a_status():
    definitions = {one["spec"]["names"]["kind"]: one["spec"] for one in absent.definitions()}
    assert set(definitions) >= {"HyperPodPyTorchJob", "Workspace", "InferenceEndpointConfig"}
    for spec in definitions.values():
        version = spec["versions"][0]
        assert version["subresources"] == {"status": {}}
        free = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        assert free["x-kubernetes-preserve-unknown-fields"]


def test_kueue_converts_its_own_kinds_where_it_knows_how(built: Path, files: Files, ports: Ports):
    kinds = {one["metadata"]["name"].split(".")[0]: one for one in kueue.kinds(built, files, ports)}
    asked = kinds["workloads"]["spec"]["conversion"]["webhook"]["clientConfig"]
    assert asked["url"] == f"https://127.0.0.1:{ports.kueue_webhooks}/convert"
    assert "conversion" not in kinds["topologies"]["spec"]
    assert "conversion" not in kinds["resourceflavors"]["spec"]


def test_kueue_judges_pods_everywhere_but_in_the_clusters_own_namespaces(
    built: Path, files: Files, ports: Ports
):
    (configuration,) = kueue.webhooks(built, files, ports)
    pods, workloads = configuration["webhooks"]
    assert pods["clientConfig"]["url"].endswith("/validate-pod")
    assert pods["namespaceSelector"]["matchExpressions"][0]["values"] == [
        "kube-system",
        "kueue-system",
    ]
    assert "namespaceSelector" not in workloads
