"""A person signs in as their groups let them, works with kubectl, and is told where it fails."""

import json
import os
import re
import subprocess

import httpx2
import pytest
import yaml
from lightkube.resources.batch_v1 import Job

from cli.errors import BAD_INPUT, FAILURE
from local import portal, settings
from local.controlplane import binaries
from tests.stories.company import everybody, join, make_team, register_cluster
from tests.stories.conftest import Cloud
from tests.stories.dock import ANN, BEN, EVE, HERE, THERE, Dock, listed, make_again

# a cluster believes a token for a while, the real one for up to twelve seconds
PATIENCE_SECONDS = 60.0


@pytest.fixture(scope="module")
def dock(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Dock:
    folder = tmp_path_factory.mktemp("dock")
    register_cluster(cloud)
    for team in ("dock", "berth"):
        make_team(cloud, folder, team)
    join(cloud, "gpu-dock", ANN)
    join(cloud, "gpu-berth", BEN)
    cloud.commons("directory", "create-user", EVE)
    cloud.wait()
    return Dock(cloud, folder)


def test_who_joined_a_group_works_at_home_and_not_next_door(dock: Dock) -> None:
    assert (dock.status(HERE), dock.status(THERE)) == (200, 403)
    assert (dock.status(HERE, BEN, "berth"), dock.status(THERE, BEN, "berth")) == (403, 200)


def test_a_kubeconfig_holds_no_secret_and_lets_kubectl_work_as_the_person(dock: Dock) -> None:
    try:
        kubectl = binaries.kubectl()
    except binaries.BinariesMissing as missing:
        pytest.skip(f"kubectl was not tried: {missing}")
    file = dock.kubeconfig("--as", ANN)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": os.environ["PATH"], "KUBECONFIG": str(file)}
        environment["HOME"] = str(dock.folder)
        return subprocess.run(
            [kubectl, *words], env=environment, capture_output=True, text=True, timeout=60
        )

    who = json.loads(run("auth", "whoami", "-o", "json").stdout)
    assert who["status"]["userInfo"]["username"] == "commons:dock:ann-dock.example"
    here = run("get", "pods")
    assert here.returncode == 0, here.stderr
    assert HERE in here.stderr
    there = run("get", "pods", "-n", THERE)
    assert (there.returncode, "Forbidden" in there.stderr) == (1, True)
    assert run("auth", "can-i", "create", "jobs.batch").stdout.strip() == "yes"
    content = yaml.safe_load(file.read_text())
    assert [set(user["user"]) for user in content["users"]] == [{"exec"}]
    assert file.stat().st_mode & 0o077 == 0


def test_the_first_task_of_the_page_for_members_is_taken(dock: Dock) -> None:
    page = (settings.CHECKOUT / "docs" / "team-member.md").read_text()
    (text,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    job = Job.from_dict(yaml.safe_load(text.replace("vision", "dock")))
    dock.client().create(job, namespace=HERE, dry_run=True)
    with pytest.raises(httpx2.HTTPStatusError, match="cannot create resource"):
        dock.client().create(job, namespace=THERE, dry_run=True)


def test_who_is_in_no_group_gets_nothing_and_is_told_why(dock: Dock) -> None:
    words = ("--user", EVE, "--permission-set", "commons-dock")
    answer = dock.cloud.run("local", "credentials", *words)
    assert answer.returncode == FAILURE
    assert "it is assigned to the groups gpu-dock, gpu-dock-leads" in " ".join(
        answer.stderr.split()
    )
    token = dock.cloud.run("local", "token", "--as", EVE, "--permission-set", "commons-dock")
    assert (token.returncode, token.stdout) == (FAILURE, "")
    file = dock.cloud.run("team", "kubeconfig", "dock", "--as", EVE)
    assert file.returncode == BAD_INPUT
    assert f"{EVE} is not in team dock; its people: {ANN}" in file.stderr
    assert f"Say who, with --as USER; its people: {ANN}" in (
        dock.cloud.run("team", "kubeconfig", "dock").stderr
    )


def test_a_person_is_told_who_they_are_with_nothing_but_their_own_credentials(dock: Dock) -> None:
    keys = dock.keys()
    own = {
        **dock.cloud.environment,
        "AWS_ACCESS_KEY_ID": keys["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": keys["SecretAccessKey"],
        "AWS_SESSION_TOKEN": keys["SessionToken"],
    }
    found = {each["name"]: each for each in dock.whoami(own, "--cluster", "hp-eks")}
    assert found["hp-eks: user name"]["found"] == "commons:dock:ann-dock.example"
    assert found["caller"]["found"] == f"{ANN}, by commons-dock"


def test_support_is_told_each_link_of_a_person(dock: Dock) -> None:
    role = dock.cloud.commons("team", "show", "dock")["access"][0]["role_arn"]
    found = {each["name"]: each for each in dock.links(role)}
    assert {each["result"] for each in found.values()} == {"ok"}
    assert found["role"]["found"] == found["research: access entry"]["found"] == role
    assert found["member"]["found"] == "member, active"
    assert found[f"research: {HERE}"]["found"] == "commons-member"
    assert {each["name"]: each for each in dock.links(role, EVE, 1)}["member"]["result"] == (
        "problem"
    )


def test_two_names_that_a_cluster_cannot_tell_apart_bind_neither(dock: Dock) -> None:
    twin = "ann-dock.example"
    join(dock.cloud, "gpu-dock", twin)
    dock.cloud.wait()
    members = dock.cloud.commons("team", "show", "dock")["members"]
    assert {m["user_name"]: m["state"] for m in members} == {ANN: "conflict", twin: "conflict"}
    assert "commons:dock:ann-dock.example" not in everybody(dock.cloud, HERE)
    assert (dock.status(HERE, ANN), dock.status(HERE, twin)) == (403, 403)

    dock.cloud.commons("directory", "remove-member", "gpu-dock", twin)
    dock.cloud.wait()
    assert dock.status(HERE, ANN) == 200
    with pytest.raises(portal.NotLetIn):
        dock.client(twin)


def test_ac_01_a_role_made_again_under_its_name_is_a_stranger_until_the_team_is_reconciled(
    dock: Dock,
) -> None:
    role = dock.cloud.commons("team", "show", "dock")["access"][0]["role_arn"]
    old = dock.client()
    make_again(dock.cloud, role)

    assert dock.status(HERE) == 401
    wrong = {each["name"]: each["result"] for each in dock.links(role, exit_code=1)}
    assert wrong["role"] == wrong["research: access entry"] == "problem"
    dock.cloud.commons("team", "reconcile", "dock", "--wait")
    dock.cloud.eventually(lambda: dock.status(HERE) == 200, PATIENCE_SECONDS)
    entries = dock.cloud.client("eks").list_access_entries(clusterName="hp-eks")["accessEntries"]
    assert [arn for arn in entries if "AWSReservedSSO_commons-dock_" in arn] == [role]
    # the session that was signed with the role that is gone
    dock.cloud.eventually(lambda: listed(old, HERE) == 401, PATIENCE_SECONDS)
