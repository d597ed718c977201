"""Cost reports of the generation before Data Exports: other names, folders and manifests."""

import csv
import gzip
import io
import json
from collections.abc import Sequence
from typing import Any

from commons.domain.cost_columns import COLUMNS
from tests.chargeback.chain import REPORTS, Chain

NAME, ACCOUNT = "org-hourly", "111122223333"
FOLDER = f"cur/{NAME}/20261001-20261101"
# a report has many more columns than anybody reads, empty ones among them
UNREAD = (
    "identity/LineItemId", "identity/TimeInterval", "bill/InvoiceId", "bill/BillType",
    "lineItem/BlendedCost", "lineItem/LineItemDescription", "lineItem/LegalEntity",
    "pricing/OfferingClasspricing/PurchaseOption", "pricing/unit", "product/ProductName",
    "product/availability", "product/region", "product/vcpu", "costCategory/cost_env",
    "costCategory/Charge type", "noTags/user:app", "resourceTags/user:app",
)  # fmt: skip
_OLDER = {column.name: column.older[0] for column in COLUMNS if column.older}


def renamed(row: dict[str, Any]) -> dict[str, Any]:
    """A row of CUR 2.0 under the names of an older report in CSV, a column for each tag."""
    tags = row.get("resource_tags") or {}
    cells = {older: row.get(name) for name, older in _OLDER.items() if name in row}
    return dict.fromkeys(UNREAD) | cells | {f"resourceTags/{k}": v for k, v in tags.items()}


def as_csv(rows: Sequence[dict[str, Any]]) -> bytes:
    names = list(dict.fromkeys(name for row in rows for name in row))
    target = io.StringIO(newline="")
    writer = csv.DictWriter(target, names)
    writer.writeheader()
    writer.writerows(rows)
    return gzip.compress(target.getvalue().encode())


def manifest(keys: Sequence[str], names: Sequence[str], assembly: str, **more: Any) -> bytes:
    columns = [dict(zip(("category", "name"), n.split("/", 1), strict=True)) for n in names]
    document = {
        "assemblyId": assembly,
        "account": ACCOUNT,
        "columns": columns,
        "charset": "UTF-8",
        "compression": "GZIP",
        "contentType": "text/csv",
        "reportId": "4b1c5f",
        "reportName": NAME,
        "billingPeriod": {"start": "20261001T000000.000Z", "end": "20261101T000000.000Z"},
        "bucket": REPORTS,
        "reportKeys": list(keys),
        "additionalArtifactKeys": [],
    }
    return json.dumps(document | more).encode()


def deliver_older(chain: Chain, rows: Sequence[dict[str, Any]], assembly: str) -> list[str]:
    """Write a report in two files, then its manifest twice; the keys of the two manifests."""
    older = [renamed(row) for row in rows]
    keys = [f"{FOLDER}/{assembly}/{NAME}-{number:05}.csv.gz" for number in (1, 2)]
    for number, key in enumerate(keys):
        chain.s3.put_object(Bucket=REPORTS, Key=key, Body=as_csv(older[number::2]))
    body = manifest(keys, list(older[0]), assembly)
    manifests = [f"{FOLDER}/{assembly}/{NAME}-Manifest.json", f"{FOLDER}/{NAME}-Manifest.json"]
    for key in manifests:
        chain.s3.put_object(Bucket=REPORTS, Key=key, Body=body)
    return manifests
