"""Logging in and out."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from installation import Installation, Person
from playwright.sync_api import expect
from visitor import SCRIPT_OR_NOT, Profile, Visitor, origin, script_or_not_name


def log_in_by_form(visitor: Visitor, name: str, password: str) -> None:
    visitor.field("logIn.username").fill(name)
    visitor.field("logIn.password").fill(password)
    visitor.button("logIn.send").click()


def log_in_by_keyboard(visitor: Visitor, person: Person) -> None:
    """Starts at the open log-in page, whose first field has the focus from the start."""
    # A browser sets it with its first frame, which may come after `load`: keys pressed before are lost.
    expect(visitor.field("logIn.username")).to_be_focused()
    keyboard = visitor.page.keyboard
    keyboard.type(person.name)
    keyboard.press("Tab")
    keyboard.type(person.password)
    keyboard.press("Enter")


@pytest.fixture
def person(installation: Installation) -> Person:
    return installation.add_person()


def test_after_the_log_in_the_requested_page_opens(
    visitor: Visitor, installation: Installation
) -> None:
    person = visitor.somebody_new(installation.add_team())
    visitor.open("/?from=reminder")
    visitor.expect_heading("logIn.title")
    expect(visitor.field("logIn.username")).to_be_focused()
    visitor.look("log-in")
    log_in_by_form(visitor, person.name, person.password)
    visitor.page.wait_for_url("**/teams/*")


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_blocked_cookies_and_a_wrong_password_say_so_and_keep_the_name(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor]
) -> None:
    visitor = browse(profile, javascript=javascript)
    person = visitor.somebody_new()
    visitor.open("/login")
    # As if the browser kept none.
    visitor.context.clear_cookies()
    with visitor.complaints.expecting(422):
        log_in_by_form(visitor, person.name, person.password)
        expect(visitor.page.get_by_role("alert")).to_have_text(visitor.words["logIn.needsCookies"])
        expect(visitor.field("logIn.username")).to_have_value(person.name)
    with visitor.complaints.expecting(401):
        log_in_by_form(visitor, person.name, "not the password")
        expect(visitor.page.get_by_role("alert")).to_have_text(visitor.words["errors.wrong-credentials"])
        expect(visitor.field("logIn.username")).to_have_value(person.name)
        expect(visitor.field("logIn.password")).to_have_value("")
        visitor.look("log-in-wrong-password")
    log_in_by_form(visitor, person.email, person.password)
    visitor.page.wait_for_url("**/")
    visitor.expect_heading("noTeam.title")
    visitor.look("no-team")
    visitor.button("noTeam.ask").click()
    expect(visitor.page.get_by_text(visitor.words["noTeam.asked"])).to_be_visible()
    visitor.look("no-team-asked")


def test_the_keyboard_alone_is_enough(browse: Callable[..., Visitor], person: Person) -> None:
    visitor = browse(Profile("desktop", "en"))
    visitor.open("/login")
    log_in_by_keyboard(visitor, person)
    visitor.expect_heading("noTeam.title")


def test_a_log_in_never_redirects_to_another_site(browse: Callable[..., Visitor], person: Person) -> None:
    visitor = browse()
    visitor.open("/login?next=//example.com/")
    log_in_by_form(visitor, person.name, person.password)
    visitor.page.wait_for_url(f"{visitor.installation.url}/")


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_a_handed_out_password_is_asked_about_until_it_is_changed(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    """A vote page that was opened from a mail is reached each time."""
    visitor = browse(profile, javascript=javascript)
    person = installation.add_person(
        team=installation.add_team(), language=profile.language, password_is_own=False)
    # The page that any browser can show.
    vote = f"/teams/{installation.team_id(person)}/vote/plain"
    visitor.open(vote)
    log_in_by_form(visitor, person.name, person.password)
    visitor.expect_heading("ownPassword.title")
    visitor.look("own-password")
    visitor.link("ownPassword.later").click()
    visitor.page.wait_for_url(f"{visitor.url}{vote}")
    visitor.open("/settings")
    expect(visitor.page.get_by_text(visitor.words["ownPassword.tag"], exact=True)).to_be_visible()
    visitor.look("settings-handed-out-password")

    visitor.context.clear_cookies()
    visitor.open(vote)
    log_in_by_form(visitor, person.name, person.password)
    visitor.expect_heading("ownPassword.title")
    with visitor.complaints.expecting(422):
        choose_password(visitor, person.password, person.password)
        expect(visitor.page.get_by_role("alert")).to_have_text(visitor.words["errors.password-is-handed-out"])
        visitor.look("own-password-refused")
    choose_password(visitor, person.password, "quiet lantern 1")
    visitor.page.wait_for_url(f"{visitor.url}{vote}")
    visitor.open("/settings")
    expect(visitor.page.get_by_text(visitor.words["ownPassword.tag"], exact=True)).to_have_count(0)

    visitor.context.clear_cookies()
    visitor.open(vote)
    log_in_by_form(visitor, person.name, "quiet lantern 1")
    visitor.page.wait_for_url(f"{visitor.url}{vote}")


def choose_password(visitor: Visitor, present: str, password: str) -> None:
    visitor.field("ownPassword.current").fill(present)
    visitor.field("reset.password").fill(password)
    visitor.field("reset.repeat").fill(password)
    visitor.button("password.save").click()


@pytest.mark.parametrize("address", ["/login", "/forgot-password", "/register"])
def test_a_form_sends_its_origin(address: str, browse: Callable[..., Visitor]) -> None:
    """Over plain HTTP a browser sends the origin only in `Origin`, and omits it on a page without referrer."""
    visitor = browse(Profile("desktop", "en"))
    visitor.open(address)
    with visitor.complaints.expecting(400, 401, 422):
        with visitor.page.expect_request(lambda request: request.method == "POST") as sent:
            visitor.page.evaluate("HTMLFormElement.prototype.submit.call(document.querySelector('main form'))")
        assert sent.value.all_headers()["origin"] == origin(visitor.url)
        visitor.page.wait_for_load_state("load")


def test_too_many_failures_cause_a_delay(browse: Callable[..., Visitor], person: Person) -> None:
    visitor = browse(Profile("phone", "de"))
    visitor.open("/login")
    with visitor.complaints.expecting(401, 429):
        # The fifth failure in a row for a name triggers a delay of a second, and each further one doubles it.
        status = 401
        while status == 401:
            with visitor.page.expect_response("**/login*") as answer:
                log_in_by_form(visitor, person.name, "not the password")
            status = answer.value.status
        expect(visitor.page.get_by_role("alert")).to_have_text(visitor.words["errors.too-many-log-ins"])
        visitor.look("log-in-too-often")


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no-script"])
def test_after_logging_out_the_back_button_shows_nothing_of_the_person(
    javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(javascript=javascript)
    person = visitor.log_in_new(installation.add_team())
    visitor.open("/")
    visitor.page.wait_for_url("**/teams/*")
    log_out(visitor, look=True)
    visitor.page.go_back()
    visitor.expect_heading("logIn.title")
    expect(visitor.page.get_by_text(person.name)).to_have_count(0)


def log_out(visitor: Visitor, look: bool = False, unsent: str | None = None) -> None:
    """Uses the menu, which asks for confirmation, and mentions an unsent vote only if there is one: `sealed` or `plain`."""
    visitor.page.get_by_alt_text(visitor.words["app.menu"]).click()
    visitor.page.locator("summary").get_by_text(visitor.words["app.logOut"], exact=True).click()
    expect(visitor.page.get_by_text(visitor.words["app.logOutQuestion"])).to_be_visible()
    for kind in ("sealed", "plain"):
        expect(visitor.page.locator(f"[data-log-out-unsent={kind}]").first).to_be_visible(visible=unsent == kind)
    if look:
        visitor.look("log-out-question")
    visitor.button("app.logOutNow").click()
    visitor.expect_heading("logIn.title")
