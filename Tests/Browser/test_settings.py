"""The users' own settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from installation import Installation, Person
from playwright.sync_api import expect
from test_log_in import log_in_by_form
from visitor import PROFILES, SCRIPT_OR_NOT, Profile, Visitor, script_or_not_name

PAGES = {
    "settings": "settings.title",
    "settings/name": "name.title",
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


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_a_display_name_is_shown_and_a_new_user_name_logs_in(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=javascript)
    team = installation.add_team()
    person, other = visitor.log_in_new(team, lead=True), visitor.somebody_new(team)
    visitor.open("/settings/name")
    visitor.field("register.name").fill(other.name.upper())
    with visitor.complaints.expecting(409):
        visitor.button("settings.save").click()
        name = visitor.field("register.name")
        expect(name).to_have_attribute("aria-invalid", "true")
        expect(name).to_have_value(other.name.upper())
        expect(name).to_have_accessible_description(re.compile(re.escape(visitor.words["errors.name-taken"])))
        visitor.look("settings-name-taken")
    visitor.field("register.name").fill(f"new-{person.name}")
    visitor.page.locator("#displayName").fill("Änne O’Hara")
    visitor.button("settings.save").click()
    expect(visitor.page.get_by_text(visitor.words["name.done"])).to_be_visible()
    visitor.open(f"/teams/{installation.team_id(replace(person, name=f'new-{person.name}'))}/manage/members")
    expect(visitor.page.locator("main").get_by_text("Änne O’Hara").first).to_be_visible()
    again = browse(profile, javascript=javascript)
    again.open("/login")
    with again.complaints.expecting(401):
        log_in_by_form(again, person.name, person.password)
        expect(again.page.get_by_role("alert")).to_be_visible()
    log_in_by_form(again, f"new-{person.name}", person.password)
    again.page.wait_for_url(re.compile(r"/teams/\w+$"))


def test_cancel_leads_back_to_where_one_came_from(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "en"))
    person = visitor.log_in_new(installation.add_team())
    board = f"/teams/{installation.team_id(person)}/actions"
    visitor.open(board)
    visitor.open("/settings/name")
    visitor.link("settings.cancel").click()
    visitor.page.wait_for_url(f"**{board}")
    # A page that was opened directly has nowhere to go back to.
    direct = browse(Profile("phone", "en"))
    direct.log_in(person)
    direct.open("/settings/name")
    direct.link("settings.cancel").click()
    direct.page.wait_for_url("**/settings")


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_an_hour_and_a_mail_with_the_result_are_chosen(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    person = visitor.log_in_new(installation.add_team())
    visitor.open("/settings/notifications")
    visitor.field("notifications.hour").select_option("16")
    results = visitor.page.locator("[name=results]")
    expect(results).not_to_be_checked()
    results.check()
    visitor.button("settings.save").first.click()
    expect(visitor.page.get_by_role("status").first).to_be_visible()
    expect(visitor.field("notifications.hour")).to_have_value("16")
    expect(results).to_be_checked()
    chosen = installation.api(person, "GET", "/me")["notifications"]
    assert (chosen["hour"], chosen["results"]) == (16, True)
