"""A user with a browser, and the checks for every page they view."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from complaints import Complaints
from installation import ROOT, Installation, Person, wait_until
from playwright.sync_api import Browser, Locator, Page, expect
from words import Words

ARTEFACTS = ROOT / ".test-artefacts"
SCREENSHOTS = ARTEFACTS / "screenshots"
# A sixth of the time of the tests that take them.
TAKES_PICTURES = os.environ.get("SCREENSHOTS") != "no"

# Milliseconds; time limit of every wait, reached only by a failing test.
PATIENCE = 15_000
expect.set_options(timeout=PATIENCE)

# The visible area of a 1280 × 1024 window at 400 % (WCAG 2.2, 1.4.10 Reflow).
ZOOMED = {"width": 320, "height": 256}

SCHEMES = ("light", "dark")
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

# Without the hundreds of checks that pass.
RUN_AXE = "async (options) => ({ violations: (await axe.run(options)).violations })"

# Records layout shifts from the start (Layout Instability, §3.1).
LAYOUT_SHIFTS = """
    window.layoutShifts = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
            if (!entry.hadRecentInput) {
                const moved = entry.sources.map((one) => (one.node?.outerHTML ?? one.node?.textContent)?.slice(0, 120));
                window.layoutShifts.push([entry.value, ...moved]);
            }
        }
    }).observe({ type: "layout-shift", buffered: true });
"""

# The innermost elements that extend beyond the right edge of the window.
OVERFLOWING = """
    () => document.scrollingElement.scrollWidth <= document.scrollingElement.clientWidth ? [] :
        [...document.querySelectorAll("body *")]
            .filter((one) => one.getBoundingClientRect().right > document.scrollingElement.clientWidth + 0.5)
            .filter((one, _, all) => !all.some((other) => other !== one && one.contains(other)))
            .map((one) => one.outerHTML.slice(0, 160))
