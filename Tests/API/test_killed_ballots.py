"""API and mongod are killed while they issue a ballot paper and while they count a sealed ballot."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import pytest
from harness.mongod import address, command, initiate
from harness.processes import free_port
from installation import Installation, running, wait_until
from sealed_voter import Answer, SealedVoter, send

# Answers after which a client sends its request again: none, and that the store is unavailable.
LOST = (0, 503)


class Program(Protocol):
    """What is killed."""

    def kill(self) -> None: ...

    def start(self) -> None: ...


class Mongod:
    """A mongod that keeps its data and its port when it is started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = address(self._port)

    def start(self) -> None:
        """Starts it and returns when it accepts writes."""
        data = self._folder / "mongod"
        data.mkdir(exist_ok=True)
        with (self._folder / "mongod.log").open("ab") as log:
            self._process = subprocess.Popen(
                command(data, self._port), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        initiate(self._port, self._process)

    def kill(self) -> None:
        """Ends it like a crash."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@pytest.fixture(scope="module", params=["mongod", "api-mongodb", "api-sqlite"])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Installation, Program]]:
    """An installation, and the program that is killed."""
    if request.param == "api-sqlite":
        with running(Installation(demo=False)) as installation:
            yield installation, installation.servers[0]
        return
    mongod = Mongod(tmp_path_factory.mktemp("mongod"))
    try:
        mongod.start()
        with running(Installation(mongod.url, demo=False)) as installation:
            yield installation, mongod if request.param == "mongod" else installation.servers[0]
    finally:
        mongod.kill()


@pytest.mark.parametrize("milliseconds", [0, 4, 8, 13, 50])
def test_a_sealed_ballot_counts_once_whatever_is_killed(
    place: tuple[Installation, Program], milliseconds: int
) -> None:
    installation, program = place
    team = installation.add_team(threshold="2")
    with ThreadPoolExecutor() as pool:
        person, colleague = pool.map(lambda name: installation.add_person(name, team), ("person", "colleague"))
    voter, token = SealedVoter(installation, person), installation.classic_token(colleague)

    first = killed_during(voter.ask_for_paper, program, milliseconds)
    if first.status == 201:
        assert repeated(voter.ask_for_another_paper).refusal == (409, "already-voted")
    again = repeated(voter.ask_for_paper)
    assert again.status == 201
    if first.status == 201:
        assert again == first
    assert repeated(voter.ask_for_another_paper).refusal == (409, "already-voted")

    ballot = voter.ballot(voter.unblinded(again), 7)
    cast = killed_during(lambda: voter.cast(ballot), program, milliseconds)
    second = repeated(lambda: voter.cast(ballot))
    if cast.status == 201 or second.status != 201:
        assert second.refusal == (409, "already-counted")
    assert repeated(lambda: voter.cast(ballot)).refusal == (409, "already-counted")
    print(f"paper {first.status}, ballot {cast.status}, again {second.status}")

    plain = repeated(lambda: send(installation, f"{voter.sprint}/ballots", {"happiness": 8}, token))
    assert plain.status == 201
    assert voter.result() == (2, 7.5)


def killed_during(request: Callable[[], Answer], program: Program, milliseconds: int) -> Answer:
    """Kills the program some time after the request began, and starts it again at once."""
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(request)
        # Not a wait for anything: it chooses the moment of the kill, and every moment must be safe.
        time.sleep(milliseconds / 1000)
        program.kill()
        # Not in a thread that ends: the API would end with it.
        program.start()
    assert answer.result().status in (201, *LOST), answer.result()
    return answer.result()


def repeated(request: Callable[[], Answer]) -> Answer:
    """Sends a request until it is answered."""
    answers: list[Answer] = []

    def is_answered() -> bool:
        answers.append(request())
        return answers[-1].status not in LOST

    wait_until(is_answered)
    return answers[-1]
