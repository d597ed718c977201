"""`make loosen`: takes away or loosens every rule on a running cluster, one at a time.

    python -m tests.cluster.isolation.loosen [HOME OF A RUNNING LOCAL CLOUD]

Each must be noticed by a row; exit code 1 otherwise. What was changed is put back.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from typer import echo

from local import deploy, state, supervisor
from local.cluster import Cluster
from tests.clouds import Cloud, Parts, deployed
from tests.cluster.isolation import furniture
from tests.cluster.isolation.callers import Callers
from tests.cluster.isolation.company import move_in
from tests.cluster.isolation.loosen import of_policies, of_roles
from tests.cluster.isolation.loosen.mutation import Mutation, replace
from tests.cluster.isolation.loosen.rows import failing

# the server looks at its policies once a second, and at roles at once
_PATIENCE = 15


def main(home: str = "") -> int:
    with _callers(home) as callers:
        administrator = callers.administrator
        every = list(chain(of_roles.mutations(administrator), of_policies.mutations(administrator)))
        unnoticed = [mutation.name for mutation in every if not _tried(mutation, callers)]
    echo(f"{len(every)} changes, {len(every) - len(unnoticed)} noticed")
    for name in unnoticed:
        echo(f"NOT NOTICED: {name}")
    return 1 if unnoticed else 0


def _tried(mutation: Mutation, callers: Callers) -> bool:
    """Whether a row noticed it; afterwards everything is as before."""
    before = callers.administrator.get(mutation.path)
    replace(callers.administrator, mutation.path, mutation.instead)
    try:
        row = _eventually(mutation, callers, wrong=True)
    finally:
        replace(callers.administrator, mutation.path, before)
    left = _eventually(mutation, callers, wrong=False)
    assert not left, f"{mutation.name}: put back, and still wrong: {left}"
    echo(f"{mutation.name}  <-  {row or 'NOT NOTICED'}")
    return bool(row)


def _eventually(mutation: Mutation, callers: Callers, *, wrong: bool) -> str:
    """The failing row as soon as there is one, or as soon as there is none; or the last seen."""
    until = time.monotonic() + _PATIENCE
    while bool(row := failing(mutation, callers)) != wrong and time.monotonic() < until:
        time.sleep(0.1)
    return row


@contextmanager
def _callers(home: str) -> Iterator[Callers]:
    """Those of a cloud that runs, its teams moved in; or of a new one, which ends afterwards."""
    if home:
        yield Callers(_running(Path(home)))
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "cloud"
        try:
            started = supervisor.up(place, cluster=Cluster(kubernetes="real"))
            assert started is not None
            deploy.deploy(started, place)
            cloud = deployed(Parts(place, started))
            move_in(cloud, Path(folder))
            callers = Callers(cloud)
            furniture.put_up(callers.administrator)
            yield callers
        finally:
            supervisor.down(place)


def _running(home: Path) -> Cloud:
    started = state.read(home)
    assert started is not None, f"no local cloud runs in {home}"
    return deployed(Parts(home, started))


sys.exit(main(*sys.argv[1:]))
