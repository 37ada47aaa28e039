"""Those who read SQLite's file, now and then or all the time."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from knowledge import Group
from observers import Observer, Result, claims_from, control
from people import Event, Person, Team
from risks import Claims, Risk
from world import World


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
        return claims_from(team, groups, places, texts)


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
    learns = "Knows values that are not published yet, and whose they are if few have voted. Never who wrote a text."
    # The day before the reminder.
    NIGHT = 9

    def sleeps(self, day: int) -> None:
        if day == self.NIGHT:
            self.reads(self.teams)


class NightlyDumps(StoreReader):
    name = "Reader of a dump of each night"
    learns = "Knows the value of a person of whom they know on which day they voted. Never who wrote a text."

    def sleeps(self, day: int) -> None:
        self.reads(self.teams)


class EachCommit(StoreReader):
    """SQLite's file `-wal` has the changed pages of each commit, in their order."""

    name = "Reader of the files, with each commit"
    learns = "Knows the value of a person of whom they know when they voted. Never who wrote a text."

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
