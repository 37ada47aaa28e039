"""A vote without a connection is kept on the device and sent once. Sealed ballots have more tests of their own."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from installation import Installation, Person
from playwright.sync_api import Response, expect
from test_log_in import log_out
from test_voting import choose, expect_thanks
from visitor import Profile, Visitor

BALLOTS = "**/api/v1/ballots"
PLAIN_BALLOTS = "**/api/v1/teams/*/sprints/*/*/ballots"


@pytest.fixture
def visitor(browse: Callable[..., Visitor]) -> Visitor:
    return browse(Profile("phone", "en"))


@pytest.fixture
def person(visitor: Visitor, installation: Installation) -> Person:
    """Fills in the vote."""
    person = visitor.log_in_new(installation.add_team())
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    choose(visitor, 7)
    return person


def answers_to_ballots(visitor: Visitor) -> list[int]:
    """Statuses, in a list that grows."""
    statuses: list[int] = []

    def note(response: Response) -> None:
        if response.url.endswith("/ballots"):
            statuses.append(response.status)

    visitor.context.on("response", note)
    return statuses


def send_offline(visitor: Visitor) -> None:
    visitor.context.set_offline(True)
    visitor.button("vote.send").click()
    expect(visitor.page.get_by_role("heading", name=visitor.words["vote.waitsTitle"])).to_be_visible()


def test_it_is_sent_once_when_the_network_returns(visitor: Visitor, person: Person, installation: Installation) -> None:
    statuses = answers_to_ballots(visitor)
    with visitor.complaints.expecting_no_network():
        send_offline(visitor)
        visitor.look("vote-waits")
        visitor.context.set_offline(False)
        expect_thanks(visitor)
    assert statuses == [201]
    team = installation.team_id(person)
    assert installation.api(person, "GET", f"/teams/{team}/sprints/current")["hasVoted"] is True
    # Neither another page nor another time offline sends it again.
    visitor.open("/")
    with visitor.complaints.expecting_no_network():
        visitor.context.set_offline(True)
        visitor.context.set_offline(False)
    visitor.open("/")
    expect_thanks(visitor)
    assert statuses == [201]


def test_it_is_treated_as_sent_if_another_device_was_faster(
    visitor: Visitor, person: Person, installation: Installation
) -> None:
    with visitor.complaints.expecting_no_network(), visitor.complaints.expecting(409):
        send_offline(visitor)
        installation.vote(person, 4)
        visitor.context.set_offline(False)
        expect_thanks(visitor)


def test_it_is_kept_until_the_next_visit_if_the_window_is_closed(visitor: Visitor, person: Person) -> None:
    statuses = answers_to_ballots(visitor)
    with visitor.complaints.expecting_no_network():
        send_offline(visitor)
        visitor.page.close()
        visitor.context.set_offline(False)
    visitor.page = visitor.context.new_page()
    with visitor.page.expect_response(BALLOTS):
        visitor.open("/")
    # The page reloads when the vote is sent.
    expect_thanks(visitor)
    assert statuses == [201]


# As version 0.1.0 left one in a browser that could not seal it.
KEEP_PLAIN_VOTE = """
    (happiness) => new Promise((resolve) => {
        const { team, sprint, dates, closes } = document.querySelector("#ballot").dataset;
        const viewer = document.querySelector('meta[name="viewer"]').content;
        const opening = indexedDB.open("happiness.unsent-votes", 1);
        opening.onupgradeneeded = () => opening.result.createObjectStore("votes");
        opening.onsuccess = () => {
            const transaction = opening.result.transaction("votes", "readwrite");
            const ballot = { team, sprint, dates, happiness, feedback: null };
            transaction.objectStore("votes").put({ viewer, isSealed: false, ballot, closes }, `${viewer} ${team} ${sprint}`);
            transaction.oncomplete = () => {
                opening.result.close();
                resolve();
            };
        };
    })
"""


@pytest.fixture
def plain(browse: Callable[..., Visitor], installation: Installation) -> tuple[Visitor, Person]:
    """A visitor whose browser cannot seal, and has a plain vote of version 0.1.0."""
    visitor = browse(Profile("phone", "en"))
    # As on a page without TLS.
    visitor.context.add_init_script('Object.defineProperty(Crypto.prototype, "subtle", { value: undefined })')
    person = visitor.log_in_new(installation.add_team())
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    visitor.page.evaluate(KEEP_PLAIN_VOTE, 7)
    return visitor, person


def test_a_plain_one_of_an_earlier_version_is_sent(plain: tuple[Visitor, Person], installation: Installation) -> None:
    visitor, person = plain
    statuses = answers_to_ballots(visitor)
    visitor.open("/")
    # The page reloads when the vote is sent.
    expect_thanks(visitor)
    assert statuses == [201]


def test_a_plain_one_is_deleted_when_its_owner_logs_out(plain: tuple[Visitor, Person], installation: Installation) -> None:
    visitor, person = plain
    visitor.page.route(PLAIN_BALLOTS, lambda route: route.abort("internetdisconnected"))
    with visitor.complaints.expecting_no_network():
        visitor.open("/")
        expect(visitor.page.get_by_text(visitor.words["app.unsentWaiting"])).to_be_visible()
        visitor.look("live-vote-waits")
        log_out(visitor, unsent="plain")
    visitor.page.unroute(PLAIN_BALLOTS)
    assert visitor.page.evaluate("Object.keys(localStorage).filter((name) => name !== 'happiness.ballot-keys')") == []
    assert visitor.page.evaluate("indexedDB.databases()") == []
    visitor.log_in(person)
    visitor.open("/")
    expect(visitor.link("live.vote")).to_be_visible()
    team = installation.team_id(person)
    assert installation.api(person, "GET", f"/teams/{team}/sprints/current")["hasVoted"] is False
