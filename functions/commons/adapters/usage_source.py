"""Where the device-hours of a cluster come from; which source it is stands in its document."""

from datetime import date
from typing import Protocol

from commons.domain.usage_found import UsageFound


class UsageSource(Protocol):
    def read(self, cluster: str, first: date, last: date) -> UsageFound:
        """Of the cluster with this ARN over the UTC days `first` to `last`, both included.

        Raises RefusedInput if what the source holds is not what it must be.
        """
        ...
