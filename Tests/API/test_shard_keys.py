"""Whether a sharded cluster could send each operation only to the shards it is about: see docs/sharding.md.

No cluster runs here. One mongod records what API and worker ask while people vote, read and are reminded. Each
operation on a collection of SHARD_KEYS must name its shard key, or be listed in SCATTERING with the reason why it does
not. `-s` prints how many operations there were.
"""

from __future__ import annotations

import json
import re
import subprocess
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from enum import Enum
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest
from harness.mongod import mongod
from installation import BINARIES, ROOT, START_LIMIT, Installation, Person, running
from profiled_operations import Operation, Profiler, Shape
from sealed_voter import SealedVoter, send

# The collections that ballots make grow, with the field by which they can be sharded.
SHARD_KEYS = {
    "happiness": "team",
    "userSprints": "team",
    "spentPapers": "team",
    "commitments": "team",
    "ballotKeys": "team",
    "feedback": "team",
}

# Of the collections that are sharded, for people who look into the database. The program reads none.
VIEWS = {"happinessBySprint"}

# All others stay on the database's primary shard.
UNSHARDED = {
    "users": "no key is possible: names and addresses are both unique",
    "teams": "no key is possible: names and share links are both unique",
    "memberships": "small, and mostly asked for by user",
    "sessions": "small, and asked for by user when they end",
    "loginFailures": "small, and deleted after a day",
    "revocations": "at most 256 documents, all read at once",
    "oneTimeTokens": "small, and deleted when they expire",
    "quotas": "small, and deleted when they are old",
    "invitations": "small; the unique index begins with the address",
    "registrations": "small, and deleted when they expire",
    "externalIdentities": "small: one for each log-in at a provider",
    "reminderSettings": "small: one for each team",
    "devices": "small; the unique index is the hash of the address",
    "jobs": "workers ask for the next one of all; the unique index is the dedupe key",
    "deliveries": "small: a few for each team and sprint",
    "deliveryBatches": "small: one for each 500 recipients of a delivery",
    "reminderExperiments": "small, and rare",
    "experimentSprints": "small, and rare",
    "actions": "small: at most 2,000 for each team",
    "clientErrors": "small: the number is limited",
    "deletions": "small: the hash of each account, team or picture that was deleted while older backups are kept",
    "processes": "small: one for each process",
    "clock": "one document",
    "ownTexts": "small: one for each changed text",
    "fingerprints": "small: one for each secret",
    "migrations": "small: one for each migration",
}


class Phase(Enum):
    VOTING = "voting"
    READING = "reading"
    REMINDING = "reminding"
    CLOSING = "closing"


# Reasons for several.
START = "each program compares receipts and ballots of all teams when it starts; it reads the receipts by team"
OVERDUE = "a worker asks once a minute for the sprints of all teams that are over"

# The operations that the router sends to all shards, with their reason.
SCATTERING: dict[Phase, dict[Shape, str]] = {
    Phase.VOTING: {
        ("ballotKeys", "find", ("_id",)): "a sealed ballot names only its key; a process asks once a day for each",
    },
    Phase.READING: {
        ("happiness", "find", ("cleared",)): "an export has the receipts of a member in all teams, also in former ones",
    },
    Phase.REMINDING: {
        ("happiness", "find", ("cleared",)): START,
        ("happiness", "find", ("cleared", "closed", "closes")): OVERDUE,
    },
    Phase.CLOSING: {
        ("happiness", "find", ("cleared",)): START,
        ("happiness", "find", ("cleared", "closed", "closes")): OVERDUE,
    },
}


