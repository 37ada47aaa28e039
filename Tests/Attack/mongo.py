"""Those who read what MongoDB notes down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from observers import Observer, Result, control, with_values
from people import Event, Person, Team
from pymongo import MongoClient
from risks import Claims, Risk
from world import World

# Bytes. Enough for a day of all teams.
PROFILE_SIZE = 64 << 20


class OplogReader(Observer):
    """Reads all changes in their order after the close, without `BALLOT_SECRET`."""

    name = "Reader of the oplog"
    learns = "Knows the value of a person of whom they know when they voted. Never who wrote a text."
    # Texts are sealed.
    protected = frozenset({Risk.LINKING})

    def __init__(self, world: World, teams: Sequence[Team], client: MongoClient[Any], database: str) -> None:
        super().__init__(world, teams)
        self._client = client
        self._database = database
        self._voters: dict[str, list[Person]] = defaultdict(list)
        # By team, the values in the order of the votes.
        self._values: dict[str, list[int]] = defaultdict(list)

    def sees(self, event: Event) -> None:
        if event.votes:
            self._voters[event.team.id].append(event.person)

    def closes(self) -> None:
        sums: dict[str, int] = defaultdict(int)
        for entry in self._client["local"]["oplog.rs"].find({"op": "c", "o.applyOps": {"$exists": True}}):
            for operation in entry["o"]["applyOps"]:
                changes = operation["o"].get("diff", {}).get("u", {})
                if operation["ns"] != f"{self._database}.happiness" or "count" not in changes:
                    continue
                for team in self.teams:
                    if team.id in str(operation["o2"]["_id"]):
                        # A value of 0 does not change the sum.
                        total = changes.get("sum", sums[team.id])
                        self._values[team.id].append((total - sums[team.id]) // 10)
                        sums[team.id] = total

    def claims(self, team: Team, result: Result) -> Claims:
        values, voters = self._values[team.id], self._voters[team.id]
        assert len(values) == len(voters), "the oplog has every vote"
        return with_values(team, control(team, result), dict(zip([voter.id for voter in voters], values)))


class DatabaseAdministrator(Observer):
    """Switches the profiler on. It shows whose session a vote asks for, and by how much the tally then grows."""

    name = "Database administrator with the profiler"
    learns = "Knows the value of each person whose vote is not sealed. Never who wrote a text."
    protected = frozenset({Risk.LINKING})

    def __init__(self, world: World, teams: Sequence[Team], client: MongoClient[Any], database: str) -> None:
        super().__init__(world, teams)
        self._database = client[database]
        self._values: dict[str, int] = {}
        self._database.command("profile", 0)
        self._start()

    def sleeps(self, day: int) -> None:
        """Reads what is new, before the profiler forgets it."""
        self._database.command("profile", 0)
        profile = self._database["system.profile"]
        # When the API asked for the membership of someone who votes. The tally may have grown before the answer came.
        asked: dict[str, list[tuple[datetime, str]]] = defaultdict(list)
        for entry in profile.find({"command.aggregate": "sessions"}):
            for stage in entry["command"]["pipeline"]:
                if stage.get("$unionWith", {}).get("coll") == "memberships":
                    # Those of visitors are asked for by user.
                    wanted = stage["$unionWith"]["pipeline"][0]["$match"].get("_id", {"$in": []})
                    for membership in wanted["$in"]:
                        team, user = membership.split("|")
                        asked[team].append((entry["ts"], user))
        for entry in profile.find({"op": "update", "command.u.$inc.sum": {"$exists": True}}):
            team = entry["command"]["q"]["_id"].split("|")[0]
            # Two people may vote in the same millisecond, and everyone votes once.
            ask = min(asked[team], key=lambda ask: abs(ask[0] - entry["ts"]))
            asked[team].remove(ask)
            self._values[ask[1]] = entry["command"]["u"]["$inc"]["sum"] // 10
        self._start()

    def closes(self) -> None:
        self._database.command("profile", 0)

    def _start(self) -> None:
        self._database.drop_collection("system.profile")
        self._database.create_collection("system.profile", capped=True, size=PROFILE_SIZE)
        self._database.command("profile", 2)

    def claims(self, team: Team, result: Result) -> Claims:
        values = {voter.id: self._values[voter.id] for voter in team.voters}
        return with_values(team, control(team, result), values)
