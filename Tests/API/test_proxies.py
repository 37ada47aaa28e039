"""nginx and Caddy in front of three API processes and two workers, with the files in deploy/.

`ROUNDS=5 .venv/bin/python3 -m pytest Tests/API/test_proxies.py -s` replaces all processes five times and prints how
many requests were sent meanwhile.
"""

from __future__ import annotations

import http.client
import io
import json
import os
import random
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Lock
from typing import Any

import pytest
from harness.mongod import mongod
from installation import BINARIES, ROOT, START_LIMIT, STOP_LIMIT, Installation, Server, free_port, running, wait_until
from PIL import Image
from proxies import NAME, Caddy, Connection, Nginx, Proxy
from seeded_teams import Member, add_teams, close

PROCESSES = 3
WORKERS = 2
# Times that all processes are replaced.
ROUNDS = int(os.environ.get("ROUNDS", "1"))
# Members who send requests at the same time.
CLIENTS = 8
TEAM_SIZE = 10
# Teams that vote while one process is replaced.
TEAMS_PER_STEP = 3
# Requests over one connection.
REQUESTS_PER_CONNECTION = 25
# Answers of the replaced process and of the others until the next one is stopped.
REQUESTS_PER_STEP = 150
# Failures from one address, of whatever names, until the API makes it wait (docs/operations.md, "Symptoms and
# remedies").
FAILURES_ALLOWED = 20
# Seconds. An event is sent within about one. Clearly shorter than the 20 s after which the API sends a comment, which
# would also push a buffered event through.
EVENT_LIMIT = 12
# Seconds that a client of the load listens to a silent stream.
STREAM_LIMIT = 0.5
# Paths that no log may contain (docs/operations.md, "TLS and proxies").
PATHS = ("/ballots", "/teams", "/sprints", "/events", "/login")


class Worker:
    """A worker process of an installation."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        self._port = free_port()
        self._environment = environment | {"WORKER_METRICS_PORT": str(self._port)}
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it and returns when it is ready."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", str(BINARIES / "Worker")], cwd=ROOT, env=self._environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)  # fmt: skip
        wait_until(self._is_ready)

    def stop(self) -> None:
        """As a service manager does."""
        assert self._process is not None
        self._process.terminate()
        assert self._process.wait(STOP_LIMIT + 10) == 0, self._log.read_text()

    def kill(self) -> None:
        """Ends it if it runs."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _is_ready(self) -> bool:
        assert self._process is not None and self._process.poll() is None, self._log.read_text()
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=START_LIMIT)
        try:
            connection.request("GET", "/health/ready")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()


