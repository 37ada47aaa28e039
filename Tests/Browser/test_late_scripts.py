"""The vote page while its scripts are late, and when one fails: nothing of a ballot leaves the browser in plain."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote_plus

import pytest
from installation import ROOT, Installation
from playwright.sync_api import Request, Route, expect
from test_voting import expect_thanks
from visitor import Profile, Visitor

PUBLIC = ROOT / "public"
ROOTS = [ROOT / "templates/app.mustache", ROOT / "templates/pages/vote.mustache"]

SCRIPT = re.compile(r'<script type="module" src="[^"]*/([\w-]+\.js)"')
IMPORT = re.compile(r'^import\b[^"]*"\./([\w-]+\.js)"', re.MULTILINE)
LATE_IMPORT = re.compile(r'\bimport\("\./([\w-]+\.js)"\)')

TEXT = "Unmistakable words."

# The animation that hides what the page says if its script does not come.
WAIT_FOR_SCRIPT = "document.getAnimations().forEach((one) => one.finish())"


def with_imports(modules: set[str]) -> set[str]:
    """The modules, and those that they import, directly or not, before they run."""
    found, new = set(modules), set(modules)
    while new:
        new = {name for module in new for name in IMPORT.findall((PUBLIC / module).read_text())} - found
        found |= new
    return found


# Without one of these there is no vote. The next ones are loaded when the vote is sent, the others do something else.
NEEDED = with_imports({"vote.js"})
NEEDED_LATER = with_imports({name for one in NEEDED for name in LATE_IMPORT.findall((PUBLIC / one).read_text())}) - NEEDED
OTHERS = with_imports({name for root in ROOTS for name in SCRIPT.findall(root.read_text())}) - NEEDED


@pytest.fixture
def visitor(browse: Callable[..., Visitor]) -> Visitor:
    return browse(Profile("desktop", "en")).without_service_worker()


def address_of(module: str) -> str:
    return f"**/assets/v/*/{module}"


def fail(route: Route) -> None:
    route.abort("failed")


def open_vote_page(visitor: Visitor, installation: Installation, ballots: str = "any", wait_until: str = "load") -> str:
    """As a new member of a new team. Returns the address."""
    person = visitor.log_in_new(installation.add_team(threshold="2", ballots=ballots))
    address = f"{visitor.url}/teams/{installation.team_id(person)}/vote"
    visitor.page.goto(address, wait_until=wait_until)
    return address


def requests_with_ballots(visitor: Visitor) -> list[Request]:
    """Requests that contain the value or the text, in a list that grows."""
    requests: list[Request] = []

    def note(request: Request) -> None:
        content = unquote_plus(f"{request.url} {request.post_data or ''}")
        if TEXT in content or re.search('happiness"?[=:]', content):
            requests.append(request)

    visitor.context.on("request", note)
    return requests


def fill_in_and_try_to_send(visitor: Visitor) -> None:
    """In every way that sends a form, while the page cannot send anything yet."""
    page = visitor.page
    page.locator(".stops label").nth(7).click()
    page.locator("input[value='7']").press("Enter")
    page.get_by_label(visitor.words["vote.feedback"]).fill(TEXT)
    page.get_by_label(visitor.words["vote.feedback"]).press("Control+Enter")
    expect(visitor.button("vote.send")).to_be_disabled()
    visitor.button("vote.send").click(force=True)
    assert page.evaluate("[...document.querySelectorAll('#ballot :is(input, textarea, button)')].every((one) => !one.form)")


def expect_sealed(visitor: Visitor, requests: list[Request]) -> None:
    """Waits for the thanks, and checks that the ballot was sent once, without the log-in."""
    expect_thanks(visitor)
    (ballot,) = requests
    assert ballot.url == f"{visitor.url}/api/v1/ballots"
    assert not {"cookie", "authorization", "x-form-token"} & set(ballot.all_headers())


def test_these_are_the_modules_that_a_vote_loads(visitor: Visitor, installation: Installation) -> None:
    loaded: list[str] = []
    visitor.context.on("request", lambda request: loaded.append(request.url.rpartition("/")[2]))
    open_vote_page(visitor, installation)
    visitor.page.get_by_role("slider").fill("7")
    visitor.button("vote.send").click()
    expect_thanks(visitor)
    before = loaded[: loaded.index("ballots")]
    assert {name for name in before if name.endswith(".js")} == NEEDED | NEEDED_LATER | OTHERS


@pytest.mark.parametrize("ballots", ["any", "sealed"])
@pytest.mark.parametrize("module", sorted(NEEDED))
def test_nothing_is_sent_until_a_late_module_is_there(
    module: str, ballots: str, visitor: Visitor, installation: Installation
) -> None:
    held: list[Route] = []
    visitor.page.route(address_of(module), lambda route: held.append(route))
    sent = requests_with_ballots(visitor)
    address = open_vote_page(visitor, installation, ballots, wait_until="commit")
    fill_in_and_try_to_send(visitor)
    assert held and sent == []
    assert visitor.page.url == address
    for route in held:
        route.continue_()
    # The next page needs it, too.
    visitor.page.unroute(address_of(module))
    expect(visitor.button("vote.send")).to_be_enabled()
    expect(visitor.page.get_by_text(visitor.words["vote.undecided"])).to_have_count(0)
    visitor.button("vote.send").click()
    expect_sealed(visitor, sent)
    assert sent[0].post_data_json["happiness"] == 7 and sent[0].post_data_json["feedback"] == TEXT


@pytest.mark.parametrize("module", sorted(NEEDED_LATER))
def test_a_vote_waits_for_a_module_that_is_late_when_it_is_sent(
    module: str, visitor: Visitor, installation: Installation
) -> None:
    held: list[Route] = []
    visitor.page.route(address_of(module), lambda route: held.append(route))
    sent = requests_with_ballots(visitor)
    open_vote_page(visitor, installation)
    visitor.page.get_by_role("slider").fill("7")
    with visitor.page.expect_request(address_of(module)):
        visitor.button("vote.send").click()
    expect(visitor.button("vote.send")).to_be_disabled()
    assert sent == []
    for route in held:
        route.continue_()
    expect_sealed(visitor, sent)


@pytest.mark.parametrize("ballots", ["any", "sealed"])
def test_a_page_says_that_it_cannot_send_a_vote_if_a_module_fails(
    ballots: str, visitor: Visitor, installation: Installation
) -> None:
    address = open_vote_page(visitor, installation, ballots)
    sent = requests_with_ballots(visitor)
    for module in sorted(NEEDED):
        visitor.page.route(address_of(module), fail)
        with visitor.complaints.expecting_no_network():
            visitor.page.goto(address)
            fill_in_and_try_to_send(visitor)
            visitor.page.evaluate(WAIT_FOR_SCRIPT)
            expect(visitor.page.get_by_text(visitor.words["vote.undecided"])).to_be_visible()
            expect(visitor.page.get_by_text(visitor.words["vote.sealed"])).to_be_hidden()
            description = visitor.page.locator("#send").evaluate(
                "one => document.getElementById(one.getAttribute('aria-describedby')).innerText")
            assert description == visitor.words["vote.undecided"], module
            assert sent == [] and visitor.page.url == address, module
        visitor.page.unroute(address_of(module))
    # As soon as all arrive, it can.
    visitor.page.goto(address)
    visitor.page.get_by_role("slider").fill("7")
    visitor.button("vote.send").click()
    expect_sealed(visitor, sent)


@pytest.mark.parametrize("profile", [Profile("phone", "de"), Profile("desktop", "en")], ids=str)
def test_a_page_that_cannot_send_a_vote_is_readable(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile).without_service_worker()
    visitor.page.route(address_of("vote.js"), fail)
    with visitor.complaints.expecting_no_network():
        open_vote_page(visitor, installation)
        visitor.page.evaluate(WAIT_FOR_SCRIPT)
        sentence = visitor.page.get_by_text(visitor.words["vote.undecided"])
        expect(sentence).to_be_visible()
        if profile.device == "phone":
            expect(sentence).to_be_in_viewport(ratio=1)
        visitor.look("vote-undecided")


@pytest.mark.parametrize("module", sorted(NEEDED_LATER))
def test_a_vote_waits_if_a_module_fails_when_it_is_sent(
    module: str, visitor: Visitor, installation: Installation
) -> None:
    visitor.page.route(address_of(module), fail)
    sent = requests_with_ballots(visitor)
    open_vote_page(visitor, installation)
    visitor.page.get_by_role("slider").fill("7")
    with visitor.complaints.expecting_no_network():
        visitor.button("vote.send").click()
        expect(visitor.page.get_by_role("heading", name=visitor.words["vote.waitsTitle"])).to_be_visible()
    assert sent == []
    visitor.page.unroute(address_of(module))
    visitor.open("/")
    expect(visitor.page.get_by_text(visitor.words["app.unsentSent"])).to_be_visible()
    assert [request.url for request in sent] == [f"{visitor.url}/api/v1/ballots"]


@pytest.mark.parametrize("module", sorted(OTHERS))
def test_a_vote_is_sealed_without_the_other_modules(module: str, visitor: Visitor, installation: Installation) -> None:
    visitor.page.route(address_of(module), fail)
    sent = requests_with_ballots(visitor)
    with visitor.complaints.expecting_no_network():
        open_vote_page(visitor, installation)
        visitor.page.get_by_role("slider").fill("7")
        visitor.page.get_by_role("slider").press("Enter")
        expect_sealed(visitor, sent)


def test_a_page_of_version_010_whose_server_was_replaced_sends_no_form(visitor: Visitor, installation: Installation) -> None:
    """It has a form, and gets the new scripts."""

    def show_older(route: Route) -> None:
        answer = route.fetch()
        page = answer.text().replace('<div class="ballot-fields" id="ballot"', '<form method="post" class="ballot-fields" id="ballot"')
        page = re.sub('<p class="undecided".*?</p>', "", page).replace('type="button" class="wide" id="send" disabled', 'class="wide" id="send"')
        assert "<form method=\"post\" class=\"ballot-fields" in page and 'class="wide" id="send"' in page
        route.fulfill(response=answer, body=page)

    sent = requests_with_ballots(visitor)
    visitor.page.route("**/vote", show_older)
    open_vote_page(visitor, installation)
    visitor.page.locator("input[name='happiness'], input[value='7']").first.wait_for(state="attached")
    visitor.page.get_by_role("slider").fill("7")
    visitor.page.get_by_role("slider").press("Enter")
    expect_sealed(visitor, sent)


# Browsers that cannot seal


@pytest.mark.parametrize("ballots", ["any", "sealed"])
@pytest.mark.parametrize("profile", [Profile("phone", "de"), Profile("desktop", "en")], ids=str)
def test_a_browser_that_cannot_seal_says_so(
    profile: Profile, ballots: str, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    # As on a page without TLS.
    visitor.context.add_init_script('Object.defineProperty(Crypto.prototype, "subtle", { value: undefined })')
    sent = requests_with_ballots(visitor)
    open_vote_page(visitor, installation, ballots)
    key = "vote.unsealable" if ballots == "any" else "vote.sealedOnly"
    expect(visitor.page.locator("#unsealable").get_by_text(visitor.words[key])).to_be_visible()
    expect(visitor.page.locator("#send")).to_be_hidden()
    visitor.look(f"vote-unsealable-{ballots}")
    if ballots == "sealed":
        expect(visitor.link("vote.toPlain")).to_have_count(0)
        visitor.open(f"{visitor.page.url.removeprefix(visitor.url)}/plain")
        expect(visitor.page.get_by_text(visitor.words["vote.sealedElsewhere"])).to_be_visible()
        visitor.look("vote-sealed-elsewhere")
        assert sent == []
        return
    visitor.link("vote.toPlain").click()
    expect(visitor.page.get_by_text(visitor.words["vote.plain"])).to_be_visible()
    visitor.look("vote-plain")
    visitor.page.locator(".stops label").nth(7).click()
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill(TEXT)
    visitor.button("vote.send").click()
    expect_thanks(visitor)
    (ballot,) = sent
    assert ballot.url.endswith("/vote/plain") and ballot.method == "POST"


@pytest.mark.parametrize("ballots", ["any", "sealed"])
@pytest.mark.parametrize("profile", [Profile("phone", "de"), Profile("desktop", "en")], ids=str)
def test_a_page_without_scripts_shows_no_button_that_does_nothing(
    profile: Profile, ballots: str, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=False)
    open_vote_page(visitor, installation, ballots)
    key = "vote.unsealable" if ballots == "any" else "vote.sealedOnly"
    expect(visitor.page.locator("#unsealable").get_by_text(visitor.words[key])).to_be_visible()
    for hidden in ("#ballot", "#send", "#undecided"):
        expect(visitor.page.locator(hidden)).to_be_hidden()
    expect(visitor.link("vote.toPlain")).to_have_count(1 if ballots == "any" else 0)
    visitor.look(f"vote-{ballots}")
