"""A team's history: the demo team's two years."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from installation import Installation, Person
from playwright.sync_api import expect
from visitor import PROFILES, PROFILES_WITHOUT_SCRIPT, SCRIPT_OR_NOT, Profile, Visitor, script_or_not_name


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_the_history_leads_from_a_year_to_a_sprint_and_its_feedback(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=javascript)
    person = visitor.log_in_new("Demo Team")
    visitor.open(f"/teams/{installation.team_id(person)}")
    visitor.look("live")
    visitor.link("app.history").click()
    visitor.expect_heading("history.title")
    expect(visitor.page.get_by_role("navigation", name=visitor.words["history.stretches"])).to_be_visible()
    if javascript:
        visitor.check_layout_is_steady()
    visitor.look("history")
    if javascript:
        visitor.check_readout()

    visitor.link("history.everything").click()
    expect(visitor.link("history.everything")).to_have_attribute("aria-current", "true")
    visitor.look("history-everything")

    visitor.page.get_by_text(visitor.words["history.table"], exact=True).first.click()
    visitor.check_table_fits()
    visitor.look("history-table")
    label = closed_sprint(installation, person)
    visitor.page.locator(f"table a[href$='/sprints/{label}']").click()
    visitor.page.wait_for_url(f"**/sprints/{label}")
    visitor.look("sprint")


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_this_sprint_shows_the_trend_the_feedback_and_the_actions(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    visitor.log_in_new("Demo Team")
    visitor.open("/")
    for heading, link, address in [
        ("live.trendTitle", "live.toHistory", "**/history"),
        ("live.written", "live.allFeedback", "**/sprints/**"),
        ("live.openActions", "live.toBoard", "**/actions"),
    ]:
        card = visitor.page.get_by_role("region", name=visitor.words[heading])
        expect(card).to_be_visible()
        card.get_by_role("link", name=visitor.words[link], exact=True).click()
        visitor.page.wait_for_url(address)
        visitor.page.go_back(wait_until="load")


def test_a_range_of_sprints_is_chosen_and_cleared(visitor: Visitor, installation: Installation) -> None:
    person = visitor.log_in_new("Demo Team")
    visitor.open(f"/teams/{installation.team_id(person)}/history")
    label = closed_sprint(installation, person)
    visitor.field("history.to").select_option(label)
    visitor.button("history.show").click()
    visitor.page.wait_for_url("**/history?*")
    visitor.look("history-range")
    with visitor.page.expect_download() as download:
        visitor.link("history.csv").click()
    separator = ";" if visitor.profile.language == "de" else ","
    table = download.value.path().read_text("utf-8")
    assert table.startswith(f"\ufeffsprint{separator}start{separator}") and f"Sprint {label}{separator}" in table
    with visitor.page.expect_download() as download:
        visitor.link("history.svg").click()
    assert download.value.path().read_text().startswith("<svg")


def test_a_new_team_sees_why_its_history_is_empty(visitor: Visitor, installation: Installation) -> None:
    person = visitor.log_in_new(installation.add_team())
    visitor.open(f"/teams/{installation.team_id(person)}/history")
    expect(visitor.page.get_by_text(visitor.words["history.nothingYet"])).to_be_visible()
    visitor.look("history-nothing-yet")


@pytest.mark.parametrize("profile", PROFILES_WITHOUT_SCRIPT, ids=str)
def test_imported_results_are_marked(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation, tmp_path: Path
) -> None:
    team = installation.add_team()
    first = date.today() - timedelta(days=100)
    starts = [first + timedelta(days=14 * number) for number in range(3)]
    file = tmp_path / "history.csv"
    lines = [f"{start},{start + timedelta(days=13)},7.{start.day % 10},6,8" for start in starts]
    file.write_text("\n".join(["start,end,happiness,votes,eligible", *lines]))
    assert "Imported 3 results" in installation.command("team", "import", team, str(file))

    visitor = browse(profile)
    person = visitor.log_in_new(team, lead=True)
    path = f"/teams/{installation.team_id(person)}"
    mark = visitor.words["history.imported"]
    visitor.open(f"{path}/history?year=all")
    expect(visitor.page.locator(".history header .tag")).to_have_text(mark)
    visitor.page.get_by_text(visitor.words["history.table"], exact=True).first.click()
    expect(visitor.page.locator("tbody .tag")).to_have_text([mark] * 3)
    visitor.check_table_fits()
    visitor.look("history-imported")

    visitor.open(f"{path}/manage")
    visitor.page.get_by_text(visitor.words["history.table"], exact=True).first.click()
    expect(visitor.page.locator("tbody .tag")).to_have_text([mark] * 3)
    visitor.look("manage-imported")

    visitor.open(f"{path}/manage/members")
    visitor.button("share.make").click()
    address = visitor.field("share.address").input_value()
    visitor.open(urlsplit(address).path)
    expect(visitor.page.locator(".latest .tag")).to_have_text(mark)
    visitor.look("wallboard-imported")


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_a_long_history_is_shown_in_steps(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation, tmp_path: Path
) -> None:
    team = installation.add_team()
    monday = date.today() - timedelta(days=date.today().weekday() + 28)
    starts = [monday - timedelta(days=14 * number) for number in reversed(range(60))]
    file = tmp_path / "history.csv"
    lines = [f"{start},{start + timedelta(days=13)},{start.day % 10},6,8" for start in starts]
    file.write_text("\n".join(["start,end,happiness,votes,eligible", *lines]))
    assert "Imported 60 results" in installation.command("team", "import", team, str(file))

    visitor = browse(profile, javascript=javascript)
    person = visitor.log_in_new(team)
    visitor.open(f"/teams/{installation.team_id(person)}/history?year=all")
    dots = visitor.page.locator(".chart svg:visible a")
    title = visitor.page.locator("#stretch")
    steps = visitor.page.get_by_role("navigation", name=visitor.words["history.steps"])
    expect(dots).to_have_count(60)
    expect(steps.get_by_role("link")).to_have_count(1)
    steps.get_by_role("link", name=visitor.words["history.onlyLast"].replace("{count}", "27")).click()
    expect(dots).to_have_count(27)
    last = title.inner_text()
    expect(visitor.link("history.later")).to_have_count(0)

    # By keyboard, to the first ones. The chart stays in sight.
    for _ in range(2):
        address = visitor.page.url
        visitor.link("history.earlier").press("Enter")
        visitor.page.wait_for_url(lambda url, before=address: url != before)
        expect(dots).to_have_count(27)
        expect(title).to_be_in_viewport()
    expect(visitor.link("history.earlier")).to_have_count(0)
    expect(title).not_to_have_text(last)
    visitor.look("history-first-step")
    visitor.link("history.later").click()
    expect(visitor.link("history.earlier")).to_be_visible()
    visitor.look("history-step")
    visitor.link("history.later").click()
    expect(title).to_have_text(last)


def test_users_cannot_see_another_teams_pages(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse()
    stranger = installation.add_person(team=installation.add_team())
    visitor.log_in_new(installation.add_team())
    team = installation.team_id(stranger)
    with visitor.complaints.expecting(404):
        for path in ["", "/vote", "/history"]:
            visitor.open(f"/teams/{team}{path}")
            expect(visitor.page.get_by_role("heading", level=1)).to_have_text(visitor.words["errors.title"])
        visitor.look("no-such-team")


def closed_sprint(installation: Installation, person: Person) -> str:
    """The label of a closed sprint in the last year."""
    sprints = installation.api(person, "GET", f"/teams/{installation.team_id(person)}/sprints")["sprints"]
    return [sprint["label"] for sprint in sprints if sprint["state"] == "closed"][-3]
