"""Loopback ports that are free, and still are when their part comes to listen."""

import secrets
import socket
from contextlib import ExitStack

# below those that the kernel gives to outgoing connections (32768 on Linux, 49152 on macOS): one of
# these could take a port in the seconds until its part listens
RANGE = range(10_000, 32_000)


class NoFreePorts(Exception):
    """Every port of the range is in use."""


def choose(count: int) -> list[int]:
    """Different ports; at random, so that two who choose at once do not choose the same.

    Raises NoFreePorts.
    """
    chosen: list[int] = []
    with ExitStack() as held:  # until all are known, so that no two are the same
        for port in _in_any_order():
            listener = held.enter_context(socket.socket())
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
            chosen.append(port)
            if len(chosen) == count:
                return chosen
    raise NoFreePorts(f"{count} free ports were wanted between {RANGE.start} and {RANGE.stop}")


def _in_any_order() -> list[int]:
    return secrets.SystemRandom().sample(RANGE, len(RANGE))
