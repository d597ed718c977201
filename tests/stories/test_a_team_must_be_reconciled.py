"""The facets on the deployed product: large groups, entries made by others, roles made again."""

from pathlib import Path
from typing import Any

import pytest

from local.services.fixtures import IDENTITY_STORE_ID
from tests.stories.company import everybody, make_team, register_cluster, team_document
from tests.stories.conftest import Cloud

NAMESPACE = "hyperpod-ns-mill"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("documents")


@pytest.fixture(scope="module")
def mill(cloud: Cloud, folder: Path) -> Cloud:
    register_cluster(cloud)
    make_team(cloud, folder, "mill")
    return cloud


def shown(cloud: Cloud) -> Any:
    return cloud.commons("team", "show", "mill")


def add_people(cloud: Cloud, first: int, last: int) -> None:
    """Through the API of the directory: as a flow would, and quicker than a command each."""
    directory = cloud.client("identitystore")
    path = {"AttributePath": "displayName", "AttributeValue": "gpu-mill"}
    group = directory.get_group_id(
        IdentityStoreId=IDENTITY_STORE_ID, AlternateIdentifier={"UniqueAttribute": path}
    )["GroupId"]
    for number in range(first, last):
        user = directory.create_user(
            IdentityStoreId=IDENTITY_STORE_ID,
            UserName=f"p{number}@mill.example",
            DisplayName=f"P{number}",
            Name={"GivenName": "P", "FamilyName": str(number)},
        )["UserId"]
        directory.create_group_membership(
            IdentityStoreId=IDENTITY_STORE_ID, GroupId=group, MemberId={"UserId": user}
        )


def reconcile(cloud: Cloud) -> Any:
    cloud.commons("team", "reconcile", "mill")
    cloud.wait()
    return shown(cloud)


def test_id_03_everybody_of_a_large_group_has_access_and_one_more_removes_nobody(
    mill: Cloud,
) -> None:
    add_people(mill, 0, 263)
    mill.wait()
    assert len(everybody(mill, NAMESPACE)) == 263

    add_people(mill, 263, 264)
    mill.wait()

    assert everybody(mill, NAMESPACE) == {
        f"commons:mill:p{number}-mill.example" for number in range(264)
    }
    assert shown(mill)["phase"] == "Ready"


def test_ac_02_an_entry_changed_by_hand_is_brought_back_and_groups_of_others_stay(
    mill: Cloud,
) -> None:
    (access,) = shown(mill)["access"]
    key = {"clusterName": "hp-eks", "principalArn": access["role_arn"]}
    eks = mill.client("eks")
    eks.delete_access_entry(**key)
    eks.create_access_entry(**key, kubernetesGroups=["theirs"], username="somebody:{{SessionName}}")

    assert reconcile(mill)["phase"] == "Ready"

    entry = eks.describe_access_entry(**key)["accessEntry"]
    assert entry["username"] == "commons:mill:{{SessionName}}"
    assert entry["kubernetesGroups"] == ["theirs"]
    assert entry["tags"]["gpu.commons/team"] == "mill"
    before = entry["modifiedAt"]
    reconcile(mill)
    assert eks.describe_access_entry(**key)["accessEntry"]["modifiedAt"] == before


def test_ac_04_a_role_made_again_gets_an_entry_of_its_own_and_the_old_one_goes(
    mill: Cloud,
) -> None:
    (before,) = shown(mill)["access"]
    sso, eks = mill.client("sso-admin"), mill.client("eks")
    instance = sso.list_instances()["Instances"][0]["InstanceArn"]
    arn = next(
        item["permission_set_arn"]
        for item in mill.items("TeamTable", "TEAM#mill")
        if item["sk"].startswith("ACCESS#")
    )
    for each in sso.list_account_assignments(
        InstanceArn=instance, AccountId="111122223333", PermissionSetArn=arn
    )["AccountAssignments"]:
        sso.delete_account_assignment(
            InstanceArn=instance,
            PermissionSetArn=arn,
            TargetId=each["AccountId"],
            TargetType="AWS_ACCOUNT",
            PrincipalType=each["PrincipalType"],
            PrincipalId=each["PrincipalId"],
        )
    mill.eventually(lambda: not _roles(mill))

    after = reconcile(mill)

    assert after["phase"] == "Ready"
    (access,) = after["access"]
    assert access["role_arn"] != before["role_arn"]
    entries = eks.list_access_entries(clusterName="hp-eks")["accessEntries"]
    assert [entry for entry in entries if "commons-mill_" in entry] == [access["role_arn"]]
    assert after["namespaces"][0]["access_entry"] == access["role_arn"]


def _roles(cloud: Cloud) -> list[str]:
    known = cloud.client("iam").list_roles(PathPrefix="/aws-reserved/sso.amazonaws.com/")["Roles"]
    return [role["Arn"] for role in known if "commons-mill_" in role["RoleName"]]


def test_qu_08_a_changed_quota_becomes_the_next_version(mill: Cloud, folder: Path) -> None:
    before = shown(mill)["namespaces"][0]["quota"]
    document = folder / "mill.yaml"
    document.write_text(team_document("mill", accelerators=2))

    answer = mill.run("team", "apply", str(document))
    assert answer.returncode == 0, answer.stderr
    mill.wait()

    after = shown(mill)["namespaces"][0]["quota"]
    assert (after["id"], after["version"]) == (before["id"], before["version"] + 1)
    assert after["resources"][0]["vcpu"] == 2
    cluster = shown(mill)["namespaces"][0]["cluster"]
    history = mill.items("UsageTable", f"NS#{cluster}#{NAMESPACE}")
    versions = [item["sk"] for item in history if item["sk"].startswith("QUOTA#")]
    assert len(versions) == after["version"]


def test_qu_10_a_quota_that_does_not_fit_is_refused_with_the_numbers(
    mill: Cloud, folder: Path
) -> None:
    document = folder / "mill.yaml"
    document.write_text(team_document("mill", accelerators=100_000))
    answer = mill.run("team", "apply", str(document))
    assert answer.returncode == 0, answer.stderr
    mill.wait()

    team = shown(mill)

    assert team["phase"] == "Blocked"
    (condition,) = [c for c in team["namespaces"][0]["conditions"] if c["type"] == "QuotaReady"]
    assert condition["reason"] == "QuotaExceedsCapacity"
    assert "devices are promised" in condition["message"]
    assert everybody(mill, NAMESPACE), "a quota that is refused takes access from nobody"
