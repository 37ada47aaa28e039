"""All pages of a member for users with other needs: enlarged to 400 %, with the keyboard only, without motion."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from installation import Installation, Person
from playwright.sync_api import Page, expect
from test_history import closed_sprint
from test_log_in import log_in_by_keyboard
from test_voting import choose, expect_thanks
from visitor import ZOOMED, Profile, Visitor

# Public pages, and pages of a member; `{team}` and `{sprint}` are replaced.
OPEN_PAGES = [
    "/login", "/forgot-password", "/register", "/user/resetPassword?token=none", "/nothing-here", "/api", "/trust/notice",
]
MEMBER_PAGES = [
    "/teams/{team}", "/teams/{team}/vote", "/teams/{team}/history", "/teams/{team}/history?year=all",
    "/teams/{team}/sprints/{sprint}", "/settings", "/settings/picture", "/settings/email", "/settings/password",
    "/settings/sessions", "/settings/notifications", "/settings/delete", "/search", "/search?search=a",
    "/trust",
]

# Further pages of a lead, and of an administrator.
MANAGING_PAGES = [
    "/teams/{team}", "/teams/{team}/vote", "/teams/{team}/actions", "/teams/{team}/actions/new", "/teams/{team}/manage",
    "/teams/{team}/manage/settings", "/teams/{team}/manage/members", "/teams/{team}/manage/reminders",
    "/teams/{team}/manage/messages", "/teams/{team}/manage/experiments", "/settings", "/search?search=kundenbeziehung",
    "/admin", "/admin/people", "/admin/teams", "/admin/invitations/new", "/admin/status",
]

# Wider than a phone in a heading. Names of people and teams have it as one word.
LONG_WORD = "Kundenbeziehungsmanagementbeauftragte"

# The focused element, and whether users can see it: inside the window, not below a sticky bar.
FOCUSED = """
    () => {
        const one = document.activeElement;
        if (!one || one === document.body) return null;
        const box = one.getBoundingClientRect();
        const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1);
        const y = Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1);
        const top = document.elementFromPoint(x, y);
        // An input may lie below its own label.
        const isSeen = top && (one.contains(top) || top.contains(one) || [...(one.labels ?? [])].some((label) => label.contains(top)));
        return [one.outerHTML.slice(0, 120), Boolean(isSeen), getComputedStyle(one).outlineStyle];
    }
"""

# Duration of the longest CSS transition or animation, in milliseconds.
LONGEST_MOTION = """
    () => Math.max(0, ...[...document.querySelectorAll("*")].flatMap((one) => {
        const style = getComputedStyle(one);
        const seconds = (text) => text.split(",").map((part) => parseFloat(part) * (part.includes("ms") ? 1 : 1000));
        const animations = style.animationName === "none" ? [0] : seconds(style.animationDuration);
        return [...animations, ...seconds(style.transitionDuration)];
    }))
