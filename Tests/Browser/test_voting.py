"""The live view and voting."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

import pytest
from installation import Installation
from playwright.sync_api import expect
from visitor import PROFILES, PROFILES_WITHOUT_SCRIPT, Profile, Visitor


def choose(visitor: Visitor, value: int) -> None:
    """With the slider, which appears once the page's script has run, or on a touch screen with a button."""
    if visitor.profile.device == "desktop":
        visitor.page.get_by_role("slider").fill(str(value))
    else:
        visitor.page.locator(".stops label").nth(value).click()


def expect_thanks(visitor: Visitor) -> None:
    """Waits for the live view of a user who has voted."""
    visitor.page.wait_for_url(re.compile(r"/teams/\w+$"))
    expect(visitor.page.get_by_role("heading", name=visitor.words["live.thanks"])).to_be_visible()
    expect(visitor.link("live.vote")).to_have_count(0)


def test_a_member_votes_and_is_thanked(visitor: Visitor, installation: Installation) -> None:
    team = installation.add_team()
    person = visitor.log_in_new(team)
    visitor.open("/")
    expect(visitor.page.get_by_role("heading", name=visitor.words["live.nothingYet"])).to_be_visible()
    visitor.check_layout_is_steady()
    visitor.look("live-nothing-yet")
    if visitor.profile.device == "phone":
        whole = visitor.page.viewport_size
        assert whole
        visitor.page.set_viewport_size({"width": 375, "height": 667})
        button = visitor.link("live.vote").bounding_box()
        assert button and button["y"] + button["height"] <= 667, "the vote is above the fold"
        visitor.page.set_viewport_size(whole)

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


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_name_in_a_text_causes_a_warning_while_typing(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    team = installation.add_team()
    me = installation.add_person("Jo Ann Berg", team, language=profile.language)
    maria, lea = (installation.add_person(name, team) for name in ("Maria José Huber", "Lea von Stein"))
    visitor.log_in(me)
    if profile.device == "phone":
        # The window above an on-screen keyboard.
        visitor.page.set_viewport_size({"width": 390, "height": 440})
    visitor.open(f"/teams/{installation.team_id(me)}/vote")
    text, warning = visitor.page.get_by_label(visitor.words["vote.feedback"]), visitor.page.locator("#names")
    text.click()
    huber = maria.name.split()[-1]
    for written, key in [
        (f"says {me.name}.", "ownName"), ("ann", "ownName"), ("Anns!", "ownName"), ("Ann’s plan", "ownName"),
        (maria.name.upper(), "otherName"), ("maria", "otherName"), ("Marias plan", "otherName"),
        ("josé' plan", "otherName"), (f"-{huber}s", "otherName"), ("lea?", "otherName"),
        ("mariachi", None), ("hannover", None), ("jo", None), ("von oben", None), ("anna", None), ("", None),
    ]:
        text.fill("")
        text.press_sequentially(written)
        if key is None:
            expect(warning).to_be_hidden()
            continue
        expect(warning).to_contain_text(visitor.words[f"vote.{key}"])
        assert (warning.locator("mark").inner_text()).lower() in written.lower(), "it names the word"
        above, box = warning.bounding_box(), text.bounding_box()
        assert above and box and above["y"] + above["height"] <= box["y"], "it stands directly above"
        expect(warning).to_be_in_viewport(ratio=1)
        expect(text).to_be_in_viewport(ratio=0.9)
    text.fill("Ask @jörg_b.")
    expect(warning.locator("mark")).to_have_text("@jörg_b")
    text.fill(f"{lea.name}!")
    visitor.look("vote-names")


def test_a_guest_gets_no_names(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "de"))
    team = installation.add_team()
    guest = installation.add_person("guest", team, role="guest")
    maria = installation.add_person("Maria Huber", team)
    visitor.log_in(guest)
    visitor.open(f"/teams/{installation.team_id(guest)}/vote")
    assert maria.name not in visitor.page.content()
    text = visitor.page.get_by_label(visitor.words["vote.feedback"])
    text.press_sequentially("Maria")
    expect(visitor.page.locator("#names")).to_be_hidden()
    text.press_sequentially(f" und {guest.name}")
    expect(visitor.page.get_by_text(visitor.words["vote.ownName"])).to_be_visible()


