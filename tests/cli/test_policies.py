"""Admission policies are applied by `cluster register`, and looked after by `doctor`."""

from typing import Any

import pytest

from cli import cluster_access
from cli.policy_checks import policies
from commons.domain import admission
from commons.domain.documents import ClusterDocument
from commons.domain.errors import AccessDenied
from commons.domain.namespace_objects import MANAGED, MANAGED_LABEL
from tests.cluster_fakes import KubernetesFake

ARN = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
DOCUMENT = ClusterDocument(kind="Cluster", cluster=ARN, name="research", eks_cluster="hp-eks")
POLICY, BINDING = admission.KINDS
PODS = (POLICY, "commons-pods", None)


@pytest.fixture
def kubernetes(monkeypatch: pytest.MonkeyPatch) -> KubernetesFake:
    fake = KubernetesFake()
    monkeypatch.setattr(cluster_access, "as_caller", lambda _: fake)
    return fake


@pytest.fixture
def registered(kubernetes: KubernetesFake) -> KubernetesFake:
    cluster_access.apply_rules(DOCUMENT)
    return kubernetes


def test_roles_come_first_and_then_each_policy_with_its_binding(registered: Any) -> None:
    kinds = [kind for _, kind, _ in registered.writes]

    assert kinds[:4] == ["ClusterRole"] * 2 + ["ClusterRoleBinding"] * 2
    assert kinds[4:] == list(admission.KINDS) * len(admission.POLICIES)


def test_registering_again_changes_nothing(registered: Any) -> None:
    before = dict(registered.objects)

    cluster_access.apply_rules(DOCUMENT)

    assert registered.objects == before


def test_what_an_older_version_had_goes_and_what_others_have_stays(registered: Any) -> None:
    ours = {MANAGED_LABEL: MANAGED}
    for kind in admission.KINDS:
        registered.put(kind, "commons-former", labels=ours, spec={})
        registered.put(kind, "theirs", spec={})

    cluster_access.apply_rules(DOCUMENT)

    names = {name for kind, name, _ in registered.objects if kind in admission.KINDS}
    assert "theirs" in names
    assert "commons-former" not in names
    # a binding without its policy refuses nothing; a policy without a binding neither
    deleted = [kind for verb, kind, _ in registered.writes if verb == "delete"]
    assert deleted == [BINDING, POLICY]


def test_all_is_well_after_registering(registered: Any) -> None:
    found = policies(DOCUMENT)

    assert (found.check, found.status) == ("hp-eks: policies", "ok")


def test_a_cluster_without_policies_is_a_problem_with_what_to_do(kubernetes: Any) -> None:
    found = policies(DOCUMENT)

    assert found.status == "problem"
    assert f"{POLICY} commons-pods is missing" in found.message
    assert f"{BINDING} commons-queue is missing" in found.message
    assert "commons cluster register" in found.todo


@pytest.mark.parametrize(
    "change",
    [
        {"failurePolicy": "Ignore"},
        {"validations": []},
        {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}},
    ],
)
def test_a_policy_that_somebody_edited_is_a_problem(registered: Any, change: Any) -> None:
    registered.objects[PODS]["spec"] = {**registered.objects[PODS]["spec"], **change}

    found = policies(DOCUMENT)

    assert (found.status, found.message) == ("problem", f"{POLICY} commons-pods is changed")


def test_a_binding_that_was_narrowed_is_a_problem(registered: Any) -> None:
    """One field more loosens it as much as one less."""
    binding = registered.objects[BINDING, "commons-guard", None]
    binding["spec"] = {**binding["spec"], "matchResources": {"namespaceSelector": {}}}

    assert policies(DOCUMENT).message == f"{BINDING} commons-guard is changed"


def test_who_may_not_read_them_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed(KubernetesFake):
        def list(self, *_: Any, **__: Any) -> Any:
            raise AccessDenied("your own credentials may not do that")

    monkeypatch.setattr(cluster_access, "as_caller", lambda _: Closed())

    found = policies(DOCUMENT)

    assert (found.status, found.message) == ("skipped", "your own credentials may not do that")
