"""Searching everything a user may see: from the first letter, with the keyboard alone, and without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from installation import Installation
from playwright.sync_api import Locator, expect
from test_history import closed_sprint
from visitor import PROFILES, SCRIPT_OR_NOT, Profile, Visitor, script_or_not_name


def matches(visitor: Visitor) -> Locator:
    return visitor.page.locator(".matches a")


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_a_word_finds_pages_people_sprints_and_feedback(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=javascript)
    person = visitor.log_in_new("Demo Team")
    visitor.open(f"/teams/{installation.team_id(person)}")
    visitor.link("search.title").click()
    visitor.expect_heading("search.title")
    expect(visitor.page.get_by_text(visitor.words["search.hint"])).to_be_visible()
    visitor.look("search-empty")
    field = visitor.field("search.title")
    expect(field).to_be_focused()
    field.fill("a")
    if not javascript:
        visitor.button("admin.find").click()
    expect(matches(visitor)).to_have_count(6)
    visitor.look("search")
    label = closed_sprint(installation, person)
    visitor.field("search.title").fill(label)
    if not javascript:
        visitor.button("admin.find").click()
    expect(matches(visitor).first).to_have_attribute("href", re.compile(rf"/sprints/{label}$"))
    visitor.field("search.title").fill("zzqx")
    if not javascript:
        visitor.button("admin.find").click()
    expect(visitor.page.get_by_text(visitor.words["search.nothing"])).to_be_visible()
    visitor.look("search-nothing")


@pytest.mark.parametrize("profile", [Profile("desktop", "en"), Profile("desktop", "de")], ids=str)
def test_the_keyboard_alone_opens_a_match_and_returns(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    person = visitor.log_in_new("Demo Team")
    visitor.open(f"/teams/{installation.team_id(person)}")
    keyboard = visitor.page.keyboard
    keyboard.press("Control+k")
    visitor.expect_heading("search.title")
    expect(visitor.page.get_by_text(visitor.words["search.keys"])).to_be_visible()
    expect(visitor.field("search.title")).to_be_focused()
    title = visitor.words["notifications.title"]
    keyboard.type(title[:5])
    # The matches of all letters, which replace those of fewer.
    expect(visitor.page).to_have_url(re.compile(f"search={title[:5]}$"))
    expect(matches(visitor).filter(has_text=title).first).to_be_visible()
    keyboard.press("ArrowDown")
    expect(matches(visitor).first).to_be_focused()
    keyboard.press("ArrowDown")
    keyboard.press("ArrowUp")
    keyboard.press("ArrowUp")
    expect(visitor.field("search.title")).to_be_focused()
    keyboard.press("Enter")
    expect(visitor.page).not_to_have_url(re.compile("/search"))
    visitor.page.go_back()
    expect(visitor.field("search.title")).to_have_value(title[:5])
    expect(matches(visitor).filter(has_text=title).first).to_be_visible()


def test_the_latest_input_wins(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "en"))
    visitor.log_in_new("Demo Team")
    visitor.open("/search")
    field = visitor.field("search.title")
    for typed in ["h", "hi", "his", "hist", "histo", "history"]:
        field.fill(typed)
    # "hi" has one match too, so the number alone does not say which search the page shows.
    expect(visitor.page).to_have_url(re.compile("search=history$"))
    expect(visitor.page.locator("[data-found]")).to_have_text("1 match")


def test_an_action_is_found_by_what_people_call_it(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "de"))
    visitor.log_in_new("Demo Team")
    visitor.open("/search?search=sign+out")
    matches(visitor).first.click()
    # The question is open, and nobody is logged out by a link.
    expect(visitor.page.locator("#log-out button")).to_be_visible()


@pytest.mark.parametrize("profile", PROFILES[:1], ids=str)
def test_after_a_log_out_elsewhere_the_search_says_so(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    visitor.log_in_new("Demo Team")
    visitor.open("/search")
    visitor.context.clear_cookies()
    visitor.field("search.title").fill("history")
    visitor.field("search.title").press("Enter")
    visitor.expect_heading("logIn.title")
