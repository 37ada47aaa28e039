#!/usr/bin/env python3
"""Measures the release build on both stores and prints a table; `make bench` builds and runs it.

What counts are ratios within one run, medians of several rounds: absolute numbers move with the machine. Every number
comes from servers of our own on the loopback address, in a temporary folder that is removed afterwards.
"""

import argparse
import math
import os
import pathlib
import platform
import statistics
import sys
import tempfile
import time

from harness.api import Installation, memory
from harness.bare import bare_server
from harness.express import express
from harness.fanout import FanOut
from harness.logins import Storm
from harness.mongod import database
from harness.papers import Papers, processor_time
from harness.phone import slow_phone
from harness.processes import running
from harness.report import Row, publish
from harness.uploads import CLIENTS, Uploads
from harness.wrk import load

# Bars by store: vote rate as a share of the rate of the same requests without a commit, by number of connections.
VOTE_BARS = {"SQLite": {32: 0.45, 256: 0.65}, "MongoDB": {32: 0.2, 256: 0.35}}
# A paper takes the server about two milliseconds, so not all voters get one. With fewer, a round on a fast machine would
# end before its rate is steady.
SEALED_CONNECTIONS = 32, 256
SEALED_VOTERS = 4_000
# On SQLite the receipts of a new sprint share a few pages, so that its first ballots are cheaper than later ones.
GROWTH_BARS = {"SQLite": 1.5, "MongoDB": 1.1}
# How many times the votes of an Express service on the same MongoDB, by number of connections.
EXPRESS_BARS = {32: 10, 256: 20}
# Seconds for the reminder.
FAN_OUT_BARS = {"SQLite": 2, "MongoDB": 2.5}
# Seconds without requests, in which a process releases the memory it needed for its start.
REST = 2
# Maximum seconds of a round.
ROUND = 2
# Short rounds per long round (seconds instead of half a minute): single rounds of a year's history gave 0.58 to 0.94
# within five minutes, and 10 to 66 ms for the slowest percent of votes at half load.
SHORT_ROUNDS = 3
# Maximum seconds of a round of votes at half load.
STEADY_ROUND = 3
# Seconds wrk needs on a busy machine to start, read the tokens and end. A run always lasts its whole time, even if its
# tokens are used up before.
START_OF_LOAD = 1.5
# Maximum seconds for showing the voters and one load. A sprint must outlast all its loads; otherwise the last requests
# of a slow round arrive after its end and are refused (422).
SHOWN_LOAD = ROUND + STEADY_ROUND + 2 * START_OF_LOAD
STARTS = 10


def main() -> int:
    arguments = parse_arguments()
    rows = []
    for store in arguments.stores:
        with tempfile.TemporaryDirectory(prefix="happiness-bench-") as name:
            folder = pathlib.Path(name)
            with database(store, folder) as url:
                rows += Benchmark(store, Installation(folder, url), arguments).run()
    is_good = publish(rows, machine())
    return 0 if is_good else 1


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", nargs="+", choices=list(VOTE_BARS), default=list(VOTE_BARS))
    parser.add_argument("--rounds", type=int, default=3, help="rounds; of what takes seconds three times as many")
    # The server caches at least 8,192 sessions. With more voters it would evict one while it reads the next, and the
    # benchmark would measure reading sessions.
    parser.add_argument("--voters", type=int, default=6_000, help="votes a round takes at most")
    parser.add_argument("--devices", type=int, default=10_000, help="devices that are reminded")
    parser.add_argument("--pictures", type=int, default=100, help="pictures that are uploaded in a round")
    only = ["start", "routes", "ballots", "express", "fan-out", "uploads", "phone"]
    parser.add_argument("--only", choices=only, help="measure nothing else")
    return parser.parse_args()


