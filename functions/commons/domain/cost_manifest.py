"""Manifests of both generations of cost reports, read into one shape.

Data Exports (CUR 2.0) name an execution and full addresses; the older reports an assembly, a period
and keys. Fields that we do not read may come and go.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from commons.domain.errors import RefusedInput

# the period in a key: as Data Exports write it, and as the older reports do for CSV and for Parquet
_SPELLINGS = {
    r"(^|/)(billing_period)=(\d{4})-(\d{1,2})(?=/)": "{year}-{month:02}",
    r"(^|/)(year)=(\d{4})/month=(\d{1,2})(?=/)": "{year}/month={month}",
    r"(^|/)()(\d{4})(\d\d)01-\d{6}01(?=/)": "",
}
_MOMENT = "%Y%m%dT%H%M%S.%fZ"


@dataclass(frozen=True, slots=True)
class Contents:
    """What a manifest says. `period` is None where only its key can tell."""

    execution_id: str
    export_arn: str
    columns: list[str]
    uris: list[str]
    period: str | None = None


@dataclass(frozen=True, slots=True)
class KeyPeriod:
    """The period that a key names: `YYYY-MM`, how the key spells it, and the key without it."""

    period: str
    spelling: str
    odd: bool
    canonical_key: str


class _Column(BaseModel):
    name: str
    category: str = ""


class _Manifest(BaseModel):
    """Of Data Exports."""

    model_config = ConfigDict(frozen=True)

    execution_id: str = Field(alias="executionId", min_length=1)
    export_arn: str = Field(alias="exportArn", min_length=1)
    columns: list[_Column] = []
    data_files: list[str] = Field(alias="dataFiles", min_length=1)

    def contents(self) -> Contents:
        names = [column.name for column in self.columns]
        return Contents(self.execution_id, self.export_arn, names, self.data_files)


class _BillingPeriod(BaseModel):
    start: str
    end: str

    @property
    def month(self) -> str:
        """Raises ValueError if it is no whole month."""
        first, after = (datetime.strptime(each, _MOMENT) for each in (self.start, self.end))  # noqa: DTZ007
        following = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
        if first.day != 1 or following != after:
            raise ValueError
        return f"{first:%Y-%m}"


class _OlderManifest(BaseModel):
    """Of the reports that were there before Data Exports."""

    model_config = ConfigDict(frozen=True)

    assembly_id: str = Field(alias="assemblyId", min_length=1)
    account: str = Field(min_length=1)
    report_name: str = Field(alias="reportName", min_length=1)
    bucket: str = Field(min_length=1)
    columns: list[_Column] = []
    billing_period: _BillingPeriod = Field(alias="billingPeriod")
    report_keys: list[str] = Field(alias="reportKeys", min_length=1)
    compression: str = ""

    def contents(self) -> Contents:
        # categories are joined with / in CSV and with _ in Parquet
        names = [f"{c.category}{sign}{c.name}" for c in self.columns for sign in "/_"]
        return Contents(
            execution_id=self.assembly_id,
            export_arn=f"arn:aws:cur:us-east-1:{self.account}:definition/{self.report_name}",
            columns=names,
            uris=[f"s3://{self.bucket}/{key}" for key in self.report_keys],
            period=self.billing_period.month,
        )


class _Kind(BaseModel):
    assembly_id: str | None = Field(alias="assemblyId", default=None)


def read_manifest(name: str, text: bytes) -> Contents:
    """Raises RefusedInput with every fault, each by the field it is in."""
    try:
        older = _Kind.model_validate_json(text).assembly_id is not None
        if not older:
            return _Manifest.model_validate_json(text).contents()
        manifest = _OlderManifest.model_validate_json(text)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, e['loc'])) or 'it'}: {e['msg']}" for e in error.errors()]
        raise RefusedInput(f"manifest {name}", faults) from error
    if manifest.compression.upper() == "ZIP":
        reason = "its files are ZIP archives: choose GZIP or Parquet in the report's definition"
        raise RefusedInput(f"manifest {name}", [reason])
    try:
        return manifest.contents()
    except ValueError as error:
        raise RefusedInput(f"manifest {name}", ["its billingPeriod is no month"]) from error


def period_of(key: str) -> KeyPeriod | None:
    """The first period that a key names, if it is one."""
    for pattern, usual in _SPELLINGS.items():
        found = re.search(pattern, key, re.IGNORECASE)
        if found and 1 <= int(found[4]) <= 12:
            period = f"{found[3]}-{int(found[4]):02}"
            spelling = found[0].removeprefix("/")
            as_usual = f"{found[2]}={usual.format(year=found[3], month=int(found[4]))}"
            canonical = f"{key[: found.start()]}/{period}{key[found.end() :]}"
            return KeyPeriod(period, spelling, bool(usual) and spelling != as_usual, canonical)
    return None


def spelt_oddly(name: str, found: KeyPeriod) -> Iterable[str]:
    """A warning, if the period is not spelt as AWS does."""
    if found.odd:
        yield f"{name} spells the period {found.period} as {found.spelling}"
