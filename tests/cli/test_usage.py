"""`commons usage show`: quota beside use, by day or together."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from cli import output, stack, usage
from commons.adapters.ledger_items import Place
from commons.adapters.ledger_table import LedgerTable
from commons.adapters.usage_table import UsageTable
from commons.domain import tasks
from commons.domain.documents import ClusterDocument
from commons.domain.task_events import TaskStateChanged
from commons.domain.team import Accepted
from commons.domain.usage import QuotaVersion, Reading
from tests.adapters.usage_support import usage_table
from tests.cli.stack_support import Deployed, deployed
from tests.unit.tasks_support import CLUSTER, NAMESPACE, P5, at, detail

PROJECT = "hyperpod-ns-vision-detection"
DAYS = ("--from", "2026-10-01", "--to", "2026-10-03")


class Clock:
    """Stands for `datetime` in the command."""

    @staticmethod
    def now(_: Any) -> datetime:
        return at("2026-10-03T06:00:00")


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    with deployed(monkeypatch) as found:
        raw = usage_table()
        monkeypatch.setattr(stack, "table", {"TeamTable": found.raw, "UsageTable": raw}.get)
        monkeypatch.setattr(usage, "datetime", Clock)
        document = ClusterDocument(kind="Cluster", cluster=CLUSTER, name="prod", eks_cluster="eks")
        found.table.keep(
            Accepted[Any](
                document=document, key="k", version="1", etag="e", uploaded_at="t", accepted_at="t"
            )
        )
        for name, project in ((NAMESPACE, ""), (PROJECT, "detection")):
            key = {"pk": f"NAMESPACE#{CLUSTER}#{name}", "sk": "CLAIM"}
            found.raw.put_item(Item={**key, "team": "vision", "project": project})
        _use(raw)
        yield found


def _use(raw: Any) -> None:
    quota = QuotaVersion(
        effective_from=at("2026-10-02T00:00:00"),
        version=1,
        resources={P5: Decimal(8)},
        strategy="Lend",
    )
    UsageTable(raw).record_quota(CLUSTER, NAMESPACE, quota)
    details = [detail("Admitted", "10:00", devices={P5: 12}), detail("Finished", "11:00")]
    details += [detail("Admitted", "23:00", attempt=2), detail("Finished", "23:30", attempt=2)]
    attempts = [tasks.attempt_of(TaskStateChanged.model_validate(each)) for each in details]
    ceiling = [(P5, Reading(at("08:00"), Decimal(8)))]
    LedgerTable(raw).record(
        Place(CLUSTER, NAMESPACE), [a for a in attempts if a], ceiling, at("2026-10-03T00:10:00")
    )
    other = [
        detail("Admitted", "10:00", namespace=PROJECT, devices={"ml.c5.large": 2}),
        detail("Finished", "10:20", namespace=PROJECT),
    ]
    attempts = [tasks.attempt_of(TaskStateChanged.model_validate(each)) for each in other]
    LedgerTable(raw).record(Place(CLUSTER, PROJECT), [a for a in attempts if a], [], at("10:30"))


def test_quota_own_borrowed_and_idle_of_every_day(cloud: Deployed) -> None:
    shown = cloud.run("usage", "show", *DAYS, "--json").json()
    assert (shown["from"], shown["to"]) == ("2026-10-01", "2026-10-03")
    assert shown["usage"][:2] == [
        {
            "cluster": CLUSTER,
            "namespace": NAMESPACE,
            "team": "vision",
            "project": None,
            "instance_type": P5,
            "day": "2026-10-02",
            "quota": "192",
            "held": "16",
            "own": "12",
            "borrowed": "4",
            "idle": "180",
            "as_of": "2026-10-03T00:10:00Z",
        },
        {
            "cluster": CLUSTER,
            "namespace": NAMESPACE,
            "team": "vision",
            "project": None,
            "instance_type": P5,
            "day": "2026-10-03",
            # today's quota counts up to now, six in the morning
            "quota": "48",
            "held": "0",
            "own": "0",
            "borrowed": "0",
            "idle": "48",
            "as_of": None,
        },
    ]
    (other,) = shown["usage"][2:]
    assert (other["namespace"], other["project"]) == (PROJECT, "detection")
    assert (other["quota"], other["own"], other["idle"]) == ("0", "0.6666666667", "0")


def test_days_together(cloud: Deployed) -> None:
    shown = cloud.run("usage", "show", *DAYS, "--namespace", NAMESPACE, "--sum", "--json").json()
    (row,) = shown["usage"]
    assert (row["day"], row["quota"], row["held"], row["idle"]) == (None, "240", "16", "228")
    assert row["as_of"] == "2026-10-03T00:10:00Z"


def test_the_month_so_far_is_shown_unless_days_are_named(cloud: Deployed) -> None:
    shown = cloud.run("usage", "show", "--json").json()
    assert (shown["from"], shown["to"]) == ("2026-10-01", "2026-10-03")


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        (["--cluster", "prod"], 3),
        (["--cluster", CLUSTER], 3),
        (["--team", "vision"], 3),
        (["--team", "language"], 0),
        (["--namespace", PROJECT], 1),
        (["--to", "2026-10-01"], 0),
    ],
)
def test_filters_leave_rows_out(cloud: Deployed, options: list[str], rows: int) -> None:
    assert len(cloud.run("usage", "show", *options, "--json").json()["usage"]) == rows


def test_people_get_a_table(cloud: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output.console, "width", 200)
    out = cloud.run("usage", "show", *DAYS).out
    assert "Quota against use in device-hours, 2026-10-01 to 2026-10-03 (UTC)" in out
    assert all(text in out for text in ("192.00", "180.00", NAMESPACE, "0.67"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--cluster", "moon"], "There is no registered cluster moon. There are: prod"),
        (["--from", "10/01/2026"], "10/01/2026 is no day"),
        (["--from", "2026-10-03", "--to", "2026-10-01"], "exchange them"),
    ],
)
def test_bad_input_is_named_and_ends_with_two(
    cloud: Deployed, options: list[str], sentence: str
) -> None:
    result = cloud.run("usage", "show", *options)
    assert result.code == 2
    assert sentence in result.error


def test_a_day_has_the_quota_of_all_its_hours(cloud: Deployed) -> None:
    raw = stack.table("UsageTable")
    later = QuotaVersion(
        effective_from=at("2026-10-02T00:00:00") + timedelta(hours=18),
        version=2,
        resources={P5: Decimal(16)},
        strategy="Lend",
    )
    UsageTable(raw).record_quota(CLUSTER, NAMESPACE, later)
    shown = cloud.run("usage", "show", *DAYS, "--namespace", NAMESPACE, "--json").json()
    assert [row["quota"] for row in shown["usage"]] == ["240", "96"]
