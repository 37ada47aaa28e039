"""Runs a mongod of our own: a replica set with one node and an empty folder, which is removed afterwards."""

import contextlib
import os
import shutil
import socket
import struct
import time

from .processes import ROOT, free_port, running

# Seconds within which the node must become primary.
START_LIMIT = 60


@contextlib.contextmanager
def mongod(folder):
    """Yields the URI of a database on a new one-node replica set that is primary already."""
    data = folder / "mongod"
    data.mkdir()
    port = free_port()
    with running(command(data, port), folder / "mongod.log") as process:
        initiate(port, process)
        yield address(port)


@contextlib.contextmanager
def database(store, folder):
    """Yields the address of a new store of a kind, `SQLite` or `MongoDB`, with its data in a folder."""
    if store == "MongoDB":
        with mongod(folder) as url:
            yield url
    else:
        yield f"sqlite:{folder / 'happiness.sqlite'}"


def command(data, port) -> list[str]:
    """Starts a node with an empty folder, or with the data of an earlier one on the same port."""
    return [
        binary(), "--dbpath", str(data), "--port", str(port), "--bind_ip", "127.0.0.1", "--replSet", "rs0",
        "--nounixsocket",
    ]  # fmt: skip


def address(port) -> str:
    """The URI of the database."""
    return f"mongodb://127.0.0.1:{port}/happiness?replicaSet=rs0"


def binary() -> str:
    """The mongod on the PATH, else the one that scripts/install-mongod.sh installed."""
    installed = ROOT / ".tools/mongod/bin/mongod"
    found = shutil.which("mongod") or (str(installed) if os.access(installed, os.X_OK) else None)
    if not found:
        raise SystemExit("bench: no mongod; scripts/install-mongod.sh gets one")
    return found


def initiate(port, process) -> None:
    deadline = time.monotonic() + START_LIMIT
    member = {"_id": 0, "host": f"127.0.0.1:{port}"}
    has_initiated = False
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SystemExit(f"bench: mongod ended with {process.returncode}; see its log")
        with contextlib.suppress(OSError):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
                if not has_initiated:
                    run(connection, {"replSetInitiate": {"_id": "rs0", "members": {"0": member}}})
                    has_initiated = True
                if b"\x08isWritablePrimary\x00\x01" in run(connection, {"hello": 1}):
                    return
        time.sleep(0.1)
    raise SystemExit(f"bench: mongod was not primary within {START_LIMIT} s")


def run(connection, command, database="admin") -> bytes:
    """Sends one command in an OP_MSG (https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/) and returns
    the response's bytes. Enough for a few commands, so that no driver has to be installed."""
    body = struct.pack("<iB", 0, 0) + bson(command | {"$db": database})
    op_msg = 2013
    connection.sendall(struct.pack("<iiii", 16 + len(body), 1, 0, op_msg) + body)
    length = struct.unpack("<i", receive(connection, 4))[0]
    return receive(connection, length - 4)


def receive(connection, count) -> bytes:
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise ConnectionError("mongod closed the connection")
        data += part
    return data


def bson(document) -> bytes:
    """Encodes integers, strings and documents; `members` is an array, whose keys are its indices."""
    elements = b""
    for key, value in document.items():
        name = key.encode() + b"\0"
        if isinstance(value, int):
            elements += b"\x10" + name + struct.pack("<i", value)
        elif isinstance(value, str):
            text = value.encode() + b"\0"
            elements += b"\x02" + name + struct.pack("<i", len(text)) + text
        else:
            elements += (b"\x04" if key == "members" else b"\x03") + name + bson(value)
    return struct.pack("<i", len(elements) + 5) + elements + b"\0"
