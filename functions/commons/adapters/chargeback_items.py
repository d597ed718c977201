"""How reports, runs and records are written in the `chargeback` table: numbers with ten places,
names as they are."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from commons.domain.chargeback_records import Component, Record, RecordKey
from commons.domain.chargeback_run import RunRef
from commons.domain.cost_report import Report

# a key part cannot be empty for the eye; no name can contain this character alone
_NONE = "-"


def item_of(ref: RunRef, record: Record) -> dict[str, Any]:
    key = record.key
    place = f"NS#{key.cluster}#{key.namespace}"
    owner = f"{key.team or _NONE}#{key.cost_center or _NONE}"
    if key.day is None:
        keys = {"pk": f"RUN#{ref.run_id}", "sk": f"{place}#{owner}"}
    else:
        pk = day_partition(ref.run_id, key.cluster, key.namespace)
        keys = {"pk": pk, "sk": f"DAY#{key.day.isoformat()}#{owner}"}
    return {
        **keys,
        "run_id": ref.run_id,
        "period": ref.period,
        "cluster": key.cluster,
        "namespace": key.namespace,
        "team": key.team,
        "project": key.project,
        "cost_center": key.cost_center,
        "day": key.day.isoformat() if key.day else None,
        "lines": record.lines,
        "amount": record.amount,
        "components": {name: _stored(part) for name, part in record.components.items()},
    }


def run_item(report: Report, owner: str, now: datetime) -> dict[str, Any]:
    """What an execution works on, without the key: a report, or a run of it."""
    return {
        "period": report.period,
        "report_id": report.report_id,
        "status": "running",
        "execution_id": report.execution_id,
        "export_arn": report.export_arn,
        "manifest": report.delivery.uri,
        "order_kind": report.order.kind,
        "order_value": report.order.value,
        "owner": owner,
        "started_at": now.isoformat(),
        "warnings": report.warnings,
    }


def record_of(item: dict[str, Any]) -> Record:
    day = item.get("day")
    key = RecordKey(
        cluster=item["cluster"],
        namespace=item["namespace"],
        team=item.get("team"),
        project=item.get("project"),
        cost_center=item.get("cost_center"),
        day=date.fromisoformat(day) if day else None,
    )
    parts = {name: _component(part) for name, part in sorted(item["components"].items())}
    return Record(key, parts, int(item["lines"]))


def day_partition(run_id: str, cluster: str, namespace: str) -> str:
    """pk of the day records of a namespace."""
    return f"RUN#{run_id}#NS#{cluster}#{namespace}"


def _stored(part: Component) -> dict[str, Decimal]:
    return {"amount": part.amount, "own": part.own, "borrowed": part.borrowed}


def _component(part: dict[str, Decimal]) -> Component:
    return Component(part["amount"], part["own"], part["borrowed"])
