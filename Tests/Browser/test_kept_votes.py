"""What a browser stores of a sealed vote: what it needs to send it, and afterwards only what finds it in the count."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
import test_commitments as scheme
from installation import Installation, Person, wait_until
from playwright.sync_api import Page, expect
from test_log_in import log_out
from test_sealed_ballot import BALLOTS, PAPERS, ballots_sent, forward_and_disconnect, has_unsent, send, send_without_answer
from test_voting import choose, expect_thanks
from visitor import Profile, Visitor

TEXT = "Unmistakable words."

# Everything that is stored, as JSON.
STORED = """
    async () => {
        const asked = (request) => new Promise((resolve, reject) => {
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
        });
        const databases = {};
        for (const { name } of await indexedDB.databases()) {
            const database = await asked(indexedDB.open(name));
            for (const table of database.objectStoreNames) {
                const rows = database.transaction(table).objectStore(table);
                databases[`${name} ${table}`] = [await asked(rows.getAllKeys()), await asked(rows.getAll())];
            }
            database.close();
        }
        const everything = { databases, local: { ...localStorage }, session: { ...sessionStorage } };
        return JSON.stringify(everything, (_, value) => {
            if (typeof value === "bigint") return String(value);
            return value instanceof Uint8Array ? btoa(String.fromCharCode(...value)) : value;
        });
    }
"""

# Stores the waiting votes as version 0.1.0 did.
STORE_WITH_USER_ID = """
    () => new Promise((resolve) => {
        const viewer = document.querySelector('meta[name="viewer"]').content;
        indexedDB.open("happiness.unsent-votes", 1).onsuccess = ({ target: { result: database } }) => {
            const transaction = database.transaction("votes", "readwrite");
            const votes = transaction.objectStore("votes");
            votes.getAll().onsuccess = ({ target: { result: all } }) => {
                votes.clear();
                for (const vote of all) {
                    votes.put({ ...vote, viewer }, `${viewer} ${vote.ballot.team} ${vote.ballot.sprint}`);
                }
            };
            transaction.oncomplete = () => {
                database.close();
                resolve();
            };
        };
    })
"""

# Stores another vote of the same sprint, as an open page of version 0.1.0 does: it does not find the one that waits.
ADD_ANOTHER_PAPER = """
    () => new Promise((resolve) => {
        const viewer = document.querySelector('meta[name="viewer"]').content;
        indexedDB.open("happiness.unsent-votes", 1).onsuccess = ({ target: { result: database } }) => {
            const transaction = database.transaction("votes", "readwrite");
            const votes = transaction.objectStore("votes");
            votes.getAll().onsuccess = ({ target: { result: [vote] } }) => {
                const paper = crypto.getRandomValues(new Uint8Array(32));
                const ballot = { ...vote.ballot, happiness: 1 };
                votes.put({ ...vote, viewer, ballot, paper }, `${viewer} ${ballot.team} ${ballot.sprint}`);
            };
            transaction.oncomplete = () => {
                database.close();
                resolve();
            };
        };
    })
