"""Runs the release build of the relay, and sends messages through it."""

import contextlib
import http.client
import os

from .api import BIN
from .oblivious_message import Message
from .processes import free_port, running, wait_until
from .wrk import Load, RELAY_SCRIPT, run


class Relay:
    """A relay in front of an installation with a running API."""

    def __init__(self, installation, port, process):
        self.process = process
        self._url = f"http://127.0.0.1:{port}"
        self._port = port
        self._message = installation.folder / "relay-message"

    def prepare(self):
        """Encrypts a message that the gateway opens; the API refuses what is in it."""
        keys = self._get("/keys")
        self._message.write_bytes(Message(keys, "POST", "/api/v1/ballots", {"happiness": 5}).content)

    def load(self, connections, seconds) -> Load:
        return run(RELAY_SCRIPT, self._url, connections, seconds, {"message": self._message})

    def _get(self, path) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=10)
        connection.request("GET", path)
        content = connection.getresponse().read()
        connection.close()
        return content

    def answers(self) -> bool:
        try:
            return bool(self._get("/health"))
        except OSError:
            return False


@contextlib.contextmanager
def relay(installation):
    """Yields a relay once it responds."""
    port = free_port()
    environment = os.environ | {"GATEWAY_URL": installation.url, "PORT": str(port)}
    log = installation.folder / "relay.log"
    with running([str(BIN / "Relay")], log, env=environment) as process:
        relay = Relay(installation, port, process)
        wait_until(relay.answers, process, "the relay", log)
        relay.prepare()
        yield relay
