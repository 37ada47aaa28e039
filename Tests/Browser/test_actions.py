"""A team's actions: the board, with a mouse, a finger, the keyboard, and without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from installation import Installation, Person
from playwright.sync_api import Locator, expect
from visitor import PROFILES, SCREENSHOTS, SCRIPT_OR_NOT, Profile, Visitor, script_or_not_name

STATES = ("toDo", "inProgress", "onHold", "done")


@dataclass
class Board:
    """A team's board, and a lead who views it."""

    visitor: Visitor
    installation: Installation
    lead: Person
    team: str

    def add(self, title: str, state: str | None = None, **fields: Any) -> str:
        """Creates an action through the API; returns its id."""
        action = self._api("POST", "/actions", {"title": title, **fields})
        if state:
            self._api("PATCH", f"/actions/{action['id']}", {"version": 1, "state": state})
        return action["id"]

    def stored(self) -> dict[str, list[str]]:
        """The titles in every column, as stored on the server."""
        columns = self._api("GET", "/actions")["columns"]
        return {column["state"]: [action["title"] for action in column["actions"]] for column in columns}

    def open(self) -> None:
        self.visitor.open(f"/teams/{self.team}/actions")
        self.visitor.expect_heading("actions.title")

    def card(self, title: str) -> Locator:
        return self.visitor.page.locator(f'.action:not(.flying)[data-title="{title}"]')

    def handle(self, title: str) -> Locator:
        return self.card(title).locator(".handle")

    def expect(self, **columns: list[str]) -> None:
        """Waits until the page shows these titles in these columns."""
        for state, titles in columns.items():
            expect(self.visitor.page.locator(f"#{state} h3")).to_have_text(titles)
            expect(self.visitor.page.locator(f"#{state} h2 .count")).to_have_text(str(len(titles)))

    def expect_saved(self) -> None:
        expect(self.visitor.page.locator(".saving")).to_have_count(0)

    def expect_said(self, key: str, **values: Any) -> None:
        text = self.visitor.words[key]
        for name, value in values.items():
            text = text.replace("{" + name + "}", str(value))
        expect(self.visitor.page.locator("[data-board-status]")).to_have_text(text)

    def _api(self, method: str, path: str, body: Any = None) -> Any:
        return self.installation.api(self.lead, method, f"/teams/{self.team}{path}", body)


