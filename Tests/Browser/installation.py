"""An installation of the built product with its own data, for the tests of one run."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import sqlite3
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from itertools import count
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# BINARIES selects another build, such as BINARIES=.build/release.
BINARIES = (ROOT / os.environ.get("BINARIES", ".build/debug")).resolve()

# Seconds. The API responds within a tenth of one, but compilers may use all processors.
START_LIMIT = 60

# Maximum seconds the API takes to end with open connections.
STOP_LIMIT = 20


@dataclass(frozen=True)
class Person:
    """A user with an account."""

    name: str
    email: str
    password: str


class Server:
    """One API process, on a port of its own that it keeps when restarted."""

    def __init__(
        self, log: Path, environment: dict[str, str], demo: bool = True, path: str = "", root: Path = ROOT,
    ) -> None:
        self.log_file = log
        self._root = root
        self._options = ["--demo"] if demo else []
        self._process: subprocess.Popen[bytes] | None = None
        port = free_port()
        # Not localhost, which may resolve to ::1 first, where the API does not listen. Browsers trust both like TLS.
        self.address = f"http://127.0.0.1:{port}{path}"
        self.environment = environment | {"PORT": str(port), "PUBLIC_URL": self.address}

    @property
    def url(self) -> str:
        """The address for users."""
        return self.environment["PUBLIC_URL"]

    @url.setter
    def url(self, url: str) -> None:
        """Takes effect at its next start."""
        self.environment["PUBLIC_URL"] = url

    def start(self) -> None:
        """Starts it and returns when it responds."""
        with self.log_file.open("ab") as log:
            self._process = subprocess.Popen(
                # The kernel kills it when this process ends for any reason.
                ["setpriv", "--pdeathsig", "KILL", str(BINARIES / "HappinessAPI"), "serve", *self._options],
                cwd=self._root, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )
        deadline = time.monotonic() + START_LIMIT
        while not self._is_ready():
            if self._process.poll() is not None:
                raise RuntimeError(f"The API ended by itself:\n{self.log()}")
            if time.monotonic() > deadline:
                raise RuntimeError(f"The API does not answer:\n{self.log()}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Stops it if it runs."""
        if self._process is None:
            return
        end(self._process)
        self._process = None

    def kill(self) -> None:
        """Ends it like a crash, at any moment."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def signal(self, number: int) -> None:
        """Sends it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def status(self) -> int | None:
        """Its exit status; `None` while it runs."""
        assert self._process is not None
        return self._process.poll()

    def wait(self) -> int:
        """Waits for its end."""
        assert self._process is not None
        return self._process.wait(STOP_LIMIT)

    def log(self) -> str:
        """Its output so far."""
        return self.log_file.read_text(errors="replace")

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}/health/ready", timeout=2) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False


