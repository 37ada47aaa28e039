"""Several users watch a team while others vote: all see results when they are published, and nothing before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cable import Cable
from installation import Installation, Person, running
from playwright.sync_api import Locator, expect
from visitor import Profile, Visitor

# Set per document, so that a swap cannot be mistaken for a reload.
REMEMBER_THE_DOCUMENT = "window.isTheSameDocument = true"

# Counts the steps in which a face moves.
COUNT_STEPS = """
    window.steps = 0;
    new MutationObserver((changes) => { window.steps += changes.length; })
        .observe(document, { subtree: true, attributes: true, attributeFilter: ["d"] });
"""


@pytest.fixture(params=["SQLite", "MongoDB"])
def place(request: pytest.FixtureRequest) -> Installation:
    """One process on a file, and two on a replica set."""
    return request.getfixturevalue("installation" if request.param == "SQLite" else "cluster")


class Watcher:
    """A team member who has one of its pages open and does nothing."""

    def __init__(self, visitor: Visitor, address: str) -> None:
        self.visitor = visitor
        self.page = visitor.page
        # Ids of the events that the browser received.
        self.events: list[str] = []
        session = visitor.context.new_cdp_session(visitor.page)
        session.on("Network.eventSourceMessageReceived", lambda event: self.events.append(event["eventId"]))
        session.send("Network.enable")
        visitor.open(address)
        visitor.page.evaluate(REMEMBER_THE_DOCUMENT)

    @property
    def region(self) -> Locator:
        """The refreshed part of the page."""
        return self.page.locator("[data-live]")

    def expect_value(self, value: float) -> None:
        """Waits for a result that every part of the live view shows."""
        separator = "," if self.visitor.profile.language == "de" else "."
        expect(self.page.locator(".figure")).to_have_text(str(value).replace(".", separator))
        expect(self.page.locator(".face")).to_have_attribute("data-happiness", str(value))
        self.check_document()

    def expect_points(self, *values: float) -> None:
        """Waits for the dots of the history chart."""
        dots = self.page.locator(".chart .wide a[aria-label]")
        expect(dots).to_have_count(len(values))
        for index, value in enumerate(values):
            expect(dots.nth(index)).to_have_attribute("aria-label", re.compile(rf": {value} \("))
        self.check_document()

    def check_document(self) -> None:
        """Fails if the page was reloaded."""
        assert self.page.evaluate("window.isTheSameDocument") is True


class Reference:
    """A team without protection, whose every vote is published, with a watcher on each process. Once they have seen a
    vote, the processes have sent everything they had before."""

    def __init__(self, place: Installation, browse: Callable[..., Visitor], ticks: int) -> None:
        self._place = place
        team = place.add_team("Reference", policy="immediate")
        self._voters = [place.add_person(team=team) for _ in range(ticks)]
        self._watchers: list[Watcher] = []
        for process in range(len(place.servers)):
            visitor = browse(Profile("phone", "en"), place=place, process=process)
            visitor.log_in_new(team)
            self._watchers.append(Watcher(visitor, f"/teams/{place.team_id(self._voters[0])}"))

    def pass_on(self) -> None:
        """Returns when every watcher has received everything published so far."""
        numbers = [watcher.region.get_attribute("data-live-number") for watcher in self._watchers]
        self._place.vote(self._voters.pop(), 5)
        for watcher, number in zip(self._watchers, numbers, strict=True):
            expect(watcher.region).not_to_have_attribute("data-live-number", str(number))


# Seconds: four results in a row, each read once a second and shown a second later, on two stores.
@pytest.mark.timeout(120)
def test_a_result_appears_for_all_members_only_when_it_is_published(
    place: Installation, browse: Callable[..., Visitor]
) -> None:
    team = place.add_team(threshold="2")
    voters = [place.add_person(team=team) for _ in range(6)]
    address = f"/teams/{place.team_id(voters[0])}"

    def join(profile: Profile, process: int, **options: Any) -> Visitor:
        visitor = browse(profile, place=place, process=process, **options)
        visitor.log_in_new(team)
        return visitor

    # All join before anyone watches, since a new member is shown too.
    visitors = [
        join(Profile("phone", "de"), 0), join(Profile("desktop", "en"), -1),
        join(Profile("phone", "en"), -1, reduced_motion="reduce"), join(Profile("desktop", "en"), 0),
    ]
    watchers = [Watcher(visitor, address + page) for visitor, page in zip(visitors, ["", "", "", "/history"], strict=True)]
    anna, ben, calm, chart = watchers
    reference = Reference(place, browse, ticks=2)

    # Two ballots are a snapshot, which is published after two more.
    for voter, happiness in zip(voters, [8, 9, 2]):
        place.vote(voter, happiness)
    reference.pass_on()
    assert [watcher.events for watcher in watchers] == [[], [], [], []]
    for watcher in [anna, ben, calm]:
        heading = watcher.visitor.words["live.nothingYet"]
        expect(watcher.page.get_by_role("heading", name=heading)).to_be_visible()

    place.vote(voters[3], 3)
    for watcher in [anna, ben, calm]:
        watcher.expect_value(8.5)
    chart.expect_points(8.5)

    place.vote(voters[4], 10)
    reference.pass_on()
    assert [len(watcher.events) for watcher in watchers] == [1, 1, 1, 1]

    for watcher in [anna, calm]:
        watcher.page.evaluate(COUNT_STEPS)
    place.vote(voters[5], 0)
    for watcher in [anna, ben, calm]:
        watcher.expect_value(5.5)
    chart.expect_points(5.5)
    # The face moved in steps, and at once with reduced motion; the result is the same.
    late = Watcher(join(Profile("phone", "en"), 0), address)
    mouth = str(late.page.locator(".mouth").get_attribute("d"))
    for watcher in [anna, ben, calm]:
        expect(watcher.page.locator(".mouth")).to_have_attribute("d", mouth)
    assert anna.page.evaluate("window.steps") > 3
    assert calm.page.evaluate("window.steps") <= 3
    anna.visitor.look("live-published")


@pytest.fixture
def way() -> Iterator[Cable]:
    """Sends to no one yet."""
    way = Cable()
    yield way
    way.cut()


def test_after_a_lost_connection_missed_publications_appear(way: Cable, browse: Callable[..., Visitor]) -> None:
    distant = Installation()
    distant.servers[0].url = way.lead_to(distant.servers[0].address)
    with running(distant):
        team = distant.add_team(threshold="2")
        voters = [distant.add_person(team=team) for _ in range(4)]
        visitor = browse(Profile("phone", "de"), place=distant)
        visitor.log_in_new(team)
        watcher = Watcher(visitor, f"/teams/{distant.team_id(voters[0])}")
        number = watcher.region.get_attribute("data-live-number")
        with visitor.complaints.expecting_no_network():
            with visitor.page.expect_event("requestfailed", lambda request: "/events" in request.url):
                way.cut()
            vote_all(distant, voters)
            way.restore()
            # Three seconds later, as the server requests.
            with visitor.page.expect_request("**/events?*") as again:
                watcher.expect_value(8.5)
        assert again.value.all_headers()["last-event-id"] == number
        visitor.page.goto("about:blank")


def test_a_replaced_process_loses_no_publication(browse: Callable[..., Visitor], cluster: Installation) -> None:
    team = cluster.add_team(threshold="2")
    voters = [cluster.add_person(team=team) for _ in range(4)]
    visitor = browse(Profile("desktop", "en"), place=cluster, process=1)
    visitor.log_in_new(team)
    watcher = Watcher(visitor, f"/teams/{cluster.team_id(voters[0])}")
    with visitor.complaints.expecting_no_network():
        cluster.servers[1].stop()
        # Through the other process.
        vote_all(cluster, voters)
        cluster.servers[1].start()
        watcher.expect_value(8.5)


def vote_all(place: Installation, voters: list[Person]) -> None:
    """Casts four ballots: the first two are published with a threshold of two."""
    for voter, happiness in zip(voters, [8, 9, 2, 3], strict=True):
        place.vote(voter, happiness)


def test_a_stream_that_a_proxy_refused_is_retried(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "en"))
    person = visitor.log_in_new(installation.add_team())
    visitor.page.clock.install()
    visitor.page.route("**/events?*", lambda route: route.fulfill(status=502), times=1)
    with visitor.complaints.expecting(502):
        with visitor.page.expect_response(lambda answer: "/events?" in answer.url and answer.status == 502):
            visitor.open(f"/teams/{installation.team_id(person)}")
        with visitor.page.expect_response(lambda answer: "/events?" in answer.url and answer.status == 200):
            # Milliseconds.
            visitor.page.clock.fast_forward(5_000)


def test_a_result_whose_page_did_not_come_is_fetched_again(browse: Callable[..., Visitor], installation: Installation) -> None:
    team = installation.add_team(threshold="2")
    voters = [installation.add_person(team=team) for _ in range(4)]
    visitor = browse(Profile("phone", "en")).without_service_worker()
    visitor.log_in_new(team)
    visitor.page.clock.install()
    address = f"/teams/{installation.team_id(voters[0])}"
    watcher = Watcher(visitor, address)
    visitor.page.route(visitor.url + address, lambda route: route.fulfill(status=502), times=1)
    with visitor.complaints.expecting(502):
        with visitor.page.expect_response(lambda answer: answer.status == 502):
            vote_all(installation, voters)
        # Milliseconds.
        visitor.page.clock.fast_forward(5_000)
        watcher.expect_value(8.5)
