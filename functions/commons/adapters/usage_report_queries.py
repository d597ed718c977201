"""SQL over the Parquet files of AWS's usage report."""
# ruff: noqa: S608 - a query is built from the columns that a file has, and only here

from collections.abc import Sequence
from pathlib import Path

from commons.adapters.cost_expressions import Columns, literal, quoted
from commons.domain.usage_report import HOLD
from commons.domain.usage_report_columns import PODS, Amount
from commons.domain.usage_summary import NAME, NAMESPACE

# between resources, and between a resource and its amount
BETWEEN, IS = ";", "="
# records are many and say the same over and over: numbers stand for things and for states.
# the name of a thing is a team or a pod, and only a queue is a thing per type
TABLES = """
    CREATE SEQUENCE numbers;
    CREATE TABLE things (id BIGINT, namespace VARCHAR, name VARCHAR, kind VARCHAR);
    CREATE TABLE states (id BIGINT, type VARCHAR, used VARCHAR, borrowed VARCHAR);
    CREATE TABLE queues (thing BIGINT, moment TIMESTAMP, version HUGEINT, state BIGINT);
    CREATE TABLE pods AS FROM queues;
    CREATE TABLE heartbeats (moment TIMESTAMP)"""
ARRIVED = "arrived"
# no cluster has more devices, and no namespace more hours of them in a day
_MOST = 1_000_000_000
# Python has no moments of the far ends of what a file can write
_EVER = "BETWEEN '2000-01-01' AND '2200-01-01'"


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
    """Records with things and states in words, the file and row of each, and what is wrong with it.

    A pod holds nothing unless it runs; a record of one of which nothing is known changes nothing.
    """
    pods, status = table == PODS, columns.text("status")
    used = _amounts([each.used for each in amounts], amounts, columns)
    moment = columns.moment("timestamp")
    name, version = columns.text("pod" if pods else "team"), columns.text("resource_version")
    faults = {
        **_faults(columns, name, amounts),
        f"NOT coalesce({moment} {_EVER}, false)": "its timestamp is none",
        f"NOT regexp_full_match({version}, '[0-9]{{1,30}}')": "its resource_version is no number",
    }
    return f"""
    SELECT {columns.text("namespace")} AS namespace, {name} AS name,
        {"''" if pods else columns.text("instance_type")} AS kind,
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
    WHERE {columns.text("cluster")} = {literal(cluster_name)} AND {moment} {_EVER}
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
        f"NOT coalesce(TRY_CAST({day} AS DATE) {_EVER}, false)": "its report_date is no day",
    }
    return f"""
    SELECT TRY_CAST({day} AS DATE) AS day, {columns.text("namespace")} AS namespace,
        {team} AS name, {columns.text("instance_type")} AS type, {used} AS used,
        {allocated} AS allocated, {borrowed} AS borrowed,
        {_first(faults)} AS fault, filename, file_row_number
    FROM {source}"""


def keep(table: str) -> str:
    """Adds what has ARRIVED to a table, in numbers."""
    return f"""
    INSERT INTO things SELECT nextval('numbers'), * FROM (
        SELECT namespace, name, kind FROM {ARRIVED} EXCEPT SELECT namespace, name, kind FROM things
        ORDER BY ALL);
    INSERT INTO states SELECT nextval('numbers'), * FROM (
        SELECT type, used, borrowed FROM {ARRIVED} EXCEPT SELECT type, used, borrowed FROM states
        ORDER BY ALL);
    INSERT INTO {table} SELECT things.id, moment, version, states.id FROM {ARRIVED}
        JOIN things USING (namespace, name, kind) JOIN states USING (type, used, borrowed);
    DROP TABLE {ARRIVED}"""


def runs(table: str) -> str:
    """Each stretch in which a queue or a pod said the same again and again: first and last time.

    Of records of one moment the one with the highest version counts.
    """
    return f"""
    WITH latest AS (
        SELECT thing, moment, state FROM {table} QUALIFY lead(moment) OVER (
            PARTITION BY thing ORDER BY moment, version, state) IS DISTINCT FROM moment
    ), told AS (
        SELECT *, lag(moment) OVER following AS before, lag(state) OVER following AS was,
            max(moment) OVER (PARTITION BY thing) AS newest
        FROM latest WINDOW following AS (PARTITION BY thing ORDER BY moment)
    ), changes AS (
        SELECT thing, moment AS since, state,
            lead(before, 1, newest) OVER (PARTITION BY thing ORDER BY moment) AS seen
        FROM told WHERE before IS NULL OR state <> was
            OR moment - before > INTERVAL '{HOLD.days} days'
    )
    SELECT namespace, name, type, since, seen, used, borrowed FROM changes
    JOIN things ON things.id = thing JOIN states ON states.id = state"""


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
    possible, name_like = literal(f"({NAMESPACE})?"), literal(NAME)
    return {
        f"NOT regexp_full_match({namespace}, {possible})": "its namespace is none",
        f"NOT regexp_full_match({name}, {name_like})": "its team or pod is none",
        f"NOT regexp_full_match({instance_type}, {name_like})": "its instance type is none",
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
