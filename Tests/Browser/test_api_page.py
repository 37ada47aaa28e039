"""The API reference: filter, trying requests with a token and with the browser's log-in, and reading without scripts."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from installation import Installation, Person
from playwright.sync_api import Locator, expect
from visitor import PROFILES, SCRIPT_OR_NOT, Profile, Visitor, script_or_not_name

# Bytes of a first visit to a topic with an empty cache.
LARGEST_TRANSFER = 60_000

TOPICS = [
    "log-in", "account", "sessions-and-devices", "invitations", "registration", "teams", "reminders", "experiments", "messages",
    "voting", "history", "actions", "administration", "people", "texts", "errors-of-apps", "classic", "operation",
]


def route(visitor: Visitor, name: str) -> Locator:
    """The route with this id, opened."""
    part = visitor.page.locator("details.operation").filter(has=visitor.page.locator(f"[id='{name}']"))
    if part.get_attribute("open") is None:
        part.locator("> summary").click()
    return part


def send(visitor: Visitor, part: Locator) -> None:
    """Presses the button that sends the route's request."""
    part.get_by_role("button", name=visitor.words["reference.send"], exact=True).click()


def use_token(visitor: Visitor, token: str) -> None:
    """Pastes an access token."""
    visitor.field("reference.withToken").check()
    visitor.field("reference.token").fill(token)


def token_of(installation: Installation, person: Person) -> str:
    """A new access token."""
    request = urllib.request.Request(
        f"{installation.servers[0].address}/api/v1/auth/login",
        json.dumps({"username": person.name, "password": person.password}).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read())["accessToken"]


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_the_reference_can_be_read(profile: Profile, javascript: bool, browse: Callable[..., Visitor]) -> None:
    visitor = browse(profile, javascript=javascript)
    visitor.open("/api")
    visitor.page.get_by_role("link", name="Reference", exact=True).click()
    visitor.expect_heading("reference.title")
    visitor.look("reference")
    visitor.page.get_by_role("navigation").get_by_role("link", name="Voting", exact=True).click()
    part = route(visitor, "castBallot")
    expect(part.get_by_text('"happiness": 7.5')).to_be_visible()
    expect(part.get_by_text(visitor.words["reference.members"])).to_be_visible()
    expect(part.get_by_role("button", name=visitor.words["reference.send"])).to_have_count(1 if javascript else 0)
    visitor.look("reference-voting")


def test_a_link_opens_its_route(browse: Callable[..., Visitor]) -> None:
    visitor = browse(Profile("desktop", "en"))
    visitor.open("/api/reference")
    visitor.page.get_by_role("link", name="/api/v1/me/export").click()
    expect(visitor.page.get_by_text("Download everything stored about me")).to_be_visible()
    expect(visitor.page.locator("[id='exportMe']")).to_be_in_viewport()


