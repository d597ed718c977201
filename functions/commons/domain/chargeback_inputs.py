"""Everything that a run reads beside its cost report, as one value that is kept with the run.

A run is its report and these inputs: the same two give the same lines to the last digit, however
much later they are computed again.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pydantic import BaseModel

from commons.domain.chargeback_history import History, Ownership
from commons.domain.chargeback_rules import ChargebackRules
from commons.domain.cost_scope import Cluster
from commons.domain.usage import QuotaVersion, Value
from commons.domain.usage_found import UsageFound

_ID_LENGTH = 16
_MICROSECOND = timedelta(microseconds=1)
# since when a version holds changes no figure of a period
_NO_FIGURE = {"valid_from"}


class RegisteredCluster(Value):
    arn: str
    eks_cluster: str


class NamespaceInputs(Value):
    """Quota versions that were in force in the period, and owners, each the oldest first."""

    cluster: str
    namespace: str
    quotas: tuple[QuotaVersion, ...] = ()
    owners: tuple[Ownership, ...] = ()


class Inputs(Value):
    """Of one period; every tuple in a fixed order. Numbers are exact, and text in JSON."""

    rules: ChargebackRules
    clusters: tuple[RegisteredCluster, ...] = ()
    usage: tuple[UsageFound, ...] = ()
    namespaces: tuple[NamespaceInputs, ...] = ()

    def digest(self) -> str:
        """The same for inputs that give the same figures for any report, and only for those.

        What is told beside the figures, as the warnings of a source of usage, is no part of it.
        """
        history = self.history()
        parts = [
            self.rules.model_dump(exclude=_NO_FIGURE),
            self.clusters,
            {key: hours for key, hours in history.used.items() if any(hours)},
            history.quotas,
            {key: length // _MICROSECOND for key, length in history.missing.items()},
            history.owners,
        ]
        text = json.dumps(_canonical(parts), separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def run_id(self, report_id: str) -> str:
        """Names the run of that report under these inputs."""
        text = f"{report_id}\0{self.digest()}"
        return hashlib.sha256(text.encode()).hexdigest()[:_ID_LENGTH]

    def history(self) -> History:
        used: dict[tuple[str, str, str, date], tuple[Fraction, Fraction]] = {}
        missing: dict[tuple[str, date], timedelta] = {}
        for found in self.usage:
            used |= {(found.cluster, *key): hours for key, hours in found.by_day().items()}
            missing |= {(found.cluster, day): length for day, length in found.missing().items()}
        return History(
            used=used,
            quotas={(n.cluster, n.namespace): n.quotas for n in self.namespaces if n.quotas},
            missing=missing,
            owners={(n.cluster, n.namespace): n.owners for n in self.namespaces if n.owners},
            warnings=[warning for found in self.usage for warning in found.warnings],
        )

    def scope(self) -> list[Cluster]:
        return [Cluster(each.arn, each.eks_cluster) for each in self.clusters]


def _canonical(value: Any) -> Any:
    """One way of writing for values that are equal: 8 and 8.00, the same moment in two zones."""
    match value:
        case Decimal() | Fraction():
            return str(Fraction(value))
        case datetime():
            return value.astimezone(UTC).isoformat()
        case date():
            return value.isoformat()
        case BaseModel():
            return [_canonical(getattr(value, name)) for name in type(value).model_fields]
        case Mapping():
            return sorted([_canonical(key), _canonical(each)] for key, each in value.items())
        case str():
            return str(value)
        case Iterable():
            return [_canonical(each) for each in value]
    return value
