"""What a browser complains about: errors on its console, violations of the content security policy among them, requests
that failed, answers that say so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, Request, Response


class Complaints:
    """Keeps the complaints of all pages of one browser. Any of them that was not expected fails the test."""

    def __init__(self, context: BrowserContext) -> None:
        self._found: list[str] = []
        # Statuses that the test provokes, and whether the network is away on purpose.
        self._expected: set[int] = set()
        self._is_offline = False
        # Words of an error that a script throws on purpose.
        self._script_error: str | None = None
        context.on("page", self._watch)

    @contextmanager
    def expecting(self, *statuses: int) -> Iterator[None]:
        """Answers with these statuses are what the test wants to see."""
        before = self._expected
        self._expected = before | set(statuses)
        try:
            yield
        finally:
            self._expected = before

    @contextmanager
    def expecting_no_network(self) -> Iterator[None]:
        """Requests may fail."""
        self._is_offline = True
        try:
            yield
        finally:
            self._is_offline = False

    @contextmanager
    def expecting_script_error(self, words: str) -> Iterator[None]:
        """Scripts may throw errors that have these words."""
        self._script_error = words
        try:
            yield
        finally:
            self._script_error = None

    def check(self) -> None:
        """Fails if there was any complaint since the last time."""
        found, self._found = self._found, []
        assert not found, "The browser complains:\n" + "\n".join(found)

    def _watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", self._page_error)
        page.on("requestfailed", self._request_failed)
        page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        # The console repeats each failed request; those are looked at below, where the status is known.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self._found.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _page_error(self, error: Error) -> None:
        if self._script_error is None or self._script_error not in str(error):
            self._found.append(f"script: {error}")

    def _request_failed(self, request: Request) -> None:
        # Aborted: a page was left while something was still on its way, such as its events.
        if request.failure != "net::ERR_ABORTED" and not self._is_offline:
            self._found.append(f"request: {request.url} {request.failure}")

    def _response(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self._expected:
            self._found.append(f"answer: {response.status} {response.request.method} {response.url}")
