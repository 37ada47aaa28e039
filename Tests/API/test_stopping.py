"""A server behind a proxy that stops while others take over."""

from __future__ import annotations

import http.client
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.mongod import mongod
from installation import STOP_LIMIT, Installation, running, wait_until


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    # With TRUSTED_PROXIES=1.
    with mongod(tmp_path) as url, running(Installation(url, demo=False)) as installation:
        yield installation


def test_a_connection_from_before_the_stop_gets_an_answer(installation: Installation) -> None:
    server = installation.servers[0]
    host, port = server.address.removeprefix("http://").split(":")
    used, unused = (http.client.HTTPConnection(host, int(port), timeout=STOP_LIMIT) for _ in range(2))
    assert fetch(used) == fetch(unused) == (200, None)

    def refuses() -> bool:
        try:
            socket.create_connection((host, int(port)), timeout=STOP_LIMIT).close()
        except ConnectionRefusedError:
            return True
        return False

    server.signal(signal.SIGTERM)
    wait_until(refuses)
    # A proxy may send a request at this moment. It is answered, and told that it was the last.
    assert fetch(used) == (200, "close")
    assert server.status() is None

    assert server.wait() == 0
    # Nothing was lost with it.
    assert unused.sock.recv(1) == b""


def fetch(connection: http.client.HTTPConnection) -> tuple[int, str | None]:
    """The status, and what the answer says about the connection."""
    connection.request("GET", "/health/live")
    answer = connection.getresponse()
    answer.read()
    return answer.status, answer.getheader("Connection")
