"""Forged ballot papers: each is refused without a look into the store, and many of them disturb no other user."""

from __future__ import annotations

import itertools
import json
import os
import re
import secrets
import socket
import sqlite3
import statistics
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from harness.mongod import mongod, run
from harness.papers import MODULUS, encoded
from installation import START_LIMIT, Installation, running
from sealed_voter import Answer, SealedVoter, send

# How many the API gets at once; FORGED_PAPERS=1000000 sends a million.
FORGED_PAPERS = int(os.environ.get("FORGED_PAPERS", 4_000))
# How many of them are refused before a check, because they are too short, for a comparison.
UNCHECKED_PAPERS = 500
# How many MongoDB's profiler watches.
PROFILED_PAPERS = 300
CONNECTIONS = 8

REFUSED = (422, "ballot-paper-not-valid")

# Others may wait this many times as long as during unchecked papers. Measured: 0.5 to 1.7, because other programs use
# the processors as well.
SLOWER = 4

# Collections that every process reads and writes now and then, and the profiler's own.
PROCESSES = {"processes", "clock"}
UNRELATED = PROCESSES | {"ownTexts", "revocations", "system.profile"}


@pytest.fixture(scope="module")
def voter(installation: Installation) -> SealedVoter:
    return SealedVoter(installation, installation.add_person("voter", installation.add_team(threshold="2")))


@pytest.fixture(scope="module")
def spent(voter: SealedVoter) -> dict[str, Any]:
    """A ballot that has been counted."""
    ballot = voter.ballot(voter.unblinded(voter.ask_for_paper()), 7)
    assert voter.cast(ballot).status == 201
    return ballot


def forged(length: int = MODULUS) -> str:
    """A random signature, which is below the modulus."""
    return encoded(bytes([secrets.randbelow(0x80)]) + secrets.token_bytes(length - 1))


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        pytest.param({}, (409, "already-counted"), id="spent paper"),
        pytest.param(
            {"paper": encoded(bytes(32))}, REFUSED, id="another paper with a valid signature"),
        pytest.param({"signature": forged()}, REFUSED, id="spent paper with a forged signature"),
        pytest.param(
            {"paper": encoded(bytes(32)), "signature": forged()}, REFUSED, id="both forged"),
        pytest.param({"signature": forged(255)}, REFUSED, id="short signature"),
        pytest.param({"signature": forged(257)}, REFUSED, id="long signature"),
        pytest.param({"signature": ""}, REFUSED, id="empty signature"),
        pytest.param(
            {"signature": encoded(b"\xff" * MODULUS)}, REFUSED, id="signature above the modulus"),
        pytest.param({"signature": "?"}, REFUSED, id="signature that is not Base64URL"),
        pytest.param({"paper": encoded(bytes(31))}, REFUSED, id="short paper"),
        pytest.param({"key": "0" * 64}, (404, "no-such-ballot-key"), id="unknown key"),
        pytest.param({"key": "0" * 63}, (404, "no-such-ballot-key"), id="short key"),
        pytest.param({"feedback": "x" * 65_536}, (413, "too-large"), id="large body"),
    ],
)
def test_a_forged_ballot_is_refused(
    changes: dict[str, str], refusal: tuple[int, str], installation: Installation, voter: SealedVoter,
    spent: dict[str, Any],
) -> None:
    before = rows(installation)
    assert voter.cast(spent | changes).refusal == refusal
    assert rows(installation) == before


def test_a_paper_of_one_team_is_not_valid_in_another(installation: Installation, voter: SealedVoter) -> None:
    other = SealedVoter(installation, installation.add_person("voter", installation.add_team()))
    ballot = other.ballot(other.unblinded(other.ask_for_paper()), 7)
    assert other.cast(ballot | {"key": voter.key_id}).refusal == REFUSED
    assert other.cast(ballot).status == 201


