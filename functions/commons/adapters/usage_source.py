"""Where the device-hours of a cluster come from; which source it is stands in its document."""

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Protocol

from commons.domain.usage_found import UsageFound

# devices of a cluster by instance type, asked for where a source may say something twice
Capacity = Callable[[str], Mapping[str, Decimal]]


class UsageSource(Protocol):
    def read(self, cluster: str, first: date, last: date) -> UsageFound:
        """Of the cluster with this ARN over the UTC days `first` to `last`, both included.

        Raises RefusedInput if what the source holds is not what it must be.
        """
        ...
