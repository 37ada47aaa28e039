"""Runs Hummingbird alone: what no route of the API can exceed."""

import contextlib
import socket
import time

from .api import LOOK_INTERVAL, START_LIMIT
from .processes import free_port, running


@contextlib.contextmanager
def bare_server(installation, path):
    """Yields the address of a server whose only route has this path and returns nothing."""
    port = free_port()
    command = [str(installation.programs / "BenchmarkSeed"), "bare-server", "--port", str(port), path]
    with running(command, installation.folder / "bare-server.log") as process:
        deadline = time.monotonic() + START_LIMIT
        while not listens(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("bench: the server without the product does not answer")
            time.sleep(LOOK_INTERVAL)
        yield f"http://127.0.0.1:{port}"


def listens(port) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
        return True
    except OSError:
        return False