@pytest.mark.timeout(600 + FORGED_PAPERS / 100)
def test_many_forged_papers_store_nothing_and_disturb_no_other_user(installation: Installation) -> None:
    team = installation.add_team(threshold="2")
    voter, colleague = (SealedVoter(installation, installation.add_person("voter", team)) for _ in range(2))
    def vote() -> None:
        assert send(installation, f"{colleague.sprint}/ballots", {"happiness": 8}, colleague.token).status == 201

    def usual_wait() -> float:
        refusals, wait = sent_beside(voter, lambda: flood(installation, UNCHECKED_PAPERS, forgeries(voter, 31)))
        assert refusals == {REFUSED: UNCHECKED_PAPERS}
        return wait

    usual = [usual_wait()]
    before = rows(installation)
    began = time.monotonic()
    refusals, wait = sent_beside(voter, lambda: flood(installation, FORGED_PAPERS, forgeries(voter)), vote)
    seconds = time.monotonic() - began
    assert refusals == {REFUSED: FORGED_PAPERS}
    after = rows(installation)
    changed = {table: len(after[table] - before[table]) for table in after if after[table] != before[table]}
    assert changed == {"userSprints": 1, "happiness": 1, "commitments": 1}

    usual.append(usual_wait())
    print(
        f"{FORGED_PAPERS} forged papers in {seconds:.0f} s. Reading the running sprint took {1000 * wait:.0f} ms;"
        f" during unchecked papers, {1000 * usual[0]:.0f} ms before and {1000 * usual[1]:.0f} ms after that.")
    assert wait < SLOWER * max(usual)
    assert voter.cast(voter.ballot(voter.unblinded(voter.ask_for_paper()), 7)).status == 201
    assert voter.result() == (2, 7.5)


def test_the_database_is_not_asked_about_forged_papers(tmp_path: Path) -> None:
    with mongod(tmp_path) as url, running(Installation(url, demo=False)) as installation:
        voter = SealedVoter(installation, installation.add_person("voter", installation.add_team(threshold="2")))
        ballot = voter.ballot(voter.unblinded(voter.ask_for_paper()), 7)
        # The API reads a key once.
        assert send(installation, f"/ballot-keys/{voter.key_id}").status == 200
        with socket.create_connection(("127.0.0.1", int(url.split(":")[2].split("/")[0]))) as connection:
            run(connection, {"profile": 2}, "happiness")
            refusals = flood(installation, PROFILED_PAPERS, forgeries(voter))
            assert refusals == {REFUSED: PROFILED_PAPERS}
            assert used_collections(connection) <= UNRELATED
            assert voter.cast(ballot).status == 201
            assert {"spentPapers", "happiness"} <= used_collections(connection)


def forgeries(voter: SealedVoter, length: int = 32) -> Callable[[], bytes]:
    """Creates ballots with random papers and random signatures."""

    def forgery() -> bytes:
        ballot = voter.ballot(b"", 7) | {"paper": encoded(secrets.token_bytes(length)), "signature": forged()}
        return json.dumps(ballot).encode()

    return forgery


def flood(installation: Installation, count: int, ballot: Callable[[], bytes]) -> Counter[tuple[int, str]]:
    """Sends ballots over several connections, as fast as they are refused. Returns how often each refusal came."""
    host = installation.servers[0].address.removeprefix("http://")
    numbers = itertools.count()

    def client(_: int) -> Counter[tuple[int, str]]:
        refusals: Counter[tuple[int, str]] = Counter()
        with closing(HTTPConnection(host, timeout=START_LIMIT)) as connection:
            while next(numbers) < count:
                connection.request("POST", "/api/v1/ballots", ballot(), {"Content-Type": "application/json"})
                response = connection.getresponse()
                refusals[Answer(response.status, json.load(response)).refusal] += 1
        return refusals

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        return sum(pool.map(client, range(CONNECTIONS)), Counter())


def sent_beside(
    reader: SealedVoter, ballots: Callable[[], Counter[tuple[int, str]]], act: Callable[[], None] = lambda: None
) -> tuple[Counter[tuple[int, str]], float]:
    """Reads the running sprint again and again while others send ballots, and acts once.

    Returns how often each refusal came, and the median time of the reads in seconds.
    """
    waits = []
    with ThreadPoolExecutor() as pool:
        refusals = pool.submit(ballots)
        act()
        while not refusals.done():
            began = time.perf_counter()
            assert reader.read_sprint().status == 200
            waits.append(time.perf_counter() - began)
    return refusals.result(), statistics.median(waits)


def rows(installation: Installation) -> dict[str, set[tuple[Any, ...]]]:
    """The content of all tables, except those in which each process notes that it runs, and when."""
    with closing(sqlite3.connect(f"file:{installation.database}?mode=ro", uri=True)) as store:
        tables = [name for (name,) in store.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {table: set(store.execute(f'SELECT * FROM "{table}"')) for table in tables if table not in PROCESSES}


def used_collections(connection: socket.socket) -> set[str]:
    """The collections that the profiler has seen in use."""
    answer = run(connection, {"distinct": "system.profile", "key": "ns"}, "happiness")
    return {name.decode() for name in re.findall(rb"\0happiness\.([\w.]+)\0", answer)}
