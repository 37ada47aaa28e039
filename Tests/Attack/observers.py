"""Those who try to find out who voted what. Each knows when their target voted, as a colleague at the next desk does, and
what every member reads after the sprint; the control knows only the latter."""

from __future__ import annotations

import re
import sqlite3
import urllib.request
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowledge import Group, Knowledge
from people import VOTES, Event, Person, Team
from risks import Claims, Risk
from world import World

# Ballots in a group that is published together, by default.
THRESHOLD = 3


@dataclass(frozen=True)
class Result:
    """What is published about a sprint."""

    group: Group | None
    texts: frozenset[str]

    @staticmethod
    def read(detail: Any) -> Result:
        """From the answer of `showSprint`."""
        published = detail["sprint"]["publication"]
        group = None
        if published:
            counts = published["distribution"]
            values = counts and tuple(value for value, count in enumerate(counts) for _ in range(count))
            group = Group(published["votes"], round(published["happiness"] * published["votes"]), values)
        return Result(group, frozenset(text["text"] for text in detail["feedback"] or []))


def control(team: Team, result: Result, insider: Person | None = None) -> Claims:
    """What everybody knows after the sprint; an insider knows their own ballot, too."""
    group = result.group or Group(round(VOTES * len(team.people)))
    return _claims(team, [group], {}, {person.id: set(result.texts) for person in team.targets}, insider)


def _claims(
    team: Team, groups: Sequence[Group], places: dict[str, list[float]], texts: dict[str, set[str]],
    insider: Person | None = None,
) -> Claims:
    """Takes the insider's own ballot out of the groups."""
    left = list(groups)
    if insider and insider.value is not None:
        where = places.get(insider.id, [1] * len(left))
        for place in sorted(range(len(left)), key=lambda place: -where[place] * left[place].count):
            rest = left[place].without(insider.value)
            if rest and where[place]:
                left[place] = rest
                # Nobody else's ballot is in the last group.
                left.append(Group(1, insider.value, (insider.value,)))
                everywhere = [1.0] * len(groups)
                places = {person.id: [*places.get(person.id, everywhere), 0] for person in team.targets}
                break
        texts = {member: own - {insider.text or ""} for member, own in texts.items()}
    return Claims(Knowledge(left, places), texts)


class Observer:
    """Watches teams, and makes claims about each at the end."""

    name = ""
    # What the threat model says: risks that it calls protected.
    protected: frozenset[Risk] = frozenset(Risk)
    # Whether they are a member, who knows their own ballot.
    is_member = False

    def __init__(self, world: World, teams: Sequence[Team]) -> None:
        self.world = world
        self.teams = teams

    def sees(self, event: Event) -> None:
        """Is called after each thing that somebody did in one of the teams."""

    def sleeps(self, day: int) -> None:
        """Is called after each day."""

    def closes(self) -> None:
        """Is called once all sprints are closed."""

    def claims(self, team: Team, result: Result) -> Claims:
        raise NotImplementedError