class Load:
    """Members who read and vote through a proxy."""

    def __init__(self, proxy: Proxy, reader: Member) -> None:
        self._proxy = proxy
        # Sends the requests of a client while no member waits; does not vote.
        self._reader = reader
        self._members: SimpleQueue[Member] = SimpleQueue()
        self._ended = Event()
        self._lock = Lock()
        self.answers: Counter[str] = Counter()
        self.failures: list[str] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        """Runs while the block runs, and until all members have voted."""
        with ThreadPoolExecutor(CLIENTS + 1) as pool:
            clients: list[Future[None]] = [pool.submit(self._send, number) for number in range(1, CLIENTS + 1)]
            clients.append(pool.submit(self._listen, CLIENTS + 1))
            try:
                yield
            finally:
                self._ended.set()
        for client in clients:
            client.result()

    def add(self, members: list[Member]) -> None:
        """Lets them vote soon."""
        for member in members:
            self._members.put(member)

    def count(self) -> int:
        """Answers so far."""
        with self._lock:
            return self.answers.total()

    def ballots(self) -> int:
        """Ballots counted so far."""
        with self._lock:
            return self.answers["ballot"]

    def _send(self, number: int) -> None:
        chance = random.Random(number)
        while True:
            connection = self._proxy.connect(number)
            for _ in range(REQUESTS_PER_CONNECTION // 5):
                try:
                    member = self._members.get_nowait()
                except Empty:
                    if self._ended.is_set():
                        return connection.close()
                    self._read(connection, self._reader)
                else:
                    self._vote(connection, member)
                # What people do between two requests; it also leaves connections idle for different times.
                time.sleep(chance.uniform(0, 0.03))
            connection.close()

    def _read(self, connection: Connection, member: Member) -> None:
        self._ask(connection, "page", 200, "GET", "/login")
        self._ask(connection, "sprint", 200, "GET", f"{member.team}/sprints/current", token=member.token)
        for _ in range(3):
            ballot = {"happiness": member.happiness, "validateOnly": True}
            self._ask(connection, "check", 200, "POST", f"{member.sprint}/ballots", ballot, member.token)

    def _vote(self, connection: Connection, member: Member) -> None:
        self._read(connection, member)
        ballot = {"happiness": member.happiness}
        self._ask(connection, "ballot", 201, "POST", f"{member.sprint}/ballots", ballot, member.token)
        body = self._ask(connection, "sprint", 200, "GET", f"{member.team}/sprints/current", token=member.token)
        if body and not json.loads(body)["hasVoted"]:
            self._fail("a member has voted and reads otherwise")

    def _listen(self, number: int) -> None:
        """Reads events. Connects again when nothing came for a while, or when the process behind the stream is
        replaced."""
        while not self._ended.is_set():
            connection = self._proxy.connect(number)
            try:
                response = connection.send_request("GET", f"{self._reader.team}/events", token=self._reader.token)
            except (OSError, http.client.HTTPException) as error:
                self._fail(f"stream: {error!r}")
                continue
            self._count("stream", response.status, 200)
            assert connection.sock
            connection.sock.settimeout(STREAM_LIMIT)
            with suppress(OSError, http.client.HTTPException):
                while not self._ended.is_set() and response.read1():
                    pass
            connection.close()

    def _ask(
        self, connection: Connection, kind: str, expected: int, method: str, path: str, body: Any = None,
        token: str = "",
    ) -> bytes:  # fmt: skip
        try:
            status, content = connection.ask(method, path, body, token)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            self._fail(f"{kind}: {error!r}")
            return b""
        self._count(kind, status, expected, content)
        return content if status == expected else b""

    def _count(self, kind: str, status: int, expected: int, content: bytes = b"") -> None:
        if status != expected:
            return self._fail(f"{kind}: {status} {content[:200]!r}")
        with self._lock:
            self.answers[kind] += 1

    def _fail(self, reason: str) -> None:
        with self._lock:
            self.failures.append(f"{time.monotonic():.2f} s: {reason}")


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Three API processes on one MongoDB."""
    with (
        mongod(tmp_path_factory.mktemp("mongod")) as url,
        running(Installation(url, processes=PROCESSES, demo=False)) as installation,
    ):
        yield installation


@pytest.fixture(scope="module")
def workers(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Worker]]:
    folder = tmp_path_factory.mktemp("workers")
    environment = installation.servers[0].environment
    workers = [Worker(environment, folder / f"worker-{number}.log") for number in range(WORKERS)]
    try:
        for worker in workers:
            worker.start()
        yield workers
    finally:
        for worker in workers:
            worker.kill()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for the name, signed by itself, beside its key."""
    path = tmp_path_factory.mktemp("certificate") / "site.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2",
         "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}",
         "-keyout", str(path.with_suffix(".key")), "-out", str(path)],
        check=True, capture_output=True, timeout=START_LIMIT)  # fmt: skip
    return path


@pytest.fixture(params=[Nginx, Caddy], ids=["nginx", "caddy"])
def proxy(
    request: pytest.FixtureRequest, installation: Installation, certificate: Path, tmp_path: Path
) -> Iterator[Proxy]:
    """Each proxy. After every test, its logs must say nothing about people."""
    kind: type[Proxy] = request.param
    proxy = kind(tmp_path, certificate, [server.address.removeprefix("http://") for server in installation.servers])
    try:
        proxy.start()
        yield proxy
    finally:
        proxy.stop()
    log = proxy.log()
    for text in [f"127.0.{proxy.network}.", *PATHS]:
        assert text not in log, [line for line in log.splitlines() if text in line][:5]


def test_pages_and_the_api_answer_with_tls_and_http_2(proxy: Proxy) -> None:
    assert proxy.curl(f"https://{NAME}:{proxy.port}/login") == "2 200"
    assert proxy.curl(f"https://{NAME}:{proxy.port}/api/v1/auth/providers") == "2 200"
    version, status = proxy.curl(f"http://{NAME}:{proxy.plain_port}/login").split()
    assert (version, status) in [("1.1", "301"), ("1.1", "308")]


@pytest.mark.parametrize("kind", [Nginx, Caddy], ids=["nginx", "caddy"])
def test_an_installation_is_below_a_path(kind: type[Proxy], certificate: Path, tmp_path: Path) -> None:
    with running(Installation(path="/mood")) as place:
        upstream = place.url.removeprefix("http://").removesuffix("/mood")
        # The other lines of the file name the same process.
        proxy = kind(tmp_path, certificate, [upstream] * PROCESSES, path="/mood")
        proxy.start()
        try:
            address = f"https://{NAME}:{proxy.port}"
            assert proxy.curl(f"{address}/mood/login") == "2 200"
            assert proxy.curl(f"{address}/mood/api/v1/auth/providers") == "2 200"
            # nginx leads to the path with a slash, and the API to the log-in.
            assert proxy.curl(f"{address}/mood") in ["2 301", "2 303"]
            # Of another service, if there were one. Caddy answers 200 without content to what nothing handles.
            for other in ["/login", "/moody/login"]:
                assert proxy.curl(f"{address}{other}") == ("2 404" if kind is Nginx else "2 200")
        finally:
            proxy.stop()


