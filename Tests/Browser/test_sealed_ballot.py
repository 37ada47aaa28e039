"""Sealed ballots in a browser: the server cannot link them to who cast them, and none is lost or counted twice."""

from __future__ import annotations

import hashlib
import json
import re
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from harness.papers import encoded
from installation import Installation, Person, wait_until
from playwright.sync_api import Page, Request, Response, Route, expect
from sealed_body import canonical, expect_anonymous, expect_canonical
from test_log_in import log_out
from test_voting import choose, expect_thanks
from visitor import PROFILES, PROFILES_WITHOUT_SCRIPT, Profile, Visitor

PAPERS = "**/api/v1/teams/*/sprints/*/*/ballot-papers"
BALLOTS = "**/api/v1/ballots"
# By team and sprint.
KEYS = "**/api/v1/sprint-ballot-keys/*/*/*"

NO_KEY = " ".join(["...."] * 8)


@pytest.fixture
def visitor(browse: Callable[..., Visitor]) -> Visitor:
    return browse(Profile("phone", "en")).without_service_worker()


@pytest.fixture
def person(visitor: Visitor, installation: Installation) -> Person:
    """Fills in the vote."""
    person = visitor.log_in_new(installation.add_team(threshold="2"))
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    choose(visitor, 7)
    return person


def send(visitor: Visitor) -> None:
    visitor.button("vote.send").click()


def send_without_answer(visitor: Visitor) -> None:
    send(visitor)
    expect(visitor.page.get_by_role("heading", name=visitor.words["vote.waitsTitle"])).to_be_visible()


def forward(route: Route) -> None:
    """Lets a request arrive, and loses the answer. Playwright would add the cookies of the page."""
    sent = route.request
    headers = {name: value for name, value in sent.all_headers().items() if not name.startswith(":")}
    urllib.request.urlopen(urllib.request.Request(sent.url, sent.post_data_buffer, headers, method=sent.method)).close()


def forward_and_disconnect(route: Route) -> None:
    forward(route)
    route.abort("connectionreset")


def has_unsent(page: Page) -> bool:
    return bool(page.evaluate("indexedDB.databases().then((all) => all.length)"))


