"""Those who watch sealed ballots on their way: the operator with every secret, and the people who run the relay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import people
from altering_proxy import Exchange, altering_proxy
from harness.oblivious_message import Message
from installation import wait_until
from knowledge import Group, Knowledge
from observers import Observer, Result, control
from people import Person, Team
from relay import Relay
from risks import Claims, Measurement, Risk
from world import World


# Teams that share a relay.
TEAMS = 20


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
        # Bytes that each member handed over.
        self.lengths: dict[str, int] = {}

    def vote(self, team: Team, person: Person) -> None:
        """Gets a paper and sends the ballot, one right after the other, as the web app does."""
        if not person.token:
            self.world.log_in(person)
        ballot = self.world.sealed_ballot(team, person)
        self.seen.append(Seen(team, person, is_ballot=False))
        self.send(team, person, ballot)

    def send(self, team: Team, person: Person, ballot: dict[str, Any]) -> None:
        self.world.request("POST", "/api/v1/ballots", ballot)
        self.seen.append(Seen(team, person, is_ballot=True))

    def ends_round(self) -> None:
        """Is called when a relay sends what waits, however few ballots there are."""


class RelayedWay(Way):
    """Through a relay, with a recorder between it and the server. The recorder cannot read what it sees, but this process
    knows what it encrypted, and so what the operator would decrypt."""

    def __init__(self, world: World, relay: Relay, arrivals: list[Exchange]) -> None:
        super().__init__(world)
        self._relay = relay
        self._arrivals = arrivals
        self._sent: dict[bytes, tuple[Team, Person]] = {}
        self._waiting = 0
        self._counted = 0
        self._keys = relay.request("GET", "/keys")[1]

    def send(self, team: Team, person: Person, ballot: dict[str, Any]) -> None:
        message = Message(self._keys, "POST", "/api/v1/ballots", ballot)
        self._sent[message.content] = team, person
        self.lengths[person.id] = len(message.content)
        assert self._relay.request("PUT", message.ticket, message.content)[0] == 202
        self._waiting += 1
        if self._waiting == self._relay.mix_count:
            self._wait()

    def ends_round(self) -> None:
        """A relay that stops sends what waits, so no time has to pass."""
        if self._waiting:
            self._relay.stop()
            self._wait()
            self._relay.start()

    def _wait(self) -> None:
        """Until what waits has arrived and has an answer."""
        expected = self._counted + self._waiting
        wait_until(lambda: len(self._ballots()) == expected and all(ballot.status for ballot in self._ballots()))
        for ballot in self._ballots()[self._counted :]:
            self.seen.append(Seen(*self._sent[ballot.body], is_ballot=True))
        self._counted, self._waiting = expected, 0

    def _ballots(self) -> list[Exchange]:
        return [exchange for exchange in self._arrivals if exchange.body in self._sent]


@contextmanager
def relayed(world: World, log: Path, mix: int) -> Iterator[RelayedWay]:
    """Sends ballots on as soon as there are so many, and at the end of each round."""
    with altering_proxy(world.installation.servers[0].address) as proxy:
        relay = Relay(proxy.address, log, count=mix)
        try:
            yield RelayedWay(world, relay, proxy.exchanges)
        finally:
            relay.kill()


def vote(random: Random, way: Way, teams: Sequence[Team], hours: int) -> None:
    """All ballots of the teams.

    - hours: of a round of the relay; 0 for a team after the other, each of them in one round.
    """
    if not hours:
        for team in teams:
            _vote(way, [(team, person) for person in random.sample(team.voters, len(team.voters))])
        return
    for first in range(0, len(teams), TEAMS):
        rounds: dict[int, list[tuple[Team, Person]]] = defaultdict(list)
        for event in people.sprint(random, teams[first : first + TEAMS]):
            if event.votes:
                rounds[(24 * event.day + random.randrange(24)) // hours].append((event.team, event.person))
        for number in sorted(rounds):
            _vote(way, rounds[number])


def _vote(way: Way, votes: Sequence[tuple[Team, Person]]) -> None:
    for team, person in votes:
        way.vote(team, person)
    way.ends_round()


class Operator(Observer):
    """Sees who asks for a paper, and each ballot that arrives, with its team and value. They assume that ballots arrive
    in the order of the papers."""

    name = "Operator who watches"
    # The threat model promises no more than: one in the size of the mix.
    protected = frozenset()

    def __init__(self, way: Way, teams: Sequence[Team]) -> None:
        super().__init__(way.world, teams)
        self._way = way
        # By member, the ballots that arrived with theirs, the likeliest first.
        self._candidates: dict[str, list[Person]] = {}
        # How often the likeliest one is theirs, compared with one in the number of those that arrived together.
        self.order = Measurement()

    def closes(self) -> None:
        papers: dict[str, list[Person]] = defaultdict(list)
        mix: dict[str, list[Person]] = defaultdict(list)

        def ends() -> None:
            for team, ballots in mix.items():
                # These were waiting.
                senders, papers[team] = papers[team][: len(ballots)], papers[team][len(ballots) :]
                for place, sender in enumerate(senders):
                    self._candidates[sender.id] = ballots[place:] + ballots[:place]
                    self.order.add(float(ballots[place] is sender), 1 / len(ballots))
            mix.clear()

        for seen in self._way.seen:
            if seen.is_ballot:
                mix[seen.team.id].append(seen.person)
            else:
                ends()
                papers[seen.team.id].append(seen.person)
        ends()

    def claims(self, team: Team, result: Result) -> Claims:
        arrived = team.voters
        groups = [Group(1, person.value, (person.value,)) for person in arrived if person.value is not None]
        places, texts = {}, {}
        for target in team.targets:
            candidates = self._candidates[target.id]
            # If all values are equally likely, the order decides.
            weights = {person.id: 1.01 if number == 0 else 1.0 for number, person in enumerate(candidates)}
            places[target.id] = [weights.get(person.id, 0) for person in arrived]
            first = candidates[0].text
            texts[target.id] = {first} if first else {person.text for person in candidates if person.text}
        return Claims(Knowledge(groups, places), texts)


class RelayOperator(Observer):
    """Sees who hands over a message, when, and how long it is; compares the lengths with those of the published texts."""

    name = "People who run the relay"

    def __init__(self, way: Way, teams: Sequence[Team]) -> None:
        super().__init__(way.world, teams)
        self._lengths = way.lengths

    def claims(self, team: Team, result: Result) -> Claims:
        known = control(team, result)
        lengths = {person.id: self.length(person) for person in team.voters}
        if len(set(lengths.values())) == 1:
            return known
        # Texts are the only thing in a ballot whose length varies much.
        shortest = min(lengths.values())
        texts = {}
        for person in team.targets:
            extra = lengths[person.id] - shortest
            distance = min((abs(len(text) - extra) for text in result.texts), default=0)
            texts[person.id] = {text for text in result.texts if abs(len(text) - extra) == distance}
        return Claims(known.knowledge, texts)

    def length(self, person: Person) -> int:
        return self._lengths[person.id]
