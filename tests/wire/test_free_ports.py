"""Ports that are given to servers which start later."""

import socket
from pathlib import Path

import pytest

from twinwall import free_ports as ports
from twinwall.free_ports import GIVEN, LOOPBACK, free_ports


def test_ports_are_different_and_a_server_can_listen_on_each() -> None:
    given = free_ports(20)
    assert len(set(given)) == 20
    assert free_ports(0) == []
    for port in given:
        socket.create_server((LOOPBACK, port)).close()


def test_no_port_is_given_that_the_system_lends_to_outgoing_connections() -> None:
    first, last = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    if first < GIVEN.stop:
        pytest.skip(f"this machine lends ports from {first} on, which Linux does not by itself")
    assert not set(free_ports(20)) & set(range(first, last + 1))


def test_a_port_in_use_is_not_given_and_too_few_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    (used,) = free_ports(1)
    monkeypatch.setattr(ports, "GIVEN", range(used, used + 1))
    with socket.create_server((LOOPBACK, used)), pytest.raises(OSError, match="fewer than 1 of the ports"):
        free_ports(1)
    assert free_ports(1) == [used]
