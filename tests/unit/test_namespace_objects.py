"""What is in a team's namespace, and what each role may do there."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commons.domain import cluster_roles, network_policy, rbac
from commons.domain.admission_parameters import HOST_PATHS
from commons.domain.errors import Blocked, Conflict
from commons.domain.membership import Member
from commons.domain.namespace_objects import (
    MANAGED,
    MANAGED_LABEL,
    SAGEMAKER_LABEL,
    TEAM_LABEL,
    check_namespace,
    namespace_labels,
    wanted_objects,
)
from commons.domain.namespace_plan import covers, plan

NAMESPACE = "hyperpod-ns-alpha"
Object = dict[str, Any]


def member(user_id: str, role: str = "member", state: str = "active", name: str = "") -> Member:
    values = {"user_id": user_id, "user_name": name or f"{user_id}@example.com"}
    return Member.model_validate({**values, "role": role, "state": state})


def wanted(*members: Member) -> list[Object]:
    return [
        namespace_labels("alpha", None, NAMESPACE, {}),
        *wanted_objects("alpha", NAMESPACE, members),
    ]


def named(objects: list[Object], kind: str, name: str) -> Object:
    (found,) = [o for o in objects if (o["kind"], o["metadata"]["name"]) == (kind, name)]
    return found


def people(objects: list[Object], role: str) -> list[str]:
    found = [o for o in objects if o["kind"] == "RoleBinding" and o["metadata"]["name"] == role]
    return [subject["name"] for each in found for subject in each["subjects"]]


def as_listed(objects: list[Object]) -> list[Object]:
    """As a server lists them: without apiVersion, with fields of its own."""
    return [
        {
            **{key: value for key, value in each.items() if key != "apiVersion"},
            "metadata": {**each["metadata"], "uid": "u", "resourceVersion": "7"},
        }
        for each in objects
    ]


def without(objects: list[Object], kind: str) -> list[Object]:
    return [each for each in objects if each["kind"] != kind]


def test_bindings_list_people_by_the_name_that_their_session_has() -> None:
    objects = wanted(member("ada", "lead"), member("grace"), member("alan"))

    assert people(objects, "commons-lead") == ["commons:alpha:ada-example.com"]
    assert people(objects, "commons-member") == [
        "commons:alpha:alan-example.com",
        "commons:alpha:grace-example.com",
    ]
    assert people(objects, "commons-viewer") == []
    for each in objects:
        if each["kind"] == "RoleBinding":
            assert {subject["kind"] for subject in each["subjects"]} == {"User"}
            assert each["roleRef"]["kind"] == "Role"
            assert each["roleRef"]["name"] == each["metadata"]["name"]


@pytest.mark.parametrize("state", ["disabled", "pending", "conflict"])
def test_only_who_may_act_is_bound(state: str) -> None:
    assert people(wanted(member("ada", state=state)), "commons-member") == []


def test_who_is_held_keeps_what_they_had() -> None:
    assert people(wanted(member("ada", state="held")), "commons-member")


def test_id_13_letter_case_makes_no_second_binding() -> None:
    objects = wanted(member("u1", name="Test.User@Example.com"))

    assert people(objects, "commons-member") == ["commons:alpha:Test.User-Example.com"]


@given(st.permutations(["ada", "grace", "alan", "barbara"]))
def test_the_order_of_members_changes_nothing(names: list[str]) -> None:
    ordered = wanted(*(member(name) for name in sorted(names)))

    assert wanted(*(member(name) for name in names)) == ordered


def test_labels_name_the_team_and_leave_governance_alone() -> None:
    labels = namespace_labels("alpha", "x", "hyperpod-ns-alpha-x", {})["metadata"]["labels"]

    assert labels[TEAM_LABEL] == "alpha"
    assert labels["gpu.commons/project"] == "x"
    assert labels["pod-security.kubernetes.io/warn"] == "baseline"
    assert not any("sagemaker" in label or "enforce" in label for label in labels)


def test_who_may_mount_a_path_of_the_node_is_not_warned_of_it() -> None:
    labels = namespace_labels("alpha", None, NAMESPACE, {HOST_PATHS: "/mnt/a"})["metadata"][
        "labels"
    ]

    assert "pod-security.kubernetes.io/warn" not in labels
    assert labels["pod-security.kubernetes.io/audit"] == "baseline"


def test_quota_counts_objects_and_never_what_kueue_counts() -> None:
    hard = named(wanted(), "ResourceQuota", "commons-objects")["spec"]["hard"]

    assert not any(word in key for key in hard for word in ("cpu", "memory", "gpu", "requests"))
    assert not any(value.endswith("000") for value in hard.values())


def test_the_network_policy_denies_by_default_and_allows_what_tasks_need() -> None:
    spec = network_policy.spec()

    assert spec["podSelector"] == {}
    assert spec["policyTypes"] == ["Ingress", "Egress"]
    assert spec["ingress"] == [{"from": [{"podSelector": {}}]}]
    opened = {
        (peer.get("ipBlock", {}).get("cidr"), port["port"])
        for rule in spec["egress"]
        for peer in rule["to"]
        for port in rule.get("ports", [])
    }
    assert ("169.254.170.23/32", 80) in opened
    assert ("0.0.0.0/0", 443) in opened
    assert {("10.0.0.0/8", 988), ("10.0.0.0/8", 1018), ("10.0.0.0/8", 2049)} <= opened
    assert (None, 53) in opened
    assert not any(cidr == "0.0.0.0/0" and port != 443 for cidr, port in opened)


RULES = [
    ("viewer", "", "pods", "get", True),
    ("viewer", "", "pods", "create", False),
    ("viewer", "", "secrets", "get", False),
    ("viewer", "", "pods/exec", "create", False),
    ("viewer", "kueue.x-k8s.io", "workloads", "list", True),
    ("viewer", "batch", "jobs", "delete", False),
    ("member", "batch", "jobs", "create", True),
    ("member", "sagemaker.amazonaws.com", "hyperpodpytorchjobs", "create", True),
    ("member", "", "pods/exec", "create", True),
    ("member", "kueue.x-k8s.io", "workloads", "delete", False),
    ("lead", "kueue.x-k8s.io", "workloads", "delete", True),
    ("lead", "batch", "jobs", "create", True),
    ("lead", rbac.RBAC, "rolebindings", "get", True),
]


def allows(rules: list[Object], group: str, resource: str, verb: str) -> bool:
    return any(
        group in rule["apiGroups"] and resource in rule["resources"] and verb in rule["verbs"]
        for rule in rules
    )


@pytest.mark.parametrize(("role", "group", "resource", "verb", "expected"), RULES)
def test_what_a_role_may_do(
    role: Any, group: str, resource: str, verb: str, expected: bool
) -> None:
    assert allows(rbac.rules(role), group, resource, verb) is expected


@pytest.mark.parametrize("role", ["viewer", "member", "lead"])
def test_no_role_may_forge_admission_or_leave_governance(role: Any) -> None:
    writes = ("create", "update", "patch", "deletecollection", "*")
    for rule in rbac.rules(role):
        assert "*" not in rule["resources"] + rule["apiGroups"] + rule["verbs"]
        if set(rule["verbs"]) & set(writes):
            forbidden = {"workloads", "workloads/status", "localqueues", "namespaces"}
            forbidden |= {"rolebindings", "roles", "networkpolicies", "resourcequotas"}
            forbidden |= {"serviceaccounts", "serviceaccounts/token"}
            assert not forbidden & set(rule["resources"])


def test_a_namespace_that_is_ours_is_shaped() -> None:
    found = {"metadata": {"labels": {SAGEMAKER_LABEL: "true"}}}

    assert check_namespace(found, NAMESPACE, "alpha") == found


def test_a_namespace_that_is_not_there_waits_for_its_quota() -> None:
    with pytest.raises(Blocked, match=NAMESPACE):
        check_namespace(None, NAMESPACE, "alpha")


@pytest.mark.parametrize(
    "labels", [None, {}, {SAGEMAKER_LABEL: "false"}, {SAGEMAKER_LABEL: "true", TEAM_LABEL: "beta"}]
)
def test_a_namespace_of_somebody_else_is_left_alone(labels: dict[str, str] | None) -> None:
    with pytest.raises(Conflict, match=NAMESPACE):
        check_namespace({"metadata": {"labels": labels}}, NAMESPACE, "alpha")


def test_nothing_is_done_when_all_is_there() -> None:
    objects = wanted(member("ada"), member("grace", "lead"))

    assert plan(objects, as_listed(objects)) == ([], [])


def test_one_person_more_changes_one_binding() -> None:
    found = plan(wanted(member("ada"), member("grace")), as_listed(wanted(member("ada"))))

    assert found.actions() == ["apply RoleBinding commons-member"]


def test_the_last_person_of_a_role_takes_the_binding_along() -> None:
    found = plan(wanted(), as_listed(wanted(member("ada"))))

    assert found.actions() == ["delete RoleBinding commons-member"]


def test_ac_09_a_binding_to_another_role_is_made_anew() -> None:
    objects = wanted(member("ada"))
    observed = as_listed(objects)
    binding = named(observed, "RoleBinding", "commons-member")
    binding["roleRef"] = {**binding["roleRef"], "name": "edit"}

    found = plan(objects, observed)

    assert found.actions() == [
        "delete RoleBinding commons-member",
        "apply RoleBinding commons-member",
    ]


def test_what_somebody_changed_by_hand_is_put_right() -> None:
    objects = wanted(member("ada"))
    observed = as_listed(objects)
    binding = named(observed, "RoleBinding", "commons-member")
    binding["subjects"] = [*binding["subjects"], {"kind": "User", "name": "mallory"}]

    assert plan(objects, observed).actions() == ["apply RoleBinding commons-member"]


def test_a_field_we_no_longer_want_is_noticed_by_the_digest() -> None:
    observed = as_listed([namespace_labels("alpha", "x", NAMESPACE, {})])

    found = plan([namespace_labels("alpha", None, NAMESPACE, {})], observed)

    assert found.actions() == [f"apply Namespace {NAMESPACE}"]


def test_objects_of_others_stay() -> None:
    objects = wanted()
    foreign = {"kind": "Role", "metadata": {"name": "theirs", "namespace": NAMESPACE}}

    assert plan(objects, [*as_listed(objects), foreign]) == ([], [])


def test_somebody_elses_object_under_our_name_is_a_conflict() -> None:
    objects = wanted()
    observed = as_listed(objects)
    named(observed, "Role", "commons-lead")["metadata"]["labels"] = {TEAM_LABEL: "alpha"}

    with pytest.raises(Conflict, match=r"Role commons-lead"):
        plan(objects, observed)


def test_objects_of_ours_that_are_not_wanted_are_removed() -> None:
    objects = wanted()
    labels = {MANAGED_LABEL: MANAGED}
    old = {"kind": "Role", "metadata": {"name": "commons-old", "labels": labels}}

    assert plan(objects, [*as_listed(objects), old]).actions() == ["delete Role commons-old"]


@pytest.mark.parametrize(
    ("observed", "expected", "covered"),
    [
        ({"a": 1, "b": 2}, {"a": 1}, True),
        ({"b": 2}, {"a": 1}, False),
        ({"a": None}, {"a": {}}, False),
        ([{"a": 1, "x": 0}], [{"a": 1}], True),
        ([1, 2], [1], False),
        ([2, 1], [1, 2], False),
        ("1", 1, False),
        ({"a": [{"b": {"c": 1}}]}, {"a": [{"b": {"c": 2}}]}, False),
    ],
)
def test_more_than_wanted_is_well_and_other_than_wanted_is_not(
    observed: Any, expected: Any, covered: bool
) -> None:
    assert covers(observed, expected) is covered


def test_our_reader_only_reads_and_asks() -> None:
    role = named(cluster_roles.manifests(), "ClusterRole", "commons-reader")
    reads = [rule for rule in role["rules"] if rule["resources"] != ["subjectaccessreviews"]]

    assert {verb for rule in reads for verb in rule["verbs"]} == {"get", "list", "watch"}
    (asks,) = [rule for rule in role["rules"] if rule not in reads]
    assert asks["verbs"] == ["create"]


def test_our_writer_grants_only_our_roles_and_deletes_only_our_objects() -> None:
    role = named(cluster_roles.manifests(), "ClusterRole", "commons-writer")

    for rule in role["rules"]:
        if {"escalate", "bind", "delete", "update"} & set(rule["verbs"]):
            assert all(name.startswith("commons-") for name in rule["resourceNames"])
        assert "*" not in rule["resources"] + rule["apiGroups"] + rule["verbs"]
        assert "clusterroles" not in rule["resources"]
    assert not allows(role["rules"], "", "namespaces", "delete")
    assert not allows(role["rules"], "", "namespaces", "create")


def test_our_writer_may_write_everything_that_we_want() -> None:
    role = named(cluster_roles.manifests(), "ClusterRole", "commons-writer")
    plurals = {
        "Role": "roles",
        "RoleBinding": "rolebindings",
        "NetworkPolicy": "networkpolicies",
        "ResourceQuota": "resourcequotas",
    }
    for each in without(wanted(member("ada")), "Namespace"):
        group = each["apiVersion"].rpartition("/")[0]
        named_rules = [
            rule
            for rule in role["rules"]
            if each["metadata"]["name"] in rule.get("resourceNames", [])
        ]
        assert allows(role["rules"], group, plurals[each["kind"]], "create")
        assert allows(named_rules, group, plurals[each["kind"]], "patch")


def test_bindings_lead_to_the_groups_of_our_access_entries() -> None:
    binding = named(cluster_roles.manifests(), "ClusterRoleBinding", "commons-writer")

    assert binding["subjects"][0]["name"] == cluster_roles.WRITERS
    assert binding["subjects"][0]["kind"] == "Group"
