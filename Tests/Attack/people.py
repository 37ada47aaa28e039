"""Teams that vote as people do."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

VALUES = range(11)

# How a team may feel in a sprint: how often, and how often a member then gives each value from 0 to 10. Everybody who
# attacks knows these numbers.
MOODS: Sequence[tuple[float, Sequence[float]]] = (
    (0.20, (0.03, 0.04, 0.09, 0.14, 0.18, 0.19, 0.15, 0.10, 0.05, 0.02, 0.01)),
    (0.55, (0.01, 0.01, 0.02, 0.04, 0.07, 0.12, 0.18, 0.25, 0.20, 0.07, 0.03)),
    (0.25, (0.00, 0.00, 0.01, 0.01, 0.02, 0.05, 0.09, 0.18, 0.32, 0.21, 0.11)),
)

SIZES = range(3, 13)
DAYS = 14
# Reminders bring many votes on the last days of a sprint.
DAY_WEIGHTS = [3, 2, 2, 2, 2, 1, 1, 2, 2, 2, 4, 8, 5, 1]

VOTES = 0.85
WRITES = 0.4
# Shares of those who vote that log in right before, and of all that log in another day, to read.
LOGS_IN_TO_VOTE = 0.5
LOGS_IN_TO_READ = 0.3


@dataclass
class Person:
    """A member in one sprint."""

    id: str
    name: str
    # The ballot; `None` for those who do not vote.
    value: int | None
    text: str | None
    logs_in_to_vote: bool
    token: str = ""

    @property
    def votes(self) -> bool:
        return self.value is not None


@dataclass
class Team:
    """A team in one sprint. Its first member is the one who attacks, if a member does: they lead it, and vote."""

    id: str
    policy: str
    people: list[Person]

    @property
    def insider(self) -> Person:
        return self.people[0]

    @property
    def voters(self) -> list[Person]:
        return [person for person in self.people if person.votes]

    @property
    def targets(self) -> list[Person]:
        """Those whom the attacks are about."""
        return [person for person in self.voters if person is not self.insider]


@dataclass(frozen=True, eq=False)
class Event:
    """What somebody does on a day of the sprint."""

    day: int
    team: Team
    person: Person
    # Otherwise they log in, and read.
    votes: bool


def team(
    random: Random, id: str, policy: str, members: Sequence[tuple[str, str]], writes: float = WRITES
) -> Team:
    """A team with its ballots.

    - members: ids and names.
    - writes: how likely a voter writes a text.
    """
    (shares,) = random.choices([shares for _, shares in MOODS], [share for share, _ in MOODS])
    people = []
    for place, (member, name) in enumerate(members):
        votes = place == 0 or random.random() < VOTES
        people.append(
            Person(
                member, name,
                value=random.choices(VALUES, shares)[0] if votes else None,
                text=_text(random) if votes and random.random() < writes else None,
                # Somebody who attacks has a session already.
                logs_in_to_vote=place > 0 and random.random() < LOGS_IN_TO_VOTE,
            ))  # fmt: skip
    return Team(id, policy, people)


def _text(random: Random) -> str:
    # A random word, so that sorting texts does not sort people.
    return f"I write {secrets.token_hex(16)}" + random.randrange(20) * " again"


def sprint(random: Random, teams: Sequence[Team]) -> list[Event]:
    """Everything that all teams do in a sprint, in its order."""
    events = []
    for team in teams:
        for person in team.people:
            days = random.choices(range(DAYS), DAY_WEIGHTS, k=2)
            if person.votes:
                events.append(Event(days[0], team, person, votes=True))
            if random.random() < LOGS_IN_TO_READ:
                events.append(Event(days[1], team, person, votes=False))
    random.shuffle(events)
    return sorted(events, key=lambda event: event.day)
