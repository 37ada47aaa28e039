"""Collects a browser's complaints: errors on its console, including violations of the content security policy, failed
requests, and responses with an error status."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, Request, Response


class Complaints:
    """The complaints of all pages of one browser. Any unexpected one fails the test."""

    def __init__(self, context: BrowserContext) -> None:
        self._found: list[str] = []
        # Statuses that the test provokes, and whether the network is disabled on purpose.
        self._expected: set[int] = set()
        self._is_offline = False
        # Words in an error that a script throws on purpose.
        self._script_error: str | None = None
        context.on("page", self._watch)

    @contextmanager
    def expecting(self, *statuses: int) -> Iterator[None]:
        """Responses with these statuses are expected."""
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
        """Script errors that contain these words are expected."""
        self._script_error = words
        try:
            yield
        finally:
            self._script_error = None

    def check(self) -> None:
        """Fails if there was a complaint since the last check."""
        found, self._found = self._found, []
        assert not found, "The browser complains:\n" + "\n".join(found)

    def _watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", self._page_error)
        page.on("requestfailed", self._request_failed)
        page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        # The console repeats each failed request; those are checked below, where the status is known.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self._found.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _page_error(self, error: Error) -> None:
        if self._script_error is None or self._script_error not in str(error):
            self._found.append(f"script: {error}")

    def _request_failed(self, request: Request) -> None:
        # Aborted: the page was left while a request such as its event stream was still running.
        if request.failure != "net::ERR_ABORTED" and not self._is_offline:
            self._found.append(f"request: {request.url} {request.failure}")

    def _response(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self._expected:
            self._found.append(f"answer: {response.status} {response.request.method} {response.url}")
