"""The current chargeback of a period: JSON for programs, tables for people."""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from cli import output, stack
from cli.errors import BadInput, Failure
from commons.adapters.chargeback_store import ChargebackStore
from commons.adapters.chargeback_table import ChargebackTable
from commons.domain.chargeback_records import Component, Record
from commons.domain.chargeback_run import RunRef
from commons.domain.export_names import FORMATS
from commons.domain.money import plain, total

_PERIOD = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


def table() -> ChargebackTable:
    return ChargebackTable(stack.table("ChargebackTable"))


def store() -> ChargebackStore:
    return ChargebackStore(stack.client("s3"), stack.output("ChargebackBucket"))


def known_run(period: str) -> dict[str, Any]:
    """The current run. Raises BadInput for what is no period, Failure if it has none."""
    if not _PERIOD.fullmatch(period):
        raise BadInput(f"{period} is no period; give it as YYYY-MM, for instance 2026-10")
    chargeback = table()
    pointer = chargeback.current(period)
    if pointer is None:
        there = sorted({str(run["period"]) for run in chargeback.runs()})
        others = f"There are: {', '.join(there)}" if there else "No cost report has come yet"
        raise Failure(f"There is no chargeback for {period}. {others}")
    run = chargeback.run(RunRef(period=period, run_id=pointer["run_id"]))
    if run is None:
        raise Failure(f"The current run of {period} is gone; deliver its cost report again")
    return run


def view(run: dict[str, Any], namespace: str | None, team: str | None) -> dict[str, Any]:
    """What `show --json` prints. A filter leaves records out and changes no amount."""
    records = [
        record
        for record in table().records(run["run_id"])
        if namespace in (None, record.key.namespace) and team in (None, record.key.team)
    ]
    by = [_entry(record, name, part) for record in records for name, part in _parts(record)]
    return {
        "period": run["period"],
        "status": run["status"],
        "run_id": run["run_id"],
        "currency": run["currency"],
        "total": plain(total(record.amount for record in records)),
        "source_total": plain(run["source_total"]),
        "lines": sum(record.lines for record in records),
        "by": by,
    }


def show(shown: dict[str, Any], run: dict[str, Any]) -> None:
    """Who pays what, consumption beside it, the sum beside the bill's, and where the files lie."""
    clusters = {each["cluster"] for each in shown["by"]}
    columns = ["namespace", "team", "cost center", "component", "amount", "own h", "borrowed h"]
    rows = [_row(each) for each in shown["by"]]
    if len(clusters) > 1:
        columns = ["cluster", *columns]
        rows = [[_short(e["cluster"]), *row] for e, row in zip(shown["by"], rows, strict=True)]
    title = f"Chargeback {shown['period']} ({shown['status']}, run {shown['run_id']})"
    output.print_table(title, columns, rows, right=columns[-3:])
    say, currency = output.console.print, shown["currency"]
    say(f"Sum of the above  {_money(shown['total'])} {currency}", highlight=False)
    say(f"The bill          {_money(shown['source_total'])} {currency}", highlight=False)
    outside, report = _money(run["outside_total"]), _money(run["report_total"])
    say(f"Outside our scope {outside} {currency}, whole report {report}", highlight=False)
    for warning in run.get("warnings", []):
        say(f"Look at: {warning}", style="yellow", highlight=False)
    ref = RunRef(period=run["period"], run_id=run["run_id"])
    for name in FORMATS.values():
        say(f"Export            {store().export_uri(ref, name)}", soft_wrap=True, highlight=False)


def run_entry(run: dict[str, Any], current: Iterable[str]) -> dict[str, Any]:
    """What `runs --json` prints for each run."""
    amount = run.get("total")
    return {
        "period": run["period"],
        "run_id": run["run_id"],
        "status": run["status"],
        "current": run["run_id"] in current,
        "total": None if amount is None else plain(amount),
        "started_at": run["started_at"],
        "reasons": run.get("reasons", []),
        "warnings": run.get("warnings", []),
    }


def _parts(record: Record) -> list[tuple[str, Component]]:
    return sorted(record.components.items())


def _entry(record: Record, component: str, part: Component) -> dict[str, Any]:
    key = record.key
    return {
        "cluster": key.cluster,
        "namespace": key.namespace,
        "team": key.team,
        "project": key.project,
        "cost_center": key.cost_center,
        "component": component,
        "amount": plain(part.amount),
        "device_hours": {
            "held": plain(part.held),
            "own": plain(part.own),
            "borrowed": plain(part.borrowed),
        },
    }


def _row(entry: dict[str, Any]) -> list[str | None]:
    owner = "/".join(filter(None, (entry["team"], entry["project"])))
    hours = entry["device_hours"]
    return [
        entry["namespace"],
        owner,
        entry["cost_center"],
        entry["component"],
        _money(entry["amount"]),
        _hours(hours["own"]),
        _hours(hours["borrowed"]),
    ]


def _short(cluster: str) -> str:
    """The id at the end of an ARN; what names no cluster is told by its account."""
    return cluster.rpartition("/")[2] if cluster.startswith("arn:") else cluster


def _money(amount: Decimal | str) -> str:
    """Two places for the eye; the exact figure is in the JSON and in the exports."""
    return f"{Decimal(amount):,.2f}"


def _hours(amount: str) -> str:
    return f"{Decimal(amount):,.2f}" if Decimal(amount) else ""
