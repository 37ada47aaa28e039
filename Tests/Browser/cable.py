"""A connection from a browser to a server that can be interrupted."""

from __future__ import annotations

import socket
import threading
from urllib.parse import urlsplit


class Cable:
    """Forwards connections to a server. While interrupted, all connections through it are closed and new ones fail.
    (Chromium's own offline mode keeps open connections.)"""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._address = self._listener.getsockname()

    def lead_to(self, server: str) -> str:
        """Starts forwarding connections to the server at this address.

        - Returns: the address to connect to.
        """
        parts = urlsplit(server)
        self._server = (parts.hostname, parts.port)
        self._serve()
        return f"http://127.0.0.1:{self._address[1]}"

    def cut(self) -> None:
        """Closes all connections; returns when the port is closed."""
        with self._lock:
            _end(self._listener)
            for connection in self._open:
                _end(connection)
            self._open.clear()

    def restore(self) -> None:
        """Accepts connections again, at the same address."""
        self._listener = socket.create_server(self._address)
        self._serve()

    def _serve(self) -> None:
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                near, _ = listener.accept()
                far = socket.create_connection(self._server)
            except OSError:
                return
            with self._lock:
                self._open |= {near, far}
            for source, target in [(near, far), (far, near)]:
                threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65_536):
                target.sendall(data)
        except OSError:
            pass
        finally:
            with self._lock:
                self._open -= {source, target}
            for connection in (source, target):
                _end(connection)


def _end(connection: socket.socket) -> None:
    """Closes it, even while another thread waits for it."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        # The other side has closed it already.
        pass
    connection.close()