class Member:
    """A logged-in member, with a token for the API and with a cookie for the pages."""

    def __init__(self, installation: Installation, person: Person) -> None:
        self.person = person
        self.token = installation.classic_token(person)
        self._address = installation.servers[0].address
        self._browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self.page("/login", username=person.name, password=person.password)

    def page(self, path: str, **form: str) -> str:
        """A page, or what follows after a form was sent there."""
        data = urllib.parse.urlencode(form).encode() if form else None
        with self._browser.open(f"{self._address}{path}", data, timeout=START_LIMIT) as answer:
            return answer.read().decode()

    def api(self, method: str, path: str, body: Any = None) -> str:
        """The body of a successful response of `/api/v1`."""
        return self._request(method, f"/api/v1{path}", f"Bearer {self.token}", body)

    def classic(self, method: str, path: str, body: Any = None) -> str:
        """The body of a successful response of the routes of the first clients."""
        return self._request(method, path, self.token, body)

    def _request(self, method: str, path: str, authorization: str, body: Any) -> str:
        headers = {"Authorization": authorization, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._address}{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=START_LIMIT) as answer:
            return answer.read().decode()


class Team:
    """A team that is led by its first member."""

    def __init__(self, installation: Installation, name: str, size: int) -> None:
        self.name = installation.add_team(name, threshold="2")
        people = [installation.add_person(name, self.name, lead=number == 0) for number in range(size)]
        self.members = [Member(installation, person) for person in people]
        self.lead = self.members[0]
        self.id = installation.team_id(people[0])
        sprint = json.loads(self.lead.api("GET", f"/teams/{self.id}/sprints/current"))["sprint"]
        self.label: str = sprint["label"]
        self.end = datetime.fromisoformat(sprint["end"])
        self.path = f"/teams/{self.id}"
        self.sprint = f"{self.path}/sprints/{self.label}"


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with mongod(tmp_path) as url:
        yield url


@pytest.fixture
def installation(url: str) -> Iterator[Installation]:
    with running(Installation(url, demo=False)) as installation:
        yield installation


@pytest.fixture
def profiler(url: str) -> Iterator[Profiler]:
    profiler = Profiler(url)
    try:
        yield profiler
    finally:
        profiler.close()


@pytest.mark.parametrize(("filter", "is_named"), [
    ({"team": "a", "start": 1}, True),
    ({"_id": "a|1", "team": {"$in": ["a", "b"]}}, True),
    ({"$and": [{"_id": "a|1"}, {"team": "a"}]}, True),
    ({"$or": [{"team": "a"}, {"team": "b", "start": 1}]}, True),
    ({"_id": "a|1"}, False),
    ({"team": {"$gt": "a"}}, False),
    ({"$or": [{"team": "a"}, {"closed": True}]}, False),
    ({}, False),
])
def test_a_filter_names_a_field_by_its_values(filter: dict[str, Any], is_named: bool) -> None:
    assert Operation("happiness", "find", filter).names("team") == is_named


def test_each_operation_names_the_shard_key_or_is_listed(installation: Installation, profiler: Profiler) -> None:
    complete, running = Team(installation, "complete", 4), Team(installation, "running", 7)
    recorded: dict[Phase, list[Operation]] = {}
    with profiler.recording() as recorded[Phase.VOTING]:
        vote(installation, complete, running)
    with profiler.recording() as recorded[Phase.READING]:
        for team in (complete, running):
            read(installation, team)
    with profiler.recording() as recorded[Phase.REMINDING]:
        remind(installation, running)
    with profiler.recording() as recorded[Phase.CLOSING]:
        for hours in (10, 11):
            # Jobs of the same time run in any order: the second time, there are new sprints for those that ran first.
            work(installation, running.end + timedelta(hours=hours), "--close-sprints")

    check_places(profiler)
    check_keys(profiler)
    for phase, operations in recorded.items():
        report(phase, operations)
    check_operations(recorded)