@pytest.mark.parametrize("profile", PROFILES_WITHOUT_SCRIPT, ids=str)
def test_a_vote_needs_no_scripts(profile: Profile, browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(profile, javascript=False)
    visitor.log_in_new(installation.add_team())
    visitor.open("/")
    visitor.look("live-nothing-yet")
    visitor.link("live.vote").click()
    visitor.expect_heading("vote.title")
    visitor.look("vote")
    visitor.link("vote.toPlain").click()
    visitor.expect_heading("vote.title")
    visitor.look("vote-plain")
    visitor.page.get_by_role("radio", name=re.compile(r"^7\b")).check()
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill("First line.\nSecond line.")
    visitor.button("vote.send").click()
    expect_thanks(visitor)
    if profile.device == "phone":
        thanks, sprint = (visitor.page.locator(place).bounding_box() for place in ("#voted", ".mood"))
        assert thanks and sprint and thanks["y"] + thanks["height"] <= sprint["y"]
    visitor.look("live-thanks")


def test_two_taps_lead_from_the_reminder_to_the_thanks(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "de"))
    person = visitor.log_in_new(installation.add_team())
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    visitor.page.locator(".stops label").nth(7).tap()
    expect(visitor.page.locator("#chosen .figure")).to_have_text("7")
    visitor.button("vote.send").tap()
    expect_thanks(visitor)
    # The thanks are all that one sees.
    expect(visitor.page.get_by_role("heading", name=visitor.words["live.thanks"])).to_be_focused()
    expect(visitor.page.locator("#voted .face")).to_be_in_viewport(ratio=1)
    expect(visitor.page.get_by_role("heading", name=visitor.words["live.nothingYet"])).not_to_be_in_viewport()


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_vote_is_chosen_and_sent_without_scrolling(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    person = visitor.log_in_new(installation.add_team())
    size = {"width": 390, "height": 844} if profile.device == "phone" else {"width": 1440, "height": 900}
    visitor.page.set_viewport_size(size)
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    for part in (".ballot .face", ".ballot legend", ".control", "#send"):
        expect(visitor.page.locator(part)).to_be_in_viewport(ratio=1)
    choose(visitor, 9)
    expect(visitor.page.locator("#chosen .figure")).to_have_text("9")
    if profile.device == "desktop":
        expect(visitor.page.locator(".handle")).to_have_text("9")
    for part in (".ballot .face", ".ballot legend", ".control", "#send"):
        expect(visitor.page.locator(part)).to_be_in_viewport(ratio=1)
    visitor.look("vote-chosen")
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill("Calm.")
    visitor.button("vote.send").click()
    expect_thanks(visitor)
    # The face that was chosen, drawn from what this tab remembered until now.
    card = visitor.page.locator("#voted")
    expect(card.locator(".face")).to_be_visible()
    expect(card.get_by_text(visitor.words["live.textArrived"])).to_be_visible()
    assert visitor.page.evaluate("sessionStorage.length") == 0
    visitor.look("live-thanks-moment")
    visitor.page.reload()
    expect(card.locator(".face")).to_be_hidden()


@pytest.mark.parametrize("size", [(360, 640), (320, 568)], ids=str)
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_vote_is_chosen_and_sent_on_a_small_phone(
    size: tuple[int, int], language: str, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", language))
    person = visitor.log_in_new(installation.add_team())
    visitor.page.set_viewport_size({"width": size[0], "height": size[1]})
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    for part in (".ballot .face", ".ballot legend", ".control"):
        expect(visitor.page.locator(part)).to_be_in_viewport(ratio=1)
    visitor.page.locator(".stops label").nth(7).tap()
    expect(visitor.page.locator(".ballot .face")).to_be_in_viewport(ratio=1)
    visitor.look(f"vote-{size[0]}")
    visitor.button("vote.send").tap()
    expect_thanks(visitor)


@pytest.mark.parametrize("profile", PROFILES, ids=str)
@pytest.mark.parametrize("start", ["/vote", "/vote/later"])
def test_who_has_no_time_is_reminded_again(
    start: str, profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    person = visitor.log_in_new(installation.add_reminded_team())
    visitor.open(f"/teams/{installation.team_id(person)}{start}")
    visitor.look(f"reminded{start.replace('/', '-')}")
    visitor.page.get_by_role("button", name={"en": "Remind me", "de": "erinnern"}[profile.language]).click()
    visitor.expect_heading("vote.remindTitle")
    visitor.look("reminded-later")
    (absence,) = installation.api(person, "GET", "/me/absences")["absences"]
    assert absence["last"] == str(date.today())


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


@pytest.mark.parametrize("device", ["phone", "desktop"])
def test_enter_sends_the_vote(device: str, browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile(device, "en"))
    person = visitor.log_in_new(installation.add_team())
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    control = visitor.page.get_by_role("slider") if device == "desktop" else visitor.page.locator("input[value='7']")
    control.press("Enter")
    expect(visitor.page.get_by_text(visitor.words["vote.choose"])).to_be_visible()
    control.press("7" if device == "desktop" else "Space")
    control.press("Enter")
    expect_thanks(visitor)


def tab_to(visitor: Visitor, name: str) -> None:
    """Moves to the control with this text with the tab key."""
    for _ in range(30):
        visitor.page.keyboard.press("Tab")
        if visitor.page.evaluate("document.activeElement.innerText.trim()") == name:
            return
    raise AssertionError(f"{name} cannot be reached by the keyboard.")


def test_two_members_see_a_result_appear_without_a_reload(
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

    # Now all members have voted, so the sprint is complete and its result published.
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


@pytest.mark.parametrize("profile", PROFILES_WITHOUT_SCRIPT, ids=str)
def test_a_refused_vote_without_scripts_keeps_the_text(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=False)
    person = visitor.log_in_new(installation.add_team())
    visitor.open(f"/teams/{installation.team_id(person)}/vote/plain")
    visitor.page.get_by_role("radio", name=re.compile(r"^3\b")).check()
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