class Installation:
    """API, worker and store in a folder of their own. The API runs from `start` to `stop`; the worker on demand."""

    def __init__(
        self, database_url: str | None = None, processes: int = 1, demo: bool = True, path: str = "", root: Path = ROOT,
        **settings: str,
    ) -> None:
        """Uses a SQLite file by default, with the demo team unless `demo` is false.

        - database_url: of an empty MongoDB database, which several processes can share.
        - path: of its address.
        - root: the folder with `templates`, `public` and `openapi`.
        - settings: further ones, which win.
        """
        self._folder = tempfile.TemporaryDirectory(prefix="happiness-browser-")
        self._numbers = count(1)
        self._root = root
        environment = {
            # Of libmongoc: a killed process leaves its file in /dev/shm.
            "MONGOC_DISABLE_SHM": "1",
            "PATH": os.environ["PATH"],
            "HOST": "127.0.0.1",
            "DATA_DIR": self._folder.name,
            # Every test browser has its own address; otherwise the limits per address would apply.
            "TRUSTED_PROXIES": "1",
            # The minimum: other tests check the strength of hashes.
            "BCRYPT_COST": "4",
            "REGISTRATION_DOMAINS": "example.net:member",
        }
        if database_url is None:
            environment["PUSH_DRIVERS"] = "webpush"
        else:
            environment |= {
                "DATABASE_URL": database_url, "JWT_SECRET": secrets.token_hex(32), "BALLOT_SECRET": secrets.token_hex(32),
            }
        environment |= settings
        self.servers = [
            Server(Path(self._folder.name, f"api-{number}.log"), environment, demo, path, root)
            for number in range(1, processes + 1)
        ]
        self._environment = self.servers[0].environment

    @property
    def url(self) -> str:
        """The address for users, with which links in mails begin."""
        return self.servers[0].url

    @property
    def database(self) -> Path:
        """The SQLite file."""
        return Path(self._folder.name, "happiness.sqlite")

    def start(self) -> None:
        """Starts the API and returns when it responds."""
        for name in ("HappinessAPI", "Worker"):
            if not (BINARIES / name).exists():
                raise RuntimeError(f"{BINARIES / name} is missing. Run swift build first (make test does).")
        # Sequentially, so that only one migrates the store.
        for server in self.servers:
            server.start()

    def stop(self) -> None:
        """Ends the API and removes the data."""
        for server in self.servers:
            server.stop()
        self._folder.cleanup()

    def add_team(self, name: str = "Team", **settings: str) -> str:
        """Adds a team with the operator's command and options such as `threshold="2"`; returns its new name."""
        name = f"{name} {next(self._numbers)}"
        self.command("team", "add", name, *_options(settings))
        return name

    def add_reminded_team(self) -> str:
        """Adds a team whose sprint began last week and ends in two weeks or later: its first reminder is over, and another
        one is possible. Returns its new name."""
        today = date.today()
        monday = today - timedelta(days=today.weekday() + 7)
        name = self.add_team(calendar=f"cadence:{monday}:4")
        self.command("team", "settings", name, "--reminders", "on", "--reminder-timing", "start")
        return name

    def add_person(
        self, name: str = "person", team: str | None = None, lead: bool = False, role: str = "member", language: str = "en",
        password_is_own: bool = True,
    ) -> Person:
        """Adds an account with the operator's command, under a new name.

        - password_is_own: whether its password counts as chosen by the person; on a SQLite file. On MongoDB it is handed
          out, and a log-in with the form asks for another one.
        """
        name = f"{name}{next(self._numbers)}"
        person = Person(name, re.sub(r"[^A-Za-z0-9]+", ".", name) + "@example.org", f"gentle harbour {name}")
        place = ["--team", team] if team else []
        self.command(
            "user", "add", person.name, person.email, *place, *(["--lead"] if lead else []), "--role", role,
            given=person.password,
        )
        if password_is_own and self.database.exists():
            with closing(sqlite3.connect(self.database, timeout=30)) as store, store:
                store.execute("UPDATE users SET passwordIsHandedOut = 0 WHERE name = ?", (person.name,))
        if language != "en":
            self.api(person, "PATCH", "/me", {"locale": language})
        return person

    def demo(self, name: str) -> Person:
        """A user of the demo team, on a SQLite file: `anna` leads it, `demo` and `greta` have not voted."""
        log = self.servers[0].log()
        password = re.search(r"with the password (\S+)", log)
        if not password:
            raise RuntimeError(f"The API told no password:\n{log}")
        return Person(name, f"{name}@example.org", password[1])

    def admin(self) -> Person:
        """An admin who is in no team."""
        return self.add_person("admin", role="admin")

    def setup_link(self) -> str:
        """The link that the first process printed because there was no admin."""
        link = re.search(rf"{re.escape(self.url)}/setup\?\S+", self.servers[0].log())
        if not link:
            raise RuntimeError(f"The API printed no link:\n{self.servers[0].log()}")
        return link[0]

    def team_id(self, person: Person) -> str:
        """The id of a user's only team."""
        (team,) = self.api(person, "GET", "/teams")["teams"]
        return team["id"]

    def vote(self, person: Person, happiness: float, feedback: str | None = None) -> None:
        """Casts a ballot in the running sprint of a user's only team, through the API."""
        team = self.team_id(person)
        sprint = self.api(person, "GET", f"/teams/{team}/sprints/current")
        ballot = {"happiness": happiness, "feedback": feedback}
        self.api(person, "POST", f"/teams/{team}/sprints/{sprint['sprint']['label']}/ballots", ballot)

    def api(self, person: Person, method: str, path: str, body: Any = None) -> Any:
        """The response of `/api/v1` to a user, each time with a new session."""
        log_in = self._request("POST", "/auth/login", {"username": person.name, "password": person.password})
        return self._request(method, path, body, log_in["accessToken"])

    def classic_token(self, person: Person) -> str:
        """A token of a new session that stays valid for a whole run."""
        request = urllib.request.Request(
            f"{self.servers[0].address}/user/login",
            json.dumps({"username": person.name, "password": person.password}).encode(),
            {"Content-Type": "application/json", "User-Agent": f"test {secrets.token_hex(16)}"})
        with urllib.request.urlopen(request, timeout=START_LIMIT) as answer:
            return json.load(answer)["accessToken"]

    def command(self, *arguments: str, given: str = "") -> str:
        """Runs `HappinessAPI ARGUMENTS` with one line of input, and returns its output."""
        return self._run([str(BINARIES / "HappinessAPI"), *arguments], given).stdout

    def add_dead_job(self, error: str) -> None:
        """Stores a dead job, like one of a worker whose mail server was unavailable for too long; on a SQLite file."""
        with closing(sqlite3.connect(self.database)) as store, store:
            store.execute(
                "INSERT INTO jobs (id, kind, payload, state, runAt, attempts, lastError)"
                " VALUES (?, 'mail.passwordReset', ?, 'dead', ?, 8, ?)",
                (secrets.token_hex(16), json.dumps({"userID": secrets.token_hex(16)}), int(time.time() * 1_000), error),
            )

    def mark_address(self, person: Person) -> None:
        """Marks the person's address, as if a mail to it had bounced; on a SQLite file."""
        with closing(sqlite3.connect(self.database, timeout=30)) as store, store:
            store.execute(
                "UPDATE users SET addressFault = 'bounced', addressFaultSince = ? WHERE name = ?",
                (date.today().isoformat(), person.name),
            )

    def work(self) -> str:
        """Runs the worker once, and returns its log."""
        return self._run([str(BINARIES / "Worker"), "--once"]).stderr

    def mail(self, to: str) -> EmailMessage:
        """Runs the worker once, and returns the newest mail to an address."""
        self.work()
        mails = sorted(Path(self._folder.name, "outbox").glob("*.eml"), key=lambda file: file.stat().st_mtime_ns)
        for file in reversed(mails):
            mail = message_from_bytes(file.read_bytes(), policy=policy.default)
            if isinstance(mail, EmailMessage) and to in str(mail["To"]):
                return mail
        raise AssertionError(f"No mail to {to} among {len(mails)}.")

    def mailed_link(self, to: str) -> str:
        """The link to this installation in the newest mail to an address."""
        body = self.mail(to).get_body(("plain",))
        link = re.search(rf"{re.escape(self.url)}/\S+", body.get_content() if body else "")
        if not link:
            raise AssertionError(f"No link in the mail to {to}.")
        return link[0]

    def _request(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        request = urllib.request.Request(
            f"{self.servers[0].address}/api/v1{path}", None if body is None else json.dumps(body).encode(), headers, method=method)
        with urllib.request.urlopen(request, timeout=START_LIMIT) as answer:
            return json.loads(answer.read() or "null")

    def _run(self, command: list[str], given: str = "") -> subprocess.CompletedProcess[str]:
        result = subprocess.run(
            command, cwd=self._root, env=self._environment, input=f"{given}\n", capture_output=True, text=True, timeout=START_LIMIT,
        )
        if result.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} failed:\n{result.stdout}{result.stderr}")
        return result


@contextmanager
def running(installation: Installation) -> Iterator[Installation]:
    """Runs it while the block runs."""
    try:
        installation.start()
        yield installation
    finally:
        installation.stop()


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process as a service manager does."""
    process.terminate()
    try:
        process.wait(STOP_LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_until(condition: Callable[[], bool], limit: float = START_LIMIT) -> None:
    """Checks a condition until it holds, for at most `limit` seconds."""
    deadline = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < deadline, f"The condition did not hold within {limit} s."
        # Leaves the processor to what it waits for, until the next check.
        time.sleep(0.02)


def _options(settings: dict[str, str]) -> list[str]:
    return [part for name, value in settings.items() for part in (f"--{name.replace('_', '-')}", value)]


def free_port() -> int:
    """A TCP port that nothing uses."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
