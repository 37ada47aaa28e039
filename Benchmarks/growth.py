#!/usr/bin/env python3
"""Measures what grows with what on both stores, and prints a table for each; `make growth` builds and runs it.

Four things grow: the members of one team, the teams, the sprints of a team, and the ballots. Each group of rows makes
stores of growing size, and measures requests to the real API and runs of the real programs. Everything runs on the
loopback address, in temporary folders that are removed afterwards. Values are stored as they come, so a long run
can be made in parts: `--show` prints all that was measured so far.
"""

import argparse
import datetime
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from pymongo import MongoClient

from harness.api import BIN, Installation, NotStarted, memory
from harness.client import Refused, client
from harness.fanout import sink
from harness.growth_table import GrowthTable
from harness.mongod import database
from harness.once import Failed, JobWatch, run_once

STORES = "SQLite", "MongoDB"
SIZES = {
    "members": [1_000, 10_000, 100_000],
    "teams": [100, 1_000, 10_000],
    "sprints": [26, 130, 260],
    "ballots": [10_000, 100_000, 1_000_000, 10_000_000],
}
# The largest sizes. Minutes, a quarter of an hour, and an hour.
LARGEST = {
    "small": {"members": 10_000, "teams": 1_000, "sprints": 260, "ballots": 100_000},
    "medium": {"members": 100_000, "teams": 10_000, "sprints": 260, "ballots": 1_000_000},
    "full": {"members": 100_000, "teams": 10_000, "sprints": 260, "ballots": 10_000_000},
}
# For seeing in a minute whether everything works.
TINY = {"members": [20, 60], "teams": [5, 20], "sprints": [13, 26], "ballots": [1_000, 2_000]}
PLAN, PLAN_DUE, CLOSING = "reminder plan, nothing due, ms", "reminder plan, a reminder due, ms", "closing a sprint"
# Milliseconds, at most, by group, row and size.
BARS = {("teams", PLAN, 10_000): 1_000, ("teams", PLAN_DUE, 10_000): 1_000}

# Members who vote, one after the other. The first ones fill caches, and do not count.
WARM_UP, VOTES = 10, 100
# Requests of each kind. The cache of histories holds 64, and each of these asks for another one.
READS = 20
STARTS = 3
# Seconds. A start checks the store, and on SQLite reads the whole file.
START_LIMIT = 900
# Members of a team that stays as large as it is.
TEAM = 240
# Members of each of many teams, and ballots in their sprints.
SMALL_TEAM = 5
# Teams per page, at most, as the API permits.
PAGE = 200
# Imported sprints are fortnights that end here, the Monday after the last sprint of 2024, so that 26 of them have names
# of that year.
HISTORY_END = datetime.date(2025, 1, 6)
YEAR, YEAR_SPRINTS = 2024, 26
# A sprint in UTC starts on this Monday; its reminder is sent from a minute between 09:05 and 09:12 on.
MONDAY = datetime.datetime(2026, 1, 5, tzinfo=datetime.timezone.utc)
# In this zone it starts at 18:30 UTC on the day before, half an hour after all the jobs that run once an hour.
EARLY_ZONE, EARLY = "Asia/Kolkata", datetime.timedelta(hours=5, minutes=30)
# Ballots per sprint, and of a store that is only for trying this.
BALLOTS_PER_SPRINT, FEW_BALLOTS_PER_SPRINT = 1_000, 100


def main() -> int:
    arguments = parse_arguments()
    table = GrowthTable() if arguments.largest == "tiny" else GrowthTable.kept()
    if not arguments.show:
        for store in arguments.stores:
            for group in arguments.only:
                table.forget(store, group)
                GROUPS[group](store, table, arguments).run()
    for store in arguments.stores:
        table.show(store, {name: group.title for name, group in GROUPS.items()})
    missed = table.misses(BARS)
    for miss in missed:
        print(f"MISS {miss}")
    return 1 if missed else 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", nargs="+", choices=STORES, default=list(STORES))
    parser.add_argument("--largest", choices=["tiny", *LARGEST], default="small", help="largest sizes (default: small)")
    parser.add_argument("--only", nargs="+", choices=list(SIZES), default=list(SIZES), help="measure nothing else")
    parser.add_argument("--programs", type=pathlib.Path, default=BIN, help="folder of the programs (default: release)")
    parser.add_argument("--show", action="store_true", help="measure nothing, print what was measured before")
    arguments = parser.parse_args()
    arguments.programs = arguments.programs.absolute()
    return arguments


