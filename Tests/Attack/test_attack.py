"""The short form of `make attack`: no observer does much better than the threat model says, each planted leak shows, and a
server that lies is noticed as the threat model says."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from random import Random

import pytest
from active import Act, Case, acts
from attack import Row, people_of_the_product, plain_ballots_on_mongodb, readers_of_traces, sealed_ballots
from knowledge import Group, Knowledge, best
from people import MOODS, VALUES
from risks import Measurement

# For each observer.
SPRINTS = 40


@pytest.mark.parametrize(
    "play",
    [
        # pytest-xdist gives two of them to each of two processes, so the long ones do not follow each other.
        pytest.param(lambda random: readers_of_traces(random, SPRINTS, SPRINTS), id="traces"),
        pytest.param(lambda random: plain_ballots_on_mongodb(random, 12), id="plain on MongoDB"),
        pytest.param(lambda random: people_of_the_product(random, SPRINTS, SPRINTS), id="people"),
        pytest.param(lambda random: sealed_ballots(random, SPRINTS), id="sealed"),
    ],
)
def test_nobody_learns_more_than_the_threat_model_says(play: Callable[[Random], list[Row]]) -> None:
    for row in play(Random()):
        for risk in row.protected:
            assert not row.measured.risks[risk].is_surely_above_limit, (row.name, risk)
        for risk in row.shows:
            assert row.planted and row.planted.risks[risk].is_above_limit, (row.name, risk)


def test_a_server_that_acts_is_noticed_as_the_threat_model_says() -> None:
    played = acts(1)
    assert len(played) == 6
    assert [failure for act in played for failure in act.failures] == []


def test_one_case_unlike_the_threat_model_is_a_failure() -> None:
    expected = Case(succeeds=False, noticed=True, by_command=False)
    for other in (
        Case(succeeds=True, noticed=True, by_command=True), Case(succeeds=False, noticed=False, by_command=True),
        Case(succeeds=False, noticed=True, by_command=True, differs=True),
    ):  # fmt: skip
        (failure,) = Act("lies", "", [expected, other], succeeds=False, noticed=True).failures
        assert failure == "The server lies: 1 of 2 cases are not as the threat model says."
    assert Act("lies", "", [expected], succeeds=False, noticed=True).failures == []
    # An act that was played for nobody shows nothing.
    assert Act("lies", "", [], succeeds=False, noticed=True).failures


def likelihood(values: tuple[int, ...], mood: int) -> float:
    chance = MOODS[mood][0]
    for value in values:
        chance *= MOODS[mood][1][value]
    return chance


@pytest.mark.parametrize(
    "groups",
    [
        [Group(3, 17)], [Group(2, 0), Group(1, 9)], [Group(2, 12), Group(2, 5, (1, 4))], [Group(2), Group(1, 7)],
    ],
)  # fmt: skip
def test_knowledge_is_what_all_possibilities_say(groups: list[Group]) -> None:
    """Compared with every possible list of ballots."""
    ballots = sum(group.count for group in groups)
    total, first, once = 0.0, [0.0] * 11, [0.0] * 11
    for values in itertools.product(VALUES, repeat=ballots):
        rest = list(values)
        parts = [tuple(rest.pop(0) for _ in range(group.count)) for group in groups]
        if any(group.sum not in (None, sum(part)) for group, part in zip(groups, parts)):
            continue
        if any(group.values not in (None, tuple(sorted(part))) for group, part in zip(groups, parts)):
            continue
        chance = sum(likelihood(values, mood) for mood in range(len(MOODS)))
        total += chance
        for value in VALUES:
            once[value] += chance * (values.count(value) == 1)
            first[value] += chance * values.count(value) / ballots
    knowledge = Knowledge(groups)
    assert knowledge.values_given_once() == pytest.approx([share / total for share in once])
    likely = knowledge.values_of("anybody")
    assert [share / sum(likely) for share in likely] == pytest.approx([share / total for share in first])


def test_a_place_decides_among_groups() -> None:
    knowledge = Knowledge([Group(2, 2, (0, 2)), Group(1, 9, (9,))], {"anna": [0, 1]})
    assert best(knowledge.values_of("anna")) == {9}
    assert best(knowledge.values_of("ben")) == {0, 2, 9}


def test_a_known_ballot_leaves_its_group() -> None:
    assert Group(3, 17).without(7) == Group(2, 10)
    assert Group(3, 6, (1, 2, 3)).without(2) == Group(2, 4, (1, 3))
    assert Group(3, 6, (1, 2, 3)).without(4) is None
    assert Group(2, 3).without(4) is None


def test_an_interval_contains_the_advantage_in_95_of_100_studies() -> None:
    random, hits = Random(1), 0
    for _ in range(400):
        measurement = Measurement()
        for _ in range(200):
            control = random.random() < 0.3
            # The same guess in half of the sprints.
            attack = control if random.random() < 0.5 else random.random() < 0.4
            measurement.add(float(attack), float(control))
        low, high = measurement.interval
        hits += low <= 0.05 <= high
    assert 365 <= hits <= 395


def test_an_attack_that_never_differed_may_still_differ() -> None:
    measurement = Measurement()
    for _ in range(100):
        measurement.add(0.5, 0.5)
    assert measurement.interval == (-0.03, 0.03)
    assert not measurement.is_within_limit
    for _ in range(100):
        measurement.add(0.5, 0.5)
    assert measurement.is_within_limit and not measurement.is_surely_above_limit
