"""Runs the release build of the API on a store of our own."""

import contextlib
import json
import os
import secrets
import socket
import shutil
import subprocess
import tempfile
import time
import urllib.parse

from .processes import LOOK_INTERVAL, ROOT, START_LIMIT, free_port, running

BIN = ROOT / ".build/release"
# An in-memory file system (shm_overview(7)).
MEMORY = "/dev/shm"


class NotStarted(SystemExit):
    """The API ended, or did not answer in time."""


class Installation:
    """One store with its settings, shared by the API and BenchmarkSeed."""

    def __init__(self, folder, database_url, programs=BIN, start_limit=START_LIMIT):
        self.folder = folder
        self.programs = programs
        self.start_limit = start_limit
        self.log = folder / "api.log"
        self.port = free_port()
        self.environment = os.environ | {
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "METRICS_PORT": "0",
            "PUBLIC_URL": f"http://127.0.0.1:{self.port}",
            "DATA_DIR": str(folder),
            "DATABASE_URL": database_url,
            "LOG_LEVEL": "info",
            "JWT_SECRET": secrets.token_hex(32),
            "BALLOT_SECRET": secrets.token_hex(32),
            "BCRYPT_COST": "12",
            "BCRYPT_THREADS": "1",
            # The log-ins come from many addresses, as behind a proxy.
            "TRUSTED_PROXIES": "1",
        }

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def worker(self) -> str:
        """The worker as installations have it: a link to the API."""
        link = self.folder / "Worker"
        if not link.exists():
            link.symlink_to(self.programs / "HappinessAPI")
        return str(link)

    def database(self, name) -> str:
        """The address of another store of the same kind."""
        url = self.environment["DATABASE_URL"]
        if url.startswith("sqlite:"):
            return f"sqlite:{self.folder / name / 'happiness.sqlite'}"
        parts = urllib.parse.urlsplit(url)
        return urllib.parse.urlunsplit(parts._replace(path=f"/{name}"))

    def seed(self, *arguments, **settings):
        """Runs BenchmarkSeed, with additional settings if given, and returns its output."""
        command = [str(self.programs / "BenchmarkSeed"), *arguments]
        result = subprocess.run(
            command, env=self.environment | settings, cwd=ROOT, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
            check=True,
        )  # fmt: skip
        return json.loads(result.stdout)

    def seed_large(self, *arguments):
        """The same for commands that create thousands of users. A SQLite file is filled in memory and then moved to its
        place: thousands of durable commits of one row each would take minutes, and are not measured."""
        sqlite = self.environment["DATABASE_URL"].removeprefix("sqlite:")
        if sqlite == self.environment["DATABASE_URL"] or not os.path.isdir(MEMORY):
            return self.seed(*arguments)
        with tempfile.TemporaryDirectory(prefix="happiness-bench-", dir=MEMORY) as folder:
            made = self.seed(*arguments, DATABASE_URL=f"sqlite:{folder}/happiness.sqlite")
            for name in os.listdir(folder):
                shutil.copy(os.path.join(folder, name), os.path.dirname(sqlite))
        return made

    @contextlib.contextmanager
    def api(self, *options):
        """Yields the server's process once it responds; its `seconds` is the time since its start."""
        started = time.perf_counter()
        command = [str(self.programs / "HappinessAPI"), "serve", *options]
        with running(command, self.log, env=self.environment) as process:
            while not self.answers():
                if process.poll() is not None:
                    raise NotStarted(f"bench: the API ended with {process.returncode}:\n{self.log.read_text()[-2000:]}")
                if time.perf_counter() - started > self.start_limit:
                    raise NotStarted(f"bench: the API did not answer within {self.start_limit} s")
                time.sleep(LOOK_INTERVAL)
            process.seconds = time.perf_counter() - started
            yield process

    def answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=2) as connection:
                connection.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return b" 200 " in connection.recv(64)
        except OSError:
            return False


def memory(process, field) -> float:
    """MiB: `VmRSS` is the current memory of a process, `VmHWM` its peak, and `Pss` the current one when pages that
    several processes have in common are divided among them (proc(5))."""
    file = "smaps_rollup" if field == "Pss" else "status"
    with open(f"/proc/{process.pid}/{file}", encoding="ascii") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
    raise ValueError(f"no {field}")
