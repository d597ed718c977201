"""One promise: what was measured, what it is measured against, and how far it may go."""

import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    name: str
    measured: float
    against: float
    limit: float
    unit: str

    @property
    def value(self) -> float:
        return self.measured / self.against

    @property
    def kept(self) -> bool:
        return self.value <= self.limit

    def __str__(self) -> str:
        verdict = "ok" if self.kept else "FALLS SHORT"
        figures = f"{self.measured:,.3f} to {self.against:,.3f} {self.unit}"
        return f"{self.value:5.2f} (at most {self.limit:.2f})  {self.name}: {figures}  {verdict}"


def say(sentence: str) -> None:
    """Progress; results alone go to standard output."""
    print(sentence, file=sys.stderr, flush=True)  # noqa: T201 - the progress
