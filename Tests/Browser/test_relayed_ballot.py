"""Sealed ballots that the web app sends through a relay: the server sees neither their address nor their moment, and none
is lost or counted twice."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from installation import Installation, Person, free_port, running, wait_until
from playwright.sync_api import Request, Route, expect
from relay import Relay
from test_sealed_ballot import NO_KEY, ballots_sent, forward_and_disconnect, has_unsent, send
from test_voting import choose, expect_thanks
from visitor import PROFILES, Profile, Visitor

# Bytes of every message: header, encapsulated key, content, and the cipher's tag.
MESSAGE = 7 + 65 + 36 * 1024 + 16

# A page has asked the relay what has become of a ballot, or there is none.
HAS_ASKED = """
    async () => !document.querySelector("#unsent-vote").hidden || (await indexedDB.databases()).length === 0
"""


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def installation(port: int) -> Iterator[Installation]:
    """Sends through whatever listens at the port."""
    with running(Installation(demo=False, relay=f"http://127.0.0.1:{port}")) as installation:
        yield installation


@pytest.fixture
def relay(installation: Installation, port: int, tmp_path: Path) -> Iterator[Relay]:
    """Sends two ballots at once."""
    with Relay(installation.url, tmp_path / "relay.log", port=port, count=2) as relay:
        yield relay


@pytest.fixture
def visitor(browse: Callable[..., Visitor]) -> Visitor:
    return browse(Profile("phone", "en")).without_service_worker()


@pytest.fixture
def person(visitor: Visitor, relay: Relay, installation: Installation) -> Person:
    """Fills in the vote."""
    person = visitor.log_in_new(installation.add_team(policy="immediate"))
    fill_in(visitor, person)
    return person


def fill_in(visitor: Visitor, person: Person, happiness: int = 7) -> None:
    visitor.open(f"/teams/{visitor.installation.team_id(person)}/vote")
    choose(visitor, happiness)


def expect_notice(visitor: Visitor, key: str) -> None:
    expect(visitor.page.locator("#unsent-vote")).to_contain_text(visitor.words[key])


def expect_counted(visitor: Visitor) -> None:
    """Opens pages, which ask the relay, until the ballot is counted."""

    def is_counted() -> bool:
        visitor.open("/")
        visitor.wait_for_value(HAS_ASKED)
        return not has_unsent(visitor.page)

    wait_until(is_counted)


def expect_sent_again(visitor: Visitor, relay: Relay) -> None:
    """Starts the relay anew; it knows no ballot, and forwards each at once."""
    relay.mix_count = 1
    relay.start()
    with visitor.complaints.expecting(404):
        visitor.open("/")
        expect_notice(visitor, "app.unsentOnItsWay")
    expect_counted(visitor)


def votes(installation: Installation, person: Person) -> int:
    """How many are counted in the team's only sprint, published or not."""
    with closing(sqlite3.connect(installation.database)) as store:
        (count,) = store.execute("SELECT count FROM happiness WHERE team = ?", [installation.team_id(person)]).fetchone()
        return int(count)


def handed_over(visitor: Visitor) -> list[Request]:
    """Requests that hand a ballot to the relay, in a list that grows."""
    requests: list[Request] = []
    visitor.context.on("request", lambda request: requests.append(request) if request.method == "PUT" else None)
    return requests


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_ballot_goes_through_the_relay_and_the_page_says_so(
    profile: Profile, browse: Callable[..., Visitor], relay: Relay, installation: Installation
) -> None:
    visitor, colleague = browse(profile), browse(profile)
    team = installation.add_team(threshold="2")
    person = visitor.log_in_new(team)
    directly, through = ballots_sent(visitor), handed_over(visitor)
    keys = []
    visitor.context.on("request", lambda request: keys.append(request) if "/ballot-keys/" in request.url else None)
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    name = relay.address.removeprefix("http://")
    expect(visitor.page.get_by_text(visitor.words["vote.sealedRelayed"].replace("{relay}", name))).to_be_visible()
    expect(visitor.page.locator("#protection code")).not_to_have_text(NO_KEY)
    choose(visitor, 7)
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill("Ruhig – und hell. 🎉")
    visitor.look("vote-relayed")
    send(visitor)
    expect_thanks(visitor)
    expect_notice(visitor, "app.unsentOnItsWay")
    expect(visitor.page.locator("#arrived")).to_be_hidden()
    visitor.look("live-vote-on-its-way")
    (message,) = through
    sprint = installation.api(person, "GET", f"/teams/{installation.team_id(person)}/sprints/current")["sprint"]
    closes = int(datetime.fromisoformat(sprint["closes"]).timestamp())
    assert re.fullmatch(rf"{relay.address}/mixed/[0-9a-f]{{32}}\?before={closes}", message.url)
    assert not {"cookie", "authorization", "x-form-token", "referer"} & set(message.all_headers())
    assert len(message.post_data_buffer or b"") == MESSAGE
    # The second one.
    fill_in(colleague, colleague.log_in_new(team), 8)
    send(colleague)
    expect_thanks(colleague)
    expect_counted(visitor)
    expect_counted(colleague)
    assert directly == [] and keys == []
    value = {"en": "7.5", "de": "7,5"}[profile.language]
    expect(visitor.page.get_by_text(value, exact=True).first).to_be_visible()
    visitor.link("live.lookAtResult").click()
    expect(visitor.page.get_by_text("Ruhig – und hell. 🎉")).to_be_visible()


