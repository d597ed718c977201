"""Columns of the Parquet files of AWS's usage report, and which resource each of them counts."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from commons.domain.instance_types import CPU, MIG_PREFIX, NEURON_CORE, NVIDIA

QUEUES, PODS, HEARTBEATS = "raw/clusterqueue", "raw/pod", "raw/heartdub"
SUMMARY = "reports/summary"
_RESOURCES = {"gpu": NVIDIA, "cpu": CPU, "vcpu": CPU, "neuron_core": NEURON_CORE}
# as DuckDB names the types of numbers
_NUMBERS = ("DOUBLE", "FLOAT", "DECIMAL", "BIGINT", "INTEGER", "HUGEINT", "SMALLINT", "TINYINT")
_NAME = re.compile(r"[a-z0-9._-]{1,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Table:
    """`used`, `borrowed` and `allocated` are how columns are named that count a resource."""

    texts: tuple[str, ...]
    resources: tuple[str, ...] = ()
    used: str = ""
    borrowed: str = ""
    allocated: str = ""

    def amounts(self, name: str) -> tuple[str, ...]:
        return tuple(form.format(name) for form in (self.used, self.borrowed, self.allocated))


_STATE = ("instance_type", "timestamp", "namespace", "resource_version")
_TABLES = {
    QUEUES: _Table(
        texts=(*_STATE, "team"),
        resources=("gpu", "cpu", "neuron_core"),
        used="{}_total",
        borrowed="{}_borrowed",
    ),
    PODS: _Table(
        texts=(*_STATE, "pod", "status"), resources=("gpu", "cpu", "neuron_core"), used="{}"
    ),
    HEARTBEATS: _Table(texts=("timestamp", "cluster")),
    SUMMARY: _Table(
        texts=("report_date", "namespace", "team", "instance_type"),
        resources=("gpu", "vcpu", "neuron_core"),
        used="total_{}_utilization_hours",
        borrowed="borrowed_{}_utilization_hours",
        allocated="allocated_{}_utilization_hours",
    ),
}


@dataclass(frozen=True, slots=True)
class Amount:
    """Columns that count one resource, by the name that Kubernetes has for it; empty: no column."""

    resource: str
    used: str
    borrowed: str
    allocated: str


def missing_columns(table: str, names: Collection[str]) -> list[str]:
    """A sentence for each column that a file of the table must have and has not."""
    there = {name.lower() for name in names}
    form = _TABLES[table]
    counted = [each for name in form.resources for each in form.amounts(name) if each]
    needed = [*form.texts, *counted]
    return [f"column {name} is missing" for name in needed if name not in there]


def amounts(table: str, schema: Mapping[str, str]) -> list[Amount]:
    """What the table counts, from its columns and their types as DuckDB names them.

    Further columns of numbers count too: a resource that AWS adds is then told and not lost.
    """
    columns = {name.lower(): kind for name, kind in schema.items()}
    form = _TABLES[table]
    before, _, after = form.used.partition("{}")
    more = {
        name.removeprefix(before).removesuffix(after)
        for name, kind in columns.items()
        if name.startswith(before) and name.endswith(after) and kind.startswith(_NUMBERS)
    }
    return [
        Amount(_resource(name), *(each if each in columns else "" for each in form.amounts(name)))
        for name in dict.fromkeys([*form.resources, *sorted(more - set(form.texts))])
        if _NAME.fullmatch(name)
    ]


def _resource(name: str) -> str:
    """`mig-1g.5gb` and `mig_1g_5gb` are slices of a GPU; what is unknown keeps its name."""
    if name.startswith(("mig-", "mig_")):
        return MIG_PREFIX + name[len("mig-") :].replace("_", ".")
    return _RESOURCES.get(name, name)
