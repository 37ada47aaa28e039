"""Takes the pictures of the README. Run by screenshots.sh, which documents the details."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from installation import ROOT, Installation, Person, running
from PIL import Image, ImageChops
from playwright.sync_api import Browser, sync_playwright
from visitor import Profile, Visitor

FOLDER = ROOT / "docs" / "screenshots"

# Maximum size in bytes; a README is also read on phones.
LARGEST = 150_000

# Share of pixels that differ visibly. The colour behind a user's initials and the order of feedback are random.
NEGLIGIBLE = 0.005

# Whether every picture in the window has loaded.
HAS_PICTURES = """
    () => [...document.images]
        .filter((one) => one.getBoundingClientRect().top < innerHeight)
        .every((one) => one.complete && one.naturalWidth > 0)
"""

PHONE = Profile("phone", "en")
DESKTOP = Profile("desktop", "en")


@dataclass(frozen=True)
class Picture:
    """A page of the demo team as one of its members sees it."""

    name: str
    profile: Profile
    person: str
    # `{team}` and `{sprint}` are replaced.
    address: str
    scheme: str = "light"
    # Runs before the picture is taken.
    prepare: Callable[[Visitor], None] = lambda visitor: None


def choose_eight(visitor: Visitor) -> None:
    """The face wakes up immediately."""
    visitor.page.locator(".stops label").nth(8).tap()


PICTURES = [
    Picture("live", PHONE, "demo", "/teams/{team}"),
    Picture("vote", PHONE, "demo", "/teams/{team}/vote", prepare=choose_eight),
    Picture("sprint", PHONE, "demo", "/teams/{team}/sprints/{sprint}", scheme="dark"),
    Picture("history", DESKTOP, "demo", "/teams/{team}/history"),
    Picture("actions", DESKTOP, "anna", "/teams/{team}/actions"),
    Picture("team", DESKTOP, "anna", "/teams/{team}/manage"),
]


def take(picture: Picture, browser: Browser, installation: Installation) -> Image.Image:
    """Takes a picture of the page in a window, in 256 colours."""
    person = installation.demo(picture.person)
    visitor = Visitor(browser, installation, picture.profile)
    try:
        visitor.page.emulate_media(color_scheme=picture.scheme)
        visitor.log_in(person)
        visitor.open(picture.address.format(team=installation.team_id(person), sprint=last_sprint(installation, person)))
        picture.prepare(visitor)
        visitor.page.wait_for_function(HAS_PICTURES)
        shown = Image.open(io.BytesIO(visitor.page.screenshot(animations="disabled")))
    finally:
        visitor.close()
    return shown.convert("RGB").quantize(256, dither=Image.Dither.NONE)


def last_sprint(installation: Installation, person: Person) -> str:
    """The label of the last closed sprint."""
    sprints = installation.api(person, "GET", f"/teams/{installation.team_id(person)}/sprints")["sprints"]
    return [sprint["label"] for sprint in sprints if sprint["state"] == "closed"][-1]


def is_like(picture: Image.Image, path: Path) -> bool:
    """Whether the file shows the same picture."""
    if not path.exists():
        return False
    before, now = Image.open(path).convert("L"), picture.convert("L")
    if before.size != now.size:
        return False
    differences = ImageChops.difference(before, now).histogram()
    return sum(differences[16:]) <= NEGLIGIBLE * now.width * now.height


def main() -> None:
    """Takes all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with running(Installation()) as installation, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        for picture in PICTURES:
            file = FOLDER / f"{picture.name}.png"
            image = take(picture, browser, installation)
            if is_like(image, file):
                print(f"{file.relative_to(ROOT)}: as before")
                continue
            image.save(file, optimize=True)
            size = file.stat().st_size
            print(f"{file.relative_to(ROOT)}: {size:,} bytes")
            if size > LARGEST:
                raise SystemExit(f"screenshots: {file.name} is larger than {LARGEST:,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
