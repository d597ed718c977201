"""Manifests and data files are written by whoever may write to the report bucket."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from commons import bootstrap
from commons.adapters.cost_files import read_partials, summarise
from commons.domain.cost_basis import Basis
from commons.domain.cost_plan import DataFile
from commons.domain.cost_report import Delivery
from commons.domain.errors import RefusedInput
from local.cost_report import write_parquet
from local.cost_rows import row
from tests.chargeback.chain import PERIOD, REPORTS, Chain

DAY = date(2026, 10, 2)
# a database takes some of these for a pattern, a quote or another folder
NAMES = (
    "a[b]*?.snappy.parquet",
    'it\'s "quoted"; DROP TABLE x --.parquet',
    "..parquet",
    "%2e%2e%2fescape.parquet",
    "ünï\u202ecode\u0000.parquet",
    "no-ending",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_read_whatever_it_is_called(chain: Chain, tmp_path: Path, name: str) -> None:
    source = tmp_path / "source.parquet"
    write_parquet([row(DAY, 0, line_item_unblended_cost=1.5)], source)
    folder = tmp_path / "work"
    folder.mkdir()
    key = f"cur2/data/BILLING_PERIOD=2026-10/{name}"
    etag = chain.s3.put_object(Bucket=REPORTS, Key=key, Body=source.read_bytes())["ETag"]
    file = DataFile(key=key, etag=etag, size=source.stat().st_size)
    [path] = bootstrap.cost_reports().download(REPORTS, [file], folder)
    assert path.parent == folder
    summarise([(key, path)], folder / "partial.parquet", PERIOD)
    sums = read_partials([folder / "partial.parquet"], folder)
    assert sums.total(Basis.AMORTISED) == Decimal("1.5")


def test_a_manifest_of_any_size_is_not_read_whole(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commons.adapters.cost_reports._LARGEST_MANIFEST", 1000)
    chain.s3.put_object(Bucket=REPORTS, Key="Manifest.json", Body=b" " * 1001)
    with pytest.raises(RefusedInput, match="more than 1000 bytes"):
        bootstrap.cost_reports().manifest(Delivery(bucket=REPORTS, key="Manifest.json"))
    chain.s3.put_object(Bucket=REPORTS, Key="Manifest.json", Body=b" " * 1000)
    read = bootstrap.cost_reports().manifest(Delivery(bucket=REPORTS, key="Manifest.json"))
    assert len(read) == 1000
