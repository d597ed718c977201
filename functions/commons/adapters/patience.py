"""Waiting for AWS ends when somebody has asked for the team again: the next run goes on with it."""

from collections.abc import Iterator
from contextlib import contextmanager

from commons.adapters.runner_items import RunnerItems
from commons.domain.errors import AskedAgain, TryLater
from commons.domain.facets import TeamStep


@contextmanager
def unless_asked_again(table: RunnerItems, step: TeamStep) -> Iterator[None]:
    """Turns what would be tried again into AskedAgain, so that nobody who leaves waits for it.

    A run reads the members once. Whoever leaves later is shut out by the next run only, which
    cannot begin before this one has ended.
    """
    try:
        yield
    except TryLater as error:
        if step.requested is None or table.status(step.team).requested <= step.requested:
            raise
        raise AskedAgain(
            f"{error}; the team was asked for again meanwhile, so the next run goes on with it"
        ) from error
