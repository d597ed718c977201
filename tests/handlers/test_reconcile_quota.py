"""The quota facet on compute quotas and a Kubernetes API in memory."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from commons import bootstrap
from commons.adapters.compute_quotas import ComputeQuotas
from commons.adapters.namespace_quota import NamespaceQuota
from commons.adapters.usage_table import UsageTable
from commons.domain.errors import (
    AccessDenied,
    AskedAgain,
    Blocked,
    ChangedMeanwhile,
    ProvisioningFailed,
    QuotaExceedsCapacity,
    StillConverging,
    StillDraining,
)
from commons.domain.namespace_objects import SAGEMAKER_LABEL
from teams.reconcile_quota import handler
from tests.cluster_fakes import BEGIN, KubernetesFake, QuotasFake
from tests.handlers.reconcile_support import CLUSTER, OTHER, Context, Table, step, tables

P5 = "ml.p5.48xlarge"
NAMESPACE = "hyperpod-ns-alpha"


class Stage:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.usage = UsageTable(table.raw)
        self.sagemaker = QuotasFake()
        self.kubernetes = KubernetesFake()

    def run(self, project: str | None = None) -> dict[str, Any]:
        self.sagemaker.calls.clear()
        return handler(step(project), Context())  # type: ignore[arg-type]

    def brings(self, namespace: str = NAMESPACE) -> None:
        """The objects of a quota appear."""
        self.kubernetes.put("Namespace", namespace, labels={SAGEMAKER_LABEL: "true"})
        self.kubernetes.put("LocalQueue", f"{namespace}-localqueue", namespace)

    def ready(self) -> None:
        with pytest.raises(StillConverging):
            self.run()
        self.sagemaker.settle()
        self.brings()
        self.run()

    def wants(self, accelerators: int, **sharing: Any) -> None:
        rows = [{"instance_type": P5, "accelerators": accelerators}]
        spec = {"cluster": CLUSTER, "quota": {"resources": rows, "sharing": sharing}}
        self.table.team(namespaces=[spec])


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with tables() as table:
        made = Stage(table)
        table.team()
        table.cluster()
        monkeypatch.setattr(bootstrap, "team_table", lambda: table.teams)
        monkeypatch.setattr(bootstrap, "usage_table", lambda: made.usage)
        monkeypatch.setattr(
            bootstrap,
            "namespace_quota",
            lambda _: NamespaceQuota(ComputeQuotas(made.sagemaker.client), made.kubernetes),
        )
        yield made


def test_a_quota_is_asked_for_and_then_waited_for(stage: Stage) -> None:
    with pytest.raises(StillConverging, match="create began"):
        stage.run()
    with pytest.raises(StillConverging, match="Creating"):
        stage.run()

    assert stage.sagemaker.of_team("alpha")["Name"] == "commons-ab12cd34ef56-alpha"
    assert stage.sagemaker.writes == []


def test_qu_10_a_quota_is_ready_only_with_namespace_label_and_queue(stage: Stage) -> None:
    with pytest.raises(StillConverging):
        stage.run()
    stage.sagemaker.settle()

    with pytest.raises(StillConverging, match=f"namespace {NAMESPACE} is not there"):
        stage.run()
    stage.kubernetes.put("Namespace", NAMESPACE)
    with pytest.raises(StillConverging, match=SAGEMAKER_LABEL):
        stage.run()
    stage.kubernetes.put("Namespace", NAMESPACE, labels={SAGEMAKER_LABEL: "true"})
    with pytest.raises(StillConverging, match="LocalQueue hyperpod-ns-alpha-localqueue"):
        stage.run()
    stage.kubernetes.put("LocalQueue", f"{NAMESPACE}-localqueue", NAMESPACE)

    assert stage.run()["conditions"][0]["status"] == "True"


def test_a_quota_that_is_there_is_recorded_once_with_its_history(stage: Stage) -> None:
    stage.ready()

    (namespace,) = stage.table.teams.namespaces("alpha")
    assert namespace.quota is not None
    assert namespace.quota.resources[0]["accelerators"] == 4
    (version,) = stage.usage.quota_history(CLUSTER, NAMESPACE)
    assert version.resources == {P5: Decimal(4)}
    assert version.effective_from == BEGIN
    assert stage.usage.namespaces_of(CLUSTER) == [NAMESPACE]


def test_the_second_time_nothing_is_written(stage: Stage) -> None:
    stage.ready()
    before = stage.table.raw.scan()["Items"]

    answer = stage.run()

    assert answer["actions"] == []
    assert stage.sagemaker.writes == []
    assert stage.sagemaker.count("DescribeCluster") == 0
    assert stage.table.raw.scan()["Items"] == before


def test_a_changed_document_updates_the_version_it_was_planned_on(stage: Stage) -> None:
    stage.ready()
    stage.wants(8)

    with pytest.raises(StillConverging, match="update began"):
        stage.run()
    stage.sagemaker.settle()
    stage.run()

    versions = stage.usage.quota_history(CLUSTER, NAMESPACE)
    assert [version.resources[P5] for version in versions] == [4, 8]


def test_qu_08_who_loses_the_race_for_a_version_reads_again_and_applies(stage: Stage) -> None:
    stage.ready()
    stage.wants(8)
    quota = stage.sagemaker.of_team("alpha")
    stage.sagemaker.race = lambda: quota.update(ComputeQuotaVersion=7)

    with pytest.raises(ChangedMeanwhile):
        stage.run()
    with pytest.raises(StillConverging):
        stage.run()

    assert quota["ComputeQuotaVersion"] == 8
    rows = quota["ComputeQuotaConfig"]["ComputeQuotaResources"]
    assert rows[0]["Accelerators"] == 8


def test_qu_09_a_team_name_that_starts_alike_is_another_team(stage: Stage) -> None:
    stage.sagemaker.put("alpha-x", "commons-ab12cd34ef56-alpha-x")

    with pytest.raises(StillConverging, match="create began"):
        stage.run()

    assert len(stage.sagemaker.quotas) == 2


def test_a_quota_made_by_hand_is_adopted_whatever_its_name(stage: Stage) -> None:
    stage.sagemaker.put("alpha", "console-made")

    with pytest.raises(StillConverging, match="update began"):
        stage.run()

    assert len(stage.sagemaker.quotas) == 1
    assert "GPU Commons" in stage.sagemaker.of_team("alpha")["Description"]


def test_a_deleted_quota_does_not_count(stage: Stage) -> None:
    stage.sagemaker.put("alpha", status="Deleted")

    with pytest.raises(StillConverging, match="create began"):
        stage.run()


def test_a_quota_that_failed_is_never_deleted_by_us(stage: Stage) -> None:
    with pytest.raises(StillConverging):
        stage.run()
    stage.sagemaker.settle("CreateFailed", FailureReason="add-on not ready")

    with pytest.raises(ProvisioningFailed, match=r"add-on not ready.*data"):
        stage.run()

    assert stage.sagemaker.writes == []


def test_an_update_that_failed_is_tried_again(stage: Stage) -> None:
    stage.ready()
    stage.wants(8)
    with pytest.raises(StillConverging):
        stage.run()
    stage.sagemaker.settle("UpdateFailed", FailureReason="busy")

    with pytest.raises(StillConverging, match="update began"):
        stage.run()


def test_more_than_the_cluster_has_is_refused_before_anything_is_asked(stage: Stage) -> None:
    stage.wants(17)

    with pytest.raises(QuotaExceedsCapacity, match=r"research.*17 of 16 devices"):
        stage.run()

    assert stage.sagemaker.writes == []


def test_a_cluster_may_only_warn_for_as_long_as_it_is_so(stage: Stage) -> None:
    stage.table.cluster(overcommit="warn")
    stage.wants(17)
    stage.ready()

    conditions = {each["type"]: each for each in stage.run()["conditions"]}

    assert conditions["QuotaReady"]["status"] == "True"
    assert conditions["QuotaFits"]["reason"] == "Overcommitted"
    assert "17 of 16 devices" in conditions["QuotaFits"]["message"]
    stage.sagemaker.nodes = {P5: 3}
    assert [each["type"] for each in stage.run()["conditions"]] == ["QuotaReady"]


def test_who_asks_for_no_more_than_before_is_not_refused(stage: Stage) -> None:
    stage.ready()
    stage.sagemaker.nodes = {}
    stage.wants(3)

    with pytest.raises(StillConverging, match="update began"):
        stage.run()


def test_a_cluster_may_allow_it(stage: Stage) -> None:
    stage.table.cluster(overcommit="allow")
    stage.wants(17)

    with pytest.raises(StillConverging, match="create began"):
        stage.run()

    assert stage.sagemaker.count("DescribeCluster") == 0


def test_a_cluster_that_is_observed_is_reported_and_not_written(stage: Stage) -> None:
    stage.table.cluster(mode="observe")

    answer = stage.run()

    assert answer["actions"] == ["create the compute quota: there is none"]
    assert answer["conditions"][0]["reason"] == "Observing"
    assert stage.sagemaker.writes == []
    assert stage.table.teams.namespaces("alpha") == []


def test_a_cluster_that_refuses_our_reader_is_an_error_with_a_way_out(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StillConverging):
        stage.run()
    stage.sagemaker.settle()

    def refuse(*_: Any) -> None:
        raise AccessDenied("reader; commons cluster register")

    monkeypatch.setattr(stage.kubernetes, "get", refuse)

    with pytest.raises(AccessDenied, match="commons cluster register"):
        stage.run()


def test_the_quota_of_a_namespace_that_left_the_document_is_left_alone(stage: Stage) -> None:
    answer = stage.run("gone")

    assert stage.sagemaker.calls == []
    assert answer["conditions"][0]["status"] == "True"
    assert "until a person deletes it" in answer["conditions"][0]["message"]


def test_a_cluster_that_is_not_registered_blocks(stage: Stage) -> None:
    stage.table.team(namespaces=[{"cluster": OTHER}])

    with pytest.raises(Blocked, match="commons cluster register"):
        handler(step(cluster=OTHER), Context())  # type: ignore[arg-type]


def test_who_asks_for_the_team_meanwhile_does_not_wait_for_its_quota(stage: Stage) -> None:
    def run(requested: int) -> None:
        handler({**step(), "requested": requested}, Context())  # type: ignore[arg-type]

    stage.table.teams.add_request("alpha")
    with pytest.raises(StillConverging):
        run(1)
    stage.table.teams.add_request("alpha")

    with pytest.raises(AskedAgain, match=r"Creating.*the next run"):
        run(1)
    with pytest.raises(StillConverging):
        run(2)
    stage.sagemaker.settle()
    stage.brings()
    run(1)


def test_what_only_a_person_can_mend_is_told_as_it_is(stage: Stage) -> None:
    stage.table.teams.add_request("alpha")
    stage.wants(17)

    with pytest.raises(QuotaExceedsCapacity):
        handler({**step(), "requested": 0}, Context())  # type: ignore[arg-type]


@pytest.fixture
def leaving(stage: Stage) -> Stage:
    """A team that had its quota and leaves, its queue held."""
    stage.ready()
    stage.table.team(state="leaving")
    queue = stage.kubernetes.objects["LocalQueue", f"{NAMESPACE}-localqueue", NAMESPACE]
    queue["spec"] = {"stopPolicy": "Hold"}
    return stage


def told(answer: dict[str, Any]) -> tuple[str, str, str]:
    (condition,) = answer["conditions"]
    return condition["status"], condition["reason"], condition["message"]


def test_qu_03_what_runs_is_waited_for_and_told_with_its_numbers(leaving: Stage) -> None:
    leaving.kubernetes.tasks(NAMESPACE, running=1, pending=2)

    with pytest.raises(StillDraining, match=r"hyperpod-ns-alpha is left.*running 1, waiting 2"):
        leaving.run()

    assert leaving.sagemaker.writes == []


def test_qu_03_nothing_is_deleted_while_something_may_still_start(
    leaving: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALLOW_DATA_DELETION", "true")
    queue = leaving.kubernetes.objects["LocalQueue", f"{NAMESPACE}-localqueue", NAMESPACE]
    queue["spec"] = {"stopPolicy": "None"}

    with pytest.raises(StillDraining):
        leaving.run()

    assert leaving.sagemaker.writes == []


def test_qu_03_without_the_parameter_the_quota_is_left_to_a_person(leaving: Stage) -> None:
    leaving.kubernetes.tasks(NAMESPACE, running=0, pending=2)

    status, reason, message = told(leaving.run())

    assert (status, reason) == ("False", "LeftToAPerson")
    quota = leaving.sagemaker.of_team("alpha")["ComputeQuotaId"]
    assert f"delete-compute-quota --compute-quota-id {quota}" in message
    assert "AllowDataDeletion=true" in message
    assert leaving.sagemaker.writes == []
    (record,) = leaving.table.teams.namespaces("alpha")
    assert record.quota is not None


def test_qu_03_with_the_parameter_it_is_deleted_once_and_waited_for(
    leaving: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALLOW_DATA_DELETION", "true")
    monkeypatch.setattr(bootstrap, "now", lambda: BEGIN + timedelta(days=1))

    with pytest.raises(StillConverging, match="is being deleted: Created until now"):
        leaving.run()
    assert leaving.sagemaker.writes == ["DeleteComputeQuota"]
    with pytest.raises(StillConverging, match="is being deleted: Deleting"):
        leaving.run()
    assert leaving.sagemaker.writes == []
    leaving.sagemaker.of_team("alpha")["Status"] = "DeleteFailed"
    with pytest.raises(StillConverging):
        leaving.run()
    assert leaving.sagemaker.writes == ["DeleteComputeQuota"]
    leaving.sagemaker.quotas.clear()
    leaving.kubernetes.objects.clear()

    assert told(leaving.run())[:2] == ("True", "UpToDate")

    (record,) = leaving.table.teams.namespaces("alpha")
    assert record.quota is None
    history = leaving.usage.quota_history(CLUSTER, NAMESPACE)
    assert [version.resources for version in history] == [{P5: Decimal(4)}, {}]
    assert history[-1].effective_from == BEGIN + timedelta(days=1)
    leaving.run()
    assert len(leaving.usage.quota_history(CLUSTER, NAMESPACE)) == 2


def test_a_quota_on_a_cluster_that_is_observed_is_never_deleted(
    leaving: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALLOW_DATA_DELETION", "true")
    leaving.table.cluster(mode="observe")

    assert told(leaving.run())[:2] == ("True", "Observing")

    assert leaving.sagemaker.writes == []


def test_who_comes_back_before_the_end_keeps_the_quota(leaving: Stage) -> None:
    leaving.table.team()

    assert told(leaving.run())[:2] == ("True", "UpToDate")