@pytest.mark.parametrize("address", ["/api/reference", "/api/reference/teams"])
def test_the_filter_finds_routes(address: str, browse: Callable[..., Visitor]) -> None:
    visitor = browse(Profile("phone", "de"))
    visitor.open(address)
    shown = visitor.page.locator("[data-operation]:visible")
    everything = shown.count()
    visitor.field("reference.filter").fill("PUT share")
    expect(shown).to_have_count(1)
    visitor.field("reference.filter").fill("zzz")
    expect(shown).to_have_count(0)
    expect(visitor.page.get_by_text(visitor.words["reference.filterNone"])).to_be_visible()
    visitor.check_accessibility()
    visitor.field("reference.filter").fill("")
    expect(shown).to_have_count(everything)


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_request_is_sent_with_the_log_in_of_the_browser(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    team = installation.add_team()
    person = visitor.log_in_new(team, lead=True)
    visitor.open("/api/reference/teams")
    part = route(visitor, "showTeam")
    # The user's team is filled in.
    expect(part.get_by_label("team", exact=True)).to_have_value(installation.team_id(person))
    send(visitor, part)
    expect(part.get_by_text("200 OK")).to_be_visible()
    expect(part.get_by_text(f'"name": "{team}"')).to_be_visible()
    visitor.look("reference-tried")

    # A change is sent only after the question.
    change = route(visitor, "changeTeam")
    change.get_by_role("textbox").last.fill('{ "graceDays": 0 }')
    requests: list[str] = []
    visitor.page.on("request", lambda request: requests.append(request.method))
    send(visitor, change)
    expect(change.get_by_text(visitor.words["reference.changes"])).to_be_visible()
    visitor.look("reference-question")
    change.get_by_role("button", name=visitor.words["reference.cancel"]).click()
    expect(change.get_by_text(visitor.words["reference.changes"])).to_be_hidden()
    assert requests == []
    send(visitor, change)
    change.get_by_role("button", name=visitor.words["reference.sendChange"]).click()
    expect(change.get_by_text("200 OK")).to_be_visible()
    assert requests == ["PATCH"]


def test_a_request_is_sent_with_a_token_that_is_not_stored(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("desktop", "en"), permissions=["clipboard-read", "clipboard-write"])
    person = visitor.somebody_new("Demo Team")
    visitor.open("/api/reference/account")
    token = token_of(installation, person)
    use_token(visitor, token)
    part = route(visitor, "me")
    send(visitor, part)
    expect(part.get_by_text("200 OK")).to_be_visible()
    expect(part.get_by_text(f'"name": "{person.name}"')).to_be_visible()
    part.get_by_role("button", name=visitor.words["reference.copy"]).click()
    expect(part.get_by_text(visitor.words["reference.copied"])).to_be_visible()
    command = visitor.page.evaluate("navigator.clipboard.readText()")
    assert command == f"curl -H \"Authorization: Bearer $TOKEN\" '{visitor.url}/api/v1/me'"
    kept = visitor.page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])")
    assert token not in kept
    visitor.open("/api/reference/account")
    visitor.field("reference.withToken").check()
    expect(visitor.field("reference.token")).to_have_value("")


def test_the_page_can_request_a_token(browse: Callable[..., Visitor]) -> None:
    visitor = browse(Profile("phone", "en"))
    person = visitor.somebody_new("Demo Team")
    visitor.open("/api/reference/teams")
    visitor.field("reference.withToken").check()
    visitor.page.get_by_text(visitor.words["reference.getToken"], exact=True).click()
    visitor.field("reference.userName").fill(person.name)
    visitor.field("reference.password").fill("wrong")
    with visitor.complaints.expecting(401):
        visitor.button("reference.getTokenNow").click()
        expect(visitor.page.get_by_text(visitor.words["reference.noToken"])).to_be_visible()
    visitor.field("reference.password").fill(person.password)
    visitor.button("reference.getTokenNow").click()
    expect(visitor.page.get_by_text(visitor.words["reference.gotToken"])).to_be_visible()
    visitor.look("reference-token")
    part = route(visitor, "listTeams")
    send(visitor, part)
    expect(part.locator("[data-text]")).to_contain_text("Demo Team")


def test_the_answer_to_a_refused_request_is_shown(browse: Callable[..., Visitor]) -> None:
    visitor = browse(Profile("desktop", "de"))
    visitor.open("/api/reference/account")
    part = route(visitor, "me")
    with visitor.complaints.expecting(401):
        send(visitor, part)
        expect(part.get_by_text("401 Unauthorized")).to_be_visible()
    expect(part.get_by_text('"type": "/api#not-logged-in"')).to_be_visible()
    expect(part.get_by_text("www-authenticate")).to_be_visible()
    visitor.look("reference-refused")
    with visitor.complaints.expecting_no_network():
        visitor.context.set_offline(True)
        send(visitor, part)
        expect(part.get_by_text(visitor.words["reference.noAnswer"])).to_be_visible()


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_is_light_and_has_no_findings(topic: str, browse: Callable[..., Visitor]) -> None:
    visitor = browse(Profile("phone", "en"))
    sizes: dict[str, float] = {}

    def finished(event: dict[str, Any]) -> None:
        sizes[event["requestId"]] = event["encodedDataLength"]

    session = visitor.context.new_cdp_session(visitor.page)
    session.on("Network.loadingFinished", finished)
    session.send("Network.enable")
    visitor.open(f"/api/reference/{topic}")
    visitor.page.wait_for_load_state("networkidle")
    print(topic, sum(sizes.values()))
    assert sum(sizes.values()) < LARGEST_TRANSFER, sizes
    visitor.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    visitor.look(f"reference-open-{topic}")
