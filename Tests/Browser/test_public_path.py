"""An installation that shares its host with others: everything of it is below a path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from installation import Installation, running
from playwright.sync_api import Request, expect
from test_log_in import log_in_by_form
from test_voting import choose, expect_thanks
from visitor import Profile, Visitor

PATH = "/mood"


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
    choose(visitor, 4)
    with visitor.complaints.expecting_no_network():
        visitor.context.set_offline(True)
        visitor.button("vote.send").click()
        expect(visitor.page.get_by_role("heading", name=visitor.words["vote.waitsTitle"])).to_be_visible()
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