"""


@pytest.fixture
def visitor(browse: Callable[..., Visitor]) -> Visitor:
    return browse(Profile("phone", "en")).without_service_worker()


@pytest.fixture
def person(visitor: Visitor, installation: Installation) -> Person:
    """Fills in the vote."""
    person = visitor.log_in_new(installation.add_team(threshold="2"))
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    choose(visitor, 7)
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill(TEXT)
    return person


def viewer_of(page: Page) -> str:
    viewer = page.locator('meta[name="viewer"]').get_attribute("content")
    assert viewer
    return viewer


def stored(visitor: Visitor) -> str:
    return str(visitor.page.evaluate(STORED))


def kept(visitor: Visitor) -> list[tuple[str, dict[str, str]]]:
    """What finds votes in the count, by their names."""
    return [(name, vote) for name, vote in json.loads(json.loads(stored(visitor))["local"]["happiness.commitments"])]


def to_bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def to_base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def commitment_of(ballot: dict[str, Any]) -> str:
    value, randomness = ballot["happiness"] * 10, int.from_bytes(to_bytes(ballot["randomness"]))
    return to_base64(bytes.fromhex(scheme.commitment(value, randomness)))


def test_a_vote_leaves_its_commitment_and_the_hash_of_its_paper(
    visitor: Visitor, person: Person, installation: Installation
) -> None:
    sent = ballots_sent(visitor)
    team, viewer = installation.team_id(person), viewer_of(visitor.page)
    send(visitor)
    expect_thanks(visitor)
    wait_until(lambda: not has_unsent(visitor.page))
    visitor.wait_for_value("sessionStorage.length === 0")
    ballot = sent[0].post_data_json
    sprint = installation.api(person, "GET", f"/teams/{team}/sprints/current")["sprint"]["label"]
    name = hashlib.sha256(f"Happiness Metric vote {viewer} {team} {sprint}".encode()).hexdigest()
    spent = hashlib.sha256(bytes.fromhex(ballot["key"]) + to_bytes(ballot["paper"])).digest()
    assert kept(visitor) == [(name, {"commitment": commitment_of(ballot), "spent": to_base64(spent)})]
    everything = json.loads(stored(visitor))
    assert everything["databases"] == everything["session"] == {}
    assert set(everything["local"]) == {"happiness.commitments", "happiness.ballot-keys"}
    for secret in [viewer, TEXT, ballot["randomness"], ballot["paper"], ballot["signature"], person.name]:
        assert secret not in stored(visitor)
    log_out(visitor)
    visitor.wait_for_value("localStorage.length === 1")
    everything = json.loads(stored(visitor))
    assert everything["databases"] == everything["session"] == {}
    assert set(everything["local"]) == {"happiness.ballot-keys"}
    # It tells the team and the sprint to those alone who know both.
    for secret in [viewer, team, sprint, person.name]:
        assert secret not in stored(visitor)


def test_a_log_out_whose_module_does_not_come_deletes_what_says_how_one_voted(
    visitor: Visitor, person: Person
) -> None:
    send(visitor)
    expect_thanks(visitor)
    visitor.button("ownVotes.keep").click()
    expect(visitor.button("ownVotes.forget")).to_be_visible()
    visitor.page.route("**/forget-user.js", lambda route: route.abort("failed"))
    with visitor.complaints.expecting_no_network():
        log_out(visitor)
        visitor.page.wait_for_load_state("load")
    assert set(json.loads(stored(visitor))["local"]) == {"happiness.ballot-keys"}


def test_a_log_out_before_the_scripts_are_there_deletes_what_says_how_one_voted(
    visitor: Visitor, person: Person
) -> None:
    send(visitor)
    expect_thanks(visitor)
    visitor.button("ownVotes.keep").click()
    expect(visitor.button("ownVotes.forget")).to_be_visible()
    visitor.page.route("**/app.js", lambda route: route.abort("failed"))
    with visitor.complaints.expecting_no_network():
        visitor.open("/settings")
        log_out(visitor)
        visitor.wait_for_value("localStorage.length === 1")
    assert set(json.loads(stored(visitor))["local"]) == {"happiness.ballot-keys"}


def test_a_waiting_vote_does_not_tell_whose_it_is(visitor: Visitor, person: Person) -> None:
    viewer = viewer_of(visitor.page)
    visitor.context.route(BALLOTS, lambda route: route.abort("internetdisconnected"))
    with visitor.complaints.expecting_no_network():
        send_without_answer(visitor)
        assert TEXT in stored(visitor) and viewer not in stored(visitor)
        visitor.open("/")
        expect(visitor.page.get_by_text(visitor.words["app.unsentWaiting"])).to_be_visible()
        log_out(visitor, unsent="sealed")
        # It has to be sent, so it stays.
        assert TEXT in stored(visitor) and viewer not in stored(visitor)
    visitor.context.unroute(BALLOTS)
    # Anybody's page sends it.
    visitor.log_in_new()
    visitor.open("/settings")
    wait_until(lambda: not has_unsent(visitor.page))
    assert TEXT not in stored(visitor) and viewer not in stored(visitor)
    assert len(kept(visitor)) == 1


@pytest.mark.parametrize("place", [PAPERS, BALLOTS], ids=["without a paper", "with one"])
def test_a_waiting_vote_of_an_earlier_version_is_sent(place: str, visitor: Visitor, person: Person) -> None:
    sent = ballots_sent(visitor)
    viewer = viewer_of(visitor.page)
    visitor.context.route(place, lambda route: route.abort("internetdisconnected"))
    with visitor.complaints.expecting_no_network():
        send_without_answer(visitor)
        visitor.page.evaluate(STORE_WITH_USER_ID)
        assert viewer in stored(visitor)
        # The next page hides it, also if it cannot send it.
        visitor.open("/")
        expect(visitor.page.get_by_text(visitor.words["app.unsentWaiting"])).to_be_visible()
        assert TEXT in stored(visitor) and viewer not in stored(visitor)
        visitor.page.evaluate(STORE_WITH_USER_ID)
    visitor.context.unroute(place)
    visitor.open("/settings")
    expect(visitor.page.get_by_text(visitor.words["app.unsentSent"])).to_be_visible()
    wait_until(lambda: not has_unsent(visitor.page))
    assert (sent[-1].post_data_json["happiness"], sent[-1].post_data_json["feedback"]) == (7, TEXT)
    assert len(kept(visitor)) == 1 and viewer not in stored(visitor)


# A vote in two windows


@pytest.mark.parametrize("arrives", [True, False], ids=["arrived", "lost"])
def test_a_ballot_that_may_be_counted_is_not_replaced(arrives: bool, visitor: Visitor, person: Person) -> None:
    first = visitor.page
    second = visitor.context.new_page()
    second.goto(first.url)
    sent = ballots_sent(visitor)
    first.route(BALLOTS, forward_and_disconnect if arrives else lambda route: route.abort("internetdisconnected"))
    with visitor.complaints.expecting_no_network():
        send_without_answer(visitor)
        first.close()
    visitor.page = second
    choose(visitor, 3)
    with visitor.complaints.expecting(409):
        send(visitor)
        expect(second.get_by_role("alert").get_by_text(visitor.words["errors.already-voted"])).to_be_visible()
    assert [request.post_data_json for request in sent] == [sent[0].post_data_json] * 2
    assert sent[0].post_data_json["happiness"] == 7
    # The check of the count finds the vote that is counted.
    ((_, vote),) = kept(visitor)
    assert vote["commitment"] == commitment_of(sent[0].post_data_json)
    assert not has_unsent(second)


def test_a_vote_beside_one_that_waits_says_which_one_counts(visitor: Visitor, person: Person) -> None:
    first = visitor.page
    second = visitor.context.new_page()
    second.goto(first.url)
    sent = ballots_sent(visitor)
    visitor.context.route(BALLOTS, lambda route: route.abort("internetdisconnected"))
    with visitor.complaints.expecting_no_network():
        send_without_answer(visitor)
        first.close()
        visitor.page = second
        choose(visitor, 3)
        send(visitor)
        expect(second.get_by_role("alert").get_by_text(visitor.words["vote.earlierWaits"])).to_be_visible()
        visitor.look("vote-earlier-waits")
    visitor.context.unroute(BALLOTS)
    visitor.open("/settings")
    expect(second.get_by_text(visitor.words["app.unsentSent"])).to_be_visible()
    wait_until(lambda: not has_unsent(second))
    assert {request.post_data_json["happiness"] for request in sent} == {7}


def test_the_paper_that_was_asked_for_first_stays(visitor: Visitor, person: Person) -> None:
    sent = ballots_sent(visitor)
    # The server has signed it.
    visitor.context.route(PAPERS, forward_and_disconnect)
    with visitor.complaints.expecting_no_network():
        send_without_answer(visitor)
        visitor.page.evaluate(ADD_ANOTHER_PAPER)
    visitor.context.unroute(PAPERS)
    visitor.open("/settings")
    expect(visitor.page.get_by_text(visitor.words["app.unsentSent"])).to_be_visible()
    assert [request.post_data_json["happiness"] for request in sent] == [7]
    assert not has_unsent(visitor.page)


def test_a_vote_that_cannot_be_stored_is_sent_with_the_same_paper(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "en")).without_service_worker()
    visitor.context.add_init_script("IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError'); }")
    person = visitor.log_in_new(installation.add_team())
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    choose(visitor, 7)
    visitor.context.route(BALLOTS, lambda route: route.abort("internetdisconnected"))
    with visitor.complaints.expecting_no_network():
        send(visitor)
        expect(visitor.page.get_by_role("alert").get_by_text(visitor.words["vote.unreachable"])).to_be_visible()
        expect(visitor.button("vote.send")).to_be_focused()
    visitor.context.unroute(BALLOTS)
    send(visitor)
    expect_thanks(visitor)
