#!/usr/bin/env python3
"""Starts the design on one machine without containers: API and worker on MongoDB and an S3 bucket, and a recorder in
place of Mailgun and Firebase Cloud Messaging. Ctrl-C ends all of it.

It keeps everything in one folder, and can be started again with that. Settings of its own, from the environment:

    FULL_DIR                                     the folder; default full-data
    PORT, MONGODB_PORT, BUCKET_PORT, RECORDER_PORT   default 8080, 27117, 9100 and 8125
    BINARIES                                     a build to use; default: builds .build/debug

All other settings reach the programs as with `make run`. Needs `scripts/setup.sh full` before (make does that).
"""

from __future__ import annotations

import ctypes
import json
import os
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "Benchmarks"), str(ROOT / "scripts")]

import recorder  # noqa: E402
from harness import mongod as wire  # noqa: E402

BUCKET = "happiness-pictures"
DEFAULT_PORTS = {"PORT": 8080, "MONGODB_PORT": 27117, "BUCKET_PORT": 9100, "RECORDER_PORT": 8125}
# Those of Tests/TestSupport/object_store.py, which are no secret.
KEY_ID, KEY_SECRET, REGION = "test:admin", "admin-secret", "eu-test-1"

# Seconds. The API takes longest at the very first start, when it creates demo data.
START_LIMIT = 60
# Seconds. API and worker finish requests and jobs; mongod writes its last checkpoint.
STOP_LIMIT = 30

LIBC = ctypes.CDLL(None)
# prctl(2)
PR_SET_PDEATHSIG = 1


class Stopped(Exception):
    """Someone pressed Ctrl-C, or sent SIGTERM."""


class Failed(Exception):
    """Something cannot start; has the reason for the user."""


