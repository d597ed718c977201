"""Runs the plays with all permissions, and then without each of them."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.least_privilege import grants
from tests.least_privilege.grants import Grant, Role
from tests.least_privilege.play import PLAYS, Play
from tests.least_privilege.record import Judged
from tests.least_privilege.world import Failed, World

Say = Callable[[str], None]


@dataclass(frozen=True)
class Loss:
    """What happened without one permission. `noticed`: what was said, None if nothing was."""

    grant: Grant
    play: str
    noticed: str | None
    seconds: float


def learn(world: World, plays: Iterable[Play], say: Say) -> set[Judged]:
    """Run each play with all permissions: it must work, and shows what it uses."""
    seen: set[Judged] = set()
    world.record.fresh()
    for play in plays:
        begun = time.monotonic()
        event = play.prepare(world)
        if play.cold:
            world.forget_workers(play.function)
        world.record.fresh()
        world.ask(play.function, event)
        play.used = world.record.fresh()
        seen |= play.used
        say(f"  {play.title} ({time.monotonic() - begun:.1f} s)")
    return seen


def lose_each(world: World, wanted: list[Grant], say: Say) -> Iterator[Loss]:
    """Take each away in turn, and run the first play that used it."""
    for grant in wanted:
        play = _user_of(grant)
        if play:
            loss = _lose(world, grant, play)
            say(f"  {grant.role.logical} {grant.action}: {loss.noticed or 'NOT NOTICED'}"[:150])
            yield loss


def _user_of(grant: Grant) -> Play | None:
    using = [p for p in PLAYS if any(grant.covers(each) for each in p.used)]
    # what else was seen may have been under way from the play before: only what is of the play's
    # own function counts, and the cluster role that its function took in a new worker
    own = [p for p in using if f"{p.function}Role" == grant.role.logical or _takes(p, grant.role)]
    return next(iter(own), None)


def _takes(play: Play, role: Role) -> bool:
    return play.cold and any(
        each.action == "sts:AssumeRole"
        and each.resource.endswith(f"/{role.name}")
        and f"-{play.function}Role-" in each.role
        for each in play.used
    )


def _lose(world: World, grant: Grant, play: Play) -> Loss:
    begun = time.monotonic()
    event = play.prepare(world)
    if play.cold:
        world.forget_workers(play.function)
    world.record.fresh()
    with grants.without(world.client("iam"), grant):
        said = _failure(world, play, event)
    denied = any(
        (each.role, each.action, each.allowed) == (grant.role.name, grant.action, False)
        for each in world.record.fresh()
    )
    noticed = said if denied else None
    return Loss(grant, play.title, noticed, time.monotonic() - begun)


def _failure(world: World, play: Play, event: dict[str, Any]) -> str | None:
    told = world.log_of(play.function)
    before = len(told())
    try:
        world.ask(play.function, event)
    except Failed as failed:
        return str(failed)
    # a sweep leaves out what it cannot read, so that all else is compared, and warns
    lines = [line for line in told()[before:] if "not authorized to perform" in line]
    return f"only its log tells: {_message(lines[0])}" if lines else None


def _message(line: str) -> str:
    read = json.loads(line)
    return f"{read['level']} {read['message']}: {read.get('reason', '')}"
