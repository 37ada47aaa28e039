"""The thanks after a vote, and what the browser remembers of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from installation import Installation, Person
from playwright.sync_api import Request, Route, expect
from test_log_in import log_out
from test_offline_vote import BALLOTS
from test_sealed_ballot import forward
from test_voting import choose, expect_thanks
from visitor import PROFILES, Profile, Visitor


def vote(visitor: Visitor, installation: Installation, person: Person, value: int, text: str = "") -> None:
    """Votes on the page, up to the thanks."""
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    choose(visitor, value)
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill(text)
    visitor.button("vote.send").click()
    expect_thanks(visitor)


def test_the_chosen_face_stays_when_a_result_appears(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "en"))
    team = installation.add_team(threshold="2")
    anna, ben = visitor.log_in_new(team), visitor.somebody_new(team)
    vote(visitor, installation, anna, 6, "Calm.")
    card = visitor.page.locator("#voted")
    expect(card.locator(".face")).to_be_visible()
    expect(card.get_by_role("heading", name=visitor.words["live.thanks"])).to_be_focused()
    # Now everyone has voted: the page shows the result without being loaded again.
    installation.vote(ben, 9)
    expect(visitor.page.get_by_text("7.5", exact=True).first).to_be_visible()
    expect(card.locator(".face")).to_be_visible()
    expect(card.get_by_text(visitor.words["live.textArrived"])).to_be_visible()
    expect(card.get_by_role("heading", name=visitor.words["live.thanks"])).to_be_focused()
    # Only this tab knew that she has voted.
    visitor.page.reload()
    expect(card.get_by_role("heading", name=visitor.words["live.closed"])).to_be_visible()


def test_the_next_user_of_a_tab_does_not_see_the_chosen_face(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "en"))
    team = installation.add_team()
    anna, ben = visitor.log_in_new(team), visitor.somebody_new(team)
    installation.vote(ben, 2)
    visitor.open(f"/teams/{installation.team_id(anna)}/vote")
    # Without it, the browser shows a page of its own when there is no connection.
    visitor.page.evaluate("navigator.serviceWorker.ready")
    choose(visitor, 9)

    def lose_the_connection_then(route: Route) -> None:
        forward(route)
        visitor.context.set_offline(True)
        route.fulfill(status=201, json={"counted": True})

    visitor.page.route(BALLOTS, lose_the_connection_then)
    with visitor.complaints.expecting_no_network():
        visitor.button("vote.send").click()
        # At the address of the thanks.
        visitor.expect_heading("offline.title")
        assert visitor.page.evaluate("sessionStorage.length") == 1
        visitor.log_in(ben)
        visitor.context.set_offline(False)
        expect_thanks(visitor)
    # The page has forgotten the choice, which it would show by now.
    visitor.wait_for_value("sessionStorage.length === 0")
    expect(visitor.page.locator("#voted .tick")).to_be_visible()
    expect(visitor.page.locator("#voted .face")).to_be_hidden()


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_own_votes_stay_on_the_device_of_who_wants_it(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    team = installation.add_team()
    person = visitor.log_in_new(team)
    requests: list[Request] = []
    vote(visitor, installation, person, 9)
    title, value = visitor.words["ownVotes.title"], re.compile(r"\w\s\d{4}: 9$")
    card = visitor.page.get_by_role("region", name=title)
    expect(visitor.button("ownVotes.keep")).to_be_visible()
    expect(card.get_by_role("listitem")).to_have_count(0)
    assert visitor.page.evaluate("localStorage.getItem('happiness.own-votes')") is None, "off by default"
    visitor.look("own-votes-offered")
    visitor.context.on("request", lambda request: requests.append(request))
    visitor.button("ownVotes.keep").click()
    expect(card.get_by_role("listitem")).to_have_text(value)
    expect(card.get_by_role("heading")).to_be_focused()
    visitor.look("own-votes-kept")

    visitor.open(f"/teams/{installation.team_id(person)}/history")
    expect(card.get_by_role("listitem")).to_have_text(value)
    visitor.look("history-own-votes")
    visitor.button("ownVotes.forget").click()
    expect(card).to_be_hidden()
    assert visitor.page.evaluate("localStorage.getItem('happiness.own-votes')") is None
    assert requests
    for request in requests:
        assert request.method == "GET" and request.post_data is None, request.url
        # The number of a publication, the language of the manifest, and signatures of pictures.
        assert set(parse_qs(urlsplit(request.url).query)) <= {"after", "language", "expires", "signature"}, request.url


def test_own_votes_go_when_their_owner_logs_out(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "en"))
    person = visitor.log_in_new(installation.add_team())
    vote(visitor, installation, person, 9)
    visitor.button("ownVotes.keep").click()
    log_out(visitor)
    assert visitor.page.evaluate("localStorage.getItem('happiness.own-votes')") is None
    visitor.log_in(person)
    visitor.open(f"/teams/{installation.team_id(person)}/history")
    expect(visitor.page.locator("[data-own-votes]")).to_be_hidden()


def test_own_votes_are_not_shown_to_the_next_user(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "en"))
    team = installation.add_team()
    anna, ben = visitor.log_in_new(team), visitor.somebody_new(team)
    vote(visitor, installation, anna, 9)
    visitor.button("ownVotes.keep").click()
    # Anna's session ends without a log-out on this device.
    visitor.log_in(ben)
    visitor.open(f"/teams/{installation.team_id(ben)}/history")
    expect(visitor.page.locator("[data-own-votes]")).to_be_hidden()
    assert visitor.page.evaluate("localStorage.getItem('happiness.own-votes')") is None


def test_a_tablet_offers_buttons_that_a_thumb_hits(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "en"))
    person = visitor.log_in_new(installation.add_team())
    for width in (360, 390, 768, 1024, 1180):
        visitor.page.set_viewport_size({"width": width, "height": 820})
        visitor.open(f"/teams/{installation.team_id(person)}/vote")
        boxes = [label.bounding_box() for label in visitor.page.locator(".stops label").all()]
        assert len(boxes) == 11
        assert all(box and box["width"] >= 44 and box["height"] >= 44 for box in boxes), f"{width}: {boxes}"
        expect(visitor.page.locator("#send")).to_be_in_viewport(ratio=1)