def test_failed_log_ins_count_for_the_address_that_the_proxy_sees(proxy: Proxy) -> None:
    def fail(source: int, claimed: str) -> int:
        connection = proxy.connect(source)
        body = {"username": f"nobody-{proxy.program}-{random.getrandbits(64)}", "password": "wrong"}
        status, _ = connection.ask("POST", "/api/v1/auth/login", body, headers={"X-Forwarded-For": claimed})
        connection.close()
        return status

    for number in range(FAILURES_ALLOWED):
        assert fail(200, f"192.0.2.{number}") == 401
    assert fail(200, "192.0.2.200") == 429
    # Somebody else is not that address, whatever they claim, and is still served.
    assert fail(201, proxy.client(200)) == 401


def test_events_arrive_without_delay(proxy: Proxy, installation: Installation) -> None:
    (team,) = add_teams(installation, [3], f"Events-{proxy.program}")
    connection = proxy.connect(1)
    begun = time.monotonic()
    response = connection.send_request("GET", f"{team[0].team}/events", token=team[0].token)
    assert response.status == 200
    assert response.readline().startswith(b"retry:")
    for member in team:
        answer = proxy.connect(2).ask("POST", f"{member.sprint}/ballots", {"happiness": 7}, member.token)
        assert answer[0] == 201, answer
    # All have voted, so the result is published.
    lines = iter(response.readline, b"")
    assert any(line == b"event: publication\n" for line in lines)
    assert time.monotonic() - begun < EVENT_LIMIT
    connection.close()


def test_a_large_picture_passes(proxy: Proxy, installation: Installation) -> None:
    ((member,),) = add_teams(installation, [1], f"Picture-{proxy.program}")
    picture = io.BytesIO()
    # Noise, which no format makes smaller: three bytes for each pixel.
    Image.frombytes("RGB", (1600, 1200), random.Random(1).randbytes(1600 * 1200 * 3)).save(picture, "PNG")
    assert 5_000_000 < len(picture.getvalue()) < 25_000_000
    status, body = proxy.connect(1).ask("PUT", "/api/v1/me/picture", picture.getvalue(), member.token)
    assert status == 200, body


@pytest.mark.timeout(600)
def test_no_request_fails_while_all_processes_are_replaced(
    proxy: Proxy, installation: Installation, workers: list[Worker]
) -> None:
    programs: list[Server | Worker] = [*installation.servers, *workers]
    steps = ROUNDS * len(programs)
    teams = add_teams(installation, [TEAM_SIZE] * TEAMS_PER_STEP * steps, f"Load-{proxy.program}")
    (reader,) = add_teams(installation, [1], f"Reader-{proxy.program}")
    load = Load(proxy, reader[0])
    expected = 0
    with load.running():
        for step in range(steps):
            members = [member for team in teams[step::steps] for member in team]
            expected += len(members)
            load.add(members)
            replace(programs[step % len(programs)])
            before = load.count()
            # Failures, too, so that many of them do not let it wait forever.
            wait_until(lambda: load.count() + len(load.failures) >= before + REQUESTS_PER_STEP)
            wait_until(lambda: load.ballots() + len(load.failures) >= expected)
    print(f"\n{proxy.program}: {load.count()} requests {dict(load.answers)}, {len(load.failures)} failures")
    assert load.failures == []

    close(installation, teams)
    for team in teams:
        status, body = proxy.connect(1).ask("GET", team[0].sprint, token=team[0].token)
        publication = json.loads(body)["sprint"]["publication"]
        assert (status, publication["votes"]) == (200, TEAM_SIZE)
        assert publication["happiness"] * TEAM_SIZE == pytest.approx(sum(member.happiness for member in team))


def test_an_error_leaves_no_address_and_no_path_in_a_log(proxy: Proxy, installation: Installation) -> None:
    """The fixture looks into the logs. Here each request has an error that both proxies log by default."""
    ((member,),) = add_teams(installation, [1], f"Errors-{proxy.program}")
    for server in installation.servers:
        server.stop()
    try:
        for method, path, body in [
            ("POST", f"{member.sprint}/ballots", {"happiness": 1}), ("GET", f"{member.team}/sprints/current", None),
        ]:  # fmt: skip
            status, _ = proxy.connect(9).ask(method, path, body, member.token)
            assert status == 502
    finally:
        for server in installation.servers:
            server.start()
    # What is no HTTP, and no TLS.
    for noise in [b"GET / HTTP/1.1\r\nHost: [\r\n\r\n", b"nonsense\r\n\r\n"]:
        with socket.create_connection(("127.0.0.1", proxy.port), START_LIMIT, (proxy.client(10), 0)) as plain:
            plain.sendall(noise)
            plain.recv(1)
    if isinstance(proxy, Caddy):
        # The error itself is there.
        wait_until(lambda: "connection refused" in proxy.log())


def replace(program: Server | Worker) -> None:
    """Stops it as a service manager does, and starts it again."""
    if isinstance(program, Server):
        before = program.log().count("] Stopped")
        program.stop()
        # Otherwise it was killed, since it did not end in time.
        assert program.log().count("] Stopped") == before + 1, program.log()
    else:
        program.stop()
    # In the main thread: the process would end with another one.
    program.start()