def vote(installation: Installation, complete: Team, running: Team) -> None:
    """All members of a team vote, each in another way, which completes the sprint; of another team only four do."""
    lead, member, sealed, reader = complete.members
    assert json.loads(member.classic("GET", f"/happiness/hasVoted?sprint={complete.label}")) == {"voted": False}
    member.classic("POST", "/happiness/track", {"happiness": 8, "feedback": "Calm weeks.", "sprint": complete.label})
    assert json.loads(member.classic("GET", f"/happiness/hasVoted?sprint={complete.label}")) == {"voted": True}

    lead.api("POST", f"{complete.sprint}/ballots", {"happiness": 7.5, "feedback": "Fewer meetings."})
    again = send(installation, f"{complete.sprint}/ballots", {"happiness": 7.5}, lead.token)
    assert again.refusal == (409, "already-voted")

    voter = SealedVoter(installation, sealed.person)
    assert send(installation, f"/ballot-keys/{voter.key_id}").status == 200
    ballot = voter.ballot(voter.unblinded(voter.ask_for_paper()), 6)
    assert voter.ask_for_paper().status == 201
    assert voter.ask_for_another_paper().refusal == (409, "already-voted")
    assert voter.cast(ballot).status == 201
    assert voter.cast(ballot).refusal == (409, "already-counted")

    for person in running.members[:4]:
        person.api("POST", f"{running.sprint}/ballots", {"happiness": 5, "feedback": "Too many meetings."})

    page = reader.page(f"{complete.path}/vote")
    (token,) = re.findall('<meta name="form-token" content="([^"]+)">', page)
    reader.page(f"{complete.path}/vote/plain", formToken=token, sprint=complete.label, happiness="9", feedback="Thank you.")
    sprint = json.loads(lead.api("GET", complete.sprint))["sprint"]
    assert (sprint["state"], sprint["publication"]["votes"]) == ("closed", 4)
    assert voter.cast(ballot).refusal == (409, "already-counted")


def read(installation: Installation, team: Team) -> None:
    """A lead reads what the team may know, through both APIs, in the pages, and on a screen without a log-in."""
    year = team.label.split("/")[0]
    lead = team.lead
    for path in [
        "/me", "/me/export", "/me/devices", "/me/absences", "/teams", team.path, f"{team.path}/members",
        f"{team.path}/sprints/current", f"{team.path}/sprints?year={year}", f"{team.path}/sprints", team.sprint,
        f"{team.path}/history.csv", f"{team.path}/chart.svg", f"{team.path}/actions", f"{team.path}/deliveries",
        f"{team.path}/reminders", "/search?search=meetings",
    ]:
        lead.api("GET", path)
    for path in [
        f"/happiness/hasVoted?sprint={team.label}", "/happiness/currentSprint",
        f"/happiness/sprints?sprintyear={year}", "/user/profile",
    ]:
        lead.classic("GET", path)
    for path in [
        "/", team.path, f"{team.path}/history", f"{team.path}/history?year=all", team.sprint,
        f"{team.path}/actions", f"{team.path}/manage", f"{team.path}/manage/members", "/search?search=meetings",
    ]:
        lead.page(path)
    chart = json.loads(lead.api("PUT", f"{team.path}/share-link"))["chart"]
    share = urllib.parse.urlparse(chart).path
    assert "<svg" in lead.page(share)
    lead.page("/shared/" + share.split("/")[-2])


def remind(installation: Installation, team: Team) -> None:
    """The worker sends the first reminder of the sprint: to a phone, by mail, and not to a member who is away."""
    phone, absent, mailed = team.members[-3:]
    phone.api("POST", "/me/devices", {"service": "fcm", "token": "made-up-token", "platform": "android"})
    # Sprints end on Sundays. The first reminder is due on the second-to-last working day, from 9:05 to 18:00.
    due = team.end - timedelta(days=4) + timedelta(hours=10)
    # One that is over would not be stored, and that day may have passed.
    absence = {"first": str(due.date()), "last": str((team.end + timedelta(days=30)).date())}
    absent.api("PUT", "/me/absences", {"absences": [absence]})
    work(installation, due)
    outbox = Path(installation.servers[0].environment["DATA_DIR"], "outbox")
    mails = [mail.read_text() for mail in outbox.glob("*.eml")]
    reminded = [member for member in team.members if any(f"To: {member.person.email}\n" in mail for mail in mails)]
    assert reminded == [mailed]
    deliveries = json.loads(team.lead.api("GET", f"{team.path}/deliveries"))["deliveries"]
    assert [(delivery["kind"], delivery["state"]) for delivery in deliveries] == [("reminder", "done")]


