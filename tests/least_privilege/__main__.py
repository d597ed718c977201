"""`make least-privilege`: see docs/security.md.

Runs the stories once and writes down what each role was allowed; runs the plays with all
permissions and then without each of them. Ends with 1 if something is granted that nothing uses,
or lost without anybody noticing, and reasons.yaml does not say why.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from local import settings, supervisor
from tests.least_privilege import (  # noqa: F401 - plays register themselves
    grants,
    plays_access,
    plays_chargeback,
    plays_directory,
    plays_teams,
    plays_usage,
    proof,
    reasons,
    record,
    report,
)
from tests.least_privilege.play import PLAYS, Play
from tests.least_privilege.record import Judged
from tests.least_privilege.world import World

_STORIES = "the stories, recorded (about 6 minutes)"
_RANDOM = re.compile(f"{settings.STACK}-[A-Za-z]+-[0-9A-Fa-f]{{10,}}")
_START = "a local cloud with one team (about 1 minute)"


def main() -> int:
    chosen = _arguments()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="least-privilege-") as name:
        folder = Path(name)
        told, ended = (set(), 0) if chosen.role or chosen.no_stories else _stories(folder)
        home = folder / "local"
        home.mkdir()
        try:
            faults = ended + _prove(World.start(_say(_START, home)), chosen.role, told)
        finally:
            supervisor.down(home)
    _say(f"{(time.monotonic() - begun) / 60:.0f} minutes; without a reason: {faults}")
    return 1 if faults else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make least-privilege", description=__doc__)
    parser.add_argument("--role", help="only this function or role, by logical id")
    parser.add_argument("--no-stories", action="store_true", help="only what the plays use")
    return parser.parse_args()


def _stories(folder: Path) -> tuple[set[Judged], int]:
    """What the story suite was judged for, and whether it failed."""
    base = folder / "stories"
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", f"--basetemp={base}"]
    ended = subprocess.run(
        [*command, "tests/stories"],
        cwd=_say(_STORIES, settings.CHECKOUT),
        stdin=subprocess.DEVNULL,
        env={**os.environ, "COMMONS_TEST_KUBERNETES": ""},
        check=False,
    )
    found = [record.judged(file) for file in base.rglob(record.FILE)]
    return set().union(*found), int(ended.returncode != 0)


def _prove(world: World, wanted: str | None, told: set[Judged]) -> int:
    """How many permissions lack a reason."""
    why, iam = reasons.read(), world.client("iam")
    roles = [role for role in world.roles() if _is_wanted(role.logical, wanted)]
    granted = [grant for role in roles for grant in grants.read(iam, role)]
    plays = [each for each in PLAYS if _is_wanted(each.function, wanted)] or PLAYS
    _say(f"{len(plays)} plays with all permissions (about {_minutes(plays)} minutes)")
    seen = told | proof.learn(world, plays, _say)
    idle = report.unused(granted, _named(world, seen))
    _say(f"each of {len(granted)} permissions taken away (about {len(granted) // 15} minutes)")
    losses = list(proof.lose_each(world, granted, _say))
    lines, bare = report.tell_unused(idle, why)
    _print("Granted and not used", lines)
    more, unnoticed = report.tell_losses(losses, why)
    _print(f"Taken away, one at a time: {len(losses)}", more)
    stale = [] if wanted else why.superfluous(idle)
    _print("Reasons for nothing", stale or ["none"])
    return bare + unnoticed + len(stale)


def _named(world: World, judgements: set[Judged]) -> set[Judged]:
    """The stories ran in another cloud: what is there is called alike, but for what is random."""

    def ours(text: str) -> str:
        return _RANDOM.sub(lambda found: world.alike(found[0]), text)

    return {
        each.model_copy(update={"role": ours(each.role), "resource": ours(each.resource)})
        for each in judgements
    }


def _is_wanted(logical: str, wanted: str | None) -> bool:
    return wanted is None or logical.removesuffix("Role") == wanted.removesuffix("Role")


def _minutes(plays: list[Play]) -> int:
    return max(1, len(plays) // 20)


def _say[T](text: str, then: T = None) -> T:
    print(text, flush=True)  # noqa: T201
    return then


def _print(title: str, lines: list[str]) -> None:
    _say("\n".join(["", f"## {title}", *lines]))


if __name__ == "__main__":
    sys.exit(main())
