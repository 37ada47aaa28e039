"""Two leads change the same page, and neither overwrites the other's change without seeing it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from installation import Installation
from playwright.sync_api import Locator, Page, expect
from visitor import SCRIPT_OR_NOT, Profile, Visitor, script_or_not_name


def change_as_another(installation: Installation, visitor: Visitor, page: str, body: dict[str, Any]) -> str:
    """Opens a page of the team's management; then an administrator changes the same values. Returns the team's id."""
    name = installation.add_team()
    person = visitor.log_in_new(name, lead=True)
    # A result cannot contain more votes than there are members.
    for _ in range(3):
        installation.add_person(team=name)
    team = installation.team_id(person)
    visitor.open(f"/teams/{team}/manage/{page}")
    method, path = ("PATCH", "") if page == "settings" else ("PUT", "/reminders")
    installation.api(installation.admin(), method, f"/teams/{team}{path}", body)
    return team


def save_too_late(visitor: Visitor, picture: str) -> None:
    with visitor.complaints.expecting(409):
        visitor.button("settings.save").click()
        expect(visitor.page.get_by_role("alert")).to_have_text(visitor.words["errors.changed-meanwhile"])
        visitor.look(picture)


def change(page: Page, field: str) -> Locator:
    """What a page says about another user's change of a field."""
    return page.locator(".meanwhile li", has=page.locator(f"[href='#{field}']"))


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_conflicting_changes_are_shown_and_others_are_kept(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=javascript)
    change_as_another(installation, visitor, "settings", {"threshold": 4, "policy": "close", "graceDays": 2})
    page, words = visitor.page, visitor.words
    visitor.field("teamSettings.threshold").fill("2")
    save_too_late(visitor, "manage-settings-meanwhile")
    expect(change(page, "threshold")).to_contain_text("4")
    expect(change(page, "threshold")).to_contain_text(words["meanwhile.typedOver"])
    expect(change(page, "policy")).to_contain_text(words["teamSettings.close"])
    expect(change(page, "policy")).not_to_contain_text(words["meanwhile.typedOver"])
    expect(visitor.field("teamSettings.threshold")).to_have_value("2")
    expect(visitor.field("teamSettings.grace")).to_have_value("2")
    change(page, "threshold").get_by_role("link").click()
    expect(visitor.field("teamSettings.threshold")).to_be_in_viewport()
    visitor.button("settings.save").click()
    expect(page.get_by_role("status")).to_have_text(words["teamSettings.done"])
    expect(visitor.field("teamSettings.threshold")).to_have_value("2")
    expect(page.locator("[name=policy][value=close]")).to_be_checked()
    expect(page.locator(".meanwhile")).to_have_count(0)


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no-script"])
def test_reminders_changed_by_another_lead_are_not_overwritten(
    javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "de"), javascript=javascript)
    theirs = {"first": {"de": {"title": "Na, {team}?", "body": "Stimm ab."}}}
    body = {"isOn": True, "hour": 8, "remindsAgain": True, "holidays": [], "texts": theirs}
    team = change_as_another(installation, visitor, "reminders", body)
    visitor.field("teamReminders.hour").select_option("11")
    save_too_late(visitor, "manage-reminders-meanwhile")
    expect(change(visitor.page, "title-first-de")).to_contain_text("Na, {team}? – Stimm ab.")
    expect(visitor.field("teamReminders.hour")).to_have_value("11")
    visitor.button("settings.save").click()
    expect(visitor.page.get_by_text(visitor.words["teamReminders.done"])).to_be_visible()
    kept = installation.api(installation.admin(), "GET", f"/teams/{team}/reminders")
    assert (kept["hour"], kept["remindsAgain"], kept["texts"]) == (11, True, theirs)