@pytest.fixture
def make_board(browse: Callable[..., Visitor], installation: Installation) -> Callable[..., Board]:
    """Creates boards of new teams."""

    def make(profile: Profile = Profile("desktop", "en"), **options: Any) -> Board:
        visitor = browse(profile, **options)
        lead = visitor.log_in_new(installation.add_team(), lead=True)
        return Board(visitor, installation, lead, installation.team_id(lead))

    return make


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_an_action_is_created_moved_and_finished(
    profile: Profile, javascript: bool, make_board: Callable[..., Board]
) -> None:
    board = make_board(profile, javascript=javascript)
    visitor, page = board.visitor, board.visitor.page
    board.visitor.open(f"/teams/{board.team}")
    visitor.link("actions.title").click()
    expect(page.get_by_role("heading", name=visitor.words["actions.emptyTitle"])).to_be_visible()
    visitor.look("actions-none")

    visitor.link("actions.add").click()
    visitor.expect_heading("actions.newTitle")
    visitor.look("action-new")
    visitor.field("actions.name").fill("Shorter daily")
    visitor.field("actions.notes").fill("Fifteen minutes,\nstanding")
    visitor.field("actions.assignee").select_option(board.lead.name)
    visitor.field("actions.dueDay").fill("2020-02-29")
    visitor.button("actions.create").click()
    expect(page.get_by_text(visitor.words["actions.added"])).to_be_visible()
    expect(board.card("Shorter daily")).to_contain_text(board.lead.name)
    # An overdue action is marked in words, not only by colour.
    expect(board.card("Shorter daily")).to_contain_text(visitor.words["actions.overdue"].split("{")[0])
    visitor.look("actions-one")

    board.card("Shorter daily").locator("summary").click()
    visitor.button("actions.inProgress").click()
    expect(page.get_by_text(visitor.words["actions.moved"])).to_be_visible()
    board.expect(toDo=[], inProgress=["Shorter daily"])

    me_too = board.card("Shorter daily").locator(".me-too button")
    expect(me_too).to_contain_text(visitor.words["actions.meToo"])
    me_too.click()
    expect(board.card("Shorter daily")).to_contain_text(visitor.words["actions.supportersOfOne"])
    visitor.look("actions-me-too")

    page.get_by_role("link", name="Shorter daily").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Shorter daily")
    visitor.look("action")
    page.locator(".me-too button").click()
    expect(page.get_by_text(visitor.words["actions.withdrawn"])).to_be_visible()
    expect(me_too).to_contain_text(visitor.words["actions.meToo"])
    page.get_by_role("link", name="Shorter daily").click()
    visitor.field("actions.name").fill("Shorter daily, standing")
    visitor.button("actions.save").click()
    expect(page.get_by_text(visitor.words["actions.changed"])).to_be_visible()

    page.get_by_role("link", name="Shorter daily, standing").click()
    page.locator(".leave summary").click()
    visitor.button("actions.deleteNow").click()
    expect(page.get_by_text(visitor.words["actions.deleted"])).to_be_visible()
    assert board.stored() == {state: [] for state in STATES}


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_columns_do_not_move_while_the_page_loads(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    """A browser shows a partially loaded page, and the rest must not move what is shown."""
    visitor = browse(profile)
    person = visitor.log_in_new("Demo Team")
    visitor.open(f"/teams/{installation.team_id(person)}/actions")
    columns = visitor.page.locator(".column")
    expect(columns).to_have_count(4)
    whole = columns.first.bounding_box()
    columns.evaluate_all("columns => columns.slice(1).forEach(column => column.remove())")
    begun = columns.first.bounding_box()
    assert whole and begun and (begun["x"], begun["width"]) == (whole["x"], whole["width"])


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_full_board_has_no_findings(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    person = visitor.log_in_new("Demo Team")
    visitor.open(f"/teams/{installation.team_id(person)}/actions")
    visitor.expect_heading("actions.title")
    visitor.check_layout_is_steady()
    visitor.look("actions")
    # A member who is neither lead nor assignee cannot move it.
    expect(visitor.page.locator(".handle")).to_have_count(0)
    visitor.page.locator(".action h3 a").first.click()
    expect(visitor.page.locator("blockquote")).to_be_visible()
    visitor.look("action-to-read")


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no-script"])
def test_a_lead_creates_an_action_from_feedback(
    javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "de"), javascript=javascript)
    team = installation.add_team(threshold="2")
    lead = visitor.log_in_new(team, lead=True)
    for text in ("Zu viele <b>Besprechungen</b>\nam Dienstag", "Alles gut"):
        installation.vote(installation.add_person(team=team), 7, text)
    installation.vote(lead, 7)
    path = f"/teams/{installation.team_id(lead)}"
    sprint = installation.api(lead, "GET", f"{path}/sprints/current")["sprint"]["label"]
    visitor.open(f"{path}/sprints/{sprint}")
    visitor.look("sprint-with-buttons")
    item = visitor.page.get_by_role("listitem").filter(has_text="Besprechungen")
    item.get_by_role("button", name=visitor.words["actions.make"]).click()
    expect(visitor.field("actions.quote")).to_have_value("Zu viele <b>Besprechungen</b>\nam Dienstag")
    visitor.look("action-from-feedback")
    visitor.field("actions.quote").fill("Zu viele Besprechungen")
    visitor.field("actions.name").fill("Dienstag ohne Besprechungen")
    visitor.button("actions.create").click()
    card = visitor.page.locator(".action")
    expect(card).to_contain_text(visitor.words["actions.fromFeedback"])
    card.locator("summary").click()
    visitor.button("actions.inProgress").click()

    # An action that began is shown in the sprint and in the history.
    visitor.open(f"{path}/sprints/{sprint}")
    expect(visitor.page.get_by_role("link", name="Dienstag ohne Besprechungen")).to_be_visible()
    visitor.open(f"{path}/history")
    expect(visitor.page.locator(".narrow svg [role=img]")).to_have_attribute(
        "aria-label", re.compile("^Begonnen im Sprint vom .+: Dienstag ohne Besprechungen$"))
    visitor.look("history-with-action")
    if javascript:
        visitor.page.locator(".narrow svg a").last.focus()
        expect(visitor.page.locator(".readout")).to_contain_text("Dienstag ohne Besprechungen")
        visitor.check_accessibility()


def test_cards_are_dragged_with_the_mouse(make_board: Callable[..., Board]) -> None:
    board = make_board()
    for title in ("One", "Two", "Three"):
        board.add(title)
    board.add("Four", "onHold")
    # All three cards of a column are in sight.
    board.visitor.page.set_viewport_size({"width": 1280, "height": 1400})
    board.open()
    drag(board, board.card("Three"), board.card("One"), below=False)
    board.expect(toDo=["Three", "One", "Two"])
    drag(board, board.card("One"), board.card("Four"), below=True)
    board.expect(toDo=["Three", "Two"], onHold=["Four", "One"])
    board.expect_said("actions.dropped", title="One", column="On hold", place=2, count=2)
    board.expect_saved()
    # The card shows its new state.
    expect(board.card("One")).to_contain_text(board.visitor.words["actions.began"].split("{")[0])
    drag(board, board.card("Two"), board.visitor.page.locator("#done .cards"), below=True)
    board.expect(toDo=["Three"], done=["Two"])
    board.expect_saved()
    assert board.stored() == {"toDo": ["Three"], "inProgress": [], "onHold": ["Four", "One"], "done": ["Two"]}
    # And again from there, under its new version.
    drag(board, board.card("One"), board.visitor.page.locator("#inProgress .cards"), below=True)
    board.expect_saved()
    board.open()
    board.expect(toDo=["Three"], inProgress=["One"], onHold=["Four"], done=["Two"])
    # A click is not a drag.
    board.card("Three").get_by_role("link").click()
    expect(board.visitor.page.get_by_role("heading", level=1)).to_have_text("Three")


def test_a_card_follows_a_finger_on_its_handle(make_board: Callable[..., Board]) -> None:
    board = make_board(Profile("phone", "en"))
    for title in ("One", "Two"):
        board.add(title)
    board.open()
    start, target = centre(board.handle("One")), centre(board.card("Two"))
    touch = board.visitor.context.new_cdp_session(board.visitor.page)

    def send(kind: str, *points: tuple[float, float]) -> None:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    send("touchStart", start)
    send("touchMove", (start[0] + 5, start[1] + 20))
    send("touchMove", (target[0], target[1] + 60))
    expect(board.visitor.page.locator(".flying")).to_be_visible()
    board.visitor.page.screenshot(path=str(pictures() / "actions-dragging-phone.png"))
    send("touchEnd")
    board.expect(toDo=["Two", "One"])
    # To the neighbouring column, which is only partly visible.
    start = centre(board.handle("Two"))
    send("touchStart", start)
    for x in (start[0] - 20, 385):
        send("touchMove", (x, start[1]))
    expect(board.visitor.page.locator("#inProgress .lifted")).to_be_attached()
    send("touchEnd")
    expect(board.visitor.page.locator(".flying")).to_have_count(0)
    board.expect_saved()
    assert "Two" not in board.stored()["toDo"]


@pytest.mark.parametrize("profile", [Profile("desktop", "en"), Profile("phone", "de")], ids=str)
def test_cards_are_moved_with_the_keyboard(profile: Profile, make_board: Callable[..., Board]) -> None:
    board = make_board(profile)
    words, keyboard = board.visitor.words, board.visitor.page.keyboard
    for title in ("One", "Two", "Three"):
        board.add(title)
    board.add("Four", "inProgress")
    board.open()
    handle = board.handle("One")
    handle.focus()
    keyboard.press("Space")
    board.expect_said("actions.lifted", title="One", column=words["actions.toDo"], place=1, count=3)
    keyboard.press("ArrowDown")
    board.expect_said("actions.over", column=words["actions.toDo"], place=2, count=3)
    board.visitor.check_accessibility()
    board.visitor.page.screenshot(path=str(pictures() / f"actions-lifted-{profile}.png"))
    keyboard.press("ArrowRight")
    board.expect_said("actions.over", column=words["actions.inProgress"], place=2, count=2)
    keyboard.press("Home")
    board.expect(toDo=["Two", "Three"], inProgress=["One", "Four"])
    expect(handle).to_be_focused()
    keyboard.press("Escape")
    board.expect_said("actions.cancelled", title="One")
    board.expect(toDo=["One", "Two", "Three"], inProgress=["Four"])
    expect(handle).to_be_focused()

    keyboard.press("Enter")
    keyboard.press("End")
    keyboard.press("ArrowUp")
    keyboard.press("Space")
    board.expect_said("actions.dropped", title="One", column=words["actions.toDo"], place=2, count=3)
    board.expect_saved()
    expect(handle).to_be_focused()
    assert board.stored()["toDo"] == ["Two", "One", "Three"]

    # Leaving the handle does not drop the card.
    keyboard.press("Space")
    keyboard.press("ArrowRight")
    keyboard.press("Tab")
    board.expect(toDo=["Two", "One", "Three"], inProgress=["Four"])


def test_an_unsaved_move_is_undone_with_a_notice(make_board: Callable[..., Board]) -> None:
    board = make_board()
    one = board.add("One")
    board.add("Two")
    board.open()
    problem = board.visitor.page.locator("[data-board-problem]")
    board.visitor.context.set_offline(True)
    with board.visitor.complaints.expecting_no_network():
        drag(board, board.card("One"), board.visitor.page.locator("#done .cards"), below=True)
        expect(problem).to_contain_text(board.visitor.words["actions.failed"].replace("{title}", "One"))
    board.expect(toDo=["One", "Two"], done=[])
    board.visitor.context.set_offline(False)
    board.visitor.look("actions-not-saved")

    board.installation.api(
        board.lead, "PATCH", f"/teams/{board.team}/actions/{one}", {"version": 1, "title": "Changed"})
    with board.visitor.complaints.expecting(409):
        drag(board, board.card("One"), board.visitor.page.locator("#done .cards"), below=True)
        expect(problem).to_contain_text(board.visitor.words["actions.stale"].replace("{title}", "One"))
    board.expect(toDo=["One", "Two"], done=[])
    board.visitor.link("actions.reload").click()
    board.expect(toDo=["Changed", "Two"])


def drag(board: Board, card: Locator, target: Locator, below: bool) -> None:
    """Drags with the mouse, by the lower part of the card."""
    mouse = board.visitor.page.mouse
    box, goal = card.bounding_box(), target.bounding_box()
    assert box and goal
    grip = (box["x"] + 12, box["y"] + box["height"] - 8)
    mouse.move(*grip)
    mouse.down()
    mouse.move(grip[0] + 10, grip[1] + 10)
    # Such that the card's centre ends up above or below the target's.
    middle = goal["y"] + goal["height"] / 2 + (1 if below else -1) * (goal["height"] / 2 + 4)
    mouse.move(goal["x"] + 12, middle + box["height"] / 2 - 8, steps=4)
    mouse.up()


def centre(of: Locator) -> tuple[float, float]:
    box = of.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def pictures() -> Path:
    """The folder for pictures of moments that `Visitor.look` cannot capture."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS
