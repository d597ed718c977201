"""`commons team kubeconfig`: a file without secrets for each person of a team, in AWS and here."""

import configparser
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from cli import cluster_access
from commons.adapters.member_table import MemberTable
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.membership import Member, MembershipPlan
from commons.domain.team import Accepted
from tests.cli.stack_support import Deployed, deployed

ONE = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
TWO = "arn:aws:sagemaker:eu-west-1:444455556666:cluster/zz12cd34ef56"


class Eks:
    def __init__(self, region: str) -> None:
        self.region = region

    def describe_cluster(self, name: str) -> Any:
        authority = {"data": f"certificate of {name}"}
        where = f"https://{name}.{self.region}"
        return {"cluster": {"endpoint": where, "certificateAuthority": authority}}


class Center:
    instances = ({"IdentityStoreId": "d-9067a1b2c3"},)
    meta = SimpleNamespace(region_name="us-east-2")

    def list_instances(self) -> Any:
        return {"Instances": list(self.instances)}


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Deployed]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COMMONS_LOCAL_HOME", str(tmp_path))
    regional = {"us-west-2": Eks("us-west-2"), "eu-west-1": Eks("eu-west-1")}
    monkeypatch.setattr(cluster_access, "regional", lambda _, arn: regional[arn.split(":")[3]])
    with deployed(monkeypatch) as found:
        found.clients["sso-admin"] = Center()
        at(found, "https://cloudformation.us-west-2.amazonaws.com")
        yield found


def at(cloud: Deployed, url: str) -> None:
    cloud.clients["cloudformation"] = SimpleNamespace(meta=SimpleNamespace(endpoint_url=url))


def known(cloud: Deployed, *clusters: str, people: tuple[str, ...] = ("ada@example.com",)) -> None:
    """Team vision with a project on the first cluster; every cluster is registered."""
    rows = [{"cluster": each} for each in clusters]
    rows += [{"cluster": clusters[0], "project": "detection"}]
    team = {"kind": "Team", "team": "vision", "title": "Vision", "namespaces": rows}
    documents: list[Any] = [TeamDocument.model_validate(team)]
    for arn in clusters:
        name, eks = ("research", "hp-eks") if arn == ONE else ("far", "hp-far")
        fields = {"kind": "Cluster", "cluster": arn, "name": name, "eks_cluster": eks}
        documents.append(ClusterDocument.model_validate(fields))
    for document in documents:
        of = {"key": "k", "version": "1", "etag": "e", "uploaded_at": "t", "accepted_at": "2026"}
        cloud.table.keep(Accepted[Any](document=document, **of))
    members = tuple(
        Member(user_id=name, user_name=name, role="member", state="active") for name in people
    )
    plan = MembershipPlan(members=members, changed=members, gone=())
    MemberTable(cloud.raw).save("vision", plan)


def written(path: str = "commons-vision.kubeconfig") -> Any:
    return yaml.safe_load(Path(path).read_text())


def test_each_namespace_has_a_context_and_each_cluster_its_own_way_in(cloud: Deployed) -> None:
    known(cloud, ONE, TWO)
    answer = cloud.run("team", "kubeconfig", "vision", "--json")
    assert answer.code == 0, answer.error
    config = written()
    contexts = {each["name"]: each["context"] for each in config["contexts"]}
    assert answer.json()["contexts"] == list(contexts)
    assert contexts == {
        "hyperpod-ns-vision@research": {
            "cluster": "research",
            "user": "research",
            "namespace": "hyperpod-ns-vision",
        },
        "hyperpod-ns-vision@far": {
            "cluster": "far",
            "user": "far",
            "namespace": "hyperpod-ns-vision",
        },
        "hyperpod-ns-vision-detection@research": {
            "cluster": "research",
            "user": "research",
            "namespace": "hyperpod-ns-vision-detection",
        },
    }
    assert config["current-context"] == "hyperpod-ns-vision@research"
    assert {c["name"]: c["cluster"]["server"] for c in config["clusters"]} == {
        "research": "https://hp-eks.us-west-2",
        "far": "https://hp-far.eu-west-1",
    }
    assert config["clusters"][1]["cluster"]["certificate-authority-data"] == "certificate of hp-far"
    assert Path("commons-vision.kubeconfig").stat().st_mode & 0o077 == 0


