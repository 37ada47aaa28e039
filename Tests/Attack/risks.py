"""How much better an attack is than a guess without it, as Anonymeter measures it (Giomi et al., PETS 2023)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from knowledge import Knowledge, best
from people import Person, Team

# Standard deviations of an interval that contains the truth with 95 %.
CERTAINTY = 1.96
# How much better than the control an attack may be where the threat model speaks of protection.
LIMIT = 0.02
# Standard deviations above the limit at which a short test fails: a fair one does so once in millions of runs.
SURE = 5


class Risk(StrEnum):
    """The three risks of Opinion 05/2014 of the EU's Article 29 Working Party, for ballots."""

    # To name a value that exactly one ballot of the sprint has.
    SINGLING_OUT = "singling out"
    # To tell which of the texts a member wrote.
    LINKING = "linking"
    # To tell which value a member gave.
    INFERENCE = "inference"


@dataclass
class Claims:
    """What somebody concludes about a sprint."""

    knowledge: Knowledge
    # By member, the texts that may be theirs, all equally likely.
    texts: dict[str, set[str]]


@dataclass
class Measurement:
    """Successes of an attack and of a control, over many sprints."""

    # In each sprint, the shares of successful guesses.
    attack: list[float] = field(default_factory=list)
    control: list[float] = field(default_factory=list)

    @property
    def sprints(self) -> int:
        return len(self.attack)

    @property
    def attack_rate(self) -> float:
        return mean(self.attack)

    @property
    def control_rate(self) -> float:
        return mean(self.control)

    @property
    def advantage(self) -> float:
        return self.attack_rate - self.control_rate

    @property
    def error(self) -> float:
        """The standard error of the advantage. Guesses of one sprint depend on each other, sprints do not; attack and
        control see the same sprints."""
        if self.sprints < 2:
            return 1
        differences = [attack - control for attack, control in zip(self.attack, self.control)]
        center = mean(differences)
        variance = sum((difference - center) ** 2 for difference in differences) / (self.sprints - 1)
        return math.sqrt(variance / self.sprints)

    @property
    def interval(self) -> tuple[float, float]:
        """Contains the advantage with 95 %.

        What happened in none of n sprints still happens in up to 3 of n (the rule of three, Hanley and
        Lippman-Hand, JAMA 1983), so an interval is never narrower than that.
        """
        if not self.sprints:
            return -1, 1
        half = max(CERTAINTY * self.error, 3 / self.sprints)
        return self.advantage - half, self.advantage + half

    @property
    def is_within_limit(self) -> bool:
        """Whether the advantage is below the limit, as far as so many sprints can tell."""
        return self.interval[1] <= LIMIT

    @property
    def is_above_limit(self) -> bool:
        return self.interval[0] > LIMIT

    @property
    def is_surely_above_limit(self) -> bool:
        return self.advantage - SURE * self.error > LIMIT

    def add(self, attack: float, control: float) -> None:
        self.attack.append(attack)
        self.control.append(control)


class Measurements:
    """The three risks of one observer."""

    def __init__(self) -> None:
        self.risks = {risk: Measurement() for risk in Risk}

    def add(self, team: Team, attack: Claims, control: Claims) -> None:
        """Adds a sprint. Sprints without a target, or without a text of a target, say nothing."""
        if not team.targets:
            return
        for risk, successes in _SUCCESSES.items():
            pairs = list(zip(successes(team, attack), successes(team, control)))
            if pairs:
                self.risks[risk].add(mean(pair[0] for pair in pairs), mean(pair[1] for pair in pairs))


def _singling_out(team: Team, claims: Claims) -> Sequence[float]:
    values = [person.value for person in team.voters]
    once = {value for value in values if values.count(value) == 1}
    return [_hits(best(claims.knowledge.values_given_once()), once)]


def _linking(team: Team, claims: Claims) -> Sequence[float]:
    return [_hits(claims.texts.get(person.id, set()), {person.text}) for person in team.targets if person.text]


def _inference(team: Team, claims: Claims) -> Sequence[float]:
    return [_hits(best(claims.knowledge.values_of(person.id)), {person.value}) for person in team.targets]


_SUCCESSES = {Risk.SINGLING_OUT: _singling_out, Risk.LINKING: _linking, Risk.INFERENCE: _inference}


def _hits(guesses: set[int] | set[str], truth: set[int | None] | set[str | None]) -> float:
    """How likely a guess among equally good ones is true."""
    return len(guesses & truth) / len(guesses) if guesses else 0


def mean(numbers: Iterable[float]) -> float:
    values = list(numbers)
    return sum(values) / len(values) if values else 0