def test_a_page_that_stays_open_tells_when_the_ballot_is_counted(
    visitor: Visitor, person: Person, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor.page.clock.install()
    send(visitor)
    expect_thanks(visitor)
    expect_notice(visitor, "app.unsentOnItsWay")
    colleague = browse()
    fill_in(colleague, colleague.log_in_new(installation.add_team()))
    send(colleague)
    wait_until(lambda: votes(installation, person) == 1)
    notice = visitor.page.locator("#unsent-vote")

    def is_told() -> bool:
        visitor.page.clock.fast_forward(30_000)
        return notice.text_content() == visitor.words["app.unsentSent"]

    wait_until(is_told)
    expect(visitor.page.locator("#arrived")).to_be_visible()
    # Its page asks the relay, which ends with the test.
    expect_thanks(colleague)
    expect_counted(colleague)


def test_a_ballot_that_a_killed_relay_lost_is_sent_again(
    visitor: Visitor, person: Person, relay: Relay, installation: Installation
) -> None:
    send(visitor)
    expect_thanks(visitor)
    relay.kill()
    with visitor.complaints.expecting_no_network():
        visitor.open("/")
        expect_notice(visitor, "app.unsentWaiting")
    expect_sent_again(visitor, relay)
    assert votes(installation, person) == 1


def test_a_ballot_whose_answer_a_killed_relay_lost_is_counted_once(
    visitor: Visitor, person: Person, relay: Relay, installation: Installation
) -> None:
    send(visitor)
    expect_thanks(visitor)
    expect_notice(visitor, "app.unsentOnItsWay")
    # It sends what waits.
    relay.stop()
    assert votes(installation, person) == 1
    expect_sent_again(visitor, relay)
    assert votes(installation, person) == 1


def test_a_lost_answer_of_the_relay_makes_no_second_message(visitor: Visitor, person: Person) -> None:
    through = handed_over(visitor)
    visitor.context.route("**/mixed/*", lambda route: forward_and_disconnect(route) if is_put(route) else route.fallback())
    with visitor.complaints.expecting_no_network():
        send(visitor)
        expect(visitor.page.get_by_role("heading", name=visitor.words["vote.waitsTitle"])).to_be_visible()
        visitor.page.close()
    visitor.page = visitor.context.new_page()
    visitor.open("/")
    expect_notice(visitor, "app.unsentOnItsWay")
    assert len(through) == 1


def is_put(route: Route) -> bool:
    return route.request.method == "PUT"


def test_without_the_relay_the_vote_waits_and_never_goes_directly(
    visitor: Visitor, installation: Installation, port: int, tmp_path: Path
) -> None:
    directly = ballots_sent(visitor)
    person = visitor.log_in_new(installation.add_team(policy="immediate"))
    with visitor.complaints.expecting_no_network():
        fill_in(visitor, person)
        send(visitor)
        expect(visitor.page.get_by_role("heading", name=visitor.words["vote.waitsTitle"])).to_be_visible()
        visitor.open("/")
        expect_notice(visitor, "app.unsentWaiting")
    with Relay(installation.url, tmp_path / "relay.log", port=port, count=1):
        visitor.open("/")
        # The page reloads: it asked for a vote.
        expect_thanks(visitor)
        expect_counted(visitor)
    assert directly == [] and votes(installation, person) == 1


def test_a_ballot_for_another_relay_asks_before_it_is_sent(visitor: Visitor, person: Person, relay: Relay) -> None:
    send(visitor)
    expect_thanks(visitor)
    expect_notice(visitor, "app.unsentOnItsWay")
    through, address = handed_over(visitor), relay.address.replace("127.0.0.1", "relay.example.org")
    visitor.page.route("**/teams/*", lambda route: route.fulfill(
        response=(answer := route.fetch()), body=answer.text().replace(f'content="{relay.address}"', f'content="{address}"')))
    visitor.page.reload()
    expect_notice(visitor, "app.unsentRelayDiffers")
    visitor.look("live-relay-differs")
    assert through == []
    visitor.page.unroute("**/teams/*")
    visitor.page.reload()
    expect_notice(visitor, "app.unsentOnItsWay")


def test_a_ballot_for_a_relay_of_the_past_is_sent_as_votes_are_now(
    visitor: Visitor, person: Person, relay: Relay, installation: Installation
) -> None:
    send(visitor)
    expect_thanks(visitor)
    expect_notice(visitor, "app.unsentOnItsWay")
    directly = ballots_sent(visitor)
    visitor.page.route("**/teams/*", lambda route: route.fulfill(
        response=(answer := route.fetch()), body=answer.text().replace('name="ballot-relay"', 'name="none"')))
    visitor.page.reload()
    visitor.button("app.sendAnyway").click()
    expect_notice(visitor, "app.unsentSent")
    assert len(directly) == 1 and votes(installation, person) == 1