def test_in_aws_each_person_signs_in_as_themselves_by_the_aws_cli(cloud: Deployed) -> None:
    known(cloud, ONE, TWO)
    text = cloud.run("team", "kubeconfig", "vision", "--json").json()["aws_config"]
    users = {user["name"]: user["user"]["exec"] for user in written()["users"]}
    far = ["--cluster-name", "hp-far", "--region", "eu-west-1"]
    assert users["far"]["command"] == "aws"
    assert users["far"]["args"] == [
        "eks",
        "get-token",
        *far,
        "--profile",
        "commons-vision-444455556666",
    ]
    profiles = configparser.ConfigParser()
    profiles.read_string(text)
    assert dict(profiles["profile commons-vision-444455556666"]) == {
        "sso_session": "gpu-commons",
        "sso_account_id": "444455556666",
        "sso_role_name": "commons-vision",
        "region": "eu-west-1",
    }
    assert dict(profiles["sso-session gpu-commons"]) == {
        "sso_start_url": "https://d-9067a1b2c3.awsapps.com/start",
        "sso_region": "us-east-2",
        "sso_registration_scopes": "sso:account:access",
    }
    assert f"{profiles.sections()}".count("commons-vision-111122223333") == 1


def test_one_cluster_may_be_chosen_by_name_or_arn(cloud: Deployed) -> None:
    known(cloud, ONE, TWO)
    for wanted in ("far", TWO):
        cloud.run("team", "kubeconfig", "vision", "--cluster", wanted, "--output", "one")
        assert [each["name"] for each in written("one")["contexts"]] == ["hyperpod-ns-vision@far"]
    answer = cloud.run("team", "kubeconfig", "vision", "--cluster", "other", "--output", "two")
    assert answer.code == 1
    assert "no namespace on a cluster other" in answer.error
    assert not Path("two").exists()


def test_in_aws_nobody_signs_in_for_somebody_else(cloud: Deployed) -> None:
    known(cloud, ONE)
    answer = cloud.run("team", "kubeconfig", "vision", "--as", "ada@example.com")
    assert answer.code == 2
    assert "nobody signs in for somebody else" in answer.error
    assert not Path("commons-vision.kubeconfig").exists()


def test_on_the_local_cloud_the_portal_is_asked_in_the_persons_name(
    cloud: Deployed, tmp_path: Path
) -> None:
    at(cloud, "http://127.0.0.1:4566")
    known(cloud, ONE)
    answer = cloud.run("team", "kubeconfig", "vision", "--as", "ada@example.com", "--json")
    assert answer.json()["aws_config"] is None
    [user] = written()["users"]
    plugin = user["user"]["exec"]
    assert Path(plugin["command"]).name == "commons"
    assert plugin["args"] == [
        *("local", "token", "--as", "ada@example.com"),
        *("--permission-set", "commons-vision", "--cluster", "hp-eks"),
    ]
    assert plugin["env"] == [{"name": "COMMONS_LOCAL_HOME", "value": str(tmp_path.resolve())}]


@pytest.mark.parametrize(
    ("options", "people", "said"),
    [
        ((), ("bob", "ada"), "Say who, with --as USER; its people: ada, bob"),
        (("--as", "eve"), ("ada",), "eve is not in team vision; its people: ada"),
        (("--as", "eve"), (), "eve is not in team vision; its people: nobody"),
    ],
)
def test_on_the_local_cloud_only_people_of_the_team_are_taken(
    cloud: Deployed, options: tuple[str, ...], people: tuple[str, ...], said: str
) -> None:
    at(cloud, "http://127.0.0.1:4566")
    known(cloud, ONE, people=people)
    answer = cloud.run("team", "kubeconfig", "vision", *options)
    assert (answer.code, answer.error) == (2, said)


def test_profiles_are_written_anew_but_never_over_somebody_elses(cloud: Deployed) -> None:
    known(cloud, ONE)
    for _ in range(2):
        answer = cloud.run("team", "kubeconfig", "vision", "--aws-config", "aws.ini", "--json")
        assert answer.json()["aws_config"] in Path("aws.ini").read_text()
    Path("mine").write_text("[profile mine]\n")
    refused = cloud.run("team", "kubeconfig", "vision", "--aws-config", "mine")
    assert refused.code == 2
    assert "mine is not from this command" in refused.error
    assert Path("mine").read_text() == "[profile mine]\n"


def test_without_identity_center_it_says_so(cloud: Deployed) -> None:
    known(cloud, ONE)
    cloud.clients["sso-admin"].instances = ()
    answer = cloud.run("team", "kubeconfig", "vision")
    assert answer.code == 1
    assert "no Identity Center" in answer.error


def test_a_team_that_there_is_not_has_no_kubeconfig(cloud: Deployed) -> None:
    assert cloud.run("team", "kubeconfig", "vision").code == 1
    assert list(Path().iterdir()) == []
