"""The page that a browser shows without a connection goes away by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from cable import Cable
from installation import Installation, running
from playwright.sync_api import expect
from visitor import Profile, Visitor


@pytest.fixture
def way() -> Iterator[Cable]:
    """Leads nowhere yet."""
    way = Cable()
    yield way
    way.cut()


@pytest.fixture
def visitor(way: Cable, browse: Callable[..., Visitor]) -> Iterator[Visitor]:
    """Logged in, on a page with a service worker, through a connection that can be cut."""
    distant = Installation()
    distant.servers[0].url = way.lead_to(distant.servers[0].address)
    with running(distant):
        visitor = browse(Profile("phone", "en"), place=distant)
        visitor.log_in_new(distant.add_team())
        visitor.open("/settings")
        visitor.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        yield visitor
        visitor.page.goto("about:blank")


def test_it_loads_the_page_when_the_server_is_back(visitor: Visitor, way: Cable) -> None:
    with visitor.complaints.expecting_no_network():
        # The browser stays online: it reports nothing when the server returns.
        way.cut()
        visitor.open("/settings")
        visitor.expect_heading("offline.title")
        with visitor.page.expect_event("requestfailed", lambda request: "/health/ready" in request.url):
            pass
        way.restore()
        visitor.expect_heading("settings.title")


def test_it_loads_the_page_at_once_when_the_connection_is_back(visitor: Visitor) -> None:
    # Timers do not fire, so that only the event can load the page.
    visitor.context.add_init_script("window.setTimeout = () => 0")
    with visitor.complaints.expecting_no_network():
        visitor.context.set_offline(True)
        visitor.open("/settings")
        visitor.expect_heading("offline.title")
        visitor.context.set_offline(False)
        visitor.expect_heading("settings.title")
