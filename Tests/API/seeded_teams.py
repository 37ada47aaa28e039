"""Teams with members who are logged in, made quickly: no command for each person."""

from __future__ import annotations

import http.client
import json
import random
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from installation import BINARIES, ROOT, START_LIMIT, Installation

# Log-ins at the same time.
CLIENTS = 8


@dataclass(frozen=True)
class Member:
    """A member who is logged in, and what they vote."""

    # Different for each member of a call of `add_teams`, from 0.
    number: int
    token: str
    # Paths in the API.
    team: str
    sprint: str
    happiness: float


def add_teams(installation: Installation, sizes: list[int], name: str = "Team") -> list[list[Member]]:
    """New teams with so many members each."""
    made = json.loads(seed(installation, "teams", "--name", name, "--sizes", ",".join(map(str, sizes))))
    people = [(team["id"], person["name"]) for team in made["teams"] for person in team["members"]]
    address = installation.servers[0].address.removeprefix("http://")

    def log_in(number: int) -> Member:
        team, user = people[number]
        credentials = {"username": user, "password": made["password"]}
        token = fetch(address, "POST", "/user/login", credentials)["accessToken"]
        path = f"/api/v1/teams/{team}"
        label = fetch(address, "GET", f"{path}/sprints/current", token=token)["sprint"]["label"]
        return Member(number, token, path, f"{path}/sprints/{label}", random.randrange(21) / 2)

    with ThreadPoolExecutor(CLIENTS) as pool:
        members = iter(list(pool.map(log_in, range(len(people)))))
    return [[next(members) for _ in range(size)] for size in sizes]


def close(installation: Installation, teams: list[list[Member]]) -> None:
    """Closes the running sprints, which publishes all ballots.

    A complete sprint is closed already, unless a fault prevented that.
    """
    seed(installation, "close", *(team[0].team.split("/")[-1] for team in teams))


def fetch(address: str, method: str, path: str, body: Any = None, token: str = "") -> Any:
    """The JSON of a successful answer."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    connection = http.client.HTTPConnection(address, timeout=START_LIMIT)
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        content = json.load(answer)
        assert answer.status == 200, (path, content)
        return content
    finally:
        connection.close()


def seed(installation: Installation, *arguments: str) -> str:
    """Runs BenchmarkSeed on the installation's store, and returns its output."""
    result = subprocess.run(
        [str(BINARIES / "BenchmarkSeed"), *arguments], cwd=ROOT, env=installation.servers[0].environment,
        capture_output=True, text=True, timeout=START_LIMIT)  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout
