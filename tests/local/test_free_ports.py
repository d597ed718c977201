"""Ports that are free now and when somebody comes to listen."""

import socket
from pathlib import Path

import pytest

from local import free_ports

_HANDED_OUT = Path("/proc/sys/net/ipv4/ip_local_port_range")


def test_they_are_different_and_can_be_listened_on() -> None:
    chosen = free_ports.choose(20)
    assert len(set(chosen)) == 20
    for port in chosen:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", port))


def test_the_kernel_hands_none_of_them_to_an_outgoing_connection() -> None:
    first = int(_HANDED_OUT.read_text().split()[0]) if _HANDED_OUT.exists() else 49_152
    assert free_ports.RANGE.stop <= first


def test_one_that_is_in_use_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    (taken, free) = free_ports.choose(2)
    monkeypatch.setattr(free_ports, "_in_any_order", lambda: [taken, free])
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", taken))
        listener.listen()
        assert free_ports.choose(1) == [free]


def test_that_there_are_none_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(free_ports, "RANGE", range(20_000, 20_002))
    with pytest.raises(free_ports.NoFreePorts, match="3 free ports"):
        free_ports.choose(3)
