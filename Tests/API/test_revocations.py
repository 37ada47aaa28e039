"""What is taken away in one process works in another for three seconds at most, also after the store was away."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness.mongod import address, command, initiate
from harness.processes import free_port
from harness.processes import running as process
from installation import START_LIMIT, Installation, Person, running, wait_until

# Seconds: `RevocationFeed.trust`.
TRUST = 3
# Seconds for the request that finds out, on a busy machine.
PATIENCE = 4
# Seconds until a request gives up a store that does not respond.
SILENCE = 5

PING = "/api/v1/ping"


@pytest.fixture(params=["SQLite", "MongoDB"])
def installation(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Installation]:
    """With two API processes on MongoDB, and one on SQLite, whose other processes are the commands."""
    if request.param == "SQLite":
        with running(Installation(demo=False)) as installation:
            yield installation
    else:
        with store(tmp_path) as (url, _), running(Installation(url, demo=False, processes=2)) as installation:
            yield installation


def test_what_is_taken_away_elsewhere_ends_within_seconds(installation: Installation) -> None:
    team = installation.add_team()
    names = ("lead", "member", "disabled", "reset")
    lead, member, disabled, reset = (installation.add_person(name, team=team, lead=name == "lead") for name in names)
    here = installation.servers[-1].address
    tokens = {person.name: log_in(here, person) for person in (lead, member, disabled, reset)}
    sprints = f"/api/v1/teams/{installation.team_id(lead)}/sprints"
    # Every process knows them from now on.
    for token in tokens.values():
        assert status(here, sprints, token) == 200

    installation.command("team", "remove-member", team, member.name)
    installation.command("user", "disable", disabled.name)
    installation.command("user", "set-password", reset.name, given="another gentle harbour")
    revoked = time.monotonic()
    expected = {member.name: 404, disabled.name: 401, reset.name: 401}
    wait_for(revoked, lambda: {name: status(here, sprints, tokens[name]) for name in expected} == expected)
    # Nobody else is affected, and nothing comes back.
    assert status(here, sprints, tokens[lead.name]) == 200
    assert {name: status(here, sprints, tokens[name]) for name in expected} == expected


def test_a_log_out_in_one_process_reaches_the_other(tmp_path: Path) -> None:
    with store(tmp_path) as (url, _), running(Installation(url, demo=False, processes=2)) as installation:
        person = installation.add_person()
        here, there = (server.address for server in installation.servers)
        first, second, third = (log_in(here, person) for _ in range(3))
        for token in (first, second, third):
            for server in (here, there):
                assert status(server, PING, token) == 204

        log_out(here, first)
        wait_for(time.monotonic(), lambda: status(there, PING, first) == 401)
        assert status(here, PING, first) == 401
        assert status(there, PING, second) == 204

        # All but the present one.
        assert send(here, "DELETE", "/api/v1/me/sessions", second) == 204
        wait_for(time.monotonic(), lambda: status(there, PING, third) == 401)
        assert status(there, PING, second) == status(here, PING, second) == 204


def test_a_process_that_was_suspended_believes_nothing(tmp_path: Path) -> None:
    with store(tmp_path) as (url, _), running(Installation(url, demo=False, processes=2)) as installation:
        person = installation.add_person()
        here, there = installation.servers
        token = log_in(here.address, person)
        assert status(there.address, PING, token) == 204
        there.signal(signal.SIGSTOP)
        try:
            log_out(here.address, token)
            revoked = time.monotonic()
            wait_until(lambda: time.monotonic() > revoked + TRUST)
        finally:
            there.signal(signal.SIGCONT)
        # Already its first answer.
        assert status(there.address, PING, token) == 401


def test_nobody_is_believed_while_the_store_is_away(tmp_path: Path) -> None:
    with store(tmp_path) as (url, mongod), running(Installation(url, demo=False, processes=2)) as installation:
        person = installation.add_person()
        here, there = (server.address for server in installation.servers)
        ended, kept = log_in(here, person), log_in(here, person)
        for token in (ended, kept):
            assert status(there, PING, token) == 204
        mongod.send_signal(signal.SIGSTOP)
        try:
            wait_for(time.monotonic() + SILENCE, lambda: status(there, PING, kept) == 503)
        finally:
            mongod.send_signal(signal.SIGCONT)
        wait_until(lambda: status(here, PING, ended) == 204)
        # Its connections may be broken at first.
        wait_until(lambda: send(here, "POST", "/api/v1/auth/logout", ended) == 204)
        wait_for(time.monotonic(), lambda: status(there, PING, ended) == 401)
        wait_until(lambda: status(there, PING, kept) == 204)
        # From now on it remembers people again.
        wait_until(lambda: "Revocations can be read again" in installation.servers[1].log())


@contextmanager
def store(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a new MongoDB database, and its process, which can be suspended."""
    port = free_port()
    data = folder / "mongod"
    data.mkdir()
    with process(command(data, port), folder / "mongod.log") as mongod:
        initiate(port, mongod)
        yield address(port), mongod


def log_in(server: str, person: Person) -> str:
    """A token of a new session."""
    connection = connect(server)
    try:
        body = json.dumps({"username": person.name, "password": person.password})
        connection.request("POST", "/api/v1/auth/login", body, {"Content-Type": "application/json"})
        return str(json.load(connection.getresponse())["accessToken"])
    finally:
        connection.close()


def log_out(server: str, token: str) -> None:
    """Ends the session of the token."""
    assert send(server, "POST", "/api/v1/auth/logout", token) == 204


def status(server: str, path: str, token: str) -> int:
    """The status of a GET."""
    return send(server, "GET", path, token)


def send(server: str, method: str, path: str, token: str) -> int:
    """The status of a request without a body."""
    connection = connect(server)
    try:
        connection.request(method, path, headers={"Authorization": f"Bearer {token}"})
        return connection.getresponse().status
    finally:
        connection.close()


def connect(server: str) -> http.client.HTTPConnection:
    """A new connection."""
    return http.client.HTTPConnection(server.removeprefix("http://"), timeout=START_LIMIT)


def wait_for(begin: float, condition: Callable[[], bool]) -> None:
    """Waits until a condition holds; fails if that takes longer than anything may be believed."""
    wait_until(condition)
    assert time.monotonic() - begin < TRUST + PATIENCE
