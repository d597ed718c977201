"""SQL over the Parquet files of AWS's usage report."""
# ruff: noqa: S608 - a query is built from the columns that a file has, and only here

from collections.abc import Sequence
from pathlib import Path

from commons.adapters.cost_expressions import Columns, literal, quoted
from commons.domain.usage_report import HOLD
from commons.domain.usage_report_columns import PODS, Amount
from commons.domain.usage_summary import NAMESPACE

# between resources, and between a resource and its amount
BETWEEN, IS = ";", "="
# a state has the name of a team or of a pod; equal amounts are equal texts
TABLES = """
    CREATE TABLE queues (namespace VARCHAR, name VARCHAR, type VARCHAR, moment TIMESTAMP,
        version HUGEINT, used VARCHAR, borrowed VARCHAR);
    CREATE TABLE pods AS FROM queues;
    CREATE TABLE heartbeats (moment TIMESTAMP)"""
# no cluster has more devices, and no namespace more hours of them in a day
_MOST = 1_000_000_000
_LONGEST = 256
_SERIES = {"queues": "namespace, name, type", "pods": "namespace, name"}


def files(paths: Sequence[Path]) -> str:
    """As a table. Their names are ours; folders of the report are not read for columns."""
    return (
        f"read_parquet({listed(paths)}, union_by_name = true, hive_partitioning = false, "
        "filename = true, file_row_number = true)"
    )


def listed(paths: Sequence[Path]) -> str:
    return f"[{', '.join(literal(str(path)) for path in paths)}]"


def shapes(paths: Sequence[Path]) -> str:
    """Path, names of columns and number of rows of each file."""
    return f"""
    SELECT file_name, columns, num_rows
    FROM parquet_file_metadata({listed(paths)}) JOIN (
        SELECT file_name, list(name) AS columns
        FROM parquet_schema({listed(paths)}) GROUP BY file_name) USING (file_name)"""


def states(table: str, source: str, columns: Columns, amounts: Sequence[Amount]) -> str:
    """States as in TABLES, the file and row of each, and what is wrong with it, if anything is.

    A pod holds nothing unless it runs; a record of one of which nothing is known changes nothing.
    """
    pods, status = table == PODS, columns.text("status")
    used = _amounts([each.used for each in amounts], amounts, columns)
    moment = columns.moment("timestamp")
    name, version = columns.text("pod" if pods else "team"), columns.text("resource_version")
    faults = {
        **_faults(columns, name, amounts),
        f"{moment} IS NULL": "its timestamp is none",
        f"NOT regexp_full_match({version}, '[0-9]{{1,30}}')": "its resource_version is no number",
    }
    return f"""
    SELECT {columns.text("namespace")} AS namespace, {name} AS name,
        {columns.text("instance_type")} AS type, {moment} AS moment,
        TRY_CAST({version} AS HUGEINT) AS version,
        {f"CASE WHEN {status} = 'Running' THEN {used} ELSE '' END" if pods else used} AS used,
        {_amounts([each.borrowed for each in amounts], amounts, columns)} AS borrowed,
        {_first(faults)} AS fault, filename, file_row_number
    FROM {source} {f"WHERE {status} <> 'Unknown'" if pods else ""}"""


def heartbeats(source: str, columns: Columns, cluster_name: str) -> str:
    """The last one of each hour. An hour is known or it is not."""
    moment = columns.moment("timestamp")
    return f"""
    SELECT max({moment}) AS moment FROM {source}
    WHERE {columns.text("cluster")} = {literal(cluster_name)} AND {moment} IS NOT NULL
    GROUP BY date_trunc('hour', {moment})"""


def totals(source: str, columns: Columns, amounts: Sequence[Amount]) -> str:
    """Rows of the daily totals, the file and row of each, and what is wrong with it."""
    team, day = columns.text("team"), columns.text("report_date")
    used, allocated, borrowed = (
        _amounts([getattr(each, kind) for each in amounts], amounts, columns)
        for kind in ("used", "allocated", "borrowed")
    )
    faults = {
        **_faults(columns, team, amounts),
        f"TRY_CAST({day} AS DATE) IS NULL": "its report_date is no day",
    }
    return f"""
    SELECT TRY_CAST({day} AS DATE) AS day, {columns.text("namespace")} AS namespace,
        {team} AS name, {columns.text("instance_type")} AS type, {used} AS used,
        {allocated} AS allocated, {borrowed} AS borrowed,
        {_first(faults)} AS fault, filename, file_row_number
    FROM {source}"""


def runs(table: str) -> str:
    """Each stretch in which a queue or a pod said the same again and again: first and last time.

    Of records of one moment the one with the highest version counts.
    """
    series = _SERIES[table]
    return f"""
    WITH latest AS (
        SELECT * FROM {table} QUALIFY row_number() OVER (
            PARTITION BY {series}, moment ORDER BY version DESC, type DESC, used DESC, borrowed DESC
        ) = 1
    ), marked AS (
        SELECT *, coalesce(lag(type || used || '|' || borrowed) OVER following
                <> type || used || '|' || borrowed
            OR moment - lag(moment) OVER following > INTERVAL '{HOLD.days} days', true) AS other
        FROM latest WINDOW following AS (PARTITION BY {series} ORDER BY moment)
    ), numbered AS (
        SELECT *, count(*) FILTER (other) OVER (PARTITION BY {series} ORDER BY moment) AS run
        FROM marked
    )
    SELECT namespace, name, type, min(moment), max(moment), any_value(used), any_value(borrowed)
    FROM numbered GROUP BY namespace, name, type, run"""


def _faults(columns: Columns, name: str, amounts: Sequence[Amount]) -> dict[str, str]:
    """What is wrong by the condition that shows it."""
    namespace, instance_type = columns.text("namespace"), columns.text("instance_type")
    named = [each for a in amounts for each in (a.used, a.borrowed, a.allocated) if each]
    wrong = [
        f"({quoted(each)} IS NOT NULL AND NOT coalesce({columns.money(each)} "
        f"BETWEEN 0 AND {_MOST}, false))"
        for each in named
    ]
    more = [f"{columns.money(a.borrowed)} > {columns.money(a.used)}" for a in amounts if a.borrowed]
    longest = f"greatest(length({name}), length({instance_type}))"
    return {
        f"NOT regexp_full_match({namespace}, {literal(NAMESPACE)})": "its namespace is none",
        f"{longest} > {_LONGEST}": "a name is too long",
        " OR ".join(wrong): "an amount is below zero, too large, or none",
        " OR ".join(more) or "false": "more is borrowed than is used",
    }


def _first(faults: dict[str, str]) -> str:
    cases = " ".join(f"WHEN {shown} THEN {literal(what)}" for shown, what in faults.items())
    return f"CASE {cases} END"


def _amounts(names: Sequence[str], amounts: Sequence[Amount], columns: Columns) -> str:
    """`nvidia.com/gpu=8.0000000000;cpu=…`: of the columns with these names, in the same order."""
    parts = [
        f"{literal(amount.resource + IS)} || CAST(coalesce({columns.money(name)}, 0) AS VARCHAR)"
        for name, amount in zip(names, amounts, strict=True)
        if name
    ]
    return f"concat_ws({literal(BETWEEN)}, {', '.join(parts)})" if parts else "''"
