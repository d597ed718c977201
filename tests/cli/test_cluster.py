"""`commons cluster`: a cluster is checked, our roles are let in, and its document is uploaded."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from cli import cluster_access, cluster_checks, uploads
from cli.errors import BadInput
from commons.adapters.document_reader import read_document
from commons.domain.access import ROLE_ID_TAG, Entry
from commons.domain.cluster_roles import READERS, WRITERS
from commons.domain.documents import ClusterDocument
from commons.domain.team import Accepted
from tests.cli.stack_support import BUCKET, Deployed, deployed

ARN = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
TEXT = f"kind: Cluster\ncluster: {ARN}\nname: research\neks_cluster: hp-eks\n"
DOCUMENT = ClusterDocument(kind="Cluster", cluster=ARN, name="research", eks_cluster="hp-eks")
ROLE = "arn:aws:iam::111122223333:role/gpu-commons-cluster-reader"


class Eks:
    """One EKS cluster with its add-ons and access entries."""

    def __init__(self) -> None:
        self.mode, self.version = "API", "1.33"
        self.addons: dict[str, str] = {"amazon-sagemaker-hyperpod-taskgovernance": ""}
        self.entries: dict[str, dict[str, Any]] = {}

    def describe_cluster(self, name: str) -> dict[str, Any]:
        if name != "hp-eks":
            raise error("ResourceNotFoundException", "DescribeCluster")
        config = {"authenticationMode": self.mode}
        return {"cluster": {"name": name, "version": self.version, "accessConfig": config}}

    def list_addons(self, clusterName: str) -> dict[str, Any]:
        return {"addons": list(self.addons)}

    def describe_addon(self, clusterName: str, addonName: str) -> dict[str, Any]:
        return {"addon": {"configurationValues": self.addons[addonName]}}

    def describe_access_entry(self, clusterName: str, principalArn: str) -> dict[str, Any]:
        if principalArn not in self.entries:
            raise error("ResourceNotFoundException", "DescribeAccessEntry")
        return {"accessEntry": self.entries[principalArn]}

    def create_access_entry(
        self, clusterName: str, principalArn: str, **entry: Any
    ) -> dict[str, Any]:
        self.entries[principalArn] = {
            "accessEntryArn": f"arn:entry/{principalArn}",
            "principalArn": principalArn,
            "createdAt": datetime(2026, 11, 2, tzinfo=UTC),
            **entry,
        }
        return {}

    def update_access_entry(
        self, clusterName: str, principalArn: str, **entry: Any
    ) -> dict[str, Any]:
        self.entries[principalArn] |= entry
        return {}

    def delete_access_entry(self, clusterName: str, principalArn: str) -> dict[str, Any]:
        del self.entries[principalArn]
        return {}


class HyperPod:
    def __init__(self) -> None:
        self.status = "InService"
        self.orchestrator: dict[str, Any] = {
            "Eks": {"ClusterArn": "arn:aws:eks:us-west-2:111122223333:cluster/hp-eks"}
        }

    def describe_cluster(self, ClusterName: str) -> dict[str, Any]:
        if ClusterName != ARN:
            raise error("ResourceNotFound", "DescribeCluster")
        return {"ClusterStatus": self.status, "Orchestrator": self.orchestrator}


def error(code: str, operation: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": code}}, operation)


def results(hyperpod: HyperPod, eks: Eks, document: ClusterDocument = DOCUMENT) -> dict[str, str]:
    return {each.name: each.result for each in cluster_checks.checks(document, hyperpod, eks)}


def test_a_cluster_as_it_should_be_passes_every_check() -> None:
    eks = Eks()
    eks.addons["vpc-cni"] = '{"enableNetworkPolicy": "true"}'
    assert set(results(HyperPod(), eks).values()) == {"ok"}


@pytest.mark.parametrize(
    ("attribute", "value", "check", "result"),
    [
        ("mode", "CONFIG_MAP", "sign-in", "problem"),
        ("mode", "API_AND_CONFIG_MAP", "sign-in", "ok"),
        ("version", "1.29", "Kubernetes", "problem"),
        ("version", "1.30", "Kubernetes", "ok"),
        ("version", "1.100", "Kubernetes", "ok"),
        ("addons", {}, "task governance", "warning"),
        ("addons", {"vpc-cni": ""}, "network policies", "warning"),
        ("addons", {"vpc-cni": '{"enableNetworkPolicy": "false"}'}, "network policies", "warning"),
    ],
)
def test_each_side_of_the_eks_cluster_is_checked(
    attribute: str, value: Any, check: str, result: str
) -> None:
    eks = Eks()
    setattr(eks, attribute, value)
    assert results(HyperPod(), eks)[check] == result


def test_a_cluster_that_is_being_updated_is_a_warning() -> None:
    hyperpod = HyperPod()
    hyperpod.status = "Updating"
    assert results(hyperpod, Eks())["HyperPod"] == "warning"


@pytest.mark.parametrize("orchestrator", [{}, {"Slurm": {}}, {"Eks": {}}])
def test_a_cluster_on_slurm_is_a_problem(orchestrator: dict[str, Any]) -> None:
    hyperpod = HyperPod()
    hyperpod.orchestrator = orchestrator
    assert results(hyperpod, Eks())["orchestrator"] == "problem"


def test_an_eks_cluster_of_another_hyperpod_cluster_is_a_problem() -> None:
    hyperpod = HyperPod()
    hyperpod.orchestrator = {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:1:cluster/other"}}
    [found] = [
        each
        for each in cluster_checks.checks(DOCUMENT, hyperpod, Eks())
        if each.name == "orchestrator"
    ]
    assert (found.result, found.todo) == ("problem", "write eks_cluster: other")


def test_a_cluster_that_is_not_there_is_bad_input() -> None:
    for change in ({"cluster": ARN[:-1] + "0"}, {"eks_cluster": "none"}):
        with pytest.raises(BadInput, match="There is no cluster"):
            results(HyperPod(), Eks(), DOCUMENT.model_copy(update=change))


def entry(**changes: Any) -> Entry:
    whole = {
        "arn": "arn:entry",
        "principal": ROLE,
        "username": "commons:reader:{{SessionName}}",
        "type": "STANDARD",
        "created_at": datetime(2026, 11, 2, tzinfo=UTC),
        "groups": (READERS,),
        "tags": {ROLE_ID_TAG: "AROA1"},
    }
    return Entry.model_validate(whole | changes)


def verbs(observed: Entry | None) -> list[tuple[str, tuple[str, ...]]]:
    changes = cluster_access.plan(ROLE, "AROA1", "reader", READERS, observed)
    return [(change.verb, change.groups) for change in changes]


def test_an_entry_is_made_once_and_mended_when_it_differs() -> None:
    assert verbs(None) == [("create", (READERS,))]
    assert verbs(entry()) == []
    assert verbs(entry(groups=("theirs",))) == [("update", ("theirs", READERS))]
    assert verbs(entry(username="x:{{SessionName}}")) == [("update", (READERS,))]


def test_an_entry_of_a_role_that_was_made_anew_is_made_anew_with_the_groups_of_others() -> None:
    old = entry(tags={ROLE_ID_TAG: "AROA0"}, groups=("theirs", READERS))
    assert verbs(old) == [("delete", ()), ("create", ("theirs", READERS))]


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    with deployed(monkeypatch) as found:
        found.clients |= {"eks": Eks(), "sagemaker": HyperPod()}
        monkeypatch.setattr(cluster_access, "regional", lambda service, _: found.clients[service])
        monkeypatch.setattr(cluster_access, "role_id", lambda arn: f"AROA-{arn[-6:]}")
        monkeypatch.setattr(
            cluster_access, "apply_rules", lambda document: found.clients.update(rules=document)
        )
        monkeypatch.setattr(uploads.time, "sleep", lambda _: answer(found))
        yield found


def answer(cloud: Deployed) -> None:
    """The stack accepts what was uploaded."""
    for each in cloud.clients["s3"].list_objects_v2(Bucket=BUCKET).get("Contents", []):
        body = cloud.clients["s3"].get_object(Bucket=BUCKET, Key=each["Key"])["Body"].read()
        accept(cloud, read_document(each["Key"], body, "gpu-"), each["ETag"].strip('"'))


def accept(cloud: Deployed, document: Any, etag: str = "e") -> None:
    cloud.table.keep(
        Accepted[Any](
            document=document, key="k", version="1", etag=etag, uploaded_at="t", accepted_at="2026"
        )
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cluster.yaml"
    path.write_text(TEXT)
    return path


def test_a_cluster_is_registered(cloud: Deployed, file: Path) -> None:
    told = cloud.run("cluster", "register", str(file), "--json").json()
    assert (told["kind"], told["cluster"], told["result"]) == ("Cluster", ARN, "accepted")
    assert told["done"] == ["create access entry of reader", "create access entry of writer"]
    entries = cloud.clients["eks"].entries
    assert {arn[-6:]: each["kubernetesGroups"] for arn, each in entries.items()} == {
        "reader": [READERS],
        "writer": [WRITERS],
    }
    assert cloud.clients["rules"] == DOCUMENT
    assert cloud.table.get_cluster_document(ARN) == DOCUMENT
    again = cloud.run("cluster", "register", str(file), "--json").json()
    assert again["done"] == []


def test_a_cluster_with_a_problem_is_not_touched(cloud: Deployed, file: Path) -> None:
    cloud.clients["eks"].mode = "CONFIG_MAP"
    result = cloud.run("cluster", "register", str(file))
    assert result.code == 1
    assert "access entries need it" in result.error
    assert cloud.clients["eks"].entries == {}
    assert "Contents" not in cloud.clients["s3"].list_objects_v2(Bucket=BUCKET)


def test_slurm_is_refused_with_the_reason(cloud: Deployed, file: Path) -> None:
    file.write_text(TEXT + "orchestrator: slurm\n")
    result = cloud.run("cluster", "register", str(file))
    assert result.code == 2
    assert "orchestrator, line 5: slurm is not supported" in result.error


def test_a_team_document_is_sent_to_its_own_command(cloud: Deployed, file: Path) -> None:
    file.write_text("kind: Team\nteam: vision\ntitle: V\n")
    result = cloud.run("cluster", "register", str(file))
    assert result.code == 2
    assert "commons team apply" in result.error


def test_a_cluster_is_shown_with_its_teams(cloud: Deployed) -> None:
    team = f"kind: Team\nteam: vision\ntitle: V\nnamespaces:\n  - cluster: {ARN}\n"
    accept(cloud, read_document("k", team.encode(), "gpu-"))
    accept(cloud, DOCUMENT)
    for name in (ARN, "ab12cd34ef56", "research"):
        shown = cloud.run("cluster", "show", name, "--json").json()
        assert (shown["cluster"], shown["teams"]) == (ARN, ["vision"])
        assert (shown["account"], shown["region"]) == ("111122223333", "us-west-2")
    assert [each["name"] for each in cloud.run("cluster", "list", "--json").json()] == ["research"]
    assert "research" in cloud.run("cluster", "show").out


def test_an_unknown_cluster_is_a_failure(cloud: Deployed) -> None:
    result = cloud.run("cluster", "show", "nowhere")
    assert result.code == 1
    assert "commons cluster list" in result.error
