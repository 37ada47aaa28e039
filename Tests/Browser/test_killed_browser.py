"""A browser that is killed while it casts a sealed ballot counts the vote once."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from installation import Installation, Person, wait_until
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect
from test_sealed_ballot import BALLOTS, PAPERS, forward, has_unsent


class MortalBrowser:
    """A Chromium with a profile on the disk, which a test kills and starts again."""

    def __init__(self, browser: Browser, chromium: str, folder: Path, installation: Installation) -> None:
        self._type = browser.browser_type
        self._chromium = chromium
        self._folder = folder
        self._url = installation.url
        self.context = self._start()

    def open(self, person: Person, address: str) -> Page:
        """Logs in, since a killed browser may have lost its cookie, and opens a page."""
        answer = self.context.request.post(
            f"{self._url}/login", form={"username": person.name, "password": person.password},
            headers={"Origin": self._url}, max_redirects=0)
        assert answer.status == 303
        page = self.context.new_page()
        page.goto(f"{self._url}{address}")
        return page

    def kill(self) -> None:
        """Ends all its processes at once, and starts it again."""
        for command in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if f"--user-data-dir={self._folder}" in command.read_text(errors="replace"):
                    os.kill(int(command.parent.name), signal.SIGKILL)
            except (FileNotFoundError, ProcessLookupError):
                # It ended by itself.
                pass
        for lock in self._folder.glob("Singleton*"):
            lock.unlink()
        self.context = self._start()

    def _start(self) -> BrowserContext:
        return self._type.launch_persistent_context(self._folder, executable_path=self._chromium)


@pytest.fixture
def mortal(browser: Browser, chromium: str, installation: Installation, tmp_path: Path) -> Iterator[MortalBrowser]:
    mortal = MortalBrowser(browser, chromium, tmp_path, installation)
    yield mortal
    mortal.context.close()


@pytest.mark.parametrize("place", [PAPERS, BALLOTS], ids=["paper", "ballot"])
@pytest.mark.parametrize("arrives", [False, True], ids=["before", "after"])
def test_a_killed_browser_counts_its_vote_once(
    place: str, arrives: bool, mortal: MortalBrowser, installation: Installation
) -> None:
    team = installation.add_team(threshold="2")
    person, colleague = (installation.add_person(name, team) for name in ("person", "colleague"))
    vote = f"/teams/{installation.team_id(person)}/vote"
    reached: list[bool] = []

    def hold(route: Route) -> None:
        if arrives:
            forward(route)
        reached.append(True)

    page = mortal.open(person, vote)
    page.route(place, hold)
    page.get_by_role("slider").fill("7")
    page.locator("#send").click()
    deadline = time.monotonic() + 15
    while not reached:
        assert time.monotonic() < deadline, "The request did not come."
        page.wait_for_timeout(10)
    mortal.kill()

    page = mortal.open(person, "/")
    installation.vote(colleague, 8)
    # The result of both, at once.
    expect(page.get_by_text("7.5", exact=True).first).to_be_visible()
    wait_until(lambda: not has_unsent(page))
