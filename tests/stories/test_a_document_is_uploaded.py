"""A document is uploaded: accepted or refused as a whole, and the last good one stays."""

import json
from pathlib import Path

import pytest

from tests.stories.company import CLUSTER, make_team, register_cluster, team_document
from tests.stories.conftest import Cloud


@pytest.fixture(scope="module")
def quarry(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    register_cluster(cloud)
    make_team(cloud, tmp_path_factory.mktemp("documents"), "quarry")
    cloud.wait()
    return cloud


def upload(cloud: Cloud, key: str, text: str) -> None:
    bucket = cloud.outputs["ConfigurationBucket"]
    cloud.client("s3").put_object(Bucket=bucket, Key=f"documents/{key}", Body=text.encode())
    cloud.wait()


def refused(cloud: Cloud, name: str) -> list[str]:
    answer = cloud.run("doctor", "--json")
    listed = [r["reasons"] for r in json.loads(answer.stdout)["refused"] if name in r["name"]]
    assert listed, answer.stdout
    return listed[-1]


def test_a_wrong_document_is_refused_with_every_fault_and_the_last_good_one_stays(
    quarry: Cloud,
) -> None:
    wrong = (
        team_document("quarry")
        .replace("vcpu: 1", "vcpu: -3")
        .replace("state: active", "state: gone")
    )
    upload(quarry, "teams/quarry.yaml", wrong)
    reasons = " ".join(refused(quarry, "quarry.yaml"))
    assert "state" in reasons
    assert "line 4" in reasons
    assert "vcpu" in reasons
    team = quarry.commons("team", "show", "quarry")
    assert team["phase"] == "Ready"
    assert team["namespaces"][0]["quota"]["resources"][0]["vcpu"] == 1


def test_a_refused_document_is_sent_again_by_doctor_redrive(quarry: Cloud) -> None:
    upload(quarry, "teams/gravel.yaml", "kind: Team\nteam: gravel\n")
    before = refused(quarry, "gravel.yaml")
    answer = quarry.run("doctor", "redrive")
    assert answer.returncode == 0, answer.stderr
    quarry.wait()
    # it was judged anew, and is still what it was
    assert refused(quarry, "gravel.yaml") == before


def test_a_slurm_cluster_is_refused_with_the_reason(quarry: Cloud) -> None:
    slurm = (
        f"kind: Cluster\ncluster: {CLUSTER}\nname: old\neks_cluster: hp-eks\norchestrator: slurm\n"
    )
    upload(quarry, "clusters/slurm.yaml", slurm)
    assert "slurm is not supported" in " ".join(refused(quarry, "slurm.yaml"))


def test_a_team_on_an_unknown_cluster_is_blocked_with_the_command_that_registers_it(
    quarry: Cloud, tmp_path: Path
) -> None:
    elsewhere = team_document("pebble").replace("ab12cd34ef56", "zz99zz99zz99")
    upload(quarry, "teams/pebble.yaml", elsewhere)
    team = quarry.commons("team", "show", "pebble")
    assert team["phase"] == "Blocked"
    assert "commons cluster register" in json.dumps(team)
