"""An installation that shares its host with others: everything of it is below a path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from installation import Installation, Person, running
from playwright.sync_api import Request, Response, expect
from test_log_in import log_in_by_form, log_out
from test_sealed_ballot import delete_account
from test_voting import choose, expect_thanks
from visitor import Profile, Visitor

PATH = "/mood"

# Reports the names under which pages store something, and those of locks.
NOTE_NAMES = """
    for (const [owner, method] of [[Storage, "setItem"], [IDBFactory, "open"], [LockManager, "request"]]) {
        const act = owner.prototype[method];
        owner.prototype[method] = function (name, ...rest) {
            noteName(name);
            return act.call(this, name, ...rest);
        };
    }
"""

# What the browser stores for all services of the host.
STORED = """
    indexedDB.databases().then((all) =>
        [...all.map(({ name }) => name), ...Object.keys(localStorage), ...Object.keys(sessionStorage)].sort())
"""


@pytest.fixture(scope="module")
def place() -> Iterator[Installation]:
    with running(Installation(path=PATH)) as place:
        yield place


@pytest.fixture
def visitor(place: Installation, browse: Callable[..., Visitor]) -> Iterator[Visitor]:
    """Every request stays below the path."""
    visitor = browse(Profile("phone", "en"), place=place)
    requests: list[Request] = []
    visitor.context.on("request", lambda request: requests.append(request))
    yield visitor
    assert requests
    assert [request.url for request in requests if not urlsplit(request.url).path.startswith(f"{PATH}/")] == []


def test_a_member_logs_in_by_form_votes_and_looks_around(visitor: Visitor, place: Installation) -> None:
    person = visitor.somebody_new(place.add_team())
    visitor.open(f"/teams/{place.team_id(person)}/vote")
    # Leads back to the page that was asked for.
    log_in_by_form(visitor, person.name, person.password)
    choose(visitor, 7)
    visitor.button("vote.send").click()
    expect_thanks(visitor)
    visitor.look("public-path-thanks")
    for key in ["app.history", "actions.title"]:
        visitor.page.get_by_role("link", name=visitor.words[key], exact=True).click()
        expect(visitor.page.get_by_role("heading", level=1)).to_be_visible()
    cookies = {cookie["path"] for cookie in visitor.context.cookies()}
    assert cookies == {PATH}


def test_a_vote_without_a_connection_is_sent_later(visitor: Visitor, place: Installation) -> None:
    person = visitor.log_in_new(place.add_team())
    team = place.team_id(person)
    visitor.open(f"/teams/{team}/vote")
    visitor.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    # The page asks for the key of the sprint by itself.
    visitor.page.wait_for_function("name => name in localStorage", arg=f"happiness.ballot-keys{PATH}")
    choose(visitor, 4)
    with visitor.complaints.expecting_no_network():
        visitor.context.set_offline(True)
        visitor.button("vote.send").click()
        expect(visitor.page.get_by_role("heading", name=visitor.words["vote.waitsTitle"])).to_be_visible()
        assert visitor.page.evaluate(STORED) == [f"happiness.ballot-keys{PATH}", f"happiness.unsent-votes{PATH}"]
        visitor.context.set_offline(False)
        expect_thanks(visitor)
    assert place.api(person, "GET", f"/teams/{team}/sprints/current")["hasVoted"] is True


def test_the_page_without_a_connection_appears(visitor: Visitor, place: Installation) -> None:
    visitor.log_in_new(place.add_team())
    visitor.open("/settings")
    scope = visitor.page.evaluate("navigator.serviceWorker.ready.then(ready => ready.scope)")
    assert scope == f"{place.url}/"
    with visitor.complaints.expecting_no_network():
        visitor.context.set_offline(True)
        visitor.open("/settings")
        expect(visitor.page.locator("h1")).to_have_text(visitor.words["offline.title"])
        visitor.context.set_offline(False)


def vote_and_remember_it(visitor: Visitor, place: Installation) -> Person:
    """Votes as a new user, who lets the browser remember the vote. Returns the user."""
    person = visitor.log_in_new(place.add_team())
    visitor.open(f"/teams/{place.team_id(person)}/vote")
    choose(visitor, 9)
    visitor.button("vote.send").click()
    expect_thanks(visitor)
    visitor.button("ownVotes.keep").click()
    expect(visitor.button("ownVotes.forget")).to_be_visible()
    return person


def test_another_installation_on_the_host_stores_under_other_names(visitor: Visitor, place: Installation) -> None:
    names: set[str] = set()
    visitor.context.expose_function("noteName", lambda name: names.add(name))
    visitor.context.add_init_script(NOTE_NAMES)
    vote_and_remember_it(visitor, place)
    kinds = ["ballot-keys", "commitments", "just-voted", "own-votes", "unsent-votes"]
    assert names == {f"happiness.{kind}{PATH}" for kind in kinds}


def store_as_another_service(visitor: Visitor) -> None:
    visitor.page.evaluate("localStorage.setItem('other', '1'); sessionStorage.setItem('another', '1')")


def expect_only_keys_of_ours_stay(visitor: Visitor, answer: Response) -> None:
    """The ballot keys that the browser has seen, beside what other services store."""
    assert "clear-site-data" not in answer.all_headers()
    names = f"another,happiness.ballot-keys{PATH},other"
    visitor.wait_for_value(f"{STORED.strip()}.then((names) => names.join() === '{names}')")


def test_a_log_out_deletes_only_what_is_ours(visitor: Visitor, place: Installation) -> None:
    vote_and_remember_it(visitor, place)
    store_as_another_service(visitor)
    with visitor.page.expect_response(f"**{PATH}/logout") as answer:
        log_out(visitor)
    expect_only_keys_of_ours_stay(visitor, answer.value)


def test_the_deletion_of_an_account_deletes_only_what_is_ours(visitor: Visitor, place: Installation) -> None:
    person = vote_and_remember_it(visitor, place)
    store_as_another_service(visitor)
    visitor.open("/settings/delete")
    with visitor.complaints.expecting(403):
        delete_account(visitor, "wrong")
        expect(visitor.page.get_by_role("alert")).to_be_visible()
    assert f"happiness.own-votes{PATH}" in visitor.page.evaluate(STORED)
    answer = delete_account(visitor, person.password)
    visitor.expect_heading("deletion.doneTitle")
    expect_only_keys_of_ours_stay(visitor, answer)
