"""Members vote through two processes while the primary of their replica set is stepped down or killed.

`FAULTS=20 .venv/bin/python3 -m pytest Tests/API/test_replica_set.py -s` prints how long they wait. Two more settings
show what that depends on: `ELECTION_TIMEOUT` in milliseconds, and `RETRY_AFTER=yes` for clients that wait as long as a
503 asks them to.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any

import pytest
from installation import START_LIMIT, Installation, running, wait_until
from replica_set import ReplicaSet, replica_set
from sealed_voter import Answer
from seeded_teams import Member, add_teams, close, fetch

# Alternately step-downs and kills.
FAULTS = int(os.environ.get("FAULTS", "6"))
# Milliseconds. A node adds up to 15 % at random. With less than 870 there is another primary within a second. The third
# node, which has lost its source of writes, looks for another one every second. Until it has found the new primary,
# there is no majority, and no ballot is counted.
ELECTION_TIMEOUT = int(os.environ.get("ELECTION_TIMEOUT", "800"))
OBEYS_RETRY_AFTER = os.environ.get("RETRY_AFTER") == "yes"
TEAM_SIZE = 50
TEAMS_PER_FAULT = 2
# Ballots that are counted before each fault. The other members vote during it, or after it.
QUIET_BALLOTS = 60
# Members who vote at the same time.
CLIENTS = 12
# Seconds until the next member votes, at most: about thirty vote in a second.
LONGEST_PAUSE = 0.8
# Seconds from the first request until the ballot is counted: ten times what was measured, as machines are busy. With an
# election timeout of ten seconds, the server's default, it takes up to twelve.
WAIT_LIMIT = 15
# Answers after which a client sends its request again: none, and that the store is unavailable.
LOST = (0, 503)


@dataclass(frozen=True)
class Cast:
    """What it took to cast a ballot, in seconds of the monotonic clock."""

    begun: float
    counted: float
    statuses: tuple[int, ...]
    # Seconds until each answer of 503.
    refused_after: tuple[float, ...]

    @property
    def wait(self) -> float:
        return self.counted - self.begun


@dataclass
class Fault:
    """What happened to the primary, and when, in seconds of the monotonic clock."""

    kind: str
    at: float
    has_primary: float = 0
    casts: list[Cast] = field(default_factory=list)

    def summary(self) -> str:
        longest = max(self.casts, key=lambda cast: cast.wait)
        statuses = Counter(status for cast in self.casts for status in cast.statuses)
        refused = [seconds for cast in self.casts for seconds in cast.refused_after]
        return (
            f"{self.kind:9}  another primary after {self.has_primary - self.at:5.2f} s,"
            f" longest wait {longest.wait:5.2f} s with answers {longest.statuses};"
            f" all answers {dict(statuses)}, slowest 503 {max(refused, default=0):.2f} s")


class Load:
    """Members who vote through all processes of an installation."""

    def __init__(self, installation: Installation) -> None:
        self._addresses = [server.address.removeprefix("http://") for server in installation.servers]
        self._members: SimpleQueue[Member | None] = SimpleQueue()
        self._lock = Lock()
        self._casts: list[Cast] = []
        self._failures: list[str] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        """Runs while the block runs, and until all members have voted."""
        with ThreadPoolExecutor(CLIENTS) as pool:
            clients = [pool.submit(self._vote, random.Random(number)) for number in range(CLIENTS)]
            try:
                yield
            except BaseException:
                # The others need not vote in a test that has failed.
                with suppress(Empty):
                    while True:
                        self._members.get_nowait()
                raise
            finally:
                for _ in clients:
                    self._members.put(None)
        for client in clients:
            client.result()

    def add(self, members: list[Member]) -> None:
        """Lets them vote soon."""
        for member in members:
            self._members.put(member)

    def casts(self) -> list[Cast]:
        """The ballots counted so far.

        An answer that a client must not get fails the test here.
        """
        with self._lock:
            assert not self._failures, self._failures
            return list(self._casts)

    def wait_for(self, count: int) -> None:
        """Returns when that many more ballots are counted."""
        before = len(self.casts())
        wait_until(lambda: len(self.casts()) >= before + count)

    def _vote(self, chance: random.Random) -> None:
        while (member := self._members.get()) is not None:
            # Otherwise all would have voted before the fault.
            time.sleep(chance.uniform(0, LONGEST_PAUSE))
            self._cast(member, chance)

    def _cast(self, member: Member, chance: random.Random) -> None:
        begun, process = time.monotonic(), member.number
        statuses: list[int] = []
        refused_after: list[float] = []
        while True:
            sent = time.monotonic()
            answer, seconds = self._send(member, process)
            statuses.append(answer.status)
            if answer.status == 201 or (answer.status == 409 and len(statuses) > 1):
                break
            if answer.status not in LOST or time.monotonic() - begun > START_LIMIT:
                with self._lock:
                    self._failures.append(f"{answer} after {time.monotonic() - begun:.1f} s and {statuses}")
                return
            if answer.status == 503:
                refused_after.append(time.monotonic() - sent)
            # As a real client does. Without a pause, requests that cannot succeed yet would keep the server busy.
            time.sleep((seconds if OBEYS_RETRY_AFTER else 0) + chance.uniform(0.1, 0.3))
            # A balancer may choose another process.
            process += 1
        with self._lock:
            self._casts.append(Cast(begun, time.monotonic(), tuple(statuses), tuple(refused_after)))

    def _send(self, member: Member, process: int) -> tuple[Answer, int]:
        """The answer, and the seconds after which the server wants the request again."""
        address = self._addresses[process % len(self._addresses)]
        body = {"happiness": member.happiness}
        return post(address, f"{member.sprint}/ballots", body, member.number, member.token)


@pytest.fixture
def replicas() -> Iterator[ReplicaSet]:
    with replica_set(ELECTION_TIMEOUT) as replicas:
        yield replicas


@pytest.fixture
def installation(replicas: ReplicaSet) -> Iterator[Installation]:
    with running(Installation(replicas.url, processes=2, demo=False)) as installation:
        yield installation


def test_every_ballot_counts_once_while_the_primary_changes(
    replicas: ReplicaSet, installation: Installation, record_property: Callable[[str, object], None]
) -> None:
    teams = add_teams(installation, [TEAM_SIZE] * (TEAMS_PER_FAULT * FAULTS))
    load = Load(installation)
    faults: list[Fault] = []
    with load.running():
        for number in range(FAULTS):
            load.add([member for team in teams[number::FAULTS] for member in team])
            load.wait_for(QUIET_BALLOTS)
            faults.append((step_down, kill)[number % 2](replicas, load))
    assign(load.casts(), faults)
    print("", *(fault.summary() for fault in faults), sep="\n")
    for kind in {fault.kind: None for fault in faults}:
        waits = [max(cast.wait for cast in fault.casts) for fault in faults if fault.kind == kind]
        record_property(f"longest wait, {kind}", max(waits))
        median = statistics.median(waits)
        print(f"{kind}: longest wait {max(waits):.2f} s, median of {len(waits)} faults {median:.2f} s")

    close(installation, teams)
    for team in teams:
        assert result(installation, team[0]) == (len(team), sum(member.happiness for member in team))
    assert max(cast.wait for cast in load.casts()) < WAIT_LIMIT


def step_down(replicas: ReplicaSet, load: Load) -> Fault:
    """Lets the primary hand over."""
    fault = Fault("step-down", replicas.step_down())
    follow(fault, replicas, load)
    replicas.wait_until_whole()
    return fault


def kill(replicas: ReplicaSet, load: Load) -> Fault:
    """Kills the primary, and starts it again when ballots are counted without it."""
    primary = replicas.primary()
    fault = Fault("kill", time.monotonic())
    primary.kill()
    follow(fault, replicas, load)
    primary.start()
    replicas.wait_until_whole()
    return fault


def follow(fault: Fault, replicas: ReplicaSet, load: Load) -> None:
    """Returns when there is a primary, and a ballot is counted that was sent after the fault."""
    replicas.primary()
    fault.has_primary = time.monotonic()
    wait_until(lambda: any(cast.begun > fault.at for cast in load.casts()))


def assign(casts: list[Cast], faults: list[Fault]) -> None:
    """Gives each fault the ballots that it may have delayed: all that were counted between it and the next one."""
    ends = [*(fault.at for fault in faults[1:]), float("inf")]
    for fault, end in zip(faults, ends, strict=True):
        fault.casts += [cast for cast in casts if fault.at < cast.counted <= end]


def result(installation: Installation, member: Member) -> tuple[int, float]:
    """Votes of the member's sprint, and the sum of their values."""
    address = installation.servers[-1].address.removeprefix("http://")
    publication = fetch(address, "GET", member.sprint, token=member.token)["sprint"]["publication"]
    return publication["votes"], round(publication["votes"] * publication["happiness"], 6)


def post(address: str, path: str, body: Any, number: int, token: str) -> tuple[Answer, int]:
    """Sends JSON from an address of the member's own, as behind a proxy. Returns also the seconds in `Retry-After`."""
    forwarded = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    headers = {
        "Authorization": f"Bearer {token}", "Content-Type": "application/json", "X-Forwarded-For": forwarded,
    }
    connection = http.client.HTTPConnection(address, timeout=START_LIMIT)
    try:
        connection.request("POST", path, json.dumps(body), headers)
        response = connection.getresponse()
        answer = Answer(response.status, json.loads(response.read() or "null"))
        return answer, int(response.headers.get("Retry-After", 0))
    except (OSError, http.client.HTTPException, ValueError):
        return Answer(0), 0
    finally:
        connection.close()
