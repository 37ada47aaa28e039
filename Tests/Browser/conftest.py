"""Fixtures of the tests: one installation, one browser, and visitors of each kind."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from chromium import BROWSERS, SHELLS, path_of
from harness.mongod import mongod
from installation import Installation, running
from playwright.sync_api import Browser, Playwright, sync_playwright
from visitor import ARTEFACTS, PROFILES, Profile, Visitor

pytest_plugins = ["repeats"]

def pytest_configure(config: pytest.Config) -> None:
    """Removes the pictures of the previous run; only in the process that starts the others."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(ARTEFACTS, ignore_errors=True)


@pytest.fixture(scope="session")
def installation() -> Iterator[Installation]:
    """The product with its demo team, for the whole run. Tests that change something add their own users."""
    with running(Installation()) as installation:
        yield installation


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Two API processes on a MongoDB replica set, without any account."""
    with mongod(tmp_path_factory.mktemp("mongod")) as url, running(Installation(url, processes=2)) as cluster:
        yield cluster


class Browsers:
    """Starts Chromium, and again if the end of a test's time has cut the connection: the next test must not suffer."""

    def __init__(self) -> None:
        self._playwright: Playwright | None = None
        self._started: dict[str, Browser] = {}

    def get(self, path: str) -> Browser:
        """A running browser, headless; the same one for all tests if possible."""
        if any(not browser.is_connected() for browser in self._started.values()):
            self.stop()
        if self._playwright is None:
            self._playwright = sync_playwright().start()
        if path not in self._started:
            self._started[path] = self._playwright.chromium.launch(executable_path=path)
        return self._started[path]

    def stop(self) -> None:
        """Ends all of them."""
        for browser in self._started.values():
            if browser.is_connected():
                browser.close()
        if self._playwright is not None:
            self._playwright.stop()
        self._playwright = None
        self._started = {}


@pytest.fixture(scope="session")
def browsers() -> Iterator[Browsers]:
    """The browsers of all tests."""
    browsers = Browsers()
    yield browsers
    browsers.stop()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The quickest one."""
    return path_of(SHELLS + BROWSERS)


@pytest.fixture(scope="session")
def chromium_with_windows() -> str:
    """The whole browser, which can show notifications."""
    return path_of(BROWSERS)


@pytest.fixture
def browser(browsers: Browsers, chromium: str) -> Browser:
    """Chromium, headless."""
    return browsers.get(chromium)


@pytest.fixture
def browse(
    browser: Browser, installation: Installation, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Visitor]]:
    """Creates visitors: `browse()`, `browse(Profile("phone", "de"), javascript=False)`. On the installation of the run,
    or with `browse(place=cluster, process=1)`."""
    visitors: list[Visitor] = []

    def make(profile: Profile = Profile("phone", "en"), place: Installation | None = None, **options: Any) -> Visitor:
        visitor = Visitor(browser, place or installation, profile, **options)
        visitors.append(visitor)
        return visitor

    yield make
    has_failed = request.node.stash.get(FAILED, False)
    for number, visitor in enumerate(visitors):
        if has_failed:
            visitor.keep_picture(re.sub(r"[^\w-]+", "-", f"{request.node.name}-{number}"))
    for visitor in visitors:
        visitor.close()


@pytest.fixture(params=PROFILES, ids=str)
def visitor(browse: Callable[..., Visitor], request: pytest.FixtureRequest) -> Visitor:
    """A new visitor, once with every profile."""
    return browse(request.param)


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Tells the fixtures whether the test failed."""
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report
