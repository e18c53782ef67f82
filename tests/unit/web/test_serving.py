"""Sockets of this machine only."""

from __future__ import annotations

import socket

import pytest

from discreet.errors import BadParameter
from discreet.web.serving import loopback


def test_sockets_are_of_this_machine_only() -> None:
    sockets = loopback(0)
    try:
        hosts = [one.getsockname()[:2] for one in sockets]
        assert {host for host, _ in hosts} <= {"127.0.0.1", "::1"}
        assert hosts[0][0] == "127.0.0.1"
        assert len({port for _, port in hosts}) == 1
        socket.create_connection(hosts[0], timeout=10).close()  # before there is a server
        with pytest.raises(BadParameter, match="in use"):
            loopback(hosts[0][1])
    finally:
        for one in sockets:
            one.close()


def test_a_port_is_a_port() -> None:
    with pytest.raises(BadParameter, match="--port"):
        loopback(65_536)
