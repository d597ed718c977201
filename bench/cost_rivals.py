"""The same sums of a report as one would type them, in SQL and in pandas: no checks, no limits.

Both know only what the generated files have: no split costs, reservations or fees.
"""
# ruff: noqa: S608 - queries over our own files

from pathlib import Path
from typing import Any

import duckdb

_TYPE = "line_item_line_item_type"
_COSTS = {
    "unblended": "line_item_unblended_cost",
    "amortised": f"""CASE {_TYPE}
        WHEN 'SavingsPlanCoveredUsage' THEN savings_plan_savings_plan_effective_cost
        WHEN 'SavingsPlanNegation' THEN 0 WHEN 'SavingsPlanUpfrontFee' THEN 0
        ELSE line_item_unblended_cost END""",
    "net_unblended": f"""CASE WHEN {_TYPE} IN (
            'EdpDiscount', 'PrivateRateDiscount', 'BundledDiscount') THEN 0
        ELSE line_item_net_unblended_cost END""",
    "net_amortised": f"""CASE WHEN {_TYPE} = 'SavingsPlanCoveredUsage'
            THEN savings_plan_net_savings_plan_effective_cost
        WHEN {_TYPE} IN ('SavingsPlanNegation', 'SavingsPlanUpfrontFee', 'EdpDiscount',
            'PrivateRateDiscount', 'BundledDiscount') THEN 0
        ELSE line_item_net_unblended_cost END""",
}
_KEYS = [
    "bill_payer_account_id", "line_item_usage_account_id", "product_region_code",
    "line_item_product_code", "line_item_usage_type", _TYPE, "line_item_currency_code",
]  # fmt: skip


def bare(folder: Path, files: list[Path]) -> None:
    listed = ", ".join(f"'{path}'" for path in files)
    sums = [f"sum(({cost})::DECIMAL(38,10)) AS {name}" for name, cost in _COSTS.items()]
    query = f"""SELECT {", ".join(_KEYS)}, line_item_usage_start_date::DATE AS day,
        CASE line_item_product_code WHEN 'AmazonSageMaker' THEN line_item_resource_id END
            AS cluster,
        resource_tags['aws_eks_namespace'] AS namespace, {", ".join(sums)},
        sum(line_item_usage_amount::DECIMAL(38,10)) AS hours, count(*) AS rows,
        min(line_item_usage_start_date) AS starts, max(line_item_usage_end_date) AS ends
        FROM read_parquet([{listed}]) GROUP BY ALL"""
    with duckdb.connect(config={"threads": 2}) as db:
        db.execute(f"COPY ({query}) TO '{folder}/bare.parquet' (FORMAT parquet)")


def pandas(folder: Path, files: list[Path]) -> None:
    """Only the columns that count are read; sums are of doubles, which is the faster way."""
    import pandas as pd

    columns = [
        *_KEYS, "line_item_resource_id", "line_item_unblended_cost", "resource_tags",
        "line_item_net_unblended_cost", "line_item_usage_amount", "line_item_usage_start_date",
        "line_item_usage_end_date", "savings_plan_savings_plan_effective_cost",
        "savings_plan_net_savings_plan_effective_cost",
    ]  # fmt: skip
    lines: Any = pd.concat([pd.read_parquet(path, columns=columns) for path in files])
    lines["namespace"] = [dict(tags).get("aws_eks_namespace", "") for tags in lines.resource_tags]
    lines["day"] = lines.line_item_usage_start_date.dt.floor("D")
    hyperpod = lines.line_item_product_code == "AmazonSageMaker"
    lines["cluster"] = lines.line_item_resource_id.where(hyperpod, "")
    _add_costs(lines)
    sums = {name: (name, "sum") for name in _COSTS} | {
        "hours": ("line_item_usage_amount", "sum"),
        "rows": ("line_item_usage_amount", "size"),
        "starts": ("line_item_usage_start_date", "min"),
        "ends": ("line_item_usage_end_date", "max"),
    }
    keys = [*_KEYS, "day", "cluster", "namespace"]
    lines.groupby(keys, dropna=False, observed=True).agg(**sums).to_parquet(
        folder / "pandas.parquet"
    )


def _add_costs(lines: Any) -> None:
    kind = lines[_TYPE]
    covered = kind == "SavingsPlanCoveredUsage"
    nothing = kind.isin(["SavingsPlanNegation", "SavingsPlanUpfrontFee"])
    discount = kind.isin(["EdpDiscount", "PrivateRateDiscount", "BundledDiscount"])
    unblended, net = lines.line_item_unblended_cost, lines.line_item_net_unblended_cost
    plan = lines.savings_plan_savings_plan_effective_cost
    net_plan = lines.savings_plan_net_savings_plan_effective_cost
    lines["unblended"] = unblended
    lines["amortised"] = unblended.mask(covered, plan).mask(nothing, 0)
    lines["net_unblended"] = net.mask(discount, 0)
    lines["net_amortised"] = net.mask(covered, net_plan).mask(nothing | discount, 0)