class Member(Observer):
    """Reads the sprint after everything that happens in the team."""

    name = "Member who polls"
    # With k = 3, a member of a group knows the sum of the other two; texts appear with their group.
    protected = frozenset()
    is_member = True

    def __init__(self, world: World, teams: Sequence[Team]) -> None:
        super().__init__(world, teams)
        if {team.policy for team in teams} == {"close"}:
            self.protected = frozenset(Risk)
        # By team, the published states so far, and by member, how many there were before and after their vote.
        self._results: dict[str, list[Result]] = defaultdict(list)
        self._votes: dict[str, tuple[int, int]] = {}

    def sees(self, event: Event) -> None:
        states = self._results[event.team.id]
        before = len(states)
        self._look(event.team)
        if event.votes:
            self._votes[event.person.id] = before, len(states)

    def closes(self) -> None:
        for team in self.teams:
            self._look(team)

    def _look(self, team: Team) -> None:
        self._note(team, Result.read(self.read(team)))

    def read(self, team: Team) -> Any:
        return self.world.sprint(team, team.insider)

    def _note(self, team: Team, result: Result) -> None:
        states = self._results[team.id]
        if result.group and (not states or states[-1].group != result.group):
            states.append(result)

    def claims(self, team: Team, result: Result) -> Claims:
        states = self._results[team.id]
        if not states:
            return control(team, result, self._insider(team))
        groups = [_between(before, after) for before, after in zip([None, *states], states)]
        released = [after.texts - before.texts for before, after in zip([Result(None, frozenset()), *states], states)]
        places = {person.id: self._places(team, person, len(groups)) for person in team.voters}
        texts = {}
        for person in team.targets:
            there = [new for new, place in zip(released, places[person.id]) if place]
            texts[person.id] = set().union(*there)
        return _claims(team, groups, places, texts, self._insider(team))

    def _insider(self, team: Team) -> Person | None:
        return team.insider if self.is_member else None

    def _places(self, team: Team, person: Person, groups: int) -> list[float]:
        """Where a vote is, from what was published right before and after it."""
        before, after = self._votes[person.id]
        last = groups - 1
        if team.policy == "immediate":
            likely = {after - 1: 1.0}
        elif before == 0 and after == 0:
            # The first group, or the second one, which was not complete.
            likely = {0: THRESHOLD, 1: THRESHOLD - 1}
        else:
            # A group is published once the next one is complete.
            likely = {before + 1: 1.0}
        places = [0.0] * groups
        for place, weight in likely.items():
            places[min(place, last)] += weight
        return places


def _between(before: Result | None, after: Result) -> Group:
    """The ballots that are in the later state only."""
    assert after.group and after.group.sum is not None
    if before is None or before.group is None:
        return after.group
    assert before.group.sum is not None
    values = None
    if before.group.values is not None and after.group.values is not None:
        rest = list(after.group.values)
        for value in before.group.values:
            rest.remove(value)
        values = tuple(rest)
    return Group(after.group.count - before.group.count, after.group.sum - before.group.sum, values)


class Lead(Member):
    """Changes a setting after each vote, and reads the sprint after each change."""

    name = "Lead who uses every setting"

    def __init__(self, world: World, teams: Sequence[Team]) -> None:
        super().__init__(world, teams)
        self._changes = 0

    def sees(self, event: Event) -> None:
        super().sees(event)
        team = event.team
        changes = [
            {"threshold": min(50, len(team.people))}, {"threshold": 2}, {"policy": "immediate"}, {"feedbackReaders": "leads"},
            {"threshold": THRESHOLD}, {"graceDays": 7}, {"policy": "close"}, {"feedbackReaders": "team"},
        ]  # fmt: skip
        self._changes += 1
        self.world.request("PATCH", f"/api/v1/teams/{team.id}", changes[self._changes % len(changes)], team.insider)
        self._look(team)


class Administrator(Member):
    """Reads everything an administrator may read, who is not in the team, after everything that happens."""

    name = "Administrator"
    protected = frozenset(Risk)
    is_member = False

    def __init__(self, world: World, teams: Sequence[Team], admin: Person) -> None:
        super().__init__(world, teams)
        self._admin = admin

    def read(self, team: Team) -> Any:
        answers = [
            self.world.request("GET", f"/api/v1{path}", person=self._admin)
            for path in ("/admin/status", "/admin/teams", "/admin/people", "/admin/jobs", "/admin/client-errors", f"/teams/{team.id}")
        ]
        return _sprint_in(answers)


def _sprint_in(answer: Any) -> Any:
    """Anything that looks like a sprint's result, however deep; else a sprint without one."""
    inner = answer.values() if isinstance(answer, dict) else answer if isinstance(answer, list) else []
    if isinstance(answer, dict) and isinstance(answer.get("sprint"), dict):
        return {"feedback": [], **answer}
    for value in inner:
        found = _sprint_in(value)
        if found["sprint"]["publication"]:
            return found
    return {"sprint": {"publication": None}, "feedback": []}


@dataclass(frozen=True)
class Row:
    """What the store holds of a running sprint."""

    counts: tuple[int, ...]
    snapshot: int


