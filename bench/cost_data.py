"""Large generated CUR 2.0 files: 125 columns, several row groups, maps for tags, net costs."""

import os
import sys
from pathlib import Path

import duckdb

from bench.ratio import say
from local.cost_rows import COLUMNS

ROWS = 5_000_000
FILES = 5
# the same files under other names: what is read counts, not what it says
TIMES = 4
CSV_ROWS = 2_000_000
PERIOD = "2026-10"
WIDTH = 125
_GROUP = 250_000

# what the summary reads, as a bill of many products has it: one line in twenty is a GPU node
_VALUES = {
    "bill_payer_account_id": "'012345678901'",
    "line_item_currency_code": "'USD'",
    "line_item_line_item_type": """CASE WHEN i % 97 = 0 THEN 'SavingsPlanCoveredUsage'
        WHEN i % 101 = 0 THEN 'Tax' WHEN i % 103 = 0 THEN 'EdpDiscount' ELSE 'Usage' END""",
    "line_item_net_unblended_cost": "(i * 7919 % 1000003) / 111111.0",
    "line_item_operation": "'RunInstances'",
    "line_item_product_code": """CASE WHEN i % 20 = 0 THEN 'AmazonSageMaker'
        WHEN i % 20 < 9 THEN 'AmazonEC2' WHEN i % 20 < 15 THEN 'AmazonS3' ELSE 'AWSLambda' END""",
    "line_item_resource_id": """CASE WHEN i % 20 = 0
        THEN 'arn:aws:sagemaker:us-west-2:444455556666:cluster/ab12cd34ef' || (10 + i // 20 % 50)
        ELSE 'i-' || lpad((i * 7919 % 40000)::VARCHAR, 17, '0') END""",
    "line_item_unblended_cost": "(i * 7919 % 1000003) / 99991.0",
    "line_item_usage_account_id": "lpad((i * 31 % 200)::VARCHAR, 12, '4')",
    "line_item_usage_amount": "(i % 24) / 3.0",
    "line_item_usage_end_date": "TIMESTAMP '2026-10-01' + INTERVAL 1 HOUR * (i % 744 + 1)",
    "line_item_usage_start_date": "TIMESTAMP '2026-10-01' + INTERVAL 1 HOUR * (i % 744)",
    "line_item_usage_type": """CASE WHEN i % 20 = 0 THEN 'USW2-Cluster:ml.p5.48xlarge'
        ELSE 'USW2-BoxUsage:m6i.' || (i % 12) || 'xlarge' END""",
    "product_region_code": "'us-west-2'",
    "resource_tags": """CASE WHEN i % 10 = 3 THEN MAP {'aws_eks_namespace': 'ns-' || (i % 300),
        'user_team': 'team-' || (i % 40)} ELSE MAP {'user_team': 'team-' || (i % 40)} END""",
    "savings_plan_net_savings_plan_effective_cost": "CASE WHEN i % 97 = 0 THEN i % 1009 / 1201 END",
    "savings_plan_savings_plan_effective_cost": "CASE WHEN i % 97 = 0 THEN (i % 1009) / 997.0 END",
}


def parquet(folder: Path) -> None:
    """Write the files; takes about a minute."""
    with duckdb.connect(config={"preserve_insertion_order": False}) as db:
        for number in range(FILES):
            say(f"generating file {number + 1} of {FILES} ({ROWS:,} rows in all)")
            path = folder / f"bench-{number + 1:05}.snappy.parquet"
            first, after = ROWS // FILES * number, ROWS // FILES * (number + 1)
            rows = f"SELECT {_columns()} FROM range({first}, {after}) t(i)"  # noqa: S608 - our own
            target = f"'{path}' (FORMAT parquet, ROW_GROUP_SIZE {_GROUP})"
            db.execute(f"COPY ({rows}) TO {target}")


def larger(folder: Path, target: Path) -> None:
    """The files of `folder`, each several times, without a byte more on the disk."""
    target.mkdir()
    for path in folder.glob("bench-*.parquet"):
        for number in range(TIMES):
            os.link(path, target / f"bench-{number}-{path.name}")


def csv(folder: Path) -> None:
    """One file of the same columns, most of them empty as they are in reports of many products."""
    say(f"generating {CSV_ROWS:,} rows of csv.gz")
    with duckdb.connect() as db:
        columns = _columns(filled=4).replace("END AS resource_tags", "END::JSON AS resource_tags")
        rows = f"SELECT {columns} FROM range({CSV_ROWS}) t(i)"  # noqa: S608 - our own
        db.execute(f"COPY ({rows}) TO '{folder}/bench-00001.csv.gz' (FORMAT csv, HEADER)")


def _columns(filled: int = 1) -> str:
    """One in `filled` of the columns that nobody reads has something in it."""
    read = dict.fromkeys(COLUMNS, "") | _VALUES
    known = {name: _VALUES.get(name, f"NULL::{COLUMNS.get(name)}") for name in read}
    others = range(WIDTH - len(known))
    fillers = {f"filler_column_{n:03}": "NULL" if n % filled else _filler(n) for n in others}
    return ", ".join(f"{value} AS {name}" for name, value in (known | fillers).items())


def _filler(number: int) -> str:
    texts = f"'value ' || (i * {number + 3} % 5003)"
    return texts if number % 2 else f"(i * {number + 3} % 100003) / 7.0"


if __name__ == "__main__":
    {"parquet": parquet, "csv": csv}[sys.argv[1]](Path(sys.argv[2]))
