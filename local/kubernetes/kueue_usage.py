"""What the Workloads of a queue use, by flavor and resource.

Kueue counts a Workload while its QuotaReserved condition is true and it is not finished; an
eviction counts from the moment the reservation is given back.
"""

from collections.abc import Iterable
from decimal import Decimal

from local.kubernetes import quantities
from local.kubernetes.objects import Document

type Usage = dict[tuple[str, str], Decimal]
"""Used amounts by flavor and resource."""


def is_true(workload: Document, condition: str) -> bool:
    """Whether the Workload's condition of that type is true."""
    conditions = workload.get("status", {}).get("conditions") or []
    return any(each["type"] == condition and each["status"] == "True" for each in conditions)


def _finished(workload: Document) -> bool:
    return is_true(workload, "Finished")


def reserves(workload: Document) -> bool:
    """Whether the Workload holds quota now."""
    return (
        is_true(workload, "QuotaReserved")
        and bool(workload["status"].get("admission"))
        and not _finished(workload)
    )


def used(workloads: Iterable[Document]) -> Usage:
    """What Workloads that hold quota use together."""
    total: Usage = {}
    for workload in workloads:
        for assignment in workload["status"]["admission"]["podSetAssignments"]:
            amounts = assignment.get("resourceUsage") or {}
            for resource, flavor in (assignment.get("flavors") or {}).items():
                amount = quantities.parse(amounts.get(resource, "0"))
                total[flavor, resource] = total.get((flavor, resource), Decimal(0)) + amount
    return total


def flavors(spec: Document) -> Iterable[tuple[str, list[tuple[str, Decimal]]]]:
    """Each flavor of a ClusterQueue with its resources and their nominal quotas."""
    for group in spec.get("resourceGroups") or []:
        for flavor in group["flavors"]:
            quotas = [
                (resource["name"], quantities.parse(resource["nominalQuota"]))
                for resource in flavor["resources"]
            ]
            yield flavor["name"], quotas


def table(spec: Document, usage: Usage, borrowing: bool | None) -> list[Document]:
    """Usage by flavor; with `borrowed` unless `borrowing` is None (a LocalQueue's table)."""
    rows = []
    for flavor, quotas in flavors(spec):
        resources = []
        for resource, nominal in quotas:
            total = usage.get((flavor, resource), Decimal(0))
            entry = {"name": resource, "total": quantities.write(total, resource)}
            if borrowing is not None:
                borrowed = max(Decimal(0), total - nominal) if borrowing else Decimal(0)
                entry["borrowed"] = quantities.write(borrowed, resource)
            resources.append(entry)
        rows.append({"name": flavor, "resources": resources})
    return rows


def is_pending(workload: Document) -> bool:
    """Whether the Workload waits for quota."""
    active: bool = workload.get("spec", {}).get("active", True)
    return active and not reserves(workload) and not _finished(workload)