class StoreReader(Observer):
    """Reads the rows of a sprint now and then, and the texts after its close."""

    # The tallies show which values were given before a reading and after it. Texts are encrypted, and then stored anew.
    protected = frozenset({Risk.LINKING})

    def __init__(self, world: World, teams: Sequence[Team]) -> None:
        super().__init__(world, teams)
        # By team, what each reading showed; by member, how many readings there were before their vote.
        self._rows: dict[str, list[Row]] = defaultdict(list)
        self._votes: dict[str, int] = {}
        # By team, the number of the snapshot with each text.
        self._snapshots: dict[str, dict[str, int]] = {}

    def sees(self, event: Event) -> None:
        if event.votes:
            self._votes[event.person.id] = len(self._rows[event.team.id])

    def closes(self) -> None:
        with closing(_opened(self.world)) as store:
            for team in self.teams:
                self._rows[team.id].append(_row(store, team))
                texts = store.execute("SELECT text, snapshot FROM feedback WHERE team = ?", [team.id])
                self._snapshots[team.id] = dict(texts.fetchall())

    def reads(self, teams: Sequence[Team]) -> None:
        with closing(_opened(self.world)) as store:
            for team in teams:
                self._rows[team.id].append(_row(store, team))

    def claims(self, team: Team, result: Result) -> Claims:
        rows = self._rows[team.id]
        nothing = Row((0,) * 11, 0)
        groups, released = [], []
        for before, after in zip([nothing, *rows], rows):
            new = [count - earlier for count, earlier in zip(after.counts, before.counts)]
            values = tuple(value for value, count in enumerate(new) for _ in range(count))
            groups.append(Group(len(values), sum(values), values))
            released.append(self._released(team, before.snapshot, after.snapshot))
        places, texts = {}, {}
        for person in team.targets:
            place = self._votes[person.id]
            places[person.id] = [float(number == place) for number in range(len(groups))]
            texts[person.id] = released[place] & result.texts
        return _claims(team, groups, places, texts)


    def _released(self, team: Team, before: int, after: int) -> set[str]:
        """The texts that may have come between two readings, by the number of the snapshot that released them: the one
        after the first reading, the one after the second reading, or one in between. If all have one number, it says
        nothing."""
        snapshots = self._snapshots[team.id]
        if len(set(snapshots.values())) < 2:
            return set(snapshots)
        return {text for text, snapshot in snapshots.items() if before + 1 <= snapshot <= after + 1}


def _opened(world: World) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{world.installation.database}?mode=ro", uri=True)


def _row(store: sqlite3.Connection, team: Team) -> Row:
    columns = ", ".join(f"count{value}" for value in range(11))
    row = store.execute(f"SELECT {columns}, snapshotNumber FROM happiness WHERE team = ?", [team.id]).fetchone()
    return Row(row[:-1], row[-1]) if row else Row((0,) * 11, 0)


class OneDump(StoreReader):
    name = "Reader of one dump"
    # The day before the reminder.
    NIGHT = 9

    def sleeps(self, day: int) -> None:
        if day == self.NIGHT:
            self.reads(self.teams)


class NightlyDumps(StoreReader):
    name = "Reader of a dump of each night"

    def sleeps(self, day: int) -> None:
        self.reads(self.teams)


class EachCommit(StoreReader):
    """SQLite's file `-wal` has the changed pages of each commit, in their order."""

    name = "Reader of the files, with each commit"

    def sees(self, event: Event) -> None:
        super().sees(event)
        self.reads([event.team])


