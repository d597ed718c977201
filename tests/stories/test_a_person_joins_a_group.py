"""A person joins or leaves a group: access follows, and nothing else moves."""

from typing import Any

import pytest
from lightkube.resources.core_v1 import Namespace
from lightkube.resources.rbac_authorization_v1 import RoleBinding

from tests.stories.company import everybody, join, kubernetes, make_team, register_cluster, subjects
from tests.stories.conftest import Cloud


@pytest.fixture(scope="module")
def harbour(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    register_cluster(cloud)
    make_team(cloud, tmp_path_factory.mktemp("documents"), "harbour", ("crane",))
    join(cloud, "gpu-harbour", "mia@harbour.example", "noah@harbour.example")
    join(cloud, "gpu-harbour-leads", "lea@harbour.example")
    cloud.wait()
    return cloud


def shown(cloud: Cloud) -> Any:
    return cloud.commons("team", "show", "harbour")


def test_the_team_is_ready_with_its_namespaces_and_people(harbour: Cloud) -> None:
    team = shown(harbour)
    assert team["phase"] == "Ready", team["conditions"]
    names = [each["namespace"] for each in team["namespaces"]]
    assert names == ["hyperpod-ns-harbour", "hyperpod-ns-harbour-crane"]
    roles = {each["user_name"]: each["role"] for each in team["members"]}
    assert roles == {
        "mia@harbour.example": "member",
        "noah@harbour.example": "member",
        "lea@harbour.example": "lead",
    }


def test_bindings_list_people_by_role_in_every_namespace_of_the_team(harbour: Cloud) -> None:
    for namespace in ("hyperpod-ns-harbour", "hyperpod-ns-harbour-crane"):
        by_role = subjects(harbour, namespace)
        (leads,) = [names for role, names in by_role.items() if role.endswith("lead")]
        assert leads == {"commons:harbour:lea-harbour.example"}
        assert "commons:harbour:mia-harbour.example" in everybody(harbour, namespace)


def test_the_entry_is_on_the_exact_role_without_groups(harbour: Cloud) -> None:
    team = shown(harbour)
    (access,) = team["access"]
    entry = harbour.client("eks").describe_access_entry(
        clusterName="hp-eks", principalArn=access["role_arn"]
    )["accessEntry"]
    assert entry["kubernetesGroups"] == []
    assert entry["username"] == "commons:harbour:{{SessionName}}"
    (role,) = [
        role["Arn"]
        for role in harbour.client("iam").list_roles(PathPrefix="/aws-reserved/sso.amazonaws.com/")[
            "Roles"
        ]
        if "commons-harbour_" in role["RoleName"]
    ]
    assert access["role_arn"] == role


def test_one_who_leaves_is_in_no_binding_and_the_one_beside_them_still_is(harbour: Cloud) -> None:
    harbour.commons("directory", "remove-member", "gpu-harbour", "noah@harbour.example")
    harbour.wait()
    for namespace in ("hyperpod-ns-harbour", "hyperpod-ns-harbour-crane"):
        people = everybody(harbour, namespace)
        assert "commons:harbour:noah-harbour.example" not in people
        assert "commons:harbour:mia-harbour.example" in people
    assert "noah@harbour.example" not in [m["user_name"] for m in shown(harbour)["members"]]


def test_a_disabled_person_loses_access_without_leaving_a_group(harbour: Cloud) -> None:
    join(harbour, "gpu-harbour", "otto@harbour.example")
    harbour.wait()
    assert "commons:harbour:otto-harbour.example" in everybody(harbour, "hyperpod-ns-harbour")
    harbour.commons("directory", "disable-user", "otto@harbour.example")
    harbour.wait()
    assert "commons:harbour:otto-harbour.example" not in everybody(harbour, "hyperpod-ns-harbour")


def test_reconciling_again_writes_nothing(harbour: Cloud) -> None:
    def versions() -> dict[str, str]:
        client = kubernetes(harbour)
        bindings = client.list(RoleBinding, namespace="hyperpod-ns-harbour")
        namespace = client.get(Namespace, "hyperpod-ns-harbour")
        return {
            each.metadata.name: each.metadata.resourceVersion for each in [*bindings, namespace]
        }

    before, quota = versions(), shown(harbour)["namespaces"][0]["quota"]["version"]
    harbour.commons("team", "reconcile", "harbour")
    harbour.wait()
    assert versions() == before
    assert shown(harbour)["namespaces"][0]["quota"]["version"] == quota
