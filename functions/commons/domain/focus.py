"""Chargeback lines as FOCUS 1.2: the platform is the provider, its teams are the customers.

What AWS billed is handed out, not priced: the four costs of a row are one amount, and there are no
unit prices. A part of a pool says its ratio, and the ratios of a pool are one together.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from commons.domain.cents import PLATFORM_TEAM
from commons.domain.chargeback_lines import ChargebackLine, of_pools
from commons.domain.chargeback_run import RunRef
from commons.domain.money import plain, total
from commons.domain.shares import settle
from commons.domain.statements import number_of
from commons.domain.usage import day_bounds, month

PROVIDER, PUBLISHER = "GPU Commons", "Amazon Web Services"
UNIT = "Device-Hours"
_CATEGORIES = {"tax": "Tax", "credit": "Credit", "lend_credit": "Credit", "discount": "Credit"}
_CATEGORIES |= {"refund": "Adjustment", "variance": "Adjustment"}
_ONE_TIME = ("tax", "credit", "discount", "refund", "support")
# where a pool's id names them: kind|payer|account|region|...
_PAYER, _ACCOUNT, _REGION = 1, 2, 3
_TAG = "gpu-commons/"

Cell = str | None


def rows(run: RunRef, lines: Iterable[ChargebackLine]) -> Iterator[dict[str, Cell]]:
    """A row per line, by column; a column that a row lacks is null."""
    for parts in of_pools(lines).values():
        ratios = _ratios(parts)
        for line in parts:
            yield _row(run, line) | {"x_AllocatedRatio": ratios.get(line.line_id)}


def _ratios(parts: list[ChargebackLine]) -> Mapping[str, str]:
    """Parts of one; none for corrections, and for a pool that cost nothing."""
    own = {line.line_id: Fraction(line.amount) for line in parts if line.corrects is None}
    whole = sum(own.values(), Fraction(0))
    if not whole:
        return {}
    settled = settle({key: amount / whole for key, amount in own.items()}, Decimal(1))
    return {key: plain(ratio) for key, ratio in settled.items()}


def _row(run: RunRef, line: ChargebackLine) -> dict[str, Cell]:
    return {
        **_money(line),
        **_times(line),
        **_kind(line),
        **_quantity(line),
        **_place(line),
        **_tags(line),
        "InvoiceId": number_of(run, line.team or PLATFORM_TEAM),
        "x_AllocatedMethod": line.method,
        "x_Component": line.component,
        "x_Corrects": line.corrects,
        "x_Estimated": "true" if line.estimated else "false",
        "x_InstanceType": line.instance_type,
        "x_LineId": line.line_id,
        "x_Pool": line.pool,
        "x_ReportRows": str(line.rows),
        "x_RuleVersion": line.rule_version,
        "x_RunId": line.run_id,
        "x_SourceManifest": line.manifest,
    }


def _money(line: ChargebackLine) -> dict[str, Cell]:
    costs = ("BilledCost", "ContractedCost", "EffectiveCost", "ListCost")
    return {**dict.fromkeys(costs, plain(line.amount)), "BillingCurrency": line.currency}


def _times(line: ChargebackLine) -> dict[str, Cell]:
    """A correction is billed in the open period, for the day that it corrects."""
    first, last = month(line.period)
    start, end = day_bounds(line.day)
    return {
        "BillingPeriodStart": _time(day_bounds(first)[0]),
        "BillingPeriodEnd": _time(day_bounds(last + timedelta(days=1))[0]),
        "ChargePeriodStart": _time(start),
        "ChargePeriodEnd": _time(end),
    }


def _kind(line: ChargebackLine) -> dict[str, Cell]:
    what = line.component.replace("_", " ")
    where = f" of {line.instance_type}" if line.instance_type else ""
    return {
        "ChargeCategory": _category(line),
        "ChargeClass": "Correction" if line.corrects else None,
        "ChargeDescription": f"{what}{where}, {line.namespace}",
        "ChargeFrequency": "One-Time" if line.component in _ONE_TIME else "Usage-Based",
        "ServiceCategory": "AI and Machine Learning",
        "ServiceSubcategory": "AI Platforms",
        "ServiceName": "Shared GPU cluster",
        "InvoiceIssuerName": PROVIDER,
        "ProviderName": PROVIDER,
        "PublisherName": PUBLISHER,
    }


def _category(line: ChargebackLine) -> str:
    return _CATEGORIES.get(line.component, "Usage")


def _quantity(line: ChargebackLine) -> dict[str, Cell]:
    """Device-hours in use, zero too, beside usage; nothing beside anything else."""
    if _category(line) != "Usage":
        return {}
    held = plain(total([line.own, line.borrowed]))
    quantities = dict.fromkeys(("ConsumedQuantity", "PricingQuantity"), held)
    units = dict.fromkeys(("ConsumedUnit", "PricingUnit"), UNIT)
    return {**quantities, **units, "PricingCategory": "Other"}


def _place(line: ChargebackLine) -> dict[str, Cell]:
    """Accounts and Regions go by their ids: the report has no names of them."""
    pool = line.pool.split("|")
    payer, account, region = (pool[n] if n < len(pool) else "" for n in (_PAYER, _ACCOUNT, _REGION))
    found: dict[str, Cell] = {
        **dict.fromkeys(("BillingAccountId", "BillingAccountName"), payer or PROVIDER),
        **dict.fromkeys(("SubAccountId", "SubAccountName"), account or None),
        **dict.fromkeys(("RegionId", "RegionName"), region or None),
    }
    if line.cluster.startswith("arn:"):
        found |= {"ResourceId": line.cluster, "ResourceType": "HyperPod cluster"}
        found["ResourceName"] = line.cluster.rpartition("/")[2]
    return found


def _tags(line: ChargebackLine) -> dict[str, Cell]:
    owner: dict[str, Cell] = {
        "x_Namespace": line.namespace,
        "x_Team": line.team,
        "x_Project": line.project,
        "x_CostCenter": line.cost_center,
    }
    named = {"namespace": line.namespace, "team": line.team, "project": line.project}
    named["cost-center"] = line.cost_center
    tags: dict[str, Any] = {f"{_TAG}{key}": value for key, value in named.items() if value}
    return {**owner, "Tags": json.dumps(tags, sort_keys=True)}


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