def ballots_sent(visitor: Visitor) -> list[Request]:
    """Requests that cast a ballot, in a list that grows."""
    requests: list[Request] = []
    visitor.context.on("request", lambda request: requests.append(request) if request.url.endswith("/ballots") else None)
    return requests


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_vote_goes_without_the_log_in_and_the_page_says_so(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    team = installation.add_team(threshold="2")
    person = visitor.log_in_new(team)
    colleague = installation.add_person("colleague", team)
    sent = ballots_sent(visitor)
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    expect(visitor.page.get_by_text(visitor.words["vote.sealed"])).to_be_visible()
    expect(visitor.page.get_by_text(visitor.words["vote.plain"])).to_be_hidden()
    path = f"/teams/{installation.team_id(colleague)}/sprints"
    sprint = installation.api(colleague, "GET", f"{path}/current")["sprint"]["label"]
    key = installation.api(colleague, "GET", f"{path}/{sprint}/ballot-key")["id"]
    digits = visitor.page.locator("#protection code")
    expect(digits).to_have_text(" ".join(re.findall("....", key[:32])))
    expect(digits).to_be_hidden()
    visitor.check_layout_is_steady()
    visitor.page.locator("summary").get_by_text(visitor.words["vote.details"], exact=True).click()
    expect(digits).to_be_visible()
    choose(visitor, 7)
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill("Calm.\nVery calm.")
    visitor.look("vote-sealed")
    send(visitor)
    expect_thanks(visitor)
    (ballot,) = sent
    assert ballot.url == f"{visitor.url}/api/v1/ballots"
    fields = expect_canonical(ballot.post_data_buffer, ballot.all_headers())
    assert (fields["happiness"], fields["feedback"], fields["key"]) == (7, "Calm.\nVery calm.", key)
    assert not has_unsent(visitor.page)
    # The result of both, at once.
    installation.vote(colleague, 8)
    value = {"en": "7.5", "de": "7,5"}[profile.language]
    expect(visitor.page.get_by_text(value, exact=True).first).to_be_visible()


@pytest.mark.parametrize("profile", PROFILES_WITHOUT_SCRIPT, ids=str)
def test_a_page_without_scripts_says_that_its_votes_are_plain(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=False)
    person = visitor.log_in_new(installation.add_team())
    visitor.open(f"/teams/{installation.team_id(person)}/vote/plain")
    expect(visitor.page.get_by_text(visitor.words["vote.plain"])).to_be_visible()
    expect(visitor.page.get_by_text(visitor.words["vote.sealed"])).to_be_hidden()


@pytest.mark.parametrize("profile", PROFILES_WITHOUT_SCRIPT, ids=str)
def test_a_team_that_counts_sealed_votes_only_refuses_plain_ones(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    other, team = installation.add_team(), installation.add_team(threshold="2", ballots="sealed")
    person = installation.add_person("person", other, language=profile.language)
    others_form = f"/teams/{installation.team_id(person)}/vote/plain"
    vote = f"/teams/{installation.team_id(installation.add_person('colleague', team))}/vote"
    installation.command("team", "add-member", team, person.name)
    plain, sealed = browse(profile, javascript=False), browse(profile)
    plain.log_in(person)
    plain.open(others_form)
    plain.page.get_by_role("radio", name=re.compile(r"^7\b")).check()
    plain.page.get_by_label(plain.words["vote.feedback"]).fill("Calm.")
    # As a page that was opened in an earlier sprint, with other rules.
    plain.page.locator("#plain-ballot").evaluate("(form, address) => { form.action = address; }", f"{vote}/plain")
    with plain.complaints.expecting(422):
        plain.button("vote.send").click()
        expect(plain.page.get_by_role("alert")).to_contain_text(plain.words["errors.sealed-ballots-only"])
        plain.look("vote-sealed-only-refused")
    plain.link("live.vote").click()
    expect(plain.page.locator("#unsealable").get_by_text(plain.words["vote.sealedOnly"])).to_be_visible()
    sealed.log_in(person)
    sealed.open(vote)
    choose(sealed, 7)
    send(sealed)
    expect_thanks(sealed)


# The same bytes as the command's

VECTORS = json.loads(Path(__file__).with_name("vectors").joinpath("sealed-ballots.json").read_text())

BODIES = """
    async ({ key, paper, randomness, signature, vectors }) => {
        const { bodyOf } =
            await import(document.querySelector('script[src$="/app.js"]').src.replace("app.js", "sealed-ballot.js"));
        return vectors.map(({ happiness, feedback, times, hasRandomness }) => bodyOf({
            key, paper, signature, happiness, feedback: feedback && feedback.repeat(times),
            randomness: hasRandomness ? randomness : null,
        }));
    }
"""


def body_of(vector: dict[str, Any]) -> bytes:
    """The body that a vector describes."""
    start, text = vector["start"], vector["feedback"]
    if vector["times"] > 1:
        start = start.replace(text, text * vector["times"])
    rest = VECTORS["rest" if vector["hasRandomness"] else "restWithoutRandomness"]
    return f"{start}{rest}".encode().ljust(vector["length"])


def test_a_ballot_has_the_bytes_that_the_command_sends(browse: Callable[..., Visitor]) -> None:
    visitor = browse(Profile("phone", "en"))
    visitor.log_in_new()
    visitor.open("/settings")
    bodies = visitor.page.evaluate(BODIES, VECTORS)
    assert len(bodies) == len(VECTORS["vectors"]) >= 14
    for body, vector in zip(bodies, VECTORS["vectors"], strict=True):
        expected = body_of(vector)
        assert len(expected) == vector["length"]
        assert body.encode() == expected == canonical(json.loads(expected)), vector["name"]


# A key of one's own


def new_key(private: rsa.RSAPrivateKey | None = None) -> dict[str, str]:
    """A ballot key as the API returns it, by default one of which nobody keeps the private one."""
    public = (private or rsa.generate_private_key(65_537, 2_048)).public_key()
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return {"id": hashlib.sha256(der).hexdigest(), "publicKey": encoded(der)}


def open_vote(visitor: Visitor, installation: Installation) -> Person:
    """As a new member of a new team."""
    person = visitor.log_in_new(installation.add_team())
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    return person


def sprint_of(installation: Installation, person: Person) -> str:
    """Team and label, as the page knows them."""
    team = installation.team_id(person)
    return f"{team}/{installation.api(person, 'GET', f'/teams/{team}/sprints/current')['sprint']['label']}"


def keys_seen(visitor: Visitor) -> Any:
    return json.loads(visitor.page.evaluate("localStorage.getItem('happiness.ballot-keys')"))


def expect_another_key(visitor: Visitor) -> None:
    """The page says that the key differs, and does not vote."""
    expect(visitor.page.get_by_role("alert").get_by_text(visitor.words["vote.keyDiffers"])).to_be_visible()
    expect(visitor.button("vote.send")).to_be_disabled()


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_another_key_than_before_stops_the_vote(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile).without_service_worker()
    open_vote(visitor, installation)
    expect(visitor.page.locator("#protection code")).not_to_have_text(NO_KEY)
    key = new_key()
    visitor.context.route(KEYS, lambda route: route.fulfill(json=key))
    visitor.page.reload()
    expect_another_key(visitor)
    digits = visitor.page.locator("#protection code")
    expect(digits).to_be_visible()
    expect(digits).to_have_text(" ".join(re.findall("....", key["id"][:32])))
    visitor.look("vote-key-differs")


def test_another_key_after_a_log_out_stops_the_vote(visitor: Visitor, installation: Installation) -> None:
    person = open_vote(visitor, installation)
    expect(visitor.page.locator("#protection code")).not_to_have_text(NO_KEY)
    sent = ballots_sent(visitor)
    seen = keys_seen(visitor)
    visitor.open("/")
    log_out(visitor)
    key = new_key()
    visitor.context.route(KEYS, lambda route: route.fulfill(json=key))
    visitor.log_in(person)
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    expect_another_key(visitor)
    assert sent == [] and keys_seen(visitor) == seen


# The module of the page's own version.
ASK_FOR_KEY = """
    async (place) => {
        const folder = document.querySelector('script[src$="/app.js"]').src.replace("app.js", "");
        return (await import(`${folder}sealed-ballot.js`)).ballotKey(place);
    }
"""


def test_a_key_is_asked_for_only_at_an_address_that_everybody_has(visitor: Visitor, person: Person) -> None:
    """With another spelling of a sprint, a server could recognise who asks, and show a key that looks like the first."""
    asked: list[str] = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    team = "0f" * 16
    sprints = ("2026/23?of=1", "2026/023", "2026/23a", "02026/1", "2026/1#", "2026/2/3", "2026/2\n")
    places = [*((team, sprint) for sprint in sprints), *((name, "2026/23") for name in (f"../{team}", "0F" * 16, "0f"))]
    for team, sprint in places:
        found = visitor.page.evaluate(ASK_FOR_KEY, {"team": team, "sprint": sprint})
        assert found == {"outcome": "keyDiffers"}, (team, sprint)
    assert not [address for address in asked if "ballot-keys" in address]


def test_a_key_that_was_seen_tells_neither_team_nor_sprint(visitor: Visitor, installation: Installation) -> None:
    person = open_vote(visitor, installation)
    expect(visitor.page.locator("#protection code")).not_to_have_text(NO_KEY)
    place = sprint_of(installation, person)
    key = installation.api(person, "GET", f"/sprint-ballot-keys/{place}")["id"]
    assert keys_seen(visitor) == [[hashlib.sha256(place.encode()).hexdigest(), key]]


def test_a_key_that_an_earlier_version_saw_is_still_the_first_one(visitor: Visitor, installation: Installation) -> None:
    person = visitor.log_in_new(installation.add_team())
    place = sprint_of(installation, person)
    visitor.open("/settings")
    visitor.page.evaluate(
        "place => localStorage.setItem('happiness.ballot-keys', JSON.stringify([[place, '0'.repeat(64)]]))", place)
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    expect_another_key(visitor)
    assert keys_seen(visitor) == [[hashlib.sha256(place.encode()).hexdigest(), "0" * 64]]


def test_the_key_is_asked_for_without_the_log_in(visitor: Visitor, installation: Installation) -> None:
    asked: list[Request] = []
    visitor.context.on("request", lambda one: asked.append(one) if "ballot-key" in one.url else None)
    person = open_vote(visitor, installation)
    expect(visitor.page.locator("#protection code")).not_to_have_text(NO_KEY)
    (request,) = asked
    assert request.url == f"{visitor.url}/api/v1/sprint-ballot-keys/{sprint_of(installation, person)}"
    expect_anonymous(request.all_headers())


def test_a_key_for_each_log_in_that_is_published_by_its_id_is_not_taken(
    visitor: Visitor, installation: Installation
) -> None:
    """A server linked three of three ballots like this, when pages asked with the log-in, and then by id."""
    own = new_key()
    for address in ("**/ballot-key", f"**/ballot-keys/{own['id']}"):
        visitor.context.route(address, lambda route: route.fulfill(json=own))
    sent = ballots_sent(visitor)
    person = open_vote(visitor, installation)
    choose(visitor, 7)
    send(visitor)
    expect_thanks(visitor)
    (ballot,) = sent
    key = installation.api(person, "GET", f"/sprint-ballot-keys/{sprint_of(installation, person)}")["id"]
    assert ballot.post_data_json["key"] == key != own["id"]


@pytest.mark.parametrize("answer", ["of another id", "not base64", "no fields", "null"])
def test_an_answer_that_is_no_key_stops_the_vote(answer: str, visitor: Visitor, installation: Installation) -> None:
    key = new_key()
    answers = {
        "of another id": key | {"publicKey": new_key()["publicKey"]}, "not base64": key | {"publicKey": "?"},
        "no fields": {}, "null": None,
    }
    visitor.context.route(
        KEYS, lambda route: route.fulfill(content_type="application/json", body=json.dumps(answers[answer])))
    sent = ballots_sent(visitor)
    person = open_vote(visitor, installation)
    expect_another_key(visitor)
    assert sent == []
    team = installation.team_id(person)
    assert installation.api(person, "GET", f"/teams/{team}/sprints/current")["hasVoted"] is False


def test_without_a_key_nothing_is_sent(visitor: Visitor, installation: Installation) -> None:
    visitor.context.route(KEYS, lambda route: route.fulfill(status=404, json={"type": "/api#no-such-ballot-key"}))
    sent = ballots_sent(visitor)
    with visitor.complaints.expecting(404):
        person = open_vote(visitor, installation)
        choose(visitor, 7)
        send(visitor)
        expect(visitor.page.get_by_role("alert").get_by_text(visitor.words["vote.sprintOver"])).to_be_visible()
    assert sent == []
    team = installation.team_id(person)
    assert installation.api(person, "GET", f"/teams/{team}/sprints/current")["hasVoted"] is False


def test_a_signature_with_another_key_stops_the_vote(visitor: Visitor, person: Person) -> None:
    def sign(route: Route) -> None:
        answer = route.fetch().json()
        route.fulfill(status=201, json={"blindSignature": answer["blindSignature"][::-1]})

    sent = ballots_sent(visitor)
    visitor.page.route(PAPERS, sign)
    send(visitor)
    expect(visitor.page.get_by_text(visitor.words["vote.keyDiffers"])).to_be_visible()
    assert sent == []
    # The next page still holds it, and says so.
    visitor.open("/")
    expect(visitor.page.get_by_text(visitor.words["vote.keyDiffers"])).to_be_visible()
    visitor.page.unroute(PAPERS)
    visitor.open("/")
    expect(visitor.page.get_by_text(visitor.words["app.unsentSent"])).to_be_visible()
    assert len(sent) == 1


# Nothing is lost


def test_a_lost_signature_is_asked_for_again(visitor: Visitor, person: Person) -> None:
    visitor.page.route(PAPERS, forward_and_disconnect)
    with visitor.complaints.expecting_no_network():
        send_without_answer(visitor)
        visitor.page.close()
    visitor.page = visitor.context.new_page()
    visitor.open("/")
    expect(visitor.page.get_by_text(visitor.words["app.unsentSent"])).to_be_visible()
    assert not has_unsent(visitor.page)


def test_a_lost_answer_is_found_out(visitor: Visitor, person: Person) -> None:
    visitor.page.route(BALLOTS, forward_and_disconnect)
    with visitor.complaints.expecting_no_network():
        send_without_answer(visitor)
        visitor.page.close()
    visitor.page = visitor.context.new_page()
    with visitor.complaints.expecting(409), visitor.page.expect_response(BALLOTS) as answer:
        visitor.open("/")
        expect(visitor.page.get_by_text(visitor.words["app.unsentSent"])).to_be_visible()
    assert answer.value.json()["type"] == "/api#already-counted"
    assert not has_unsent(visitor.page)


def test_a_page_left_before_it_deleted_its_empty_database_leaves_that_to_the_next(visitor: Visitor, person: Person) -> None:
    visitor.page.evaluate("() => { IDBFactory.prototype.deleteDatabase = () => { window.isDeleting = true; return {}; } }")
    send(visitor)
    visitor.wait_for_value("window.isDeleting")
    assert has_unsent(visitor.page)
    visitor.open("/")
    wait_until(lambda: not has_unsent(visitor.page))
    expect(visitor.page.locator("#unsent-vote")).to_be_hidden()


def test_a_signed_paper_outlives_its_owners_log_out_and_needs_no_log_in(
    visitor: Visitor, person: Person, installation: Installation
) -> None:
    visitor.context.route(BALLOTS, lambda route: route.abort("internetdisconnected"))
    with visitor.complaints.expecting_no_network():
        send_without_answer(visitor)
        visitor.open("/")
        expect(visitor.page.get_by_text(visitor.words["app.unsentWaiting"])).to_be_visible()
        log_out(visitor, unsent="sealed")
    visitor.context.unroute(BALLOTS)
    visitor.log_in_new()
    with visitor.page.expect_response(BALLOTS) as answer:
        visitor.open("/settings")
    assert answer.value.status == 201
    assert answer.value.request.all_headers().get("cookie") is None
    # Nobody else is told.
    visitor.wait_for_value("indexedDB.databases().then((all) => all.length === 0)")
    expect(visitor.page.locator("#unsent-vote")).to_be_hidden()


# As version 0.1.0 left it when a relay had it, or was to get it.
GIVE_TO_RELAY = """
    (isHandedOver) => new Promise((resolve) => {
        indexedDB.open("happiness.unsent-votes", 1).onsuccess = ({ target: { result: database } }) => {
            const transaction = database.transaction("votes", "readwrite");
            transaction.objectStore("votes").openCursor().onsuccess = ({ target: { result: cursor } }) => {
                const handedOver = isHandedOver ? { ticket: "0".repeat(32), answerKey: {} } : undefined;
                cursor?.update({ ...cursor.value, relay: "https://relay.example.org", handedOver });
            };
            transaction.oncomplete = () => {
                database.close();
                resolve();
            };
        };
    })
"""


def leave_to_relay(visitor: Visitor, is_handed_over: bool) -> None:
    """Closes the vote page with a vote that waits for a relay."""
    visitor.context.route(BALLOTS, lambda route: route.abort("internetdisconnected"))
    with visitor.complaints.expecting_no_network():
        send_without_answer(visitor)
    visitor.page.evaluate(GIVE_TO_RELAY, is_handed_over)
    visitor.page.close()
    visitor.context.unroute(BALLOTS)
    visitor.page = visitor.context.new_page()


@pytest.mark.parametrize("is_handed_over", [True, False], ids=["handed over", "not yet"])
def test_a_vote_that_waits_for_a_relay_is_sent_only_if_its_owner_wants_that(
    visitor: Visitor, person: Person, is_handed_over: bool
) -> None:
    leave_to_relay(visitor, is_handed_over)
    sent = ballots_sent(visitor)
    for _ in range(2):
        visitor.open("/")
        expect(visitor.page.locator("#unsent-vote")).to_contain_text(visitor.words["app.unsentWaitsForOwner"])
    visitor.look("live-vote-waits-for-owner")
    assert sent == []
    visitor.button("app.sendAgain").click()
    expect(visitor.page.get_by_text(visitor.words["app.unsentSent"])).to_be_visible()
    (ballot,) = sent
    assert ballot.url == f"{visitor.url}/api/v1/ballots"
    assert not {"cookie", "authorization", "x-form-token"} & set(ballot.all_headers())
    assert ballot.post_data_json["happiness"] == 7
    assert not has_unsent(visitor.page)


def test_a_vote_that_a_relay_has_delivered_is_counted_once(visitor: Visitor, person: Person) -> None:
    visitor.page.route(BALLOTS, forward_and_disconnect)
    with visitor.complaints.expecting_no_network():
        send_without_answer(visitor)
    visitor.page.evaluate(GIVE_TO_RELAY, True)
    visitor.page.close()
    visitor.page = visitor.context.new_page()
    visitor.open("/")
    with visitor.complaints.expecting(409):
        visitor.button("app.sendAgain").click()
        expect(visitor.page.get_by_text(visitor.words["app.unsentSent"])).to_be_visible()
    assert not has_unsent(visitor.page)


def test_a_refused_ballot_keeps_its_paper_for_another_one(visitor: Visitor, person: Person) -> None:
    def refuse(route: Route) -> None:
        problem = {"type": "/api#malformed", "title": "Bad Request", "status": 400, "detail": "Please change it."}
        route.fulfill(status=400, content_type="application/problem+json", body=json.dumps(problem))

    visitor.page.route(BALLOTS, refuse)
    with visitor.complaints.expecting(400):
        send(visitor)
        expect(visitor.page.get_by_role("alert").get_by_text(visitor.words["vote.refused"])).to_be_visible()
    # Other pages leave it alone.
    other = visitor.context.new_page()
    sent = ballots_sent(visitor)
    other.goto(visitor.page.url, wait_until="networkidle")
    assert has_unsent(other) and sent == []
    other.close()
    visitor.page.unroute(BALLOTS)
    send(visitor)
    expect_thanks(visitor)
    assert not has_unsent(visitor.page)


def test_the_text_stays_if_the_mailbox_has_voted(visitor: Visitor, person: Person) -> None:
    problem = {"type": "/api#mailbox-voted", "title": "Conflict", "status": 409, "detail": "A mailbox has one vote."}
    visitor.page.route(
        BALLOTS, lambda route: route.fulfill(status=409, content_type="application/problem+json", body=json.dumps(problem)))
    text = visitor.page.get_by_label(visitor.words["vote.feedback"])
    text.fill("Typed for minutes.")
    with visitor.complaints.expecting(409):
        send(visitor)
        expect(visitor.page.get_by_role("alert").get_by_text(visitor.words["errors.mailbox-voted"])).to_be_visible()
    expect(text).to_have_value("Typed for minutes.")
    expect(visitor.page.locator("#send")).to_be_disabled()


def test_a_corrected_ballot_is_the_one_that_a_closed_page_sends_later(visitor: Visitor, person: Person) -> None:
    problem = {"type": "/api#malformed", "title": "Bad Request", "status": 400, "detail": "Please change it."}
    visitor.page.route(
        BALLOTS, lambda route: route.fulfill(status=400, content_type="application/problem+json", body=json.dumps(problem)))
    with visitor.complaints.expecting(400):
        send(visitor)
        expect(visitor.page.get_by_role("alert").get_by_text(visitor.words["vote.refused"])).to_be_visible()
    visitor.page.unroute(BALLOTS)
    # The request is never answered.
    visitor.page.route(BALLOTS, lambda route: None)
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill("A better text.")
    with visitor.page.expect_request(BALLOTS):
        send(visitor)
    visitor.page.close()
    visitor.page = visitor.context.new_page()
    # The first request may arrive when its page is closed.
    with visitor.complaints.expecting(409):
        with visitor.page.expect_request(BALLOTS) as ballot:
            visitor.open("/")
        assert ballot.value.post_data_json["feedback"] == "A better text."
        expect(visitor.page.get_by_text(visitor.words["app.unsentSent"])).to_be_visible()


def test_an_answer_of_a_filter_in_between_loses_no_paper(visitor: Visitor, person: Person) -> None:
    visitor.page.route(PAPERS, forward_and_disconnect)
    with visitor.complaints.expecting_no_network():
        send_without_answer(visitor)
        visitor.page.close()
    visitor.context.route(PAPERS, lambda route: route.fulfill(status=403, content_type="text/html", body="Blocked"))
    visitor.page = visitor.context.new_page()
    with visitor.complaints.expecting(403):
        visitor.open("/")
        expect(visitor.page.get_by_text(visitor.words["app.unsentWaiting"])).to_be_visible()
    visitor.context.unroute(PAPERS)
    visitor.open("/")
    expect(visitor.page.get_by_text(visitor.words["app.unsentSent"])).to_be_visible()


def test_a_pasted_control_character_is_not_sent(visitor: Visitor, person: Person) -> None:
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill("A\x1b\x07 bell\nand a line")
    with visitor.page.expect_request(BALLOTS) as ballot:
        send(visitor)
    expect_thanks(visitor)
    assert ballot.value.post_data_json["feedback"] == "A bell\nand a line"


def test_a_vote_waits_while_somebody_else_logs_in_and_out(
    visitor: Visitor, person: Person, installation: Installation
) -> None:
    with visitor.complaints.expecting_no_network():
        visitor.context.set_offline(True)
        send_without_answer(visitor)
    visitor.page.close()
    visitor.context.set_offline(False)
    visitor.page = visitor.context.new_page()
    sent = ballots_sent(visitor)
    visitor.log_in_new()
    visitor.open("/")
    log_out(visitor)
    assert sent == []
    visitor.log_in(person)
    visitor.open("/")
    # The page reloads when the vote is sent.
    expect_thanks(visitor)
    assert [request.response().status for request in sent] == [201]


def delete_account(visitor: Visitor, password: str) -> Response:
    visitor.page.get_by_label(visitor.words["settings.password"], exact=True).fill(password)
    with visitor.page.expect_response("**/settings/delete") as answer:
        visitor.button("deletion.delete").click()
    return answer.value


def test_a_vote_waits_while_somebody_else_deletes_their_account(
    visitor: Visitor, person: Person, installation: Installation
) -> None:
    visitor.context.route(BALLOTS, lambda route: route.abort("internetdisconnected"))
    with visitor.complaints.expecting_no_network():
        send_without_answer(visitor)
        other = visitor.log_in_new()
        visitor.open("/settings/delete")
        with visitor.complaints.expecting(403):
            delete_account(visitor, "wrong")
            expect(visitor.page.get_by_role("alert")).to_be_visible()
        # Its script tells the server that a vote waits.
        visitor.page.wait_for_load_state("load")
        assert has_unsent(visitor.page)
        assert delete_account(visitor, other.password).all_headers()["clear-site-data"] == '"cache"'
        visitor.expect_heading("deletion.doneTitle")
    assert has_unsent(visitor.page)
    visitor.context.unroute(BALLOTS)
    visitor.log_in(person)
    with visitor.page.expect_response(BALLOTS) as answer:
        visitor.open("/settings")
    assert answer.value.status == 201


def test_a_second_vote_on_another_device_is_refused_and_keeps_the_text(
    visitor: Visitor, person: Person, installation: Installation
) -> None:
    sent = ballots_sent(visitor)
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill("Written on two devices.")
    installation.vote(person, 4)
    with visitor.complaints.expecting(409):
        send(visitor)
        expect(visitor.page.get_by_role("alert").get_by_text(visitor.words["errors.already-voted"])).to_be_visible()
    expect(visitor.page.get_by_label(visitor.words["vote.feedback"])).to_have_value("Written on two devices.")
    visitor.look("vote-already-voted")
    assert sent == []
    assert not has_unsent(visitor.page)
