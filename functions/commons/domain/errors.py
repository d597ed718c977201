"""The tree of errors. The names of the leaves are what state machines retry and catch.

CommonsError
├── TryLater           the state machine waits and tries again
│   ├── StillConverging    AWS or the cluster has accepted the change and is not done
│   ├── Throttled          a service asked us to slow down, and the client's own retries are spent
│   ├── StillDraining      tasks of a team that leaves run on, and nothing ends them for it
│   ├── ChangedMeanwhile   somebody else wrote first: read again, plan again
│   └── AskedAgain         not in this run: the team was asked for again, and the next run goes on
└── NeedsAPerson       nothing changes by itself; the sentence says what to do
    ├── RefusedInput       an event, document, manifest or data file is not what it must be
    ├── UnknownTeam        no document of that team was ever accepted
    ├── Blocked            something that another document must provide is missing
    ├── Conflict           the name is taken by something that is not ours
    ├── ProvisioningFailed AWS has tried and given up; the sentence has its reason
    ├── QuotaExceedsCapacity   the quotas together are more than the cluster has
    ├── NotFound           there is nothing of that name
    ├── NotAllowed         the person who asks may not; the sentence says who may
    ├── TooLate            it was decided, or it is no longer waited for
    └── AccessDenied       AWS or the cluster refused one of our own calls

Every error carries one sentence that names the thing and says what to do.
"""


class CommonsError(Exception):
    """Something the product knows how to name."""


class TryLater(CommonsError):
    """The same step, tried again later, can succeed."""


class StillConverging(TryLater):
    """The change was accepted and is not done yet."""


class Throttled(TryLater):
    """A service asked us to slow down."""


class ChangedMeanwhile(TryLater):
    """Somebody else wrote first."""


class StillDraining(TryLater):
    """Tasks of a team that leaves run on."""


class AskedAgain(TryLater):
    """The team was asked for again while this run waited: the next one goes on."""


class NeedsAPerson(CommonsError):
    """Only a person can remove the cause."""


class RefusedInput(NeedsAPerson):
    """The input is refused as a whole; `reasons` has one sentence per fault."""

    def __init__(self, what: str, reasons: list[str]) -> None:
        super().__init__(f"{what} is refused: {'; '.join(reasons)}")
        self.what = what
        self.reasons = reasons


class UnknownTeam(NeedsAPerson):
    """No document of that team was ever accepted."""


class Blocked(NeedsAPerson):
    """Something that another document must provide is missing."""


class Conflict(NeedsAPerson):
    """The name is taken by something that is not ours."""


class ProvisioningFailed(NeedsAPerson):
    """AWS has tried and given up."""


class QuotaExceedsCapacity(NeedsAPerson):
    """The quotas together are more than the cluster has, and its document refuses that."""


class AccessDenied(NeedsAPerson):
    """AWS or the cluster refused one of our own calls."""


class NotFound(NeedsAPerson):
    """There is nothing of that name."""


class NotAllowed(NeedsAPerson):
    """The person who asks may not."""


class TooLate(NeedsAPerson):
    """It was decided already, or nobody waits for it any more."""
