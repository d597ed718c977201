"""The admission policies as they are written; what they do is tried on a real API server."""

from typing import Any

import pytest

from commons.domain import admission, rbac
from commons.domain.admission_parameters import (
    HOST_PATHS,
    PRIORITY_CLASSES,
    of_document,
    of_namespace,
)
from commons.domain.documents import NamespaceSpec
from commons.domain.namespace_objects import DIGEST, MANAGED, MANAGED_LABEL, namespace_labels

CLUSTER = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
MANIFESTS = admission.manifests()
POLICIES = [each for each in MANIFESTS if each["kind"] == "ValidatingAdmissionPolicy"]


def spec(**fields: Any) -> NamespaceSpec:
    return NamespaceSpec.model_validate({"cluster": CLUSTER, **fields})


def test_every_policy_is_bound_once_and_denies() -> None:
    bindings = [each for each in MANIFESTS if each["kind"] == "ValidatingAdmissionPolicyBinding"]

    assert [b["spec"]["policyName"] for b in bindings] == [p["metadata"]["name"] for p in POLICIES]
    assert all(b["spec"]["validationActions"] == ["Deny"] for b in bindings)


def test_every_policy_is_ours_by_name_and_label() -> None:
    for each in MANIFESTS:
        assert each["metadata"]["name"].startswith("commons-")
        assert each["metadata"]["labels"] == {MANAGED_LABEL: MANAGED}


def test_a_policy_that_cannot_be_judged_refuses() -> None:
    assert all(each["spec"]["failurePolicy"] == "Fail" for each in POLICIES)


def test_policies_keep_to_the_namespaces_of_teams_save_the_one_for_what_has_no_namespace() -> None:
    everywhere = [p for p in POLICIES if not p["spec"]["matchConstraints"]["namespaceSelector"]]

    (cluster,) = everywhere
    rules = cluster["spec"]["matchConstraints"]["resourceRules"]
    assert [rule["scope"] for rule in rules] == ["Cluster"]
    selector = {"matchExpressions": [{"key": "gpu.commons/team", "operator": "Exists"}]}
    for policy in POLICIES:
        if policy is not cluster:
            assert policy["spec"]["matchConstraints"]["namespaceSelector"] == selector


@pytest.mark.parametrize("name", ["commons-queue", "commons-priority"])
def test_every_kind_of_task_that_a_member_may_make_is_judged(name: str) -> None:
    (policy,) = [each for each in POLICIES if each["metadata"]["name"] == name]
    judged = {
        (group, kind)
        for rule in policy["spec"]["matchConstraints"]["resourceRules"]
        for group in rule["apiGroups"]
        for kind in rule["resources"]
    }
    no_tasks = {"configmaps", "services", "persistentvolumeclaims", "secrets"}
    no_tasks |= {"workspaceconnections", "raydashboardconnections"}
    for line in rbac.TABLE:
        for kind in line.resources:
            if "create" in line.member and "/" not in kind and kind not in no_tasks:
                assert (line.group, kind) in judged


def test_a_message_is_text_or_an_expression_and_never_empty() -> None:
    for policy in POLICIES:
        for validation in policy["spec"]["validations"]:
            (message,) = {"message", "messageExpression"} & validation.keys()
            assert len(validation[message]) > 10
            assert ("'" in validation[message]) >= (message == "messageExpression")
            assert validation["reason"] == "Forbidden"


def test_the_documents_limits_become_what_the_policies_read() -> None:
    given = spec(priority_classes=["training", "low"], host_paths=["/mnt/a", "/mnt/b"])

    assert of_document(given) == {
        PRIORITY_CLASSES: "training-priority,low-priority",
        HOST_PATHS: "/mnt/a,/mnt/b",
    }


def test_without_limits_every_priority_and_no_path_is_allowed() -> None:
    assert of_document(spec()) == {HOST_PATHS: ""}
    assert of_document(spec(priority_classes=[])) == {HOST_PATHS: "", PRIORITY_CLASSES: ""}


def test_a_namespace_that_no_document_lists_keeps_its_limits() -> None:
    annotations = {HOST_PATHS: "/mnt/a", "theirs": "x", DIGEST: "d"}

    assert of_namespace({"metadata": {"annotations": annotations}}) == {HOST_PATHS: "/mnt/a"}
    assert of_namespace({"metadata": {}}) == {}


def test_the_limits_are_annotations_of_the_namespace_beside_its_digest() -> None:
    found = namespace_labels("alpha", None, "hyperpod-ns-alpha", {HOST_PATHS: "/mnt/a"})
    other = namespace_labels("alpha", None, "hyperpod-ns-alpha", {HOST_PATHS: ""})

    annotations = found["metadata"]["annotations"]
    assert annotations.keys() == {HOST_PATHS, DIGEST}
    assert annotations[DIGEST] != other["metadata"]["annotations"][DIGEST]
