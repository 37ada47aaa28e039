"""The users' own settings."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from installation import Installation, Person
from playwright.sync_api import expect
from test_log_in import log_in_by_form
from visitor import PROFILES, Profile, Visitor

PAGES = {
    "settings": "settings.title",
    "settings/picture": "picture.title",
    "settings/email": "email.title",
    "settings/password": "password.title",
    "settings/sessions": "sessions.title",
    "settings/notifications": "notifications.title",
    "settings/delete": "deletion.question",
}


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_every_settings_page_has_no_findings(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    person = visitor.log_in_new(installation.add_team())
    installation.command("team", "add-member", installation.add_team("Another Team"), person.name)
    for address, heading in PAGES.items():
        visitor.open(f"/{address}")
        visitor.expect_heading(heading)
        visitor.look(address.replace("/", "-"))


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_refused_days_are_named_and_stay_in_the_form(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    person = visitor.log_in_new(installation.add_team(), lead=True)
    reminders = f"/teams/{installation.team_id(person)}/manage/reminders"
    for address, section, name in [
        ("/settings/notifications", "absences", "absences-refused"), (reminders, "quietDays", "quiet-days-refused"),
    ]:
        visitor.open(address)
        first, last = visitor.field(f"{section}.first"), visitor.field(f"{section}.last")
        first.fill("2099-12-24")
        last.fill("2099-12-26")
        visitor.button("absences.add").click()
        expect(visitor.page.get_by_text(visitor.words[f"{section}.done"], exact=True)).to_be_visible()
        kept = visitor.page.locator(".rows > li")
        count = kept.count()
        first.fill("2099-05-03")
        last.fill("2099-05-02")
        with visitor.complaints.expecting(422):
            visitor.button("absences.add").click()
            expect(visitor.page.get_by_role("alert")).to_contain_text({"en": "2 May 2099", "de": "2. Mai 2099"}[profile.language])
            expect(visitor.page.get_by_role("alert")).to_be_in_viewport()
            expect(first).to_have_value("2099-05-03")
            expect(last).to_have_value("2099-05-02")
            expect(kept).to_have_count(count)
            visitor.look(name)


def test_a_chosen_appearance_overrides_the_devices(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "en"))
    visitor.log_in_new(installation.add_team())
    visitor.open("/settings")
    light = background(visitor)
    visitor.button("settings.themeDark").click()
    expect(visitor.page.get_by_text(visitor.words["settings.themeDone"])).to_be_visible()
    assert background(visitor) != light
    visitor.open("/")
    assert background(visitor) != light


def background(visitor: Visitor) -> str:
    return visitor.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")


def test_the_language_changes_immediately(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "en"))
    visitor.log_in_new(installation.add_team())
    visitor.open("/settings")
    visitor.page.locator("button[lang=de]").click()
    expect(visitor.page.locator("html")).to_have_attribute("lang", "de")
    # Waits until it is complete before leaving it.
    visitor.page.wait_for_load_state("load")
    visitor.open("/")
    expect(visitor.page.locator("html")).to_have_attribute("lang", "de")


@pytest.mark.parametrize("other, last", [("de", "en"), ("en", "de")])
def test_the_page_without_a_connection_is_in_the_language_of_the_last_page(
    other: str, last: str, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", last))
    visitor.log_in_new(installation.add_team())
    for language in (other, last):
        visitor.open("/settings")
        visitor.page.evaluate("navigator.serviceWorker.ready")
        visitor.page.locator(f"button[lang={language}]").click()
        expect(visitor.page.locator("html")).to_have_attribute("lang", language)
        visitor.page.wait_for_load_state("load")
    with visitor.complaints.expecting_no_network():
        visitor.context.set_offline(True)
        visitor.open("/")
        expect(visitor.page.locator("h1")).to_have_text(visitor.words["offline.title"])
        visitor.look("offline")


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no-script"])
def test_a_changed_password_takes_effect_immediately(
    javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "de"), javascript=javascript)
    person = visitor.log_in_new(installation.add_team())
    visitor.open("/settings/password")
    fill_in_password(visitor, "not the password")
    with visitor.complaints.expecting(401, 403, 422):
        visitor.button("password.save").click()
        expect(visitor.page.get_by_role("alert")).to_be_visible()
        visitor.look("settings-password-wrong")
    fill_in_password(visitor, person.password)
    visitor.button("password.save").click()
    expect(visitor.page.get_by_text(visitor.words["password.done"])).to_be_visible()
    other = browse(Profile("phone", "de"))
    other.log_in(Person(person.name, person.email, "quiet lantern 1"))


def fill_in_password(visitor: Visitor, present: str) -> None:
    visitor.field("password.current").fill(present)
    visitor.field("reset.password").fill("quiet lantern 1")
    visitor.field("reset.repeat").fill("quiet lantern 1")


def test_another_device_is_logged_out_from_here(browse: Callable[..., Visitor], installation: Installation) -> None:
    here = browse(Profile("desktop", "en"))
    person = here.log_in_new(installation.add_team())
    there = browse(Profile("phone", "en"))
    there.log_in(person)
    here.open("/settings/sessions")
    here.look("settings-sessions-two")
    here.button("sessions.endOthers").click()
    expect(here.button("sessions.endOthers")).to_have_count(0)
    there.open("/")
    there.expect_heading("logIn.title")


def test_an_account_is_deleted_permanently_with_the_password(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "en"))
    person = visitor.log_in_new(installation.add_team())
    visitor.open("/settings")
    visitor.link("deletion.title").click()
    visitor.expect_heading("deletion.question")
    visitor.field("settings.password").fill(person.password)
    visitor.button("deletion.delete").click()
    visitor.expect_heading("deletion.doneTitle")
    visitor.look("account-deleted")
    visitor.open("/login")
    with visitor.complaints.expecting(401):
        log_in_by_form(visitor, person.name, person.password)
        expect(visitor.page.get_by_role("alert")).to_have_text(visitor.words["errors.wrong-credentials"])
