"""Runs Hummingbird alone: what no route of the API can exceed."""

import contextlib
import socket

from .processes import free_port, running, wait_until


@contextlib.contextmanager
def bare_server(installation, path):
    """Yields the address of a server that has one route, with this path, which returns nothing."""
    port = free_port()
    log = installation.folder / "bare-server.log"
    command = [str(installation.programs / "BenchmarkSeed"), "bare-server", "--port", str(port), path]
    with running(command, log) as process:
        wait_until(lambda: listens(port), process, "the server of Hummingbird alone", log)
        yield f"http://127.0.0.1:{port}"


def listens(port) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
        return True
    except OSError:
        return False
