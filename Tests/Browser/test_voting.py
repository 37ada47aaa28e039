"""The live view and the vote."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from installation import Installation
from playwright.sync_api import expect
from visitor import PROFILES_WITHOUT_SCRIPT, Profile, Visitor


def choose(visitor: Visitor, value: int) -> None:
    """With the slider."""
    visitor.page.get_by_role("slider").fill(str(value))


def expect_thanks(visitor: Visitor) -> None:
    """Waits for the live view of somebody who has voted."""
    visitor.page.wait_for_url(re.compile(r"/teams/\w+$"))
    expect(visitor.page.get_by_role("heading", name=visitor.words["live.thanks"])).to_be_visible()
    expect(visitor.link("live.vote")).to_have_count(0)


def test_whoever_has_a_vote_gives_it_and_is_thanked(visitor: Visitor, installation: Installation) -> None:
    team = installation.add_team()
    person = visitor.log_in_new(team)
    visitor.open("/")
    expect(visitor.page.get_by_role("heading", name=visitor.words["live.nothingYet"])).to_be_visible()
    visitor.check_layout_is_steady()
    visitor.look("live-nothing-yet")

    visitor.link("live.vote").click()
    visitor.expect_heading("vote.title")
    visitor.check_layout_is_steady()
    visitor.look("vote")
    visitor.button("vote.send").click()
    expect(visitor.page.get_by_text(visitor.words["vote.choose"])).to_be_visible()
    visitor.look("vote-nothing-chosen")
    choose(visitor, 8)
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill(f"The releases were calm, says {person.name}.")
    expect(visitor.page.get_by_text(visitor.words["vote.ownName"])).to_be_visible()
    visitor.look("vote-own-name")
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill("The releases were calm.")
    expect(visitor.page.get_by_text(visitor.words["vote.ownName"])).to_be_hidden()
    visitor.look("vote-filled-in")
    visitor.button("vote.send").click()
    expect_thanks(visitor)
    visitor.look("live-thanks")

    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    expect_thanks(visitor)


@pytest.mark.parametrize("profile", PROFILES_WITHOUT_SCRIPT, ids=str)
def test_a_vote_needs_no_script(profile: Profile, browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(profile, javascript=False)
    visitor.log_in_new(installation.add_team())
    visitor.open("/")
    visitor.look("live-nothing-yet")
    visitor.link("live.vote").click()
    visitor.expect_heading("vote.title")
    visitor.look("vote")
    visitor.page.get_by_role("radio", name=re.compile(r"^7\b")).check()
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill("First line.\nSecond line.")
    visitor.button("vote.send").click()
    expect_thanks(visitor)
    visitor.look("live-thanks")


def test_two_taps_lead_from_the_reminder_to_the_thanks(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "de"))
    person = visitor.log_in_new(installation.add_team())
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    slider = visitor.page.get_by_role("slider")
    box = slider.bounding_box()
    assert box is not None
    slider.tap(position={"x": box["width"] * 0.7, "y": box["height"] / 2})
    visitor.button("vote.send").tap()
    expect_thanks(visitor)


def test_the_keyboard_alone_is_enough(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("desktop", "en"))
    visitor.log_in_new(installation.add_team())
    visitor.open("/")
    keyboard = visitor.page.keyboard
    tab_to(visitor, visitor.words["live.vote"])
    keyboard.press("Enter")
    visitor.expect_heading("vote.title")
    slider = visitor.page.get_by_role("slider")
    expect(slider).to_be_focused()
    keyboard.press("1")
    keyboard.press("0")
    expect(slider).to_have_value("10")
    keyboard.press("ArrowLeft")
    expect(slider).to_have_value("9")
    keyboard.press("Tab")
    keyboard.type("Calm releases.")
    tab_to(visitor, visitor.words["vote.send"])
    keyboard.press("Enter")
    expect_thanks(visitor)


def tab_to(visitor: Visitor, name: str) -> None:
    """Goes to the control with this text by the tabulator key."""
    for _ in range(30):
        visitor.page.keyboard.press("Tab")
        if visitor.page.evaluate("document.activeElement.innerText.trim()") == name:
            return
    raise AssertionError(f"{name} cannot be reached by the keyboard.")


def test_two_people_see_a_result_appear_without_loading_the_page_again(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    team = installation.add_team(threshold="2")
    anna = browse(Profile("phone", "de"))
    ben = browse(Profile("desktop", "en"))
    voted = anna.log_in_new(team)
    ben.log_in_new(team)
    installation.vote(voted, 6)
    anna.open("/")
    expect(anna.page.get_by_role("heading", name=anna.words["live.nothingYet"])).to_be_visible()
    anna.page.evaluate("window.isTheSameDocument = true")

    # Everybody has voted then, so the sprint is complete and its result published.
    ben.open("/")
    ben.link("live.vote").click()
    choose(ben, 9)
    ben.button("vote.send").click()
    expect_thanks(ben)
    expect(ben.page.get_by_text("7.5", exact=True).first).to_be_visible()
    expect(anna.page.get_by_text("7,5", exact=True).first).to_be_visible()
    assert anna.page.evaluate("window.isTheSameDocument") is True
    anna.look("live-complete")
    ben.look("live-complete")


def test_a_vote_that_is_refused_gives_the_text_back(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "en"))
    person = visitor.log_in_new(installation.add_team())
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    choose(visitor, 3)
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill("Written on two devices.")
    # Meanwhile on another device.
    installation.vote(person, 4)
    with visitor.complaints.expecting(409):
        visitor.button("vote.send").click()
        expect(visitor.page.get_by_role("alert")).to_be_visible()
        expect(visitor.page.get_by_text("Written on two devices.")).to_be_visible()
        visitor.look("vote-not-counted")


def test_a_team_without_protection_says_so_before_the_vote(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "de"))
    visitor.log_in_new(installation.add_team(policy="immediate"))
    visitor.open("/")
    expect(visitor.page.get_by_text(visitor.words["live.voteUnprotected"])).to_be_visible()
    visitor.look("live-unprotected")
    visitor.link("live.vote").click()
    expect(visitor.page.get_by_text(visitor.words["vote.unprotected"])).to_be_visible()
    visitor.look("vote-unprotected")
