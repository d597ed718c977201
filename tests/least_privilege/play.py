"""The plays: what makes a function use each of its permissions.

A play prepares as the account's root and answers the event to give to the function. What it makes
the function use is not written here: it is seen when the play is run with all permissions.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.least_privilege.record import Judged
from tests.least_privilege.world import World

Prepare = Callable[[World], dict[str, Any]]


@dataclass
class Play:
    """One event for one function. `cold`: with workers that remember no session."""

    function: str
    prepare: Prepare
    cold: bool
    used: set[Judged] = field(default_factory=set)

    @property
    def title(self) -> str:
        return f"{self.function.removesuffix('Function')}: {_words(self.prepare.__name__)}"

    def run(self, world: World) -> Any:
        """Raises world.Failed if the function does not do what it should."""
        event = self.prepare(world)
        if self.cold:
            world.forget_workers(self.function)
        return world.ask(self.function, event)


PLAYS: list[Play] = []


def play(function: str, cold: bool = False) -> Callable[[Prepare], Prepare]:
    """Add a play of a function, by its logical id."""

    def add(prepare: Prepare) -> Prepare:
        PLAYS.append(Play(function, prepare, cold))
        return prepare

    return add


def _words(name: str) -> str:
    return name.replace("_", " ")
