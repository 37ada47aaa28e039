"""What can be concluded about single ballots from what somebody knows of groups of ballots: Bayes' rule, exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from people import MOODS, SIZES, VALUES

# Results that differ by less are equal: they come from sums in another order.
EQUAL = 1e-9


@dataclass(frozen=True)
class Group:
    """Ballots that somebody can tell from the others."""

    count: int
    # The sum of their values, if known.
    sum: int | None = None
    # The values, if known; not who gave which.
    values: tuple[int, ...] | None = None

    def without(self, value: int) -> Group | None:
        """The same without a known ballot, unless it cannot have been among them."""
        values = self.values
        if values is not None:
            if value not in values:
                return None
            rest = list(values)
            rest.remove(value)
            values = tuple(rest)
        left = None if self.sum is None else self.sum - value
        if self.count < 1 or (left is not None and not 0 <= left <= max(VALUES) * (self.count - 1)):
            return None
        return Group(self.count - 1, left, values)


@dataclass
class Knowledge:
    """All groups of a sprint that somebody knows, and where they look for each member's ballot."""

    groups: Sequence[Group]
    # By member: how much likelier than by the groups' sizes their ballot is in each group. Nothing for the others.
    places: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def values_of(self, member: str) -> list[float]:
        """For each value, how likely this member gave it."""
        places = self.places.get(member, [1] * len(self.groups))
        weights = [place * group.count for place, group in zip(places, self.groups)]
        if not sum(weights):
            weights = [float(group.count) for group in self.groups]
        likely = [0.0] * len(VALUES)
        for mood, chance in self._moods():
            for group, weight in zip(self.groups, weights):
                if group.count:
                    for value, share in enumerate(_values(group, mood)):
                        likely[value] += chance * weight * share
        if not any(likely):
            # No group is known.
            return [sum(share * shares[value] for share, shares in MOODS) for value in VALUES]
        return likely

    def values_given_once(self) -> list[float]:
        """For each value, how likely exactly one ballot of the sprint has it."""
        likely = [0.0] * len(VALUES)
        for mood, chance in self._moods():
            for value in VALUES:
                once, never = 0.0, 1.0
                for group in self.groups:
                    group_never, group_once = _occurrences(group, mood, value)
                    once, never = once * group_never + never * group_once, never * group_never
                likely[value] += chance * once
        return likely

    def _moods(self) -> Iterator[tuple[int, float]]:
        chances = []
        for mood, (share, _) in enumerate(MOODS):
            for group in self.groups:
                share *= _chance(group, mood)
            chances.append(share)
        for mood, chance in enumerate(chances):
            yield mood, chance / (sum(chances) or 1)


def best(likely: Sequence[float]) -> set[int]:
    """The places of the highest number; several if there is a draw."""
    highest = max(likely)
    return {place for place, chance in enumerate(likely) if chance > highest - EQUAL}


def _chance(group: Group, mood: int) -> float:
    """How likely a group is like this; only comparable among moods."""
    if group.values is not None:
        chance = 1.0
        for value in group.values:
            chance *= MOODS[mood][1][value]
        return chance
    return 1 if group.sum is None else _sums(mood, group.count)[group.sum]


def _values(group: Group, mood: int) -> list[float]:
    """For each value, how likely one of the group's ballots has it."""
    if group.values is not None:
        counts = Counter(group.values)
        return [counts[value] / group.count for value in VALUES]
    if group.sum is None:
        return list(MOODS[mood][1])
    rest, total = _sums(mood, group.count - 1), _sums(mood, group.count)[group.sum]
    return [
        MOODS[mood][1][value] * rest[group.sum - value] / total if total and 0 <= group.sum - value < len(rest) else 0
        for value in VALUES
    ]


def _occurrences(group: Group, mood: int, value: int) -> tuple[float, float]:
    """How likely none of the group's ballots has the value, and exactly one."""
    share = MOODS[mood][1][value]
    if group.values is not None:
        count = group.values.count(value)
        return float(count == 0), float(count == 1)
    if not group.count:
        return 1, 0
    if group.sum is None:
        return (1 - share) ** group.count, group.count * share * (1 - share) ** (group.count - 1)
    total = _sums(mood, group.count)[group.sum]
    if not total:
        return 0, 0
    others = _sums(mood, group.count - 1, without=value)
    left = group.sum - value
    once = group.count * share * others[left] if 0 <= left < len(others) else 0
    return _sums(mood, group.count, without=value)[group.sum] / total, once / total


@cache
def _sums(mood: int, count: int, without: int | None = None) -> Sequence[float]:
    """For each sum, how likely `count` ballots have it, and none of them the value `without`."""
    if count == 0:
        return [1.0]
    assert count <= max(SIZES)
    sums = [0.0] * (count * max(VALUES) + 1)
    for rest, chance in enumerate(_sums(mood, count - 1, without)):
        for value in VALUES:
            if value != without:
                sums[rest + value] += chance * MOODS[mood][1][value]
    return sums
