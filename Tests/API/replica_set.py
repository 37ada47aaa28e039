"""A MongoDB replica set with three nodes of our own. Its primary can be stepped down or killed."""

from __future__ import annotations

import contextlib
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from harness.mongod import command, run
from harness.processes import free_port
from installation import wait_until

NODES = 3
# Seconds. A node responds within milliseconds, but a step-down waits until another node has all writes.
COMMAND_LIMIT = 30
# Seconds in which a primary that steps down does not become primary again, unless `wait_until_whole` returns earlier.
STEP_DOWN_PERIOD = 10


class Node:
    """A mongod that keeps its data and its port when it is started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.host = f"127.0.0.1:{self._port}"

    def start(self) -> None:
        """Starts it. Call this from a thread that lives as long as the node: the node ends with it."""
        data = self._folder / "data"
        data.mkdir(parents=True, exist_ok=True)
        # A cache for one node of three: by default each uses half of the memory.
        options = ["--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "100"]
        with (self._folder / "mongod.log").open("ab") as log:
            self._process = subprocess.Popen(
                # The kernel kills it when this process ends for any reason.
                ["setpriv", "--pdeathsig", "KILL", *command(data, self._port), *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)  # fmt: skip

    def kill(self) -> None:
        """Ends it like a crash, if it runs."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def run(self, document: dict[str, object]) -> bytes:
        """The response to a command; empty if the node does not respond."""
        try:
            with socket.create_connection(("127.0.0.1", self._port), timeout=COMMAND_LIMIT) as connection:
                return bytes(run(connection, document))
        except OSError:
            return b""

    def is_primary(self) -> bool:
        """Whether it accepts writes."""
        return b"\x08isWritablePrimary\x00\x01" in self.run({"hello": 1})

    def is_secondary(self) -> bool:
        """Whether it follows a primary."""
        return b"\x08secondary\x00\x01" in self.run({"hello": 1})


class ReplicaSet:
    """Three nodes with a vote each."""

    def __init__(self, folder: Path, election_timeout: int) -> None:
        """Creates nothing yet.

        - election_timeout: milliseconds without a primary after which the others elect one; the server's default is
          10,000.
        """
        self.nodes = [Node(folder / f"node-{number}") for number in range(NODES)]
        self._election_timeout = election_timeout

    @property
    def url(self) -> str:
        """The URI of a database."""
        return f"mongodb://{','.join(node.host for node in self.nodes)}/happiness?replicaSet=rs0"

    def start(self) -> None:
        """Starts all nodes, and returns when there is a primary and the others follow it."""
        for node in self.nodes:
            node.start()
        configuration = {
            "_id": "rs0",
            "members": {str(number): {"_id": number, "host": node.host} for number, node in enumerate(self.nodes)},
            "settings": {"electionTimeoutMillis": self._election_timeout},
        }
        wait_until(lambda: succeeds(self.nodes[0].run({"replSetInitiate": configuration})))
        self.wait_until_whole()

    def stop(self) -> None:
        """Kills all nodes."""
        for node in self.nodes:
            node.kill()

    def primary(self) -> Node:
        """The node that accepts writes, once there is one."""
        found: list[Node] = []

        def is_found() -> bool:
            found.extend(node for node in self.nodes if node.is_primary())
            return bool(found)

        wait_until(is_found)
        return found[0]

    def wait_until_whole(self) -> None:
        """Returns when there is a primary, and the others follow it and may become the next one."""
        wait_until(lambda: sum(node.is_secondary() for node in self.nodes) == NODES - 1)
        primary = self.primary()
        for node in self.nodes:
            # Ends the period after a step-down. If all others are in theirs, nobody follows a primary that is killed.
            if node is not primary:
                node.run({"replSetFreeze": 0})

    def step_down(self) -> float:
        """Lets the primary hand over to another node. Returns when that began."""
        begun: list[float] = []

        def is_done() -> bool:
            begun.append(time.monotonic())
            return succeeds(
                self.primary().run(
                    {"replSetStepDown": STEP_DOWN_PERIOD, "secondaryCatchUpPeriodSecs": STEP_DOWN_PERIOD // 2}))

        # It fails if no other node has all writes in time, or is about to be elected.
        wait_until(is_done)
        return begun[-1]


@contextlib.contextmanager
def replica_set(election_timeout: int) -> Iterator[ReplicaSet]:
    """Runs one in an empty folder while the block runs."""
    with tempfile.TemporaryDirectory(prefix="happiness-replicas-") as folder:
        replicas = ReplicaSet(Path(folder), election_timeout)
        try:
            replicas.start()
            yield replicas
        finally:
            replicas.stop()


def succeeds(response: bytes) -> bool:
    """Whether a command was successful: `ok` is the double 1."""
    return b"\x01ok\x00" + struct.pack("<d", 1) in response
