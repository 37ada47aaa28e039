"""Those who try to find out who voted what. Each knows when their target voted, as a colleague at the next desk does, and
what every member reads after the sprint; the control knows only the latter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from knowledge import Group, Knowledge
from people import VOTES, Event, Person, Team
from risks import Claims, Risk
from world import World

# Ballots in a group that is published together, by default.
THRESHOLD = 3


@dataclass(frozen=True)
class Result:
    """What is published about a sprint."""

    group: Group | None
    texts: frozenset[str]

    @staticmethod
    def read(detail: Any) -> Result:
        """From the answer of `showSprint`."""
        published = detail["sprint"]["publication"]
        group = None
        if published:
            counts = published["distribution"]
            values = counts and tuple(value for value, count in enumerate(counts) for _ in range(count))
            group = Group(published["votes"], round(published["happiness"] * published["votes"]), values)
        return Result(group, frozenset(text["text"] for text in detail["feedback"] or []))


def control(team: Team, result: Result, insider: Person | None = None) -> Claims:
    """What everybody knows after the sprint; an insider knows their own ballot, too."""
    group = result.group or Group(round(VOTES * len(team.people)))
    return claims_from(team, [group], {}, {person.id: set(result.texts) for person in team.targets}, insider)


def claims_from(
    team: Team, groups: Sequence[Group], places: dict[str, list[float]], texts: dict[str, set[str]],
    insider: Person | None = None,
) -> Claims:
    """Takes the insider's own ballot out of the groups."""
    left = list(groups)
    if insider and insider.value is not None:
        where = places.get(insider.id, [1] * len(left))
        for place in sorted(range(len(left)), key=lambda place: -where[place] * left[place].count):
            rest = left[place].without(insider.value)
            if rest and where[place]:
                left[place] = rest
                # Nobody else's ballot is in the last group.
                left.append(Group(1, insider.value, (insider.value,)))
                everywhere = [1.0] * len(groups)
                places = {person.id: [*places.get(person.id, everywhere), 0] for person in team.targets}
                break
        texts = {member: own - {insider.text or ""} for member, own in texts.items()}
    return Claims(Knowledge(left, places), texts)


class Observer:
    """Watches teams, and makes claims about each at the end."""

    name = ""
    # What the threat model says: risks that it calls protected.
    protected: frozenset[Risk] = frozenset(Risk)
    # What they learn, in a sentence for people who read no numbers; said only if they do learn something.
    learns = ""
    # What they learn besides values and texts.
    besides = ""
    # Whether they are a member, who knows their own ballot.
    is_member = False

    def __init__(self, world: World, teams: Sequence[Team]) -> None:
        self.world = world
        self.teams = teams

    def sees(self, event: Event) -> None:
        """Is called after each thing that somebody did in one of the teams."""

    def sleeps(self, day: int) -> None:
        """Is called after each day."""

    def closes(self) -> None:
        """Is called once all sprints are closed."""

    def claims(self, team: Team, result: Result) -> Claims:
        raise NotImplementedError


class Member(Observer):
    """Reads the sprint after everything that happens in the team."""

    name = "Member who polls"
    learns = "Guesses somewhat better who wrote which text, because answers appear a few at a time."
    # With k = 3, a member of a group knows the sum of the other two; texts appear with their group.
    protected = frozenset()
    is_member = True

    def __init__(self, world: World, teams: Sequence[Team]) -> None:
        super().__init__(world, teams)
        if {team.policy for team in teams} == {"close"}:
            self.protected = frozenset(Risk)
        # By team, the published states so far, and by member, how many there were before and after their vote.
        self._results: dict[str, list[Result]] = defaultdict(list)
        self._votes: dict[str, tuple[int, int]] = {}

    def sees(self, event: Event) -> None:
        states = self._results[event.team.id]
        before = len(states)
        self._look(event.team)
        if event.votes:
            self._votes[event.person.id] = before, len(states)

    def closes(self) -> None:
        for team in self.teams:
            self._look(team)

    def _look(self, team: Team) -> None:
        self._note(team, Result.read(self.read(team)))

    def read(self, team: Team) -> Any:
        return self.world.sprint(team, team.insider)

    def _note(self, team: Team, result: Result) -> None:
        states = self._results[team.id]
        if result.group and (not states or states[-1].group != result.group):
            states.append(result)

    def claims(self, team: Team, result: Result) -> Claims:
        states = self._results[team.id]
        if not states:
            return control(team, result, self._insider(team))
        groups = [_between(before, after) for before, after in zip([None, *states], states)]
        released = [after.texts - before.texts for before, after in zip([Result(None, frozenset()), *states], states)]
        places = {person.id: self._places(team, person, len(groups)) for person in team.voters}
        texts = {}
        for person in team.targets:
            there = [new for new, place in zip(released, places[person.id]) if place]
            texts[person.id] = set().union(*there)
        return claims_from(team, groups, places, texts, self._insider(team))

    def _insider(self, team: Team) -> Person | None:
        return team.insider if self.is_member else None

    def _places(self, team: Team, person: Person, groups: int) -> list[float]:
        """Where a vote is, from what was published right before and after it."""
        before, after = self._votes[person.id]
        last = groups - 1
        if team.policy == "immediate":
            likely = {after - 1: 1.0}
        elif before == 0 and after == 0:
            # The first group, or the second one, which was not complete.
            likely = {0: THRESHOLD, 1: THRESHOLD - 1}
        else:
            # A group is published once the next one is complete.
            likely = {before + 1: 1.0}
        places = [0.0] * groups
        for place, weight in likely.items():
            places[min(place, last)] += weight
        return places


