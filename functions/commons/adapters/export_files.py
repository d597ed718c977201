"""Exports of a run as files: every one from the same lines."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from commons.adapters.cost_expressions import literal
from commons.adapters.cost_files import database
from commons.domain import invoices, journal
from commons.domain.chargeback_export import HEADER, row
from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.chargeback_run import Outcome, RunRef
from commons.domain.export_names import (
    CSV,
    FOCUS,
    FOCUS_CSV,
    INVOICES,
    INVOICES_JSON,
    JOURNAL,
    PARQUET,
)
from commons.domain.focus import rows as focus_rows
from commons.domain.focus_columns import COLUMNS, NAMES
from commons.domain.spreadsheet import safe
from commons.domain.statements import Statement, statements


def write_csv(lines: Iterable[ChargebackLine], folder: Path) -> Path:
    """For spreadsheets: UTF-8, one header."""
    return _csv(folder / CSV, HEADER, (row(line) for line in lines))


def write_parquet(lines: Sequence[Path], folder: Path) -> Path:
    """The Parquet files of a run's lines as one, in a fixed order."""
    files = ", ".join(literal(str(path)) for path in lines)
    with database(folder) as db:
        query = f"SELECT * FROM read_parquet([{files}]) ORDER BY ALL"  # noqa: S608 - paths of ours
        db.execute(f"COPY ({query}) TO {literal(str(folder / PARQUET))} (FORMAT parquet)")
    return folder / PARQUET


def write_focus(run: RunRef, lines: Iterable[ChargebackLine], folder: Path) -> list[Path]:
    """FOCUS 1.2, typed as Parquet and for people as CSV."""
    raw = folder / "focus.csv"
    rows = list(focus_rows(run, lines))
    _csv(raw, NAMES, ([_nullable(each.get(name)) for name in NAMES] for each in rows))
    _csv(folder / FOCUS_CSV, NAMES, (_shown(each) for each in rows))
    types = ", ".join(f"{literal(c.name)}: {literal(c.type.value)}" for c in COLUMNS)
    options = "auto_detect = false, header = true, quote = '\"', escape = '\"', nullstr = '\\N'"
    source = f"read_csv({literal(str(raw))}, columns = {{{types}}}, delim = ',', {options})"
    with database(folder) as db:
        query = f"SELECT * FROM {source} ORDER BY x_LineId"  # noqa: S608 - a path of ours
        db.execute(f"COPY ({query}) TO {literal(str(folder / FOCUS))} (FORMAT parquet)")
    return [folder / FOCUS, folder / FOCUS_CSV]


def write_statements(
    run: RunRef, outcome: Outcome, status: str, lines: Iterable[ChargebackLine], folder: Path
) -> list[Path]:
    """Invoices as CSV and JSON, and the journal of the same cents."""
    found = statements(run, lines)
    paths = [_invoices(run, outcome, status, found, folder), folder / INVOICES_JSON]
    document = invoices.document(run, outcome, status, found)
    paths[1].write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")
    posted = journal.rows(run, outcome, journal.postings(found))
    return [*paths, _csv(folder / JOURNAL, journal.HEADER, posted)]


def _invoices(
    run: RunRef, outcome: Outcome, status: str, found: Sequence[Statement], folder: Path
) -> Path:
    rows = invoices.rows(run, outcome, status, found)
    return _csv(folder / INVOICES, invoices.HEADER, rows)


def _shown(row: Mapping[str, str | None]) -> Iterator[str]:
    """Null is empty; text that came from outside cannot become a formula."""
    for column in COLUMNS:
        value = row.get(column.name)
        yield safe(value) if column.type == "VARCHAR" else value or ""


def _nullable(value: str | None) -> str:
    return "\\N" if value is None else value


def _csv(path: Path, header: Sequence[str], rows: Iterable[Iterable[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as target:
        writer = csv.writer(target)
        writer.writerow(header)
        writer.writerows(rows)
    return path
