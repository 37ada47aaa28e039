"""The cost of a first visit on a phone: counted, not timed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from installation import Installation
from visitor import Profile, Visitor

# Bytes and requests of a first visit with an empty cache, without the other members' pictures. The page to vote pays a
# thousand bytes for never sending a ballot in plain and for not losing the one paper of its voter.
BUDGETS = {"": (35_000, 8), "/vote": (50_500, 14), "/history": (89_000, 12), "/actions": (52_500, 8), "/manage": (83_000, 12)}


@pytest.mark.parametrize("page", BUDGETS)
def test_a_first_visit_is_light_and_steady(
    page: str, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "en"))
    person = visitor.log_in_new("Demo Team", lead=True)
    requests: dict[str, str] = {}
    bytes_of: dict[str, float] = {}

    def sent(event: dict[str, Any]) -> None:
        requests[event["requestId"]] = event["request"]["url"]

    def received(event: dict[str, Any]) -> None:
        bytes_of[event["requestId"]] = bytes_of.get(event["requestId"], 0) + event["encodedDataLength"]

    def finished(event: dict[str, Any]) -> None:
        # The total, including headers.
        bytes_of[event["requestId"]] = event["encodedDataLength"]

    session = visitor.context.new_cdp_session(visitor.page)
    session.on("Network.requestWillBeSent", sent)
    session.on("Network.dataReceived", received)
    session.on("Network.loadingFinished", finished)
    session.send("Network.enable")
    visitor.open(f"/teams/{installation.team_id(person)}{page}")
    # Includes scripts that a module loads later, and the event stream.
    visitor.page.wait_for_load_state("networkidle")
    table = "\n".join(f"{bytes_of.get(id, 0):9.0f} {url}" for id, url in requests.items())
    print(table)
    counted = [id for id, url in requests.items() if url.startswith("http") and "/pictures/" not in url]
    largest, most = BUDGETS[page]
    assert len(counted) <= most, table
    assert sum(bytes_of.get(id, 0) for id in counted) < largest, table
    visitor.check_layout_is_steady()
