"""The operator with every secret, who watches sealed ballots arrive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import people
from knowledge import Group, Knowledge
from observers import Observer, Result
from people import Person, Team
from risks import Claims
from world import World


@dataclass(frozen=True)
class Seen:
    """What the server gets, in its order."""

    team: Team
    # Who asked for a paper, or whose ballot arrived. The operator knows only the former.
    person: Person
    is_ballot: bool


class Way:
    """How ballots get from the members to the server."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.seen: list[Seen] = []

    def vote(self, team: Team, person: Person) -> None:
        """Gets a paper and sends the ballot, one right after the other, as the web app does."""
        if not person.token:
            self.world.log_in(person)
        ballot = self.world.sealed_ballot(team, person)
        self.seen.append(Seen(team, person, is_ballot=False))
        self.world.request("POST", "/api/v1/ballots", ballot)
        self.seen.append(Seen(team, person, is_ballot=True))


def vote(random: Random, way: Way, teams: Sequence[Team]) -> None:
    """All ballots of the teams."""
    for event in people.sprint(random, teams):
        if event.votes:
            way.vote(event.team, event.person)


class Operator(Observer):
    """Sees who asks for a paper, and each ballot that arrives, with its team and value. They assume that a ballot is of
    the member who asked for the last paper of its team."""

    name = "Operator who watches"
    learns = "Reads each vote as it arrives, and knows whose it is. Sealing protects only what is stored."
    protected = frozenset()

    def __init__(self, way: Way, teams: Sequence[Team]) -> None:
        super().__init__(way.world, teams)
        self._way = way
        # By member, whose ballot seems to be theirs.
        self._ballots: dict[str, Person] = {}

    def closes(self) -> None:
        last: dict[str, Person] = {}
        for seen in self._way.seen:
            if seen.is_ballot:
                self._ballots[last[seen.team.id].id] = seen.person
            else:
                last[seen.team.id] = seen.person

    def claims(self, team: Team, result: Result) -> Claims:
        arrived = team.voters
        groups = [Group(1, person.value, (person.value,)) for person in arrived if person.value is not None]
        ballots = {target.id: self._ballots[target.id] for target in team.targets}
        places = {target: [float(person is ballot) for person in arrived] for target, ballot in ballots.items()}
        texts = {target: {ballot.text} if ballot.text else set() for target, ballot in ballots.items()}
        return Claims(Knowledge(groups, places), texts)