"""


# Sizes of letters that people choose in their browser, in percent (WCAG 2.2, 1.4.4 Resize Text).
LARGE_LETTERS = (150, 200)

# What would be pale on paper, and whether a chart is missing there; in the dark theme.
PALE_IN_PRINT = """
    () => {
        document.documentElement.dataset.theme = "dark";
        document.getAnimations().filter((one) => one instanceof CSSTransition).forEach((one) => one.finish());
        const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
        const isPale = (colour) => {
            for (const layer of ["#fff", colour]) {
                paint.fillStyle = layer;
                paint.fillRect(0, 0, 1, 1);
            }
            const [red, green, blue] = paint.getImageData(0, 0, 1, 1).data;
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 130;
        };
        const hasText = (one) => [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
        const shown = [...document.body.querySelectorAll("*")].filter((one) => one.checkVisibility({ visibilityProperty: true }));
        const texts = shown.filter((one) => hasText(one) && isPale(getComputedStyle(one)[one.closest("svg") ? "fill" : "color"]));
        const lines = shown.filter((one) => one.matches(".hm-line"));
        const onPaper = texts.filter((one) => !one.matches(".hm-on-badge"));
        const pale = [...onPaper, ...lines.filter((one) => isPale(getComputedStyle(one).stroke))].map((one) => one.outerHTML.slice(0, 120));
        const grounds = [document.documentElement, document.body].map((one) => getComputedStyle(one).backgroundColor);
        delete document.documentElement.dataset.theme;
        if (document.querySelector(".hm-line") && !lines.length) pale.push("no chart");
        return [...pale, ...grounds.filter((colour) => !isPale(colour))];
    }
"""

FINISH_TRANSITIONS = """
    () => document.getAnimations().filter((one) => one instanceof CSSTransition).forEach((one) => one.finish())
"""


@dataclass(frozen=True)
class Profile:
    """Device and language of a visitor. Each profile is checked in both colour schemes."""

    device: str
    language: str

    def __str__(self) -> str:
        return f"{self.device}-{self.language}"

    def options(self) -> dict[str, Any]:
        """In the format of Playwright's `new_context`."""
        locale = {"en": "en-GB", "de": "de-AT"}[self.language]
        if self.device == "phone":
            size = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
        else:
            size = {"viewport": {"width": 1280, "height": 800}}
        return {"locale": locale, **size}


# Every device and every language; German, whose words are longer, where there is less room. All pairs of both take a
# fifth of the browser tests' time, and are for reviews of pictures: TEST_PROFILES=all.
PROFILES_WITHOUT_SCRIPT = [Profile("phone", "de"), Profile("desktop", "en")]
PROFILES_CHECKED_WITHOUT_SCRIPT = PROFILES_WITHOUT_SCRIPT[: None if os.environ.get("TEST_PROFILES") == "all" else 1]
PROFILES = PROFILES_WITHOUT_SCRIPT + (
    [Profile("phone", "en"), Profile("desktop", "de")] if os.environ.get("TEST_PROFILES") == "all" else [])

# The values of `profile` and `javascript` for tests with and without scripts, with their names.
SCRIPT_OR_NOT = [(profile, True) for profile in PROFILES] + [(profile, False) for profile in PROFILES_WITHOUT_SCRIPT]


def script_or_not_name(value: Profile | bool) -> str:
    """The name of such a test."""
    return str(value) if isinstance(value, Profile) else "script" if value else "no-script"


def origin(url: str) -> str:
    """Scheme, host and port of an address (RFC 6454)."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


class Visitor:
    """A user with their own browser context: nothing stored, an address of its own."""

    _addresses = count(1)

    def __init__(
        self, browser: Browser, installation: Installation, profile: Profile, javascript: bool = True, process: int = 0,
        **options: Any,
    ) -> None:
        """- process: which of the installation's processes to use."""
        self.installation = installation
        self.url = installation.servers[process].url
        self.profile = profile
        self.words = Words(profile.language)
        self._browser = browser
        self._has_javascript = javascript
        number = next(self._addresses)
        self.context = browser.new_context(
            base_url=self.url, java_script_enabled=javascript, color_scheme="light",
            extra_http_headers={"X-Forwarded-For": f"10.0.{number // 250}.{number % 250 + 1}"},
            **profile.options(), **options,
        )
        self.context.set_default_timeout(PATIENCE)
        self.context.set_default_navigation_timeout(PATIENCE)
        if javascript:
            self.context.add_init_script(LAYOUT_SHIFTS)
        self.complaints = Complaints(self.context)
        self.page: Page = self.context.new_page()

    def without_service_worker(self) -> Visitor:
        """For tests that intercept requests: a service worker may take over a page at any moment, and its requests are not
        intercepted."""
        self.context.add_init_script("delete Navigator.prototype.serviceWorker")
        return self

    def open(self, address: str) -> None:
        """Opens a path on our server, or an absolute address, and waits until the page is complete."""
        self.page.goto(self.url + address if address.startswith("/") else address, wait_until="load")

    def wait_for_value(self, script: str) -> Any:
        """What a script returns, perhaps as a promise, once it is true or the like. Playwright's `wait_for_function` takes
        a promise itself for true, and so does not wait."""
        found: list[Any] = []

        def is_there() -> bool:
            found[:] = [self.page.evaluate(script)]
            return bool(found[0])

        wait_until(is_there)
        return found[0]

    def log_in(self, person: Person) -> None:
        """Logs in without the form, for tests about other things."""
        answer = self.context.request.post(
            f"{self.url}/login", form={"username": person.name, "password": person.password},
            headers={"Origin": origin(self.url)}, max_redirects=0,
        )
        assert answer.status == 303, f"{answer.status}: {answer.text()}"

    def somebody_new(self, team: str | None = None, lead: bool = False) -> Person:
        """A new user with the visitor's language, not logged in."""
        return self.installation.add_person(team=team, lead=lead, language=self.profile.language)

    def log_in_new(self, team: str | None = None, lead: bool = False) -> Person:
        """A new user, logged in."""
        person = self.somebody_new(team, lead)
        self.log_in(person)
        return person

    def button(self, key: str) -> Locator:
        """The button with this text."""
        return self.page.get_by_role("button", name=self.words[key], exact=True)

    def link(self, key: str) -> Locator:
        """The link with this text."""
        return self.page.get_by_role("link", name=self.words[key], exact=True)

    def field(self, key: str) -> Locator:
        """The field with this label."""
        return self.page.get_by_label(self.words[key], exact=True)

    def expect_heading(self, key: str) -> None:
        """Waits for the page with this heading."""
        expect(self.page.get_by_role("heading", level=1, name=self.words[key], exact=True)).to_be_visible()

    def look(self, name: str) -> None:
        """Checks that the page is as every page must be: without errors, accessible in both colour schemes, and never
        wider than the window, also at 400 %. Saves a picture of each scheme, for people to review now and then, unless
        SCREENSHOTS=no.

        - name: of the pictures; equal names overwrite each other.
        """
        self.page.wait_for_load_state("load")
        expect(self.page.locator("html")).to_have_attribute("lang", self.profile.language)
        self.complaints.check()
        # Without scripts a page is the same document on all devices, and with scripts every device is checked.
        if self._has_javascript or self.profile in PROFILES_CHECKED_WITHOUT_SCRIPT:
            with self._page_with_scripts() as checked:
                self._check_schemes(checked)
        if TAKES_PICTURES:
            kind = "" if self._has_javascript else "-no-script"
            for scheme in SCHEMES:
                self._wear(scheme, self.page)
                self._take_picture(SCREENSHOTS / f"{name}{kind}-{self.profile}-{scheme}.png")
            self._wear(SCHEMES[0], self.page)
        self._check_width()
        self.complaints.check()

    def _take_picture(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        size = self.page.viewport_size
        # In a window as high as the page; otherwise sticky elements would be in the middle of the picture.
        height = self.page.evaluate("document.scrollingElement.scrollHeight")
        self.page.set_viewport_size({"width": size["width"], "height": max(height, size["height"])})
        # Animations are finished, so that equal pages give equal pictures.
        self.page.screenshot(path=file, animations="disabled")
        self.page.set_viewport_size(size)

    def check_accessibility(self) -> None:
        """Checks the page in its current state: with axe in both colour schemes, and that it is not wider than the
        window."""
        self._check_schemes(self.page)
        self.check_fits()

    def check_large_letters(self) -> None:
        """Checks that the page fits into a phone also with larger letters."""
        size = self.page.viewport_size
        self.page.set_viewport_size({"width": 390, "height": 844})
        for percent in LARGE_LETTERS:
            self.page.evaluate("size => { document.documentElement.style.fontSize = size; }", f"{percent}%")
            self.check_fits()
        self.page.evaluate("document.documentElement.style.fontSize = ''")
        self.page.set_viewport_size(size)

    def check_print(self) -> None:
        """Checks that the page is dark on white paper, charts included, while the device and the browser are dark."""
        self.page.emulate_media(media="print", color_scheme="dark")
        pale = self.page.evaluate(PALE_IN_PRINT)
        self.page.emulate_media(media="screen", color_scheme=SCHEMES[0])
        self.page.evaluate(FINISH_TRANSITIONS)
        assert not pale, f"{self.page.url} is pale in print: {pale}"

    def check_layout_is_steady(self) -> None:
        """Fails if parts of the page moved while it loaded."""
        shifts = self.page.evaluate("window.layoutShifts")
        assert not shifts, f"The layout moved: {shifts}"

    def check_table_fits(self) -> None:
        """Fails if the values below a chart can only be read by scrolling sideways."""
        region = self.page.get_by_role("region", name=self.words["history.table"])
        width, room = region.evaluate("one => [one.scrollWidth, one.clientWidth]")
        assert width <= room, f"The table is {width} wide and has {room}."

    def check_readout(self) -> None:
        """A chart shows what the last dot or bar stands for, in the words of the page's language."""
        link = self.page.locator(".chart svg:visible a").last
        link.focus()
        shown = link.evaluate("link => ({ ...link.dataset })")
        readout = link.locator("xpath=ancestor::*[@data-chart]").locator(".readout")
        expect(readout.locator("strong")).to_have_text(shown["value"])
        expect(readout).to_contain_text(f"{shown['dates']} · {shown['facts']}")

    def close(self) -> None:
        """Closes the browser and fails if it had complaints."""
        self.context.close()
        self.complaints.check()

    def keep_picture(self, name: str) -> None:
        """Saves a picture of a failed test."""
        (ARTEFACTS / "failed").mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=ARTEFACTS / "failed" / f"{name}.png", full_page=True)

    def _wear(self, scheme: str, page: Page) -> None:
        page.emulate_media(color_scheme=scheme)
        # Colours in transition to the other scheme do not have their final contrast yet.
        page.evaluate(FINISH_TRANSITIONS)

    def _check_schemes(self, page: Page) -> None:
        for scheme in SCHEMES:
            self._wear(scheme, page)
            self._check_accessibility(page, contrast_only=scheme != SCHEMES[0])
        self._wear(SCHEMES[0], page)

    def _check_accessibility(self, page: Page, contrast_only: bool) -> None:
        rules = {"type": "rule", "values": ["color-contrast"]} if contrast_only else {"type": "tag", "values": WCAG}
        options: dict[str, Any] = {"runOnly": rules, "resultTypes": ["violations"]}
        if not contrast_only:
            # The rule about target size (WCAG 2.2, 2.5.8) is off by default.
            options["rules"] = {"target-size": {"enabled": True}}
        # Once for each document: it takes as long as a check.
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE_SCRIPT)
        results = AxeResults(page.evaluate(RUN_AXE, options))
        assert results.violations_count == 0, f"{page.url}: {results.generate_report()}"

    @contextmanager
    def _page_with_scripts(self) -> Iterator[Page]:
        """A page like this one in which checks can run. With scripts disabled, timers never fire and nothing can await
        them, so this is a copy of the document with its own scripts removed, in which `noscript` still applies."""
        if self._has_javascript:
            yield self.page
            return
        # A `meta` in it loads the page again, which the copy must not do.
        document = re.sub("<noscript>(?!<meta)(.*?)</noscript>", r"\1", self.page.content(), flags=re.DOTALL)
        context = self._browser.new_context(base_url=self.url, **self.profile.options())
        try:
            copy = context.new_page()
            copy.route("**/*", lambda route: route.abort() if route.request.resource_type == "script" else route.fallback())
            copy.route(
                lambda address: address == self.page.url,
                lambda route: route.fulfill(body=document, content_type="text/html; charset=utf-8"))
            copy.goto(self.page.url)
            yield copy
        finally:
            context.close()

    def _check_width(self) -> None:
        size = self.page.viewport_size
        for window in [size, ZOOMED]:
            self.page.set_viewport_size(window)
            self.check_fits()
        self.page.set_viewport_size(size)

    def check_fits(self) -> None:
        """Checks that the page is not wider than the window."""
        wide = self.page.evaluate(OVERFLOWING)
        assert not wide, f"{self.page.url} is wider than {self.page.viewport_size['width']} px: {wide}"