class Benchmark:
    """Measures all rows of one store."""

    def __init__(self, store, installation, arguments):
        self.store = store
        self.installation = installation
        self.rounds = arguments.rounds
        self.voters = arguments.voters
        self.devices = arguments.devices
        self.pictures = arguments.pictures
        self.only = arguments.only
        self.tokens = installation.folder / "tokens"
        self.rows = []

    def run(self):
        if self.only == "phone":
            self.measure_phone()
            return self.rows
        if self.only == "fan-out":
            self.measure_fan_out()
            return self.rows
        self.say(f"making {self.voters} voters")
        self.made = self.installation.seed_large("voters", "--count", str(self.voters), "--tokens", str(self.tokens))
        if self.only == "uploads":
            self.measure_uploads()
            return self.rows
        if self.only == "start":
            self.measure_start()
            self.measure_rest()
            return self.rows
        if self.only == "routes":
            with self.installation.api():
                self.measure_history()
                self.measure_empty_route()
            self.measure_first_requests()
            return self.rows
        if self.only == "ballots":
            self.measure_all_ballots()
            return self.rows
        if self.only == "express":
            self.measure_express()
            return self.rows
        self.measure_start()
        self.measure_rest()
        with self.installation.api():
            self.measure_history()
            self.measure_empty_route()
            self.measure_storm()
        self.measure_first_requests()
        self.measure_all_ballots()
        self.measure_express()
        self.measure_growth()
        self.measure_closing()
        self.measure_fan_out()
        self.measure_uploads()
        self.measure_phone()
        return self.rows

    def measure_all_ballots(self):
        with self.installation.api() as api:
            self.measure_votes(api)
        self.measure_unknown_voters(256)
        with self.installation.api() as api:
            self.measure_sealed_ballots(api)

    def measure_rest(self):
        """In a store of its own: the worker would start the sprints of the teams in the other one."""
        folder = self.installation.folder / "rest"
        folder.mkdir()
        rest = Installation(folder, self.installation.database("rest"))
        with rest.api() as api:
            time.sleep(REST)
            self.add("memory at rest", memory(api, "VmRSS"), "MiB", "≤", 45)
            with running([rest.worker], rest.log, env=rest.environment) as worker:
                time.sleep(REST)
                shares = [memory(api, "Pss"), memory(worker, "Pss")]
        detail = f"{shares[0]:.0f} and {shares[1]:.0f} MiB"
        self.add("memory of API and worker at rest", sum(shares), "MiB", "≤", 90, detail)

    def measure_start(self):
        self.say("start")
        times = []
        for _ in range(STARTS):
            with self.installation.api() as api:
                times.append(api.seconds * 1000)
        self.add("start to first answer", statistics.median(times), "ms", "≤", 60, f"median of {STARTS}")

    def measure_history(self):
        self.say("history")
        path = f"/api/v1/teams/{self.made['historyTeam']}/sprints?year={self.made['historyYear']}"
        self.add_ratio(
            "a year's history", "≥", 0.8,
            [between(self.ping, lambda: self.read(path).rate) for _ in range(self.rounds * SHORT_ROUNDS)],
        )  # fmt: skip

    def measure_empty_route(self):
        """What the product adds to a request: a route that authenticates and returns nothing, against one of
        Hummingbird alone."""
        self.say("empty route")
        path = "/api/v1/ping"
        with bare_server(self.installation, path) as bare:
            limit = lambda: self.read(path, url=bare).rate  # noqa: E731
            self.add_ratio(
                "an empty route to Hummingbird alone", "≥", 0.6,
                [between(limit, self.ping) for _ in range(self.rounds * SHORT_ROUNDS)],
            )  # fmt: skip

    def measure_first_requests(self):
        """Requests of people whom the process has not seen, against further ones of the same people."""
        rates = []
        for number in range(self.rounds * SHORT_ROUNDS):
            self.say(f"first requests, round {number + 1}")
            with self.installation.api():
                # Other people warm the server up.
                self.ping()
                people = {"count": self.voters, "first": self.made["readers"] + 1}
                first = self.read("/api/v1/ping", once=1, **people).rate
                rates.append((first, self.read("/api/v1/ping", once=1, **people).rate))
        self.add_ratio("first requests to further ones", "≥", 0.3, rates)

    def measure_storm(self):
        self.say("log-in storm")
        rates = []
        statuses = ""
        for _ in range(self.rounds * SHORT_ROUNDS):
            storm = Storm(self.installation.port, self.made["logIns"], self.made["password"])
            rates.append(between(self.ping, lambda: self.ping_during(storm)))
            statuses = ", ".join(f"{count} × {status}" for status, count in sorted(storm.statuses.items()))
        self.add_ratio("other routes during a log-in storm", "≥", 0.6, rates, note=f"log-ins: {statuses}")

    def ping_during(self, storm):
        with storm:
            # Seconds, until every client waits for its first response.
            time.sleep(0.5)
            return self.ping()

    def measure_votes(self, api):
        """Compares votes with the same requests without a commit. The server knows every voter, as it does when they
        have opened the page to vote, so the two differ only in the commit."""
        for connections, bar in VOTE_BARS[self.store].items():
            rates = []
            for number in range(self.rounds):
                self.say(f"votes, {connections} connections, round {number + 1}")
                # The limit, the votes and the limit again.
                path = self.start_sprint(loads=3)
                rates.append(
                    between(
                        lambda: self.expected_ballots(path, "validate", connections),
                        lambda: self.expected_ballots(path, "cast", connections, once=1),
                    )
                )
            self.add_ratio(f"votes, {connections} connections", "≥", bar, rates)
        self.measure_latency(connections, statistics.median(rate for rate, _ in rates) / 2)
        self.add("memory, most under vote load", memory(api, "VmHWM"), "MiB", "≤", 75)

    def expected_ballots(self, path, body, connections, **options):
        self.show_voters(path, connections)
        return self.ballots(path, body, connections, **options).rate

    def show_voters(self, path, connections):
        """Makes the server look up every voter whom it does not know."""
        self.ballots(path, "validate", connections, once=1)

    def measure_latency(self, connections, rate):
        # As long as there are voters, so that there are enough votes beyond the 99th percentile.
        seconds = max(1, min(STEADY_ROUND, int(self.voters / rate)))
        loads = []
        for number in range(self.rounds * SHORT_ROUNDS):
            self.say(f"votes at half load, round {number + 1}")
            path = self.start_sprint(loads=1)
            self.show_voters(path, connections)
            loads.append(self.ballots(path, "cast", connections, seconds, once=1, rate=int(rate)))
        latency = statistics.median(each.p99 for each in loads)
        achieved = statistics.median(each.rate for each in loads)
        self.add("p99 of a vote at half load", latency, "ms", "≤", 15, f"{achieved:,.0f}/s")

    def measure_unknown_voters(self, connections):
        """For comparison, without a bar. Each side has a process of its own, which reads the voters' sessions and, for
        one of them, the memberships."""
        rates = []
        for body in ("cast", "validate"):
            self.say("votes of unknown voters")
            with self.installation.api():
                path = self.start_sprint(loads=1)
                self.ping()
                rates.append(self.ballots(path, body, connections, once=1, first=self.made["readers"] + 1).rate)
        self.add_ratio("votes of people not seen before", "", 0, [tuple(rates)])

    def measure_sealed_ballots(self, api):
        """The server's processor time for a paper and for its ballot, and the rate of ballots. Right before them the
        same voters cast plain ballots in a sprint of their own, for comparison."""
        for connections in SEALED_CONNECTIONS:
            times, rates, issuing = [], [], []
            for number in range(self.rounds):
                self.say(f"sealed ballots, {connections} connections, round {number + 1}")
                path = self.start_sprint(loads=1)
                plain = self.expected_ballots(path, "cast", connections, once=1, count=SEALED_VOTERS)
                # Blinding in Python takes long, too.
                path = self.start_sprint(loads=4)
                papers = Papers(self.installation.port, path.removesuffix("/ballots"), self.tokens, SEALED_VOTERS)
                self.show_voters(path, connections)
                before = processor_time(api)
                issuing.append(papers.get())
                issued = processor_time(api)
                file = self.installation.folder / "sealed-ballots"
                papers.write_ballots(file)
                ready = processor_time(api)
                cast = load(
                    self.installation.url, connections=connections, seconds=ROUND, bodies=file,
                    path="/api/v1/ballots", once=1,
                )  # fmt: skip
                issue_time = 1000 * (issued - before) / SEALED_VOTERS
                times.append((issue_time, 1000 * (processor_time(api) - ready) / cast.requests))
                rates.append((cast.rate, plain))
            issue, casting = (statistics.median(side) for side in zip(*times))
            self.add(
                f"processor time of a sealed ballot, {connections} connections", issue + casting, "ms", "≤", 2.5,
                f"{issue:.2f} ms for the paper, {casting:.2f} ms for the ballot",
            )  # fmt: skip
            self.add_ratio(
                f"sealed to plain ballots, {connections} connections", "", 0, rates,
                note=f"papers: {statistics.median(issuing):,.0f}/s",
            )  # fmt: skip

    def measure_express(self):
        """Compares votes with those of an Express service on the same mongod, each right before it, in a sprint of its
        own. On MongoDB only, since the other has no other store."""
        if self.store != "MongoDB":
            return
        url = self.installation.database("express")
        with self.installation.api(), express(self.installation.folder, url, self.voters) as service:
            for connections, bar in EXPRESS_BARS.items():
                rates = []
                for number in range(self.rounds):
                    self.say(f"votes and those of an Express service, {connections} connections, round {number + 1}")
                    path = self.start_sprint(loads=1)
                    votes = self.expected_ballots(path, "cast", connections, once=1)
                    rates.append((votes, service.votes(connections, ROUND).rate))
                self.add_ratio(f"votes to those of an Express service, {connections} connections", "≥", bar, rates)

    def measure_growth(self):
        self.say("growth")
        results = self.installation.seed("growth")
        self.add_ratio(
            "cost at the 100,000th ballot to the 1st", "≤", GROWTH_BARS[self.store],
            [(each["full"], each["empty"]) for each in results], unit="µs",
        )  # fmt: skip

    def measure_closing(self):
        """The time that the last voter of a team has to wait for it."""
        self.say("closing")
        results = self.installation.seed("closing")
        self.add_ratio(
            "closing a sprint to casting its ballots", "≤", 1,
            [(each["closing"], each["casting"]) for each in results], unit="µs a ballot",
        )  # fmt: skip

    def measure_fan_out(self):
        """Sends a reminder to every device through a sink that responds in 20 ms, without a ramp. Includes what a
        process does once: start, planning, splitting, and end."""
        self.say(f"making {self.devices} devices")
        fan_out = FanOut(
            self.installation.folder / "fan-out", self.installation.database("fan-out"), self.devices)  # fmt: skip
        rounds = []
        for number in range(self.rounds):
            self.say(f"fan-out, round {number + 1}")
            rounds.append(fan_out.remind(number))
        seconds, rate, size = (statistics.median(side) for side in zip(*rounds))
        detail = f"{rate:,.0f} messages/s, worker at most {size:,.0f} MiB"
        self.add(f"reminder to {self.devices:,} devices", seconds, "s", "≤", FAN_OUT_BARS[self.store], detail)

    def measure_uploads(self):
        """Compares with the picture tool alone: the rest is receiving, storing and counting the pictures."""
        uploads = Uploads(self.installation, self.tokens)
        rounds = []
        limits = []
        for number in range(self.rounds):
            self.say(f"uploads, round {number + 1}")
            limits.append(uploads.make(self.pictures))
            with self.installation.api() as api:
                rounds.append(uploads.load(api, self.pictures))
        rates, latencies, sizes = zip(*rounds)
        self.add_ratio(f"pictures, {CLIENTS} uploads at once", "", 0, list(zip(rates, limits)))
        self.add(f"p99 of an upload among {CLIENTS}", statistics.median(latencies), "ms", "", 0)
        self.add("memory, most with picture processes", max(sizes), "MiB", "≤", 300)

    def measure_phone(self):
        """What a user with a slow phone has to wait for. On one store only, since the store makes no difference."""
        if self.store != "SQLite":
            return
        folder = self.installation.folder / "phone"
        folder.mkdir()
        installation = Installation(folder, f"sqlite:{folder / 'happiness.sqlite'}")
        with installation.api("--demo"), slow_phone(installation) as phone:
            paints, votes, papers = [], [], []
            for number in range(self.rounds):
                self.say(f"slow phone, round {number + 1}")
                paints.append(phone.first_paints())
                votes.append(phone.vote())
                papers.append(phone.paper())
        cold, warm = (statistics.median(side) for side in zip(*paints))
        self.add("first paint of the live view, slow phone", cold / 1000, "s", "≤", 1.8, "first visit")
        self.add("first paint, slow phone that was there before", warm / 1000, "s", "≤", 1.8, "files in its cache")
        self.add("reminder to thanks, slow phone", statistics.median(votes), "s", "≤", 5, "first visit, two taps")
        self.add("ballot paper, slow phone", statistics.median(papers), "ms", "≤", 150, "without the requests")

    def ping(self):
        return self.read("/api/v1/ping").rate

    def read(self, path, url=None, **options):
        people = {"count": self.made["readers"]} | options
        return load(
            url or self.installation.url, connections=32, seconds=ROUND, tokens=self.tokens, path=path, **people,
        )  # fmt: skip

    def ballots(self, path, body, connections, seconds=ROUND, **options):
        return load(
            self.installation.url, connections=connections, seconds=seconds, tokens=self.tokens, path=path, body=body,
            **options,
        )  # fmt: skip

    def start_sprint(self, loads) -> str:
        """The path for ballots of a new sprint, in which every voter can vote once more; it is long enough for `loads`
        loads. Waits until the previous sprint has ended."""
        seconds = str(math.ceil(loads * SHOWN_LOAD))
        sprint = self.installation.seed("sprint", "--team", self.made["team"], "--seconds", seconds)
        return f"/api/v1/teams/{self.made['team']}/sprints/{sprint['year']}/{sprint['number']}/ballots"

    def add(self, what, value, unit, comparison, bar, detail=""):
        self.rows.append(Row(self.store, what, value, unit, comparison, bar, detail))

    def add_ratio(self, what, comparison, bar, pairs, unit="/s", note=""):
        """Adds the median of the rounds' ratios, with the medians of both sides as detail."""
        ratio = statistics.median(part / whole for part, whole in pairs)
        part, whole = (statistics.median(side) for side in zip(*pairs))
        detail = f"{part:,.0f} to {whole:,.0f} {unit}".replace(" /s", "/s") + (f"; {note}" if note else "")
        self.add(what, ratio, "", comparison, bar, detail)

    def say(self, text):
        print(f"{self.store}: {text}", file=sys.stderr, flush=True)


def between(limit, part):
    """One round of a ratio: the result of `part`, and the mean of `limit` right before and right after it. The speed of
    the machine changes from second to second, which must affect both."""
    before = limit()
    rate = part()
    return rate, (before + limit()) / 2


def machine() -> dict:
    """What the numbers depend on, without any names."""
    return {"cores": os.cpu_count(), "system": platform.system(), "architecture": platform.machine()}


if __name__ == "__main__":
    sys.exit(main())
