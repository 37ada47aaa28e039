"""The pages on which leads manage their team."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from installation import Installation
from playwright.sync_api import Page, expect
from visitor import PROFILES, SCRIPT_OR_NOT, Profile, Visitor, script_or_not_name

# Pages below /teams/ID/manage with their headings.
PAGES = {
    "settings": "teamSettings.title",
    "reminders": "teamReminders.title",
    "experiments": "experiments.title",
    "members": "members.title",
    "messages": "teamMessages.title",
}


def lead(visitor: Visitor, installation: Installation, **settings: str) -> str:
    """Logs in a new lead of a new team; returns the path of its management."""
    person = visitor.log_in_new(installation.add_team(**settings), lead=True)
    return f"/teams/{installation.team_id(person)}/manage"


def open_all(page: Page) -> None:
    """Opens everything on the page that can be folded, so that it is checked too."""
    closed = page.locator("main details:not([open]) > summary")
    while closed.count() > 0:
        closed.first.click()


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_every_page_has_no_findings(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=javascript)
    manage = lead(visitor, installation)
    for page, heading in PAGES.items():
        visitor.open(f"{manage}/{page}")
        visitor.expect_heading(heading)
        open_all(visitor.page)
        visitor.look(f"manage-{page}")


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_lead_sees_participation_and_trend(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    anna = installation.demo("anna")
    installation.api(anna, "PATCH", "/me", {"locale": profile.language})
    visitor.log_in(anna)
    visitor.open("/")
    visitor.link("manage.tab").click()
    expect(visitor.page.get_by_role("heading", name=visitor.words["manage.participation"], exact=True)).to_be_visible()
    visitor.page.get_by_text(visitor.words["history.table"]).click()
    visitor.check_table_fits()
    visitor.look("manage")
    visitor.check_readout()
    visitor.open(visitor.page.url)
    visitor.check_layout_is_steady()


def test_an_admin_outside_the_team_sees_no_result(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "en"))
    team = installation.team_id(installation.demo("anna"))
    visitor.log_in(installation.admin())
    visitor.open(f"/teams/{team}/manage")
    expect(visitor.page.get_by_text(visitor.words["manage.noResults"])).to_be_visible()
    expect(visitor.page.locator(".chart")).to_have_count(0)
    visitor.look("manage-outsider")


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no-script"])
def test_rules_are_changed_and_errors_explained(
    javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "de"), javascript=javascript)
    manage = lead(visitor, installation)
    visitor.open(f"{manage}/settings")
    visitor.field("teamSettings.zone").fill("Mars/Base")
    with visitor.complaints.expecting(422):
        visitor.button("settings.save").click()
        expect(visitor.page.get_by_role("alert")).to_have_text(visitor.words["teamSettings.zoneProblem"])
        visitor.look("manage-settings-problem")
    expect(visitor.field("teamSettings.zone")).to_have_value("Mars/Base")
    visitor.field("teamSettings.zone").fill("Europe/Vienna")
    visitor.page.get_by_role("radio", name=visitor.words["teamSettings.cadence"]).check()
    visitor.field("teamSettings.anchor").fill("2026-01-05")
    visitor.field("teamSettings.length").select_option("3")
    visitor.page.get_by_role("radio", name=visitor.words["teamSettings.close"], exact=False).first.check()
    visitor.button("settings.save").click()
    expect(visitor.page.get_by_role("status")).to_have_text(visitor.words["teamSettings.done"])
    expect(visitor.field("teamSettings.zone")).to_have_value("Europe/Vienna")
    expect(visitor.field("teamSettings.length")).to_have_value("3")


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no-script"])
def test_reminders_are_tried_out_before_they_are_saved(
    javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "en"), javascript=javascript)
    manage = lead(visitor, installation)
    visitor.open(f"{manage}/reminders")
    visitor.page.locator("summary", has_text=visitor.words["teamReminders.first"]).click()
    title = visitor.page.locator("[name=title-first-en]")
    title.fill("Hello {team}!")
    visitor.button("teamReminders.try").click()
    expect(visitor.page.get_by_text(visitor.words["teamReminders.tried"])).to_be_visible()
    expect(visitor.page.locator(".bubble").first).to_contain_text("Hello Team")
    visitor.look("manage-reminders-tried")
    visitor.button("settings.save").click()
    expect(visitor.page.get_by_text(visitor.words["teamReminders.done"])).to_be_visible()
    expect(title).to_have_value("Hello {team}!")
    visitor.field("quietDays.first").fill("2099-12-24")
    visitor.field("quietDays.last").fill("2099-12-26")
    visitor.button("absences.add").click()
    days = visitor.page.locator(".rows > li")
    expect(days).to_have_count(1)
    visitor.look("manage-quiet-days")
    visitor.page.get_by_role(
        "button", name=f"{visitor.words['absences.remove']} 24 December 2099 – 26 December 2099").click()
    expect(days).to_have_count(0)


def expect_seen(visitor: Visitor, text: str) -> None:
    """Expects that the page's only alert has this text and is visible in the window, not covered by the bar at the
    top."""
    alert = visitor.page.get_by_role("alert")
    expect(alert).to_have_text(text)
    bar, box = (one.bounding_box() for one in (visitor.page.locator("header.bar"), alert))
    assert bar and box
    height = visitor.page.viewport_size["height"]
    assert bar["y"] + bar["height"] <= box["y"] and box["y"] + box["height"] <= height, f"{bar} {box}"


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_the_reason_for_a_refused_form_is_visible(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=javascript)
    team = installation.add_team()
    manage = f"/teams/{installation.team_id(visitor.log_in_new(team, lead=True))}/manage"
    visitor.open(f"{manage}/reminders")
    visitor.page.locator("summary", has_text=visitor.words["teamReminders.first"]).click()
    visitor.page.locator("[name=title-first-en]").fill("Hello {nobody}!")
    with visitor.complaints.expecting(422):
        # The second time from the page to which the first one led.
        for _ in range(2):
            with visitor.page.expect_response("**/preview"):
                visitor.button("teamReminders.try").click()
            visitor.page.wait_for_load_state("load")
            expect_seen(visitor, visitor.words["errors.unknown-placeholder"])
    visitor.page.locator("[name=title-first-en]").fill("Hello {team}!")
    visitor.button("teamReminders.try").click()
    expect(visitor.page.locator(".bubble").first).to_contain_text("Hello Team")
    top = visitor.page.get_by_role("heading", name=visitor.words["teamReminders.preview"]).bounding_box()
    assert top and 0 < top["y"] < visitor.page.viewport_size["height"] / 2, "the preview is in the window, too"

    for _ in range(10):
        installation.add_person("member", team)
    visitor.open(f"{manage}/members")
    visitor.field("invite.emails").fill("nonsense")
    with visitor.complaints.expecting(422):
        visitor.button("invite.send").click()
        expect_seen(visitor, visitor.words["invite.notAll"])
    visitor.page.get_by_role("link", name=visitor.words["invite.notAll"]).click()
    visitor.page.wait_for_url("**#invitations")
    report = visitor.page.locator(".report")
    expect(report).to_contain_text(visitor.words["forgotten.notAnAddress"])
    box = report.bounding_box()
    assert box and 0 < box["y"] < visitor.page.viewport_size["height"], f"{box}"
    visitor.look("manage-invitation-refused")


def test_a_member_becomes_a_lead_and_another_is_removed(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "en"))
    team = installation.add_team()
    mine = visitor.log_in_new(team, lead=True)
    second, third = (installation.add_person(name, team) for name in ("second", "third"))
    visitor.open(f"/teams/{installation.team_id(mine)}/manage/members")

    def change(name: str, button: str, question: str | None = None) -> None:
        person = visitor.page.locator(".people li", has_text=name)
        person.locator("summary").first.click()
        if question:
            person.locator("summary", has_text=visitor.words[question]).click()
        person.get_by_role("button", name=visitor.words[button], exact=False).click()

    with visitor.complaints.expecting(409):
        change(mine.name, "members.leaveNow", "members.leave")
        expect(visitor.page.get_by_role("alert")).to_have_text(visitor.words["errors.only-lead"])
    change(second.name, "members.makeLead")
    expect(visitor.page.get_by_role("status")).to_have_text(visitor.words["members.roleDone"])
    change(third.name, "members.removeNow", "members.remove")
    expect(visitor.page.get_by_role("status")).to_have_text(visitor.words["members.removed"])
    expect(visitor.page.locator(".people li", has_text=third.name)).to_have_count(0)
    change(mine.name, "members.stepDown")
    visitor.page.wait_for_url(f"**/teams/{installation.team_id(mine)}")
    expect(visitor.link("manage.tab")).to_have_count(0)


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no-script"])
def test_a_lead_tries_an_address_again_that_took_no_mails(
    javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "de"), javascript=javascript)
    team = installation.add_team()
    mine = visitor.log_in_new(team, lead=True)
    gone, other = (installation.add_person(name, team) for name in ("gone", "other"))
    installation.mark_address(gone)
    visitor.open(f"/teams/{installation.team_id(mine)}/manage/members")
    tag = visitor.words["addressFault.tag"]
    expect(visitor.page.locator(".people li", has_text=other.name)).not_to_contain_text(tag)
    person = visitor.page.locator(".people li", has_text=gone.name)
    expect(person).to_contain_text(tag)
    person.locator("summary").first.click()
    visitor.look("manage-address-fault")
    person.get_by_role("button", name=visitor.words["addressFault.tryAgain"], exact=False).click()
    expect(visitor.page.get_by_role("status")).to_have_text(visitor.words["addressFault.lifted"])
    expect(visitor.page.locator(".people")).not_to_contain_text(tag)


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no-script"])
def test_people_are_invited_and_invitations_withdrawn(
    javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("desktop", "de"), javascript=javascript)
    manage = lead(visitor, installation)
    visitor.open(f"{manage}/members")
    visitor.field("invite.emails").fill(f"eva-{javascript}@example.org\nunsinn")
    visitor.button("invite.send").click()
    expect(visitor.page.get_by_role("alert")).to_have_text(visitor.words["invite.notAll"])
    expect(visitor.page.locator(".report")).to_contain_text(visitor.words["forgotten.notAnAddress"])
    expect(visitor.field("invite.emails")).to_have_value("unsinn")
    visitor.look("manage-invited")
    visitor.page.get_by_role("button", name=visitor.words["invite.withdraw"], exact=False).click()
    expect(visitor.page.get_by_role("status")).to_have_text(visitor.words["invite.withdrawn"])


def test_the_share_link_leads_strangers_to_the_results(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("desktop", "en"))
    team = installation.add_team(threshold="2")
    anna = visitor.log_in_new(team, lead=True)
    people = [anna, *(installation.add_person(team=team) for _ in range(5))]
    for person, happiness in zip(people, [6, 9, 1, 1]):
        installation.vote(person, happiness)
    visitor.open(f"/teams/{installation.team_id(anna)}/manage/members")
    visitor.button("share.make").click()
    address = visitor.field("share.address").input_value()
    visitor.look("manage-shared")
    copy = visitor.page.locator("[data-copy=link]")
    copy.click()
    expect(copy).to_have_text(visitor.words["share.copied"])
    chart = visitor.field("share.chart").input_value()
    strangers = [browse(Profile(device, "de")) for device in ("desktop", "phone")]
    for stranger in strangers:
        stranger.open(urlsplit(address).path)
        expect(stranger.page.locator(".figure")).to_have_text(re.compile(r"^\d+,\d$"))
        expect(stranger.page.locator(".chart")).to_have_js_property("complete", True)
        stranger.look("wallboard")
    board = strangers[0].page
    board.clock.install()
    board.reload()
    expect(board.locator(".figure")).to_have_text("7,5")
    for person in people[4:]:
        installation.vote(person, 0)
    while strangers[1].page.locator(".figure").inner_text() != "2,8":
        strangers[1].page.reload()
    board.clock.run_for(60_000)
    expect(board.locator(".figure")).to_have_text("2,8")
    with strangers[0].complaints.expecting_no_network():
        strangers[0].context.set_offline(True)
        board.clock.run_for(60_000)
        expect(board.get_by_text(strangers[0].words["wallboard.stale"])).to_be_visible()
        strangers[0].context.set_offline(False)
    expect(board.get_by_text(strangers[0].words["wallboard.stale"])).to_be_hidden()
    assert stranger.context.request.get(chart).ok
    visitor.button("share.end").click()
    expect(visitor.page.get_by_role("status")).to_have_text(visitor.words["share.ended"])
    assert stranger.context.request.get(chart).status == 404
    assert stranger.context.request.get(address).status == 404
    with strangers[0].complaints.expecting(404):
        board.clock.run_for(60_000)
        strangers[0].expect_heading("errors.title")


def test_a_sent_message_appears_in_the_list(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "de"))
    manage = lead(visitor, installation)
    visitor.open(f"{manage}/messages")
    visitor.field("teamReminders.textTitle").fill("Kuchen!")
    visitor.field("teamReminders.textBody").fill("Steht in der Küche.")
    visitor.button("teamMessages.send").click()
    expect(visitor.page.get_by_role("alert")).to_contain_text("Kuchen!")
    visitor.look("manage-messages-question")
    visitor.link("settings.cancel").click()
    expect(visitor.page.get_by_role("alert")).to_have_count(0)
    visitor.field("teamReminders.textTitle").fill("Kuchen!")
    visitor.field("teamReminders.textBody").fill("Steht in der Küche.")
    visitor.button("teamMessages.send").click()
    visitor.button("teamMessages.sendNow").click()
    expect(visitor.page.get_by_role("status")).to_have_text(visitor.words["teamMessages.done"])
    expect(visitor.page.locator(".deliveries")).to_contain_text("Kuchen!")
    visitor.look("manage-messages-sent")


def test_an_experiment_is_set_up_and_removed(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "de"))
    manage = lead(visitor, installation)
    visitor.open(f"{manage}/experiments")
    visitor.field("absences.first").fill("2099-01-05")
    visitor.field("absences.last").fill("2099-03-31")
    visitor.page.locator("[name=b-title-first-de]").fill("Na, wie war’s?")
    visitor.button("experiments.start").click()
    expect(visitor.page.get_by_role("status")).to_have_text(visitor.words["experiments.done"])
    visitor.page.locator(".ways a").click()
    visitor.expect_heading("experiments.one")
    visitor.page.locator(".leave summary").click()
    visitor.look("manage-experiment")
    visitor.page.get_by_role("button", name=visitor.words["experiments.remove"], exact=True).click()
    expect(visitor.page.get_by_role("status")).to_have_text(visitor.words["experiments.ended"])