class Programs:
    """The processes that run, in the order of their start."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: list[tuple[str, subprocess.Popen[bytes]]] = []

    def start(self, name: str, command: list[str]) -> None:
        """Starts a program with its output in a file."""
        with (self._folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=_belong)
        self._running.append((name, process))

    def start_visibly(self, command: list[str], executable: Path, environment: dict[str, str]) -> None:
        """Starts a program of ours, whose output is for the user.

        - command: its first word is the name under which it runs.
        """
        process = subprocess.Popen(
            command, executable=executable, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, preexec_fn=_belong)
        self._running.append((command[0], process))

    def wait_until(self, answers: Callable[[], bool]) -> None:
        """Waits for the program that was started last."""
        deadline = time.monotonic() + START_LIMIT
        while not answers():
            self.check()
            if time.monotonic() > deadline:
                raise Failed(f"{self._running[-1][0]} did not answer within {START_LIMIT} s. Logs: {self._folder}")
            time.sleep(0.05)

    def check(self) -> None:
        """Raises if one has ended."""
        for name, process in self._running:
            if process.poll() is not None:
                raise Failed(f"{name} has ended with status {process.returncode}. Logs: {self._folder}")

    def stop(self) -> None:
        """Ends them, the last one first: what others need ends after them. Asks each, and kills it only if it stays."""
        for _, process in reversed(self._running):
            process.terminate()
            try:
                process.wait(STOP_LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _belong() -> None:
    """In a group of its own, so that Ctrl-C reaches only this script, which ends the programs in order. The kernel ends
    them if this script is killed."""
    os.setsid()
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def main() -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    programs: Programs | None = None
    try:
        folder = (ROOT / os.environ.get("FULL_DIR", "full-data")).resolve()
        ports = chosen_ports()
        binaries = built()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in ["logs", "mongod", "bucket", "recorder", "data"]:
            (folder / name).mkdir(exist_ok=True)
        programs = Programs(folder / "logs")
        start(programs, folder, ports, binaries)
        while True:
            time.sleep(0.5)
            programs.check()
    except Stopped:
        return 0
    except Failed as failure:
        print(f"run-full: {failure}", file=sys.stderr)
        return 1
    finally:
        # A second Ctrl-C must not leave half of it behind.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if programs:
            programs.stop()


def _stop(*_: object) -> None:
    raise Stopped


def chosen_ports() -> dict[str, int]:
    """The ports, which nobody else uses."""
    ports: dict[str, int] = {}
    for name, default in DEFAULT_PORTS.items():
        text = os.environ.get(name) or str(default)
        if not text.isdecimal() or not 1 <= int(text) <= 65_535:
            raise Failed(f"{name} is {text}; it must be a port from 1 to 65535.")
        port = int(text)
        for other, taken in ports.items():
            if taken == port:
                raise Failed(f"{name} and {other} are both {port}. Choose another one.")
        with socket.socket() as probe:
            # As servers do: connections of an earlier run may still be closing.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                raise Failed(
                    f"Port {port} cannot be used ({error.strerror}). Stop what uses it, or choose another port:"
                    f" {name}={port + 1} make run-full") from None
        ports[name] = port
    return ports


def built() -> Path:
    """The folder with the programs."""
    if given := os.environ.get("BINARIES"):
        folder = (ROOT / given).resolve()
        for name in ["HappinessAPI", "PictureTool"]:
            if not os.access(folder / name, os.X_OK):
                raise Failed(f"There is no {folder / name}. BINARIES must name a folder with both programs.")
        return folder
    for product in ["HappinessAPI", "PictureTool"]:
        if subprocess.run([str(ROOT / "scripts/build-debug.sh"), "--product", product], cwd=ROOT).returncode != 0:
            raise Failed("The build failed.")
    return ROOT / ".build/debug"


def start(programs: Programs, folder: Path, ports: dict[str, int], binaries: Path) -> None:
    start_mongod(programs, folder, ports["MONGODB_PORT"])
    start_bucket(programs, folder, ports["BUCKET_PORT"])
    start_recorder(programs, folder, ports["RECORDER_PORT"])
    settings = write_settings(folder, ports)
    environment = os.environ | settings
    api, url = binaries / "HappinessAPI", settings["PUBLIC_URL"]
    # At the first start its output has the link for the first admin.
    programs.start_visibly(["HappinessAPI", "serve"], api, environment)
    programs.wait_until(lambda: is_answering(f"{url.replace('localhost', '127.0.0.1')}/health/ready"))
    # One program for both, which the name tells apart.
    programs.start_visibly(["Worker"], api, environment)
    print(introduction(folder, ports, settings, api), flush=True)


def start_mongod(programs: Programs, folder: Path, port: int) -> None:
    # What it notes down must not show who voted when (docs/operations.md, MongoDB).
    private = ["--profile", "0", "--slowms", "10000", "--setParameter", "minSnapshotHistoryWindowInSeconds=0"]
    try:
        command = wire.command(folder / "mongod", port)
    except SystemExit:
        raise Failed("There is no mongod. scripts/install-mongod.sh gets one.") from None
    programs.start("mongod", [*command, "--oplogSize", "990", *private])
    programs.wait_until(lambda: accepts(port))
    member = {"_id": 0, "host": f"127.0.0.1:{port}"}
    replica_set = {"_id": "rs0", "members": {"0": member}}
    with socket.create_connection(("127.0.0.1", port), timeout=START_LIMIT) as connection:
        wire.run(connection, {"replSetInitiate": replica_set})
        # A folder that was used with another port.
        if member["host"].encode() not in wire.run(connection, {"replSetGetConfig": 1}):
            wire.run(connection, {"replSetReconfig": replica_set | {"version": int(time.time())}, "force": 1})
        programs.wait_until(lambda: b"\x08isWritablePrimary\x00\x01" in wire.run(connection, {"hello": 1}))


def start_bucket(programs: Programs, folder: Path, port: int) -> None:
    ready = folder / "bucket/ready.json"
    ready.unlink(missing_ok=True)
    # The system's Python, since Debian installs OpenStack Swift there.
    script = str(ROOT / "Tests/TestSupport/object_store.py")
    programs.start("bucket", ["/usr/bin/python3", script, str(folder / "bucket"), str(port)])
    try:
        programs.wait_until(ready.exists)
    except Failed:
        # It ends with a reason.
        if not ready.exists():
            raise
    message = json.loads(ready.read_text())
    if "error" in message:
        raise Failed(message["error"])
    create = urllib.request.Request(f"http://127.0.0.1:{message['control']}/{BUCKET}", method="PUT")
    with DIRECT.open(create, timeout=START_LIMIT):
        pass


def start_recorder(programs: Programs, folder: Path, port: int) -> None:
    place = folder / "recorder"
    # The key that Google would have made, in the file that the Firebase console would have offered.
    private = place / "account.pem"
    if not private.exists():
        if not shutil.which("openssl"):
            raise Failed("openssl is missing; it makes the key of the service account.")
        draft = place / "account.pem.part"
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", str(draft)],
            check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        draft.rename(private)
    account = {
        "type": "service_account", "project_id": recorder.PROJECT, "private_key_id": "1",
        "private_key": private.read_text(), "client_email": recorder.ACCOUNT,
        "token_uri": f"http://127.0.0.1:{port}/token",
    }  # fmt: skip
    write_secret(place / "account.json", json.dumps(account))
    if not (place / "mailgun.key").exists():
        write_secret(place / "mailgun.key", f"key-{secrets.token_hex(16)}")
    programs.start("recorder", [sys.executable, str(ROOT / "scripts/recorder.py"), str(port), str(place)])
    programs.wait_until(lambda: accepts(port))


def write_settings(folder: Path, ports: dict[str, int]) -> dict[str, str]:
    """The settings of API and worker, also as a file for commands. The secrets stay the same."""
    kept = folder / "secrets.json"
    if not kept.exists():
        write_secret(kept, json.dumps({name: secrets.token_hex(32) for name in ["JWT_SECRET", "BALLOT_SECRET"]}))
    outside = f"http://127.0.0.1:{ports['RECORDER_PORT']}"
    settings = {
        "HOST": "127.0.0.1", "PORT": str(ports["PORT"]), "PUBLIC_URL": f"http://localhost:{ports['PORT']}",
        "DATA_DIR": str(folder / "data"), "DATABASE_URL": wire.address(ports["MONGODB_PORT"]),
        **json.loads(kept.read_text()),
        "OBJECT_STORE": "s3", "S3_BUCKET": BUCKET, "S3_REGION": REGION, "S3_ADDRESSING": "path",
        "S3_ENDPOINT": f"http://127.0.0.1:{ports['BUCKET_PORT']}",
        "S3_PUBLIC_ENDPOINT": f"http://localhost:{ports['BUCKET_PORT']}",
        "S3_ACCESS_KEY_ID": KEY_ID, "S3_SECRET_ACCESS_KEY": KEY_SECRET,
        "MAIL_DRIVER": "mailgun", "MAIL_FROM": f"Happiness Metric <happiness@{recorder.DOMAIN}>",
        "MAILGUN_API_KEY": (folder / "recorder/mailgun.key").read_text().strip(),
        "MAILGUN_DOMAIN": recorder.DOMAIN, "MAILGUN_BASE_URL": outside,
        "PUSH_DRIVERS": "fcm", "FCM_SERVICE_ACCOUNT_FILE": str(folder / "recorder/account.json"),
        "FCM_BASE_URL": outside,
        # The ramp spares Google; here it would only make the first message late.
        "PUSH_RAMP_SECONDS": "0",
    }  # fmt: skip
    lines = [f"{name}={shlex.quote(value)}" for name, value in settings.items()]
    write_secret(folder / "settings.env", "\n".join(lines) + "\n")
    return settings


def introduction(folder: Path, ports: dict[str, int], settings: dict[str, str], api: Path) -> str:
    command = f"(set -a; . {shlex.quote(str(folder / 'settings.env'))}; {shlex.quote(str(api))} COMMAND)"
    return f"""
Happiness Metric is running on {settings["PUBLIC_URL"]} (Ctrl-C stops all of it).

  Web app         {settings["PUBLIC_URL"]}
                  At the first start the link above creates the first admin, with a team.
  Commands        {command}
                  setup prints a new link; others: user add NAME EMAIL --team TEAM, user set-password NAME
  Database        mongosh '{settings["DATABASE_URL"]}'
                  db.userSprints.find(), db.happinessBySprint.find(); or give the address to MongoDB Compass
  Bucket          {settings["S3_ENDPOINT"]}/{BUCKET}, region {REGION}, key {KEY_ID}, secret {KEY_SECRET}
  Mails, pushes   http://localhost:{ports["RECORDER_PORT"]}
  Data and logs   {folder} (delete it to start anew)
"""


def write_secret(path: Path, text: str) -> None:
    """Writes a file that only its owner may read. It appears under its name when it is complete."""
    draft = path.with_name(f"{path.name}.part")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    draft.rename(path)


# Without the proxy that the environment may name.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def is_answering(url: str) -> bool:
    try:
        with DIRECT.open(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def accepts(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(2)
        return probe.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    sys.exit(main())
