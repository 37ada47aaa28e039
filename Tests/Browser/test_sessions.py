"""Staying logged in, logging in through an organisation, and keeping what a user wrote while their log-in ended."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from installation import ROOT, Installation, Person
from playwright.sync_api import Page, expect
from visitor import PROFILES, PROFILES_WITHOUT_SCRIPT, Profile, Visitor

PROVIDER = ROOT / "Tests/TestSupport/oidc_provider.py"


class Provider:
    """A real OpenID provider in a process of its own, with one client and one user, `grace`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen([sys.executable, str(PROVIDER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.issuer = f"http://127.0.0.1:{json.loads(self._process.stdout.readline())['port']}"
        self._send("PUT", "/users/grace", {
            "email": "grace@example.org", "email_verified": True, "name": "Grace Hopper", "preferred_username": "grace"})

    def settings(self, url: str) -> dict[str, str]:
        """Settings of an installation with this address."""
        client = self._send("POST", "/oauth2/clients", {
            "redirect_uris": [f"{url}/login/company/callback"], "token_endpoint_auth_method": "client_secret_basic"})
        return {
            "OIDC_PROVIDERS": "company", "OIDC_COMPANY_NAME": "Company", "OIDC_COMPANY_ISSUER": self.issuer,
            "OIDC_COMPANY_CLIENT_ID": client["client_id"], "OIDC_COMPANY_CLIENT_SECRET": client["client_secret"],
            "OIDC_COMPANY_CREATE": "member",
        }

    def stop(self) -> None:
        """Stops it by closing its standard input."""
        self._process.stdin.close()
        self._process.wait()

    def _send(self, method: str, path: str, body: dict[str, object]) -> dict[str, str]:
        request = urllib.request.Request(
            self.issuer + path, data=json.dumps(body).encode(), method=method, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or "{}")


@pytest.fixture(scope="module")
def organisation() -> Iterator[Installation]:
    """An installation with log-in through `Company`."""
    provider = Provider()
    installation = Installation()
    try:
        for server in installation.servers:
            server.environment |= provider.settings(server.url)
        installation.start()
        yield installation
    finally:
        installation.stop()
        provider.stop()


def log_in_at_provider(page: Page) -> None:
    """Fills in the provider's own form."""
    page.locator("input[name=sub]").fill("grace")
    page.locator("button").first.click()


def fill_in_log_in(page: Page, person: Person) -> None:
    """Logs in with our form."""
    page.locator("#username").fill(person.name)
    page.locator("#password").fill(person.password)
    page.locator("main button:not([type=button])").first.click()


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_log_in_through_the_organisation_opens_the_requested_page(
    profile: Profile, browse: Callable[..., Visitor], organisation: Installation
) -> None:
    visitor = browse(profile, place=organisation)
    visitor.open("/settings")
    visitor.expect_heading("logIn.title")
    visitor.look("log-in-organisation")
    # The provider's page is not checked.
    with visitor.complaints.expecting(404), visitor.complaints.expecting_no_network():
        visitor.page.get_by_role("link", name="Company").click()
        log_in_at_provider(visitor.page)
        visitor.expect_heading("settings.title")
    assert visitor.page.url == f"{visitor.url}/settings"
    visitor.open("/settings")
    visitor.expect_heading("settings.title")


@pytest.mark.parametrize("profile", PROFILES_WITHOUT_SCRIPT, ids=str)
def test_unsent_text_returns_after_the_log_in(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=False)
    person = visitor.log_in_new(installation.add_team())
    visitor.open("/")
    visitor.open(f"{visitor.page.url}/vote/plain")
    visitor.page.locator("input[value='7']").check(force=True)
    visitor.page.locator("#feedback").fill("Fewer meetings.\nMore time.")
    visitor.context.clear_cookies()
    with visitor.complaints.expecting(401):
        visitor.page.locator("#send").click()
        expect(visitor.page.get_by_text(visitor.words["keptForm.waits"])).to_be_visible()
        visitor.look("log-in-again")
    # Without a script the form cannot leave its page, so the log-in opens in another window.
    with visitor.context.expect_page() as other:
        visitor.page.locator("#log-in-again").click()
    fill_in_log_in(other.value, person)
    expect(other.value.get_by_text(visitor.words["keptForm.elsewhereDone"])).to_be_visible()
    other.value.close()
    visitor.button("keptForm.goOn").click()
    expect(visitor.page.get_by_text(visitor.words["keptForm.vote"])).to_be_visible()
    expect(visitor.page.locator("#feedback")).to_have_value("Fewer meetings.\nMore time.")
    expect(visitor.page.locator("input[value='7']")).to_be_checked()
    visitor.look("vote-again")
    visitor.page.locator("#send").click()
    expect(visitor.page.get_by_text(visitor.words["live.votedAtEnd"])).to_be_visible()
    visitor.open("/kept-form")
    visitor.look("logged-in-again")


def test_a_log_in_with_another_account_keeps_unsent_text(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "en"))
    page = visitor.page
    person = visitor.log_in_new(installation.add_team())
    somebody_else = visitor.somebody_new()
    visitor.open("/")
    visitor.open(f"{page.url}/vote/plain")
    page.locator("#feedback").fill("Fewer meetings.")
    visitor.context.clear_cookies()
    with visitor.complaints.expecting(401, 403):
        # Without a value, which the button would ask for.
        page.evaluate("document.querySelector('#plain-ballot').submit()")
        expect(page.get_by_text(visitor.words["keptForm.waits"])).to_be_visible()
        expect(page.locator("#log-in-again")).not_to_have_attribute("target", "_blank")
        page.locator("#log-in-again").click()
        fill_in_log_in(page, somebody_else)
        visitor.expect_heading("keptForm.notYoursTitle")
        visitor.look("other-users-form")
    visitor.log_in(person)
    visitor.button("keptForm.goOn").click()
    expect(page.locator("#feedback")).to_have_value("Fewer meetings.")
    page.wait_for_load_state("load")


def test_with_scripts_unsent_text_returns_in_the_same_window(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "de"))
    page = visitor.page
    person = visitor.log_in_new(installation.add_team())
    visitor.open("/")
    visitor.open(f"{page.url}/vote/plain")
    page.locator("#feedback").fill("Weniger Sitzungen.")
    visitor.context.clear_cookies()
    with visitor.complaints.expecting(401):
        # Without a value, which the button would ask for.
        page.evaluate("document.querySelector('#plain-ballot').submit()")
        expect(page.get_by_text(visitor.words["keptForm.waits"])).to_be_visible()
    expect(page.locator("#log-in-again")).not_to_have_attribute("target", "_blank")
    page.locator("#log-in-again").click()
    fill_in_log_in(page, person)
    expect(page.locator("#feedback")).to_have_value("Weniger Sitzungen.")
    assert len(visitor.context.pages) == 1
    assert page.evaluate("sessionStorage.length") == 0
    page.wait_for_load_state("load")
    with page.expect_request("**/kept-form*") as again:
        page.reload()
    assert "password" not in again.value.post_data, "a reload must not send it"
    expect(page.locator("#feedback")).to_have_value("Weniger Sitzungen.")


def test_unsent_text_returns_after_a_log_in_through_the_organisation(
    browse: Callable[..., Visitor], organisation: Installation
) -> None:
    visitor = browse(Profile("desktop", "en"), place=organisation)
    page = visitor.page
    with visitor.complaints.expecting(401, 404), visitor.complaints.expecting_no_network():
        visitor.open("/login")
        page.get_by_role("link", name="Company").click()
        log_in_at_provider(page)
        organisation.command("team", "add-member", organisation.add_team(), "grace")
        visitor.open("/")
        visitor.open(f"{page.url}/vote/plain")
        page.locator("#feedback").fill("Fewer meetings.\nMore time.")
        page.locator("input[value='10']").check(force=True)
        visitor.context.clear_cookies()
        # Without a value, which the button would ask for.
        page.evaluate("document.querySelector('#plain-ballot').submit()")
        expect(page.get_by_text(visitor.words["keptForm.waits"])).to_be_visible()
        visitor.look("log-in-again-organisation")
        page.locator("#log-in-again").click()
        page.get_by_role("link", name="Company").click()
        log_in_at_provider(page)
        expect(page.locator("#feedback")).to_have_value("Fewer meetings.\nMore time.")
        page.wait_for_load_state("load")


def test_the_default_language_is_the_browsers(browse: Callable[..., Visitor], installation: Installation) -> None:
    person = installation.add_person(team=installation.add_team())
    for language in ("de", "en"):
        visitor = browse(Profile("phone", language))
        visitor.log_in(person)
        visitor.open("/settings")
        expect(visitor.page.locator("html")).to_have_attribute("lang", language)
        expect(visitor.button("settings.languageBrowser")).to_have_attribute("aria-pressed", "true")
        visitor.page.wait_for_load_state("load")