def work(installation: Installation, instant: datetime, *options: str) -> None:
    """Runs the jobs that are due at an instant."""
    result = subprocess.run(
        [str(BINARIES / "Worker"), "--once", "--now", instant.strftime("%Y-%m-%dT%H:%M:%SZ"), *options],
        cwd=ROOT, env=installation.servers[0].environment, capture_output=True, text=True,
        timeout=START_LIMIT)  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr


def check_places(profiler: Profiler) -> None:
    """Each collection of the product has its place. A view has none: the router asks the shards of its collection."""
    kinds = {
        entry["name"]: entry["type"] for entry in profiler.database.list_collections()
        if not entry["name"].startswith("system.")}
    assert {name for name, kind in kinds.items() if kind == "view"} == VIEWS
    assert set(kinds) - VIEWS == set(SHARD_KEYS) | set(UNSHARDED)


def check_keys(profiler: Profiler) -> None:
    """The indexes allow the shard keys, and allow none for the collections of which UNSHARDED says so."""
    for name, key in SHARD_KEYS.items():
        indexes = list(profiler.database[name].list_indexes())
        assert not profiler.database[name].options().get("capped")
        assert all(next(iter(index["key"])) == key for index in indexes if is_unique(index)), name
        # Sharding a collection that is not empty needs an index of all documents that begins with the key.
        assert any(
            next(iter(index["key"])) == key and not {"partialFilterExpression", "sparse"} & set(index)
            for index in indexes), name
    impossible = {name for name in UNSHARDED if len({
        next(iter(index["key"])) for index in profiler.database[name].list_indexes() if is_unique(index)}) > 1}
    assert impossible == {name for name, reason in UNSHARDED.items() if reason.startswith("no key is possible")}


def is_unique(index: Mapping[str, Any]) -> bool:
    """Whether a unique index restricts the choice of a shard key. That on `_id` does not."""
    return bool(index.get("unique")) and list(index["key"]) != ["_id"]


def scattered(operations: list[Operation]) -> Counter[Shape]:
    """The operations that the router sends to all shards."""
    return Counter(
        operation.shape
        for operation in operations
        if operation.collection in SHARD_KEYS and not operation.names(SHARD_KEYS[operation.collection]))


def report(phase: Phase, operations: list[Operation]) -> None:
    """Prints how many operations of a phase were seen."""
    counts = scattered(operations)
    sharded = sum(operation.collection in SHARD_KEYS for operation in operations)
    print(
        f"\n{phase.value}: {len(operations)} operations, {sharded} of them on the collections to shard;"
        f" {counts.total()} of these go to all shards, in {len(counts)} shapes")
    for (collection, command, fields), count in sorted(counts.items()):
        print(f"  {count:3} {collection} {command} {', '.join(fields)}")


def check_operations(recorded: dict[Phase, list[Operation]]) -> None:
    """Each operation names the shard key, or is listed; and each that is listed was seen."""
    for phase, operations in recorded.items():
        seen, listed = set(scattered(operations)), set(SCATTERING[phase])
        assert not seen - listed, f"not listed in {phase}: {seen - listed}"
        assert not listed - seen, f"never seen in {phase}: {listed - seen}"
    everything = [(phase, operation) for phase, operations in recorded.items() for operation in operations]
    refused = {
        (phase, operation.shape)
        for phase, operation in everything
        if operation.collection in SHARD_KEYS and operation.is_refused_without(SHARD_KEYS[operation.collection])}
    # https://www.mongodb.com/docs/manual/core/sharded-cluster-requirements/
    assert not refused, "the router refuses these"
    # Otherwise the test would show nothing about a collection.
    assert set(SHARD_KEYS) <= {operation.collection for _, operation in everything if operation.command == "insert"}