class Group:
    """Measures the rows of one group on one store."""

    title = ""
    # Whether one store takes all sizes, one after the other.
    keeps_store = False

    def __init__(self, store, table, arguments):
        self.store = store
        self.table = table
        self.programs = arguments.programs
        self.name = next(name for name, group in GROUPS.items() if isinstance(self, group))
        is_tiny = arguments.largest == "tiny"
        self.sizes = TINY[self.name] if is_tiny else [
            size for size in SIZES[self.name] if size <= LARGEST[arguments.largest][self.name]
        ]  # fmt: skip
        self.ballots_per_sprint = FEW_BALLOTS_PER_SPRINT if is_tiny else BALLOTS_PER_SPRINT
        # Of the present store and size.
        self.installation = None
        self.size = 0
        self.team, self.team_name = "", ""
        self.administrator, self.tokens = "", []

    def run(self):
        for sizes in [self.sizes] if self.keeps_store else [[size] for size in self.sizes]:
            with tempfile.TemporaryDirectory(prefix="happiness-growth-") as name:
                folder = pathlib.Path(name)
                with database(self.store, folder) as url:
                    self.installation = Installation(folder, url, self.programs, START_LIMIT)
                    # Reminders are missed in most of the runs of the worker, which would warn of each.
                    self.installation.environment["LOG_LEVEL"] = "error"
                    for size in sizes:
                        self.size = size
                        if not self.try_to_measure():
                            # A store that takes further sizes is not what their columns say.
                            break

    def try_to_measure(self) -> bool:
        """Whether it succeeded. Other stores and groups do not need this one: a long run must not end here."""
        try:
            self.measure()
            return True
        except (Failed, Refused, NotStarted, subprocess.CalledProcessError) as error:
            self.say(f"stopped: {error}")
            self.add("everything that is missing", "stopped")
            return False

    def measure(self):
        """Makes or extends the store, and adds the values of the present size."""
        raise NotImplementedError

    # What all groups measure

    def measure_common(self):
        """What must not depend on anything that grows."""
        self.measure_api()
        self.measure_export()

    def measure_api(self):
        """Starts the API, and sends it requests."""
        self.say("start")
        times = []
        try:
            for _ in range(STARTS - 1):
                with self.installation.api() as api:
                    times.append(api.seconds * 1000)
            with self.installation.api() as api, client(self.installation.port) as requests:
                times.append(api.seconds * 1000)
                self.add("start of the API, ms", statistics.median(times))
                self.add("memory of the API after its start, MiB", memory(api, "VmHWM"))
                self.measure_requests(api, requests)
        except NotStarted as error:
            self.say(str(error))
            self.add("start of the API, ms", "fails")

    def measure_requests(self, api, requests):
        """Requests to a running API."""
        self.say("votes and history")
        self.attempt("a vote, ms", lambda: self.votes(requests))
        self.attempt("a year's history, first reader, ms", lambda: self.first_reads(requests, "sprints", YEAR))
        self.attempt("a year's history, next readers, ms", lambda: self.next_reads(requests, f"sprints?year={YEAR}"))
        self.add("memory of the API, votes and history, MiB", memory(api, "VmHWM"))

    def votes(self, requests) -> float:
        """Milliseconds of a vote, each by a member who sends their first request."""
        sprint = requests.get(f"{self.path}/sprints/current", self.tokens[0]).json()["sprint"]["label"]
        # At most half of the members: the last one would close the sprint.
        voters = self.tokens[1 : 1 + min(WARM_UP + VOTES, len(self.tokens) // 2)]
        answers = [
            requests.vote(f"{self.path}/sprints/{sprint}/ballots", token, number % 11)
            for number, token in enumerate(voters)
        ]
        return statistics.median(each.milliseconds for each in answers[WARM_UP:] or answers)

    def first_reads(self, requests, representation, first_year) -> float:
        """Milliseconds for a history that the server has not cached: each request names another end, after the last
        sprint of the year."""
        path = f"{self.path}/{representation}?from={first_year}/1&to={YEAR}"
        answers = [requests.get(f"{path}/{60 + number}", self.tokens[0]) for number in range(READS)]
        return statistics.median(each.milliseconds for each in answers)

    def measure_page(self, what, path, requests, token):
        """A page of the web app. Its size tells what a browser has to load each time."""
        try:
            answers = [requests.page(path, token) for _ in range(4)][1:]
            self.add(f"{what}, ms", statistics.median(each.milliseconds for each in answers))
            self.add(f"{what}, size, KiB", len(answers[0].content) / 1024)
        except Refused as error:
            self.add(f"{what}, ms", str(error))

    def next_reads(self, requests, path) -> float:
        """Milliseconds for a history that the server has cached."""
        answers = [requests.get(f"{self.path}/{path}", self.tokens[0]) for _ in range(READS + 1)]
        return statistics.median(each.milliseconds for each in answers[1:])

    def measure_export(self):
        """The program from its start to its end."""
        self.say("export")
        file = self.installation.folder / f"export-{self.size}.json"
        try:
            run = run_once(
                [str(self.programs / "HappinessAPI"), "export", str(file)], self.installation.log,
                self.installation.environment,
            )  # fmt: skip
            self.add("export, ms", run.seconds * 1000)
            self.add("export, memory, MiB", run.memory)
            self.add("export, size of the file, MiB", file.stat().st_size / 2**20)
            file.unlink()
        except Failed as error:
            self.add("export, ms", str(error))

    def measure_closing(self, ballots, rounds):
        """The service that API and worker close with, for a sprint in which every ballot has a text."""
        self.say("closing")
        try:
            results = self.installation.seed(
                "closing", "--ballots", str(ballots), "--rounds", str(rounds), "--name", f"Closing {self.size}"
            )
            closing = statistics.median(each["closing"] for each in results)
            self.add(f"{CLOSING}, µs a ballot", closing)
            self.add(f"{CLOSING}, ms", closing * ballots / 1000)
        except subprocess.CalledProcessError as error:
            self.add(f"{CLOSING}, ms", f"status {error.returncode}")

    # Making stores

    def make_crowd(self, members, *options, name="Crowd"):
        """Adds teams. The first one has a year's history."""
        self.say("making people")
        tokens = self.installation.folder / "tokens"
        made = self.installation.seed(
            "crowd", "--members", str(members), "--tokens", str(tokens), "--name", name, *options
        )
        self.team, self.team_name = made["team"], made["name"]
        self.administrator, *self.tokens = tokens.read_text(encoding="ascii").split()

    def import_history(self, count):
        """Adds the results of `count` sprints to the first team."""
        self.say("importing a history")
        file = self.installation.folder / "history.csv"
        lines = ["start,end,happiness,votes,eligible"]
        for number in range(count, 0, -1):
            start = HISTORY_END - datetime.timedelta(days=14 * number)
            lines.append(f"{start},{start + datetime.timedelta(days=13)},{4 + number % 5}.{number % 10},6,8")
        file.write_text("\n".join(lines) + "\n", encoding="ascii")
        run_once(
            [str(self.programs / "HappinessAPI"), "team", "import", self.team_name, str(file)], self.installation.log,
            self.installation.environment,
        )  # fmt: skip

    def work(self, instant, *options, watched=(), **settings):
        """Runs the worker at an instant. Returns the run, and the watch over these kinds of jobs."""
        command = [
            self.installation.worker, "--once", "--now", instant.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "--close-sprints", *options,
        ]  # fmt: skip
        environment = self.installation.environment | settings
        with JobWatch(environment["DATABASE_URL"], watched, instant) as watch:
            run = run_once(command, self.installation.log, environment)
        return run, watch

    def plans(self, instants) -> float:
        """Milliseconds of the job that plans the reminders, at each of these instants."""
        return statistics.median(
            self.work(instant, watched=["planReminders"])[1].milliseconds("planReminders") for instant in instants
        )

    # Adding values

    @property
    def path(self) -> str:
        return f"/api/v1/teams/{self.team}"

    def add(self, row, value):
        self.table.add(self.store, self.name, row, self.size, value)

    def attempt(self, row, measure):
        """Adds what `measure` returns, or why it returned nothing."""
        try:
            self.add(row, measure())
        except (Failed, Refused) as error:
            self.add(row, str(error))

    def say(self, text):
        now = time.strftime("%H:%M:%S")
        print(f"{now} {self.store}: {self.size:,} {self.name}: {text}", file=sys.stderr, flush=True)


class Members(Group):
    """One team grows. Each member has a device."""

    title = "members of one team"

    def measure(self):
        self.make_crowd(self.size, "--with-devices", "--sprint-at", f"{MONDAY:%Y-%m-%dT%H:%M:%SZ}")
        self.import_history(YEAR_SPRINTS)
        self.installation.seed("keys")
        self.measure_reminder()
        self.measure_common()
        self.measure_closing(self.size, 1)

    def measure_reminder(self):
        """Before the API starts: with its first request the team's present sprint begins."""
        self.say("reminders")
        nine = MONDAY + datetime.timedelta(hours=9)
        try:
            # What runs once an hour or a day.
            self.work(nine)
            self.add(PLAN, self.plans(nine + datetime.timedelta(minutes=minute) for minute in (1, 2, 3)))
            self.measure_sending(nine + datetime.timedelta(minutes=20))
        except Failed as error:
            self.add(PLAN_DUE, str(error))

    def measure_sending(self, instant):
        """A reminder to each device, through a sink that answers after 20 ms, without the ramp that spreads them."""
        with sink(self.installation.folder, self.programs) as (url, account, finish):
            run, watch = self.work(
                instant, watched=["planReminders"], PUSH_DRIVERS="fcm", FCM_SERVICE_ACCOUNT_FILE=str(account),
                FCM_BASE_URL=url, PUSH_RAMP_SECONDS="0", PUSH_REQUESTS_PER_SECOND="10000",
            )  # fmt: skip
            messages = finish()["messages"]
        self.attempt(PLAN_DUE, lambda: watch.milliseconds("planReminders"))
        sent = "reminder to every device, worker from start to end, ms"
        self.add(sent, run.seconds * 1000 if messages == self.size else f"{messages:,} sent")
        self.add("memory of the worker, MiB", run.memory)

    def measure_requests(self, api, requests):
        super().measure_requests(api, requests)
        self.say("member list")
        lead = self.tokens[0]
        try:
            # Once before, to fill the pool of connections.
            answers = [requests.pages(f"{self.path}/members?limit=200", lead) for _ in range(4)][1:]
            count = sum(page.content.count(b'"role":') for page in answers[0])
            if count != self.size:
                raise Refused(f"{count:,} members")
            self.add("member list, a page, ms", statistics.median(pages[0].milliseconds for pages in answers))
            self.add(
                "member list, all pages, ms",
                statistics.median(sum(page.milliseconds for page in pages) for pages in answers),
            )
            self.add("member list, number of pages", len(answers[0]))
            self.add("member list, size of a page, KiB", len(answers[0][0].content) / 1024)
        except Refused as error:
            self.add("member list, a page, ms", str(error))
        # Somebody who has not voted yet.
        self.measure_page("page to vote", f"/teams/{self.team}/vote", requests, self.tokens[-1])
        self.measure_page("page of the members", f"/teams/{self.team}/manage/members", requests, lead)
        # A name that nobody has, and how all names begin.
        self.measure_page("search that finds nobody", "/search?search=nobody", requests, lead)
        self.measure_page("search that finds everybody", "/search?search=crowd", requests, lead)
        self.add("memory of the API, lists of members and search, MiB", memory(api, "VmHWM"))


class Teams(Group):
    """The installation gets more teams, each with five members."""

    title = "teams"

    def measure(self):
        self.make_crowd(
            SMALL_TEAM, "--teams", str(self.size), "--time-zone", EARLY_ZONE, "--ballots", str(SMALL_TEAM),
            "--sprint-at", f"{MONDAY - datetime.timedelta(days=7):%Y-%m-%dT%H:%M:%SZ}",
        )  # fmt: skip
        self.measure_end_of_sprints()
        self.measure_plans()
        # A larger team, for single votes.
        self.make_crowd(TEAM, name="Voters")
        self.import_history(YEAR_SPRINTS)
        self.measure_common()

    def measure_end_of_sprints(self):
        """All sprints end at once, as at the beginning of every second week. Two jobs meet: one closes sprints, and the
        plan of the reminders starts the next ones."""
        self.say("end of all sprints")
        start = MONDAY - EARLY
        try:
            self.installation.seed("keys")
            # What runs once an hour or a day.
            self.work(start - datetime.timedelta(minutes=20))
            run, watch = self.work(start + datetime.timedelta(minutes=1), watched=["closeSprints", "planReminders"])
            self.attempt("end of all sprints, closing, ms", lambda: watch.milliseconds("closeSprints"))
            self.attempt(
                "end of all sprints, start of the next ones, ms", lambda: watch.milliseconds("planReminders"))
            self.add("end of all sprints, worker from start to end, ms", run.seconds * 1000)
            # Of the new sprints.
            self.installation.seed("keys")
        except Failed as error:
            self.add("end of all sprints, worker from start to end, ms", str(error))

    def measure_plans(self):
        """A minute in which nothing is due, as most are, and minutes in which reminders begin: each team has one of
        eight."""
        self.say("reminders")
        nine = MONDAY - EARLY + datetime.timedelta(hours=9)
        try:
            # What runs once an hour or a day; in this zone that hour has begun half an hour before.
            run, _ = self.work(nine - datetime.timedelta(minutes=10))
            self.add("memory of the worker, MiB", run.memory)
        except Failed as error:
            self.add("memory of the worker, MiB", str(error))
        self.attempt(PLAN, lambda: self.plans(nine + datetime.timedelta(minutes=minute) for minute in (1, 2, 3)))
        self.attempt(PLAN_DUE, lambda: self.plans(nine + datetime.timedelta(minutes=minute) for minute in (5, 6, 7)))

    def measure_requests(self, api, requests):
        super().measure_requests(api, requests)
        self.say("list of teams")
        try:
            pages = requests.pages(f"/api/v1/admin/teams?limit={PAGE}", self.administrator)
            self.add("list of teams, a page, ms", statistics.median(page.milliseconds for page in pages))
            self.add("list of teams, last page, ms", pages[-1].milliseconds)
            self.add("list of teams, all pages, ms", sum(page.milliseconds for page in pages))
        except Refused as error:
            self.add("list of teams, a page, ms", str(error))
        self.measure_page("page of the teams", "/admin/teams", requests, self.administrator)
        self.add("memory of the API, lists of teams, MiB", memory(api, "VmHWM"))


class Sprints(Group):
    """The history of one team gets longer: a year, five, ten."""

    title = "sprints of one team"

    def measure(self):
        self.make_crowd(TEAM)
        self.import_history(self.size)
        self.measure_common()

    def measure_requests(self, api, requests):
        super().measure_requests(api, requests)
        self.say("histories")
        everything = 2000
        for what, path in [("all sprints", "sprints"), ("CSV", "history.csv"), ("chart", "chart.svg")]:
            self.attempt(f"{what}, first reader, ms", lambda: self.first_reads(requests, path, everything))
            self.attempt(f"{what}, next readers, ms", lambda: self.next_reads(requests, path))
            self.attempt(
                f"{what}, size, KiB", lambda: len(requests.get(f"{self.path}/{path}", self.tokens[0]).content) / 1024)
        self.add("memory of the API, all histories, MiB", memory(api, "VmHWM"))


class Ballots(Group):
    """One store gets more and more ballots, in teams with ten sprints each, of which one runs. At each size a team of
    its own votes."""

    title = "ballots in the store"
    keeps_store = True

    def __init__(self, store, table, arguments):
        super().__init__(store, table, arguments)
        self.present = 0

    def measure(self):
        self.say("casting ballots")
        self.installation.seed(
            "ballots", "--count", str(self.size - self.present), "--per-sprint", str(self.ballots_per_sprint))
        self.present = self.size
        self.make_crowd(TEAM, name=f"Crowd{self.size}")
        self.import_history(YEAR_SPRINTS)
        self.measure_common()
        self.measure_closing(512, 3)
        self.add("size of the store, MiB", self.store_size())

    def store_size(self) -> float:
        url = self.installation.environment["DATABASE_URL"]
        if url.startswith("sqlite:"):
            return os.path.getsize(url.removeprefix("sqlite:")) / 2**20
        with MongoClient(url) as mongo:
            # Otherwise up to a minute old.
            mongo.admin.command("fsync")
            return mongo.get_default_database().command("dbstats")["totalSize"] / 2**20


GROUPS = {"members": Members, "teams": Teams, "sprints": Sprints, "ballots": Ballots}


if __name__ == "__main__":
    sys.exit(main())