class FileReader(Observer):
    """Has the file of SQLite after the close, and knows in which order the members voted. Texts that were written later
    may be at a later place (within a page, at an earlier one)."""

    name = "Reader of the files after the close"
    PAGE = 4_096

    def __init__(self, world: World, teams: Sequence[Team]) -> None:
        super().__init__(world, teams)
        self._voters: dict[str, list[Person]] = defaultdict(list)
        # Page, and distance from its end.
        self._places: dict[str, tuple[int, int]] = {}

    def sees(self, event: Event) -> None:
        if event.votes:
            self._voters[event.team.id].append(event.person)

    def closes(self) -> None:
        with closing(sqlite3.connect(self.world.installation.database)) as store:
            # Brings the pages of the file `-wal` into the file.
            store.execute("PRAGMA wal_checkpoint(PASSIVE)")
        content = self.world.installation.database.read_bytes()
        for text in re.finditer(rb"I write [0-9a-f]{32}( again)*", content):
            self._places[text[0].decode()] = text.start() // self.PAGE, -text.start() % self.PAGE

    def order(self, texts: frozenset[str]) -> list[str]:
        """As they seem to have been written."""
        return sorted(texts, key=lambda text: self._places.get(text, (0, 0)))

    def claims(self, team: Team, result: Result) -> Claims:
        known = control(team, result)
        # Who wrote is not known; but to be sure that the order says nothing, these attackers know it.
        writers = [person for person in self._voters[team.id] if person.text in result.texts]
        order = self.order(result.texts)
        return Claims(known.knowledge, {person.id: {text} for person, text in zip(writers, order)})


class TextReader(Observer):
    """Looks for values and feedback in texts that have something to do with a member."""

    _VALUE = re.compile(r"(?:happiness|value|sum|voted)\W{1,4}(\d+(?:\.\d)?)\b", re.IGNORECASE)

    def __init__(self, world: World, teams: Sequence[Team]) -> None:
        super().__init__(world, teams)
        # By member.
        self._texts: dict[str, str] = defaultdict(str)

    def note(self, person: Person, text: str) -> None:
        self._texts[person.id] += text

    def claims(self, team: Team, result: Result) -> Claims:
        known = control(team, result)
        values = {person.id: value for person in team.targets if (value := self._VALUE.search(self._texts[person.id]))}
        texts = {
            person.id: {text for text in result.texts if text in self._texts[person.id]} or known.texts[person.id]
            for person in team.targets
        }  # fmt: skip
        return with_values(team, known, {member: round(float(value[1])) for member, value in values.items()}, texts)


class LogReader(TextReader):
    """Reads the API's log at its most detailed level, and its metrics, after everything that happens."""

    name = "Reader of logs and metrics"

    def __init__(self, world: World, teams: Sequence[Team], log: Path, metrics: str) -> None:
        super().__init__(world, teams)
        self._log = log
        self._metrics = metrics
        self._read = 0
        self._before = ""

    def sees(self, event: Event) -> None:
        with self._log.open() as log:
            log.seek(self._read)
            new = log.read()
            self._read = log.tell()
        with urllib.request.urlopen(self._metrics) as answer:
            metrics = answer.read().decode()
        changed = set(metrics.splitlines()) - set(self._before.splitlines())
        self._before = metrics
        if event.votes:
            self.note(event.person, new + "\n".join(changed))


class MailServer(TextReader):
    """Reads all mails: they tell who is reminded, so who had not voted then."""

    name = "Mail server"
    # The evening before the reminder.
    DAY = 9

    def sleeps(self, day: int) -> None:
        if day != self.DAY:
            return
        people = {f"{person.name}@example.org".lower(): person for team in self.teams for person in team.people}
        reminded = 0
        for mail in self.world.reminders():
            if person := people.get(str(mail["To"]).lower()):
                body = mail.get_body(("plain",))
                self.note(person, f"{mail['Subject']}\n{body.get_content() if body else ''}")
                reminded += 1
        assert reminded, "nobody is reminded"


def with_values(team: Team, known: Claims, values: dict[str, int], texts: dict[str, set[str]] | None = None) -> Claims:
    """What is known of a sprint, with some members' values, and perhaps more about texts."""
    (rest,) = known.knowledge.groups
    members = []
    for member, value in values.items():
        if left := rest.without(value):
            rest = left
            members.append(member)
    groups = [rest, *(Group(1, values[member], (values[member],)) for member in members)]
    places = {
        person.id: [float(person.id not in members), *(float(person.id == member) for member in members)]
        for person in team.targets
    }  # fmt: skip
    return Claims(Knowledge(groups, places), texts or known.texts)
