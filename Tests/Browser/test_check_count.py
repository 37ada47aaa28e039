"""The count of a sprint, checked by a member's browser, also after its data was changed on the server."""

from __future__ import annotations

import base64
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest
import test_commitments as scheme
from installation import Installation
from playwright.sync_api import Route, expect
from test_sealed_ballot import send
from test_voting import choose, expect_thanks
from visitor import PROFILES, Profile, Visitor


class Count:
    """A sprint that is over, with a sealed vote of the visitor and two plain ones."""

    def __init__(self, visitor: Visitor, installation: Installation) -> None:
        self.visitor = visitor
        self.installation = installation
        name = installation.add_team(threshold="2")
        person = visitor.log_in_new(name)
        others = [installation.add_person("colleague", name) for _ in range(2)]
        self.team = installation.team_id(person)
        for other, happiness in zip(others, (4, 8)):
            installation.vote(other, happiness)
        visitor.open(f"/teams/{self.team}/vote")
        choose(visitor, 6)
        send(visitor)
        expect_thanks(visitor)
        self.sprint = installation.api(person, "GET", f"/teams/{self.team}/sprints")["sprints"][-1]["label"]

    def check(self) -> list[tuple[str, str]]:
        """What the page says, each with its class."""
        self.visitor.open(f"/teams/{self.team}/sprints/{self.sprint}")
        self.visitor.button("sprint.checkNow").click()
        items = self.visitor.page.locator("#check-count li")
        expect(items.first).to_be_visible()
        return [(item.text_content() or "", item.get_attribute("class") or "") for item in items.all()]

    def word(self, key: str, **values: object) -> str:
        text = self.visitor.words[f"sprint.{key}"]
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    @contextmanager
    def store(self) -> Iterator[sqlite3.Connection]:
        """The server's file, which the operator can change."""
        with closing(sqlite3.connect(self.installation.database, timeout=30)) as store, store:
            yield store

    def change(self, sql: str, *values: object) -> None:
        with self.store() as store:
            assert store.execute(sql, [*values, self.team]).rowcount == 1

    def replace_commitments(self, commitments: list[bytes]) -> None:
        with self.store() as store:
            snapshot, start = store.execute(
                "SELECT snapshot, sprintStart FROM commitments WHERE team = ?", [self.team]).fetchone()
            store.execute("DELETE FROM commitments WHERE team = ?", [self.team])
            for number, one in enumerate(commitments):
                store.execute(
                    "INSERT INTO commitments (team, sprintStart, bytes, snapshot) VALUES (?, ?, ?, ?)",
                    [self.team, start, one + bytes([number] * 8), snapshot])

    def commitments(self) -> list[bytes]:
        with self.store() as store:
            rows = store.execute("SELECT bytes FROM commitments WHERE team = ?", [self.team]).fetchall()
        return [row[0][:33] for row in rows]

    def own(self) -> bytes:
        """The commitment that the visitor's browser remembers."""
        (text,) = self.visitor.page.evaluate(
            "JSON.parse(localStorage.getItem('happiness.commitments')).map(([, { commitment }]) => commitment)")
        own = base64.urlsafe_b64decode(text)
        assert self.commitments().count(own) == 1
        return own


def commitment(value: int, randomness: int) -> bytes:
    return bytes.fromhex(scheme.commitment(value, randomness))