"""


@pytest.fixture
def visitor(browse: Callable[..., Visitor]) -> Visitor:
    # German has the longer words.
    return browse(Profile("desktop", "de"))


@pytest.mark.parametrize("page", OPEN_PAGES)
def test_public_pages_can_be_enlarged(page: str, visitor: Visitor) -> None:
    with visitor.complaints.expecting(404, 422):
        visitor.open(page)
    check_enlarged(visitor)


def test_pages_of_a_member_can_be_enlarged_and_printed(visitor: Visitor, installation: Installation) -> None:
    person = visitor.log_in_new("Demo Team")
    for page in pages_of(person, installation):
        visitor.open(page)
        check_enlarged(visitor)
        visitor.check_print()


def test_long_names_fit_into_every_page(visitor: Visitor, installation: Installation) -> None:
    team = installation.add_team(LONG_WORD)
    person = installation.add_person(LONG_WORD, team=team, lead=True, role="admin", language="de")
    team_id = installation.team_id(person)
    installation.api(person, "POST", f"/teams/{team_id}/actions", {"title": LONG_WORD})
    visitor.log_in(person)
    visitor.page.set_viewport_size(ZOOMED)
    for page in MANAGING_PAGES:
        visitor.open(page.format(team=team_id))
        visitor.check_fits()
        visitor.check_large_letters()


def pages_of(person: Person, installation: Installation) -> list[str]:
    """The addresses of all pages of a member."""
    team, sprint = installation.team_id(person), closed_sprint(installation, person)
    return [page.format(team=team, sprint=sprint) for page in MEMBER_PAGES]


def check_enlarged(visitor: Visitor) -> None:
    """At 400 % a page looks as on a very small phone: everything is present and inside the window, in both schemes. With
    larger letters alone it fits, too."""
    size = visitor.page.viewport_size
    visitor.page.set_viewport_size(ZOOMED)
    visitor.check_accessibility()
    visitor.page.set_viewport_size(size)
    visitor.check_large_letters()


def test_the_focus_is_always_visible(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "en"))
    person = visitor.log_in_new("Demo Team")
    for page in pages_of(person, installation):
        visitor.open(page)
        # From the beginning, also on a page that puts the focus into a field.
        visitor.page.evaluate("() => { const skip = document.querySelector('a.skip'); skip.focus(); skip.blur(); }")
        seen = walk(visitor.page)
        assert len(seen) >= 3, f"{page}: the keyboard reaches {seen}"


def walk(page: Page) -> list[str]:
    """Walks through the whole page with the tab key, and fails if the focus is not visible."""
    reached: list[str] = []
    # More than any page needs.
    for _ in range(120):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUSED)
        if found is None or found[0] in reached[:1]:
            return reached
        name, is_seen, outline = found
        assert is_seen, f"{page.url}: {name} has the focus and is not in sight"
        assert outline != "none" or "<a " in name, f"{page.url}: {name} does not show that it has the focus"
        reached.append(name)
    raise AssertionError(f"{page.url}: the focus does not come round")


def test_a_member_votes_with_the_keyboard_alone(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("desktop", "de"))
    person = visitor.somebody_new(installation.add_team())
    visitor.open("/")
    log_in_by_keyboard(visitor, person)
    keyboard = visitor.page.keyboard
    expect(visitor.link("live.vote")).to_be_visible()
    # Skips header and sections.
    keyboard.press("Tab")
    expect(visitor.link("layout.skip")).to_be_focused()
    keyboard.press("Enter")
    keyboard.press("Tab")
    expect(visitor.link("live.vote")).to_be_focused()
    keyboard.press("Enter")
    slider = visitor.page.get_by_role("slider")
    expect(slider).to_be_focused()
    keyboard.press("8")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(visitor.words["vote.veryGood"]))
    keyboard.press("Tab")
    keyboard.type("Ruhige Wochen.")
    keyboard.press("Tab")
    expect(visitor.link("trust.title")).to_be_focused()
    keyboard.press("Tab")
    expect(visitor.page.locator("#protection summary")).to_be_focused()
    keyboard.press("Tab")
    expect(visitor.button("vote.send")).to_be_focused()
    keyboard.press("Space")
    expect_thanks(visitor)


def test_reduced_motion_turns_off_all_animations(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "en"), reduced_motion="reduce")
    person = visitor.log_in_new("Demo Team")
    for page in pages_of(person, installation):
        visitor.open(page)
        assert visitor.page.evaluate(LONGEST_MOTION) == 0, page
    # A script moves the face.
    visitor.open(f"/teams/{installation.team_id(person)}/vote")
    visitor.page.evaluate("""
        window.steps = 0;
        new MutationObserver((changes) => { window.steps += changes.length; })
            .observe(document.querySelector(".mouth"), { attributes: true });
    """)
    for value in (2, 9):
        choose(visitor, value)
    visitor.page.wait_for_function("window.steps > 0")
    # Two frames later it has not moved.
    steps = visitor.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(window.steps))))")
    assert steps == 2
