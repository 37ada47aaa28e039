"""A picture from a phone's camera, by the form of the settings."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect
from visitor import Profile, Visitor

# Tags of Exif 2.32: model, orientation (a quarter turn), pointer to the location.
MODEL, ORIENTATION, PLACE = 0x0110, 0x0112, 0x8825
LEFT, RIGHT = (200, 40, 40), (40, 40, 200)


@pytest.fixture
def photograph(tmp_path: Path) -> Path:
    """Three megapixels taken upright with a phone that stores them rotated: the upper half is red, the lower one
    blue."""
    stored = Image.new("RGB", (2048, 1536), LEFT)
    stored.paste(RIGHT, (1024, 0, 2048, 1536))
    exif = Image.Exif()
    exif[MODEL] = "A person's phone"
    exif[ORIENTATION] = 6
    exif.get_ifd(PLACE).update({1: "N", 2: (48.0, 12.0, 29.52), 3: "E", 4: (16.0, 22.0, 25.68)})
    path = tmp_path / "IMG_0001.jpg"
    stored.save(path, quality=92, exif=exif)
    return path


# Without a script the original file is sent; with it, the browser has cropped the picture.
@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no-script"])
def test_a_photograph_appears_immediately_and_without_its_location(
    javascript: bool, browse: Callable[..., Visitor], photograph: Path
) -> None:
    visitor = browse(Profile("phone", "en"), javascript=javascript)
    visitor.log_in_new()
    visitor.open("/settings/picture")
    visitor.field("picture.choose").set_input_files(photograph)
    visitor.button("picture.save").click()
    visitor.page.wait_for_url(re.compile(r"\?done="))

    visitor.open("/settings/picture")
    portrait = visitor.page.locator("img.portrait.large")
    expect(portrait).to_have_js_property("naturalWidth", 512)
    answer = visitor.context.request.get(portrait.get_attribute("src") or "")
    assert answer.ok
    body = answer.body()
    for trace in (b"Exif", b"Phone of", b"GPS"):
        assert trace not in body
    shown = Image.open(io.BytesIO(body)).convert("RGB")
    assert shown.size == (512, 512)
    for place, color in (((256, 100), LEFT), ((256, 412), RIGHT)):
        assert all(abs(one - other) < 12 for one, other in zip(shown.getpixel(place), color, strict=True))
