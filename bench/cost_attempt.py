"""One attempt in a process of its own: prints its seconds and its peak memory in MB."""

import resource
import sys
import time
from pathlib import Path

import duckdb

from bench import cost_data
from commons.adapters.cost_files import summarise


def summary(folder: Path, files: list[Path]) -> None:
    """What the function does, once its files are on disk."""
    summarise([(path.name, path) for path in files], folder / "summary.parquet", cost_data.PERIOD)


def bare(folder: Path, files: list[Path]) -> None:
    """What one would type: the same sums by the same keys, without checks or limits."""
    listed = ", ".join(f"'{path}'" for path in files)
    query = f"""SELECT bill_payer_account_id, line_item_usage_account_id, product_region_code,
        line_item_product_code, line_item_usage_type, line_item_line_item_type,
        line_item_usage_start_date::DATE AS day, line_item_currency_code,
        CASE line_item_product_code WHEN 'AmazonSageMaker' THEN line_item_resource_id END
            AS cluster,
        resource_tags['aws_eks_namespace'] AS namespace,
        sum(CASE line_item_line_item_type
            WHEN 'SavingsPlanCoveredUsage' THEN savings_plan_savings_plan_effective_cost
            ELSE line_item_unblended_cost END::DECIMAL(38,10)) AS amount,
        sum(line_item_usage_amount::DECIMAL(38,10)) AS hours,
        min(line_item_usage_start_date) AS starts, max(line_item_usage_end_date) AS ends
        FROM read_parquet([{listed}]) GROUP BY ALL"""  # noqa: S608 - our own files
    with duckdb.connect(config={"threads": 2}) as db:
        db.execute(f"COPY ({query}) TO '{folder}/bare.parquet' (FORMAT parquet)")


def main() -> None:
    which, folder = sys.argv[1], Path(sys.argv[2])
    files = sorted(folder.glob("bench-*.parquet"))
    start = time.perf_counter()
    {"summary": summary, "bare": bare}[which](folder, files)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(seconds, peak)  # noqa: T201 - the output


main()
