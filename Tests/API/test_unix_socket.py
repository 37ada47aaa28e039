"""HappinessAPI on a Unix socket, for a proxy on the same machine."""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from installation import BINARIES, ROOT, START_LIMIT, end, free_port, wait_until


class SocketConnection(http.client.HTTPConnection):
    """A connection to a Unix socket instead of a port."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=START_LIMIT)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


class SocketAPI:
    """A HappinessAPI that serves on a Unix socket."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "api.sock"
        self.port = free_port()
        self.environment = {
            "PATH": os.environ["PATH"], "DATA_DIR": str(folder / "data"), "HOST": str(self.path),
            "PUBLIC_URL": "https://happiness.example.org", "TRUSTED_PROXIES": "1", "METRICS_PORT": str(self.port),
            "BCRYPT_COST": "4",
        }  # fmt: skip
        self._log = folder / "api.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it and returns when it answers."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", str(BINARIES / "HappinessAPI")], cwd=ROOT, env=self.environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)  # fmt: skip
        wait_until(self._answers)

    def command(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Runs `HappinessAPI ARGUMENTS` with its settings and these."""
        return subprocess.run(
            [str(BINARIES / "HappinessAPI"), *arguments], cwd=ROOT, env=self.environment | settings,
            capture_output=True, text=True, timeout=START_LIMIT)  # fmt: skip

    def get(self, path: str) -> int:
        """The status of an answer."""
        connection = SocketConnection(self.path)
        try:
            connection.request("GET", path, headers={"X-Forwarded-For": "192.0.2.7"})
            return connection.getresponse().status
        finally:
            connection.close()

    def _answers(self) -> bool:
        assert self.process and self.process.poll() is None, self._log.read_text()
        try:
            return self.get("/health") == 200
        except OSError:
            return False


@pytest.fixture
def api() -> Iterator[SocketAPI]:
    # Not pytest's folder: its path may be too long for a socket.
    folder = Path(tempfile.mkdtemp(prefix="happiness-"))
    api = SocketAPI(folder)
    try:
        yield api
    finally:
        if api.process:
            end(api.process)
        shutil.rmtree(folder)


def test_it_serves_on_the_socket_for_owner_and_group(api: SocketAPI) -> None:
    api.start()
    assert api.get("/login") == 200
    mode = api.path.stat().st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o660
    assert api.command("health").stdout.startswith("Version ")
    metrics = http.client.HTTPConnection("127.0.0.1", api.port, timeout=START_LIMIT)
    metrics.request("GET", "/metrics")
    assert metrics.getresponse().status == 200


def test_a_socket_left_by_a_killed_process_does_not_prevent_the_next_start(api: SocketAPI) -> None:
    api.start()
    assert api.process
    api.process.kill()
    api.process.wait()
    assert api.path.is_socket()
    assert api.command("health").stderr == f"Error: No API answers on {api.path}.\n"
    api.start()
    assert api.get("/health") == 200


def test_a_socket_on_which_another_process_serves_is_left_to_it(api: SocketAPI) -> None:
    api.start()
    process = api.command(DATA_DIR=str(api.path.with_name("other")), METRICS_PORT="0")
    assert process.returncode == 1
    assert process.stderr.endswith(f"Error: HOST is {api.path}, but another API serves there.\n")
    assert api.get("/health") == 200


def test_a_file_that_is_no_socket_is_kept(api: SocketAPI) -> None:
    api.path.write_text("important")
    process = api.command()
    assert process.returncode == 1
    assert process.stderr.endswith(f"Error: HOST is {api.path}, but that file is not a socket.\n")
    assert api.path.read_text() == "important"
    process = api.command(HOST=str(api.path.with_name("none") / "api.sock"))
    assert process.returncode == 1 and process.stderr.endswith("but the folder does not exist.\n")


def test_settings_that_a_socket_needs_are_asked_for(api: SocketAPI) -> None:
    output = api.command("config", "check", PUBLIC_URL="", TRUSTED_PROXIES="0")
    assert output.returncode != 0
    for key in ["PUBLIC_URL", "TRUSTED_PROXIES"]:
        assert f"{key} must be" in output.stdout + output.stderr
    assert "HOST must be" in api.command("config", "check", HOST="/" + 107 * "x").stderr
