"""What the tests share: one installation, one browser, and visitors of each kind."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from installation import BINARIES, Installation
from playwright.sync_api import Browser, sync_playwright
from visitor import ARTEFACTS, PROFILES, Profile, Visitor

# How distributions call it.
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def installation() -> Iterator[Installation]:
    """The product with its demo team, for the whole run. Tests that change something add people of their own."""
    for name in ("HappinessAPI", "Worker"):
        if not (BINARIES / name).exists():
            pytest.fail(f"{BINARIES / name} is missing. Run swift build first (make test does).", pytrace=False)
    installation = Installation()
    try:
        installation.start()
        yield installation
    finally:
        installation.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium, without a window. `CHROMIUM` names another one."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.fail("Chromium is missing. Run scripts/setup.sh test (make test does).", pytrace=False)
    shutil.rmtree(ARTEFACTS, ignore_errors=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@pytest.fixture
def browse(
    browser: Browser, installation: Installation, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Visitor]]:
    """Makes visitors: `browse()`, `browse(Profile("phone", "de"), javascript=False)`."""
    visitors: list[Visitor] = []

    def make(profile: Profile = Profile("phone", "en"), **options: Any) -> Visitor:
        visitor = Visitor(browser, installation, profile, **options)
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
    """Somebody new, once with every profile."""
    return browse(request.param)


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Tells the fixtures whether the test failed."""
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report
