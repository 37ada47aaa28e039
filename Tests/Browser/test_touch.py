"""Touch input: cropping a picture, and reading values off the chart."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from installation import Installation
from PIL import Image
from playwright.sync_api import FloatRect, Locator, expect
from touch import Hand
from visitor import Profile, Visitor

# Colours of the picture's quarters: upper left, upper right, lower left, lower right.
QUARTERS = [(200, 40, 40), (40, 40, 200), (40, 160, 40), (230, 200, 40)]


@pytest.fixture
def visitor(browse: Callable[..., Visitor]) -> Visitor:
    return browse(Profile("phone", "en"))


@pytest.fixture
def photograph(tmp_path: Path) -> Path:
    """A square of four colours."""
    image = Image.new("RGB", (1200, 1200))
    for number, colour in enumerate(QUARTERS):
        x, y = number % 2 * 600, number // 2 * 600
        image.paste(colour, (x, y, x + 600, y + 600))
    path = tmp_path / "IMG_0002.png"
    image.save(path)
    return path


def place_of(element: Locator) -> FloatRect:
    """Its position in the window, after scrolling it into view."""
    element.scroll_into_view_if_needed()
    box = element.bounding_box()
    assert box is not None
    return box


def test_two_fingers_enlarge_a_picture_and_one_moves_it(visitor: Visitor, photograph: Path) -> None:
    visitor.log_in_new()
    visitor.open("/settings/picture")
    visitor.field("picture.choose").set_input_files(photograph)
    canvas = visitor.page.locator("[data-crop] canvas")
    expect(canvas).to_be_visible()
    box = place_of(canvas)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = visitor.page.evaluate("scrollY")
    hand = Hand(visitor)
    # Three times as far apart: a third of the picture remains, around its centre.
    hand.drag([(x - 30, y), (x + 30, y)], [(x - 90, y), (x + 90, y)])
    zoom = visitor.page.get_by_label(visitor.words["picture.zoom"], exact=True)
    assert 280 <= int(zoom.input_value()) <= 320
    # Drags by the width of the square: it then shows only the upper left.
    hand.drag([(x - box["width"] / 2 + 10, y - 60)], [(x + box["width"] / 2 - 10, y + 130)])
    assert visitor.page.evaluate("scrollY") == before, "the page stays where it is"
    visitor.look("settings-picture-cut")
    visitor.button("picture.save").click()
    visitor.page.wait_for_url(re.compile(r"\?done="))

    visitor.open("/settings/picture")
    link = visitor.page.locator("img.portrait.large").get_attribute("src") or ""
    shown = Image.open(io.BytesIO(visitor.context.request.get(link).body())).convert("RGB")
    for point in [(128, 128), (384, 128), (128, 384)]:
        assert all(abs(one - other) < 16 for one, other in zip(shown.getpixel(point), QUARTERS[0], strict=True))


@pytest.fixture
def dots(visitor: Visitor, installation: Installation) -> Locator:
    """The dots of the demo team's history chart on a phone."""
    person = visitor.log_in_new("Demo Team")
    visitor.open(f"/teams/{installation.team_id(person)}/history")
    return visitor.page.locator("[data-chart] .narrow a[aria-label]")


def middle_of(dot: Locator) -> tuple[float, float]:
    """The centre of a dot."""
    box = place_of(dot.locator("circle").first)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def label_of(dot: Locator) -> str:
    """The days of a dot's sprint: `9–22 Nov 2026`."""
    return str(dot.get_attribute("aria-label")).split(":")[0]


def test_a_finger_along_the_chart_reads_the_nearest_values(visitor: Visitor, dots: Locator) -> None:
    readout = visitor.page.locator("[data-chart] .readout")
    hand = Hand(visitor)
    first, last = dots.nth(3), dots.nth(8)
    x, y = middle_of(first)
    to_x, _ = middle_of(last)
    hand.put([(x, y)])
    expect(readout).to_contain_text(f"{label_of(first)} ·")
    for step in range(1, 11):
        hand.move([(x + (to_x - x) * step / 10, y)])
    expect(readout).to_contain_text(f"{label_of(last)} ·")
    hand.lift()


def test_the_first_tap_shows_a_dots_value_and_the_second_opens_its_sprint(visitor: Visitor, dots: Locator) -> None:
    dot = dots.nth(3)
    label = label_of(dot)
    dot_address = dot.get_attribute("href")

    def tap() -> None:
        # Next to it, as fingers land.
        x, y = middle_of(dot)
        visitor.page.touchscreen.tap(x + 2, y + 8)

    tap()
    expect(visitor.page.locator("[data-chart] .readout")).to_contain_text(f"{label} ·")
    shown = dot.evaluate("dot => ({ ...dot.dataset })")
    expect(visitor.page.locator("[data-chart-status]")).to_have_text(f"{shown['dates']}: {shown['value']}. {shown['facts']}")
    visitor.look("history-touched")
    tap()
    visitor.page.wait_for_url(f"**{dot_address}")


def test_a_touched_dot_offers_a_link_to_its_sprint(visitor: Visitor, dots: Locator) -> None:
    visitor.page.touchscreen.tap(*middle_of(dots.nth(8)))
    visitor.link("history.open").tap()
    visitor.page.wait_for_url("**/sprints/**")


def test_a_finger_on_the_chart_still_scrolls_the_page(visitor: Visitor, dots: Locator) -> None:
    box = place_of(visitor.page.locator("[data-chart]"))
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] - 20
    before = visitor.page.evaluate("scrollY")
    Hand(visitor).drag([(x, y)], [(x, y - 180)])
    visitor.page.wait_for_function("before => scrollY > before + 60", arg=before)
