"""A running installation in which simulated teams vote."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import subprocess
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from random import Random
from typing import Any

import people
from harness.papers import MODULUS, decoded, encoded, pss_encoded
from installation import BINARIES, ROOT, START_LIMIT, Installation
from people import Event, Person, Team

# Seconds for a command that creates or closes many teams.
COMMAND_LIMIT = 600
# Seconds for which a connection surely stays open.
IDLE = 5


class World:
    """Requests of the simulated people, over one connection."""

    def __init__(self, installation: Installation) -> None:
        self.installation = installation
        self._connection = http.client.HTTPConnection(
            installation.servers[0].address.removeprefix("http://"), timeout=START_LIMIT)
        self._used = time.monotonic()
        self._addresses: dict[str, str] = {}
        self._password: dict[str, str] = {}
        self._labels: dict[str, str] = {}
        self._ends: dict[str, datetime] = {}
        self._seeded = 0

    def add_teams(
        self, random: Random, count: int, policy: str = "live", size: int | None = None, writes: float = people.WRITES
    ) -> list[Team]:
        """New teams with accounts for their members, none of whom has a session but the insider.

        - size: of each team; by default they differ.
        - writes: how likely a voter writes a text.
        """
        self._seeded += 1
        sizes = [size or random.choice(people.SIZES) for _ in range(count)]
        made = json.loads(
            self._seed("teams", "--policy", policy, "--name", f"Team{self._seeded}", "--sizes", ",".join(map(str, sizes))))
        teams = []
        for team in made["teams"]:
            members = [(member["id"], member["name"]) for member in team["members"]]
            self._password |= {name: made["password"] for _, name in members}
            teams.append(people.team(random, team["id"], policy, members, writes))
            self.log_in(teams[-1].insider)
            reminders = {"isOn": True, "timing": "end", "hour": 9, "remindsAgain": False, "holidays": []}
            self.request("PUT", f"/api/v1/teams/{teams[-1].id}/reminders", reminders, teams[-1].insider)
        return teams

    def close(self, teams: Sequence[Team]) -> None:
        """Closes the sprints that are still open, as at their end."""
        if teams:
            self._seed("close", *(team.id for team in teams))

    def reminders(self) -> list[EmailMessage]:
        """Sends the reminders that are due on the second-to-last working day of the sprint, and returns all mails."""
        end = max(self._ends.values())
        # Sprints end on Sundays. Reminders go out between 9:05 and 9:12.
        now = end - timedelta(days=4) + timedelta(hours=9, minutes=10)
        self._run("Worker", "--once", "--now", now.strftime("%Y-%m-%dT%H:%M:%SZ"))
        outbox = self.installation.database.parent / "outbox"
        mails = [message_from_bytes(file.read_bytes(), policy=policy.default) for file in outbox.glob("*.eml")]
        return [mail for mail in mails if isinstance(mail, EmailMessage)]

    def add_phone(self, person: Person, token: str) -> None:
        """Registers a phone, which then gets the reminders instead of a mail."""
        if not person.token:
            self.log_in(person)
        body = {"service": "fcm", "token": token, "platform": "android"}
        self.request("POST", "/api/v1/me/devices", body, person)

    def log_in(self, person: Person) -> None:
        """A new session."""
        body = {"username": person.name, "password": self._password[person.name]}
        person.token = self.request("POST", "/user/login", body, person)["accessToken"]

    def play(self, event: Event) -> None:
        """Does what the person does."""
        if not event.person.token or not event.votes or event.person.logs_in_to_vote:
            self.log_in(event.person)
        if event.votes:
            self.vote(event.team, event.person)
        else:
            self.sprint(event.team, event.person)

    def vote(self, team: Team, person: Person) -> None:
        """Casts a plain ballot."""
        body = {"happiness": person.value, "feedback": person.text}
        self.request("POST", f"{self.path(team, person)}/ballots", body, person)

    def sealed_ballot(self, team: Team, person: Person) -> dict[str, Any]:
        """Gets a paper, and returns the ballot that spends it."""
        path = self.path(team, person)
        key = self.request("GET", f"/api/v1/sprint-ballot-keys/{team.id}/{self._labels[team.id]}")
        # A SubjectPublicKeyInfo of RSA ends with the modulus and the exponent, which has a header of two bytes.
        der = decoded(key["publicKey"])
        modulus, exponent = int.from_bytes(der[-MODULUS - 5 : -5]), int.from_bytes(der[-3:])
        paper, factor = secrets.token_bytes(32), secrets.randbelow(modulus - 1) + 1
        blinded = pss_encoded(paper) * pow(factor, exponent, modulus) % modulus
        body = {"blindedMessage": encoded(blinded.to_bytes(MODULUS))}
        answer = self.request("POST", f"{path}/ballot-papers", body, person)
        signature = int.from_bytes(decoded(answer["blindSignature"])) * pow(factor, -1, modulus) % modulus
        return {
            "key": key["id"], "paper": encoded(paper), "signature": encoded(signature.to_bytes(MODULUS)),
            "happiness": person.value, "feedback": person.text,
        }  # fmt: skip

    def sprint(self, team: Team, person: Person) -> Any:
        """The sprint with its texts, as a member sees it."""
        return self.request("GET", self.path(team, person), person=person)

    def path(self, team: Team, person: Person) -> str:
        """The address of the team's sprint."""
        if team.id not in self._labels:
            current = self.request("GET", f"/api/v1/teams/{team.id}/sprints/current", person=person)
            self._labels[team.id] = current["sprint"]["label"]
            self._ends[team.id] = datetime.fromisoformat(current["sprint"]["end"])
        return f"/api/v1/teams/{team.id}/sprints/{self._labels[team.id]}"

    def request(self, method: str, path: str, body: Any = None, person: Person | None = None) -> Any:
        """The JSON of an answer, which must be a success."""
        headers = {"Content-Type": "application/json"}
        if person:
            # Each from an address of their own, as behind a proxy.
            number = len(self._addresses)
            address = self._addresses.setdefault(person.id, f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}")
            headers["X-Forwarded-For"] = address
            if person.token and path != "/user/login":
                headers["Authorization"] = f"Bearer {person.token}"
        # The server ends connections on which nothing happens, such as while a command runs.
        if time.monotonic() - self._used > IDLE:
            self._connection.close()
        self._used = time.monotonic()
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = self._connection.getresponse()
        content = response.read()
        assert 200 <= response.status < 300, (method, path, response.status, content)
        return json.loads(content or b"null")

    def _seed(self, *arguments: str) -> str:
        return self._run("BenchmarkSeed", *arguments)

    def _run(self, program: str, *arguments: str) -> str:
        environment = os.environ | self.installation.servers[0].environment
        result = subprocess.run(
            [str(BINARIES / program), *arguments], cwd=ROOT, env=environment, capture_output=True, text=True,
            timeout=COMMAND_LIMIT)  # fmt: skip
        assert result.returncode == 0, result.stderr
        return result.stdout
