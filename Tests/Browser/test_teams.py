"""A user in several teams switches between them, from any page."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from installation import Installation
from playwright.sync_api import Locator, expect
from visitor import Profile, Visitor, script_or_not_name

# Pages of a team, and where the link to the other team leads from there.
TEAM_PAGES = {"": "", "/vote": "", "/history": "/history", "/actions": "/actions"}

# Pages without a team.
OTHER_PAGES = [
    "/settings", "/settings/picture", "/settings/email", "/settings/password", "/settings/sessions",
    "/settings/notifications", "/settings/delete",
]


def open_switch(visitor: Visitor) -> Locator:
    """Opens the list of teams in the header and returns it."""
    switch = visitor.page.locator("details.team-switch")
    switch.locator("summary").click()
    expect(switch.get_by_role("list")).to_be_visible()
    return switch


@pytest.mark.parametrize(
    ("profile", "javascript"),
    [(Profile("phone", "de"), True), (Profile("desktop", "en"), True), (Profile("phone", "de"), False)],
    ids=script_or_not_name)
def test_every_page_leads_to_the_other_teams(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=javascript)
    # Names of realistic length.
    first, second, third = (installation.add_team(name) for name in (
        "Kundenbetreuung und Qualitätssicherung", "Platform Engineering & Site Reliability", "Web"))
    person = visitor.log_in_new(first)
    ids = {first: installation.team_id(person)}
    for team in (second, third):
        installation.command("team", "add-member", team, person.name)
    ids |= {team["name"]: team["id"] for team in installation.api(person, "GET", "/teams")["teams"]}

    for page, target in TEAM_PAGES.items():
        visitor.open(f"/teams/{ids[first]}{page}")
        switch = open_switch(visitor)
        expect(switch.locator("summary")).to_contain_text(first)
        expect(switch.locator("[aria-current]")).to_have_text(first)
        assert sorted(switch.get_by_role("link").all_inner_texts()) == sorted(ids)
        if page == "":
            visitor.look("teams")
        switch.get_by_role("link", name=second, exact=True).click()
        visitor.page.wait_for_url(f"**/teams/{ids[second]}{target}")

    for page in OTHER_PAGES:
        visitor.open(page)
        switch = open_switch(visitor)
        expect(switch.locator("summary")).to_contain_text(visitor.words["app.teams"])
        expect(switch.locator("[aria-current]")).to_have_count(0)
        switch.get_by_role("link", name=third, exact=True).click()
        visitor.page.wait_for_url(f"**/teams/{ids[third]}")


def test_a_vote_is_counted_in_its_team_only(visitor: Visitor, installation: Installation) -> None:
    person = visitor.log_in_new(installation.add_team("Blue"))
    voted = installation.team_id(person)
    installation.vote(person, 7)
    other = installation.add_team("Red")
    installation.command("team", "add-member", other, person.name)
    visitor.open(f"/teams/{voted}")
    expect(visitor.link("live.vote")).to_have_count(0)
    open_switch(visitor).get_by_role("link", name=other, exact=True).click()
    visitor.page.wait_for_url(re.compile(rf"/teams/(?!{voted})\w+$"))
    expect(visitor.link("live.vote")).to_be_visible()


def test_the_keyboard_opens_and_closes_the_list(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("desktop", "en"))
    person = visitor.log_in_new(installation.add_team("Blue"))
    installation.command("team", "add-member", installation.add_team("Red"), person.name)
    visitor.open("/settings")
    switch = visitor.page.locator("details.team-switch")
    summary = switch.locator("summary")
    summary.focus()
    visitor.page.keyboard.press("Enter")
    expect(switch.get_by_role("list")).to_be_visible()
    visitor.page.keyboard.press("Tab")
    expect(switch.get_by_role("link").first).to_be_focused()
    visitor.page.keyboard.press("Escape")
    expect(switch.get_by_role("list")).to_be_hidden()
    expect(summary).to_be_focused()


def test_the_preferred_team_opens_first(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "de"))
    person = visitor.log_in_new(installation.add_team("Blue"))
    other = installation.add_team("Red")
    installation.command("team", "add-member", other, person.name)
    visitor.open("/settings")
    visitor.field("settings.team").select_option(label=other)
    visitor.page.locator("form[action='/settings/team'] button").click()
    visitor.page.wait_for_url("**/settings?done=*")
    visitor.open("/")
    expect(visitor.page.locator("details.team-switch summary")).to_contain_text(other)