def _between(before: Result | None, after: Result) -> Group:
    """The ballots that are in the later state only."""
    assert after.group and after.group.sum is not None
    if before is None or before.group is None:
        return after.group
    assert before.group.sum is not None
    values = None
    if before.group.values is not None and after.group.values is not None:
        rest = list(after.group.values)
        for value in before.group.values:
            rest.remove(value)
        values = tuple(rest)
    return Group(after.group.count - before.group.count, after.group.sum - before.group.sum, values)


class Lead(Member):
    """Changes a setting after each vote, and reads the sprint after each change."""

    name = "Lead who uses every setting"
    learns = "Guesses a little better who wrote which text, because answers appear a few at a time."

    def __init__(self, world: World, teams: Sequence[Team]) -> None:
        super().__init__(world, teams)
        self._changes = 0

    def sees(self, event: Event) -> None:
        super().sees(event)
        team = event.team
        changes = [
            {"threshold": min(50, len(team.people))}, {"threshold": 2}, {"policy": "immediate"}, {"feedbackReaders": "leads"},
            {"threshold": THRESHOLD}, {"graceDays": 7}, {"policy": "close"}, {"feedbackReaders": "team"},
        ]  # fmt: skip
        self._changes += 1
        self.world.request("PATCH", f"/api/v1/teams/{team.id}", changes[self._changes % len(changes)], team.insider)
        self._look(team)


class Administrator(Member):
    """Reads everything an administrator may read, who is not in the team, after everything that happens."""

    name = "Administrator"
    protected = frozenset(Risk)
    is_member = False

    def __init__(self, world: World, teams: Sequence[Team], admin: Person) -> None:
        super().__init__(world, teams)
        self._admin = admin

    def read(self, team: Team) -> Any:
        answers = [
            self.world.request("GET", f"/api/v1{path}", person=self._admin)
            for path in ("/admin/status", "/admin/teams", "/admin/people", "/admin/jobs", "/admin/client-errors", f"/teams/{team.id}")
        ]
        return _sprint_in(answers)


def _sprint_in(answer: Any) -> Any:
    """Anything that looks like a sprint's result, however deep; else a sprint without one."""
    inner = answer.values() if isinstance(answer, dict) else answer if isinstance(answer, list) else []
    if isinstance(answer, dict) and isinstance(answer.get("sprint"), dict):
        return {"feedback": [], **answer}
    for value in inner:
        found = _sprint_in(value)
        if found["sprint"]["publication"]:
            return found
    return {"sprint": {"publication": None}, "feedback": []}


def with_values(team: Team, known: Claims, values: dict[str, int], texts: dict[str, set[str]] | None = None) -> Claims:
    """What is known of a sprint, with some members' values, and perhaps more about texts."""
    (rest,) = known.knowledge.groups
    members = []
    for member, value in values.items():
        if left := rest.without(value):
            rest = left
            members.append(member)
    groups = [rest, *(Group(1, values[member], (values[member],)) for member in members)]
    places = {
        person.id: [float(person.id not in members), *(float(person.id == member) for member in members)]
        for person in team.targets
    }  # fmt: skip
    return Claims(Knowledge(groups, places), texts or known.texts)
