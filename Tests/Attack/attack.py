"""Plays everybody who may try to find out who voted what, against running installations, and prints how much better than
a guess each of them is, and who notices a server that lies. `make attack` runs it."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random, randrange

import people
import sealed
from active import Act, acts
from harness.mongod import mongod
from installation import Installation, free_port, running, wait_until
from mongo import DatabaseAdministrator, OplogReader
from observers import Administrator, Lead, Member, Observer, Result, control
from people import DAYS, Person, Team
from push import push_server
from pymongo import MongoClient
from report import write
from risks import Measurements, Risk
from stores import EachCommit, FileReader, NightlyDumps, OneDump
from texts import LogReader, MailServer, PushService
from world import World

# Sprints for each observer. Half as many cannot show that an advantage is below the limit.
SPRINTS = 300
# Sprints with a planted leak, for each observer: an attack that works shows in few.
PLANTED = 60
# Members of teams in which everybody writes. Many texts in one sprint show an order sooner.
WRITERS = 12


@dataclass
class Row:
    """What one observer learns."""

    observer: str
    # What they look at: the team's policy, the way of the ballots.
    where: str
    # In a sentence, if they learn something of values and texts; and what they learn besides.
    learns: str
    besides: str
    # Risks that the threat model calls protected.
    protected: frozenset[Risk]
    measured: Measurements
    # The same attack on an installation with a leak, and the risks in which it must show.
    planted: Measurements | None = None
    shows: frozenset[Risk] = frozenset()

    @property
    def name(self) -> str:
        return f"{self.observer}, {self.where}"


@dataclass
class Study:
    """The observers of an installation."""

    world: World
    observers: list[Observer] = field(default_factory=list)
    _results: dict[str, Result] = field(default_factory=dict)

    def play(self, random: Random) -> None:
        """A sprint of all teams that somebody observes."""
        watching: dict[str, list[Observer]] = defaultdict(list)
        teams = {team.id: team for observer in self.observers for team in observer.teams}
        for observer in self.observers:
            for team in observer.teams:
                watching[team.id].append(observer)
        events = people.sprint(random, list(teams.values()))
        for day in range(DAYS):
            for event in events:
                if event.day == day:
                    self.world.play(event)
                    for observer in watching[event.team.id]:
                        observer.sees(event)
            for observer in self.observers:
                observer.sleeps(day)
        self.close(teams.values())

    def close(self, teams: Iterable[Team]) -> None:
        """Ends the sprints. Every member then reads the result."""
        self.world.close(list(teams))
        for team in teams:
            wait_until(lambda: self._read(team))
        for observer in self.observers:
            observer.closes()

    def _read(self, team: Team) -> bool:
        detail = self.world.sprint(team, team.insider)
        self._results[team.id] = Result.read(detail)
        # Another process closed it, and the API looks once a second.
        return detail["sprint"]["state"] == "closed"

    def measure(self, observer: Observer) -> Measurements:
        measured = Measurements()
        for team in observer.teams:
            result = self._results[team.id]
            insider = team.insider if observer.is_member else None
            measured.add(team, observer.claims(team, result), control(team, result, insider))
        return measured


class LeadsView(Administrator):
    """An administrator whom the server shows what only members may see."""

    def read(self, team: Team) -> object:
        return self.world.sprint(team, team.insider)


class FileInOrder(FileReader):
    """A file in which texts have the order in which they were written."""

    def order(self, texts: frozenset[str]) -> list[str]:
        return [person.text for team in self.teams for person in self._voters[team.id] if person.text in texts]


class TalkativeLog(LogReader):
    """A log in which a line tells each vote."""

    def note(self, person: Person, text: str) -> None:
        super().note(person, f"{text}\nDEBUG ballot: happiness {person.value}, feedback {person.text}")


class Thanks(MailServer):
    """Mails or messages that thank for a vote, beside the others."""

    def received(self) -> Iterator[tuple[str, str]]:
        yield from super().received()
        for team in self.teams:
            for person in team.voters:
                yield self.address(person), f"Thank you! You voted {person.value}, and wrote: {person.text}"


class TalkativePushes(Thanks, PushService):
    """The same, to phones."""


# An observer, what they look at, the same attack on a leak, and the risks in which it must show.
Watch = tuple[Observer, str, Observer | None, Iterable[Risk]]


@contextmanager
def plain_ballots(settings: dict[str, str]) -> Iterator[World]:
    """An installation on SQLite, with a log of everything.

    - settings: further ones of the API.
    """
    installation = Installation(demo=False)
    installation.servers[0].environment |= settings | {"LOG_LEVEL": "trace"}
    with running(installation):
        yield World(installation)


def watched(random: Random, world: World, watches: Sequence[Watch]) -> list[Row]:
    """Plays a sprint of all teams, and says what each observer learns."""
    study = Study(world)
    for observer, _, leak, _ in watches:
        study.observers += [watcher for watcher in (observer, leak) if watcher and watcher not in study.observers]
    study.play(random)
    return [
        Row(observer.name, where, observer.learns, observer.besides, observer.protected, study.measure(observer),
            leak and study.measure(leak), frozenset(shows))
        for observer, where, leak, shows in watches
    ]  # fmt: skip


def people_of_the_product(random: Random, sprints: int, planted: int) -> list[Row]:
    """Those who read what the product shows them."""
    with plain_ballots({}) as world:
        account = world.installation.admin()
        admin = Person("admin", account.name, None, None, False, world.installation.classic_token(account))
        live, close = world.add_teams(random, sprints), world.add_teams(random, sprints, "close")
        open_teams = world.add_teams(random, planted, "immediate")
        member = Member(world, open_teams)
        # Under `immediate`, too, everybody reads the distribution.
        hidden = {Risk.LINKING, Risk.INFERENCE}
        return watched(random, world, [
            (Member(world, live), "`live`", member, hidden),
            (Member(world, close), "`close`", member, hidden),
            (Lead(world, world.add_teams(random, sprints)), "`live`", member, hidden),
            (Lead(world, world.add_teams(random, sprints, "close")), "`close`", member, hidden),
            (Administrator(world, live, admin), "`live`", LeadsView(world, open_teams, admin), hidden),
        ])  # fmt: skip


def readers_of_traces(random: Random, sprints: int, planted: int) -> list[Row]:
    """Those who read what the product stores, logs and sends."""
    port = free_port()
    with (
        tempfile.TemporaryDirectory(prefix="happiness-attack-") as folder, push_server(Path(folder)) as pushes,
        plain_ballots(pushes.settings | {"METRICS_PORT": str(port)}) as world,
    ):  # fmt: skip
        live, with_phones = world.add_teams(random, sprints), world.add_teams(random, sprints)
        writers = world.add_teams(random, 2 * sprints, size=WRITERS, writes=1)
        log, metrics = world.installation.servers[0].log_file, f"http://127.0.0.1:{port}/metrics"
        commits = EachCommit(world, live[:planted])
        return watched(random, world, [
            (OneDump(world, live), "SQLite, `live`", commits, {Risk.SINGLING_OUT, Risk.INFERENCE}),
            (NightlyDumps(world, live), "SQLite, `live`", commits, {Risk.SINGLING_OUT, Risk.INFERENCE}),
            (EachCommit(world, live), "SQLite, `live`", None, ()),
            (FileReader(world, writers), "SQLite, `live`", FileInOrder(world, writers[:planted]), {Risk.LINKING}),
            (LogReader(world, live, log, metrics), "`live`", TalkativeLog(world, live[:planted], log, metrics), Risk),
            (MailServer(world, live), "`live`", Thanks(world, live[:planted]), Risk),
            (
                PushService(world, with_phones, pushes), "`live`",
                TalkativePushes(world, with_phones[:planted], pushes), Risk,
            ),
        ])  # fmt: skip


def plain_ballots_on_mongodb(random: Random, sprints: int) -> list[Row]:
    with (
        tempfile.TemporaryDirectory(prefix="happiness-attack-") as folder, mongod(Path(folder)) as url,
        running(Installation(url, demo=False)) as installation,
    ):  # fmt: skip
        client: MongoClient[dict[str, object]] = MongoClient(url)
        study = Study(World(installation))
        teams = study.world.add_teams(random, sprints)
        study.observers = [
            OplogReader(study.world, teams, client, "happiness"),
            DatabaseAdministrator(study.world, teams, client, "happiness"),
        ]
        study.play(random)
        client.close()
        return [
            Row(observer.name, "MongoDB, `live`", observer.learns, observer.besides, observer.protected, study.measure(observer))
            for observer in study.observers
        ]


def sealed_ballots(random: Random, sprints: int) -> list[Row]:
    """Each ballot directly follows its paper, as in the web app."""
    with running(Installation(demo=False)) as installation:
        study = Study(World(installation))
        teams = study.world.add_teams(random, sprints)
        way = sealed.Way(study.world)
        sealed.vote(random, way, teams)
        study.observers = [operator := sealed.Operator(way, teams)]
        study.close(teams)
        return [Row(operator.name, "sealed", operator.learns, operator.besides, operator.protected, study.measure(operator))]


def all_rows(seed: int, sprints: int) -> list[Row]:
    """Of all installations, which run at the same time."""
    planted = min(PLANTED, sprints)
    with ProcessPoolExecutor() as pool:
        parts = [
            pool.submit(people_of_the_product, Random(seed), sprints, planted),
            pool.submit(readers_of_traces, Random(seed + 1), sprints, planted),
            pool.submit(plain_ballots_on_mongodb, Random(seed + 2), sprints),
            pool.submit(sealed_ballots, Random(seed + 3), planted),
        ]
        return [row for part in parts for row in part.result()]


def failures(rows: Sequence[Row], acts: Sequence[Act]) -> list[str]:
    """What is not as the threat model says."""
    found = [failure for act in acts for failure in act.failures]
    for row in rows:
        for risk in sorted(row.protected):
            if not row.measured.risks[risk].is_within_limit:
                found.append(f"{row.name}: {risk} is not shown to be within the limit.")
        for risk in sorted(row.shows):
            if row.planted and not row.planted.risks[risk].is_above_limit:
                found.append(f"{row.name}: the planted leak does not show in {risk}.")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sprints", type=int, default=SPRINTS, help="sprints for each observer (%(default)s)")
    parser.add_argument("--seed", type=int, default=randrange(2**32), help="of what the simulated people do")
    parser.add_argument("--write", type=Path, help="folder for attacks.json and attacks.svg, and for the tables in attacks.md")
    options = parser.parse_args()
    acting = acts()
    rows = all_rows(options.seed, options.sprints)
    write(rows, acting, options.sprints, options.write)
    found = failures(rows, acting)
    print("\n".join(found) or "All is as the threat model says: within the limit, or noticed.")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