@pytest.fixture
def count(browse: Callable[..., Visitor], installation: Installation) -> Count:
    return Count(browse(Profile("phone", "en")), installation)


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_member_checks_a_count(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    count = Count(browse(profile), installation)
    assert count.check() == [(count.word("checkSum", votes=3), "right"), (count.word("checkOwn"), "right")]
    count.visitor.look("sprint-count-checked")
    # Another browser has not cast the vote.
    count.visitor.page.evaluate("localStorage.removeItem('happiness.commitments')")
    assert count.check()[1] == (count.word("checkOwnUnknown"), "")


# As version 0.1.0 kept the commitment.
KEEP_WITH_USER_ID = """
    ([team, sprint]) => {
        const viewer = document.querySelector('meta[name="viewer"]').content;
        const [[, { commitment }]] = JSON.parse(localStorage.getItem("happiness.commitments"));
        localStorage.setItem("happiness.commitments", JSON.stringify([[`${viewer} ${team}/${sprint}`, commitment]]));
    }
"""


def test_a_vote_that_an_earlier_version_kept_is_found(count: Count) -> None:
    page = count.visitor.page
    page.evaluate(KEEP_WITH_USER_ID, [count.team, count.sprint])
    assert count.check()[1] == (count.word("checkOwn"), "right")
    viewer = page.locator('meta[name="viewer"]').get_attribute("content")
    assert viewer and viewer not in page.evaluate("localStorage.getItem('happiness.commitments')")


def test_a_swapped_paper_is_found(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = vote_as_two(browse, installation)
    visitor.link("live.lookAtResult").click()
    ((_, kept),) = visitor.page.evaluate("JSON.parse(localStorage.getItem('happiness.commitments'))")

    def swap(route: Route) -> None:
        count = route.fetch().json()
        assert kept["spent"] in count["papers"]["spent"]
        count["papers"]["spent"] = ["A" * 43 if one == kept["spent"] else one for one in count["papers"]["spent"]]
        route.fulfill(json=count)

    visitor.page.route("**/count", swap)
    visitor.button("sprint.checkNow").click()
    expect(visitor.page.get_by_text(visitor.words["sprint.checkOwnMissing"])).to_be_visible()


def vote_as_two(browse: Callable[..., Visitor], installation: Installation) -> Visitor:
    """Casts the two sealed votes of a new team. Returns the first voter."""
    visitors = [browse(Profile("phone", "en")).without_service_worker() for _ in range(2)]
    team = installation.add_team(threshold="2")
    people = [visitor.log_in_new(team) for visitor in visitors]
    for visitor, person in zip(visitors, people):
        visitor.open(f"/teams/{installation.team_id(person)}/vote")
        choose(visitor, 7)
        send(visitor)
        expect_thanks(visitor)
    return visitors[0]


def test_papers_are_told_where_they_single_out_nobody(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = vote_as_two(browse, installation)
    visitor.link("live.lookAtResult").click()
    visitor.button("sprint.checkNow").click()
    told = visitor.words["sprint.checkPapers"].replace("{issued}", "2").replace("{counted}", "2").replace("{members}", "2")
    expect(visitor.page.get_by_text(told)).to_be_visible()


def test_a_changed_value_is_found(count: Count) -> None:
    count.change("UPDATE happiness SET publishedSum = publishedSum + 10 WHERE team = ?")
    assert count.check()[0] == (count.word("checkWrongSum"), "wrong")


def test_a_dropped_vote_is_found(count: Count) -> None:
    own = count.own()
    count.replace_commitments([one for one in count.commitments() if one != own])
    count.change("UPDATE happiness SET publishedCount = 2, publishedSum = publishedSum - 60 WHERE team = ?")
    assert count.check() == [(count.word("checkWrongSum"), "wrong"), (count.word("checkOwnMissing"), "wrong")]
    count.visitor.look("sprint-count-wrong")


def test_an_invented_vote_is_found(count: Count) -> None:
    count.replace_commitments([*count.commitments(), commitment(0, 7)])
    count.change("UPDATE happiness SET publishedCount = 4 WHERE team = ?")
    assert count.check() == [(count.word("checkWrongSum"), "wrong"), (count.word("checkOwn"), "right")]


def test_a_swapped_commitment_is_found(count: Count) -> None:
    own = count.own()
    count.replace_commitments([commitment(60, 7) if one == own else one for one in count.commitments()])
    assert count.check() == [(count.word("checkWrongSum"), "wrong"), (count.word("checkOwnMissing"), "wrong")]


def test_a_count_made_up_as_a_whole_is_found_by_the_voter(count: Count) -> None:
    """The sums are right, but the server does not know what hides the value in the visitor's commitment."""
    values, randomness = [0, 90, 90], [3, 4, scheme.ORDER - 5]
    count.replace_commitments([commitment(*pair) for pair in zip(values, randomness)])
    count.change("UPDATE happiness SET publishedRandomness = ? WHERE team = ?", (2).to_bytes(32))
    assert count.check() == [(count.word("checkSum", votes=3), "right"), (count.word("checkOwnMissing"), "wrong")]


def test_a_count_without_all_commitments_says_that_it_cannot_be_checked(count: Count) -> None:
    count.replace_commitments(count.commitments()[:2])
    with count.visitor.complaints.expecting(404):
        assert count.check() == [(count.word("checkNotPossible"), "")]
