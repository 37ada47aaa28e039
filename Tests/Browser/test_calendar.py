"""The link to a member's calendar, read by a calendar library."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import date, timedelta

import pytest
from icalendar import Calendar
from installation import Installation
from playwright.sync_api import expect
from visitor import PROFILES, Profile, Visitor


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_member_subscribes_to_their_dates(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    team = installation.add_team("Blue; green, and a rather long name")
    person = visitor.log_in_new(team)
    first = date.today() + timedelta(days=20)
    installation.api(
        person, "PUT", "/me/absences",
        {"absences": [{"first": str(first), "last": str(first + timedelta(days=2))}]})
    visitor.open("/settings/notifications")
    card = visitor.page.get_by_role("region", name=visitor.words["calendarFeed.title"])
    card.get_by_role("button", name=visitor.words["share.make"]).click()
    link = card.get_by_label(visitor.words["calendarFeed.address"]).input_value()
    visitor.look("calendar")

    # As a calendar program does: without a log-in.
    with urllib.request.urlopen(link) as answer:
        calendar = Calendar.from_ical(answer.read())
    assert not calendar.errors
    events = calendar.walk("VEVENT")
    assert all(not event.errors for event in events)
    assert len({event["UID"] for event in events}) == len(events)
    sprints = [event for event in events if team in event["SUMMARY"]]
    running = [event for event in sprints if event.decoded("DTSTART") <= date.today() < event.decoded("DTEND")]
    assert len(running) == 1, sprints
    # Each begins on the day on which the one before it ends.
    spans = sorted((event.decoded("DTSTART"), event.decoded("DTEND")) for event in sprints)
    assert len(spans) >= 13
    assert all(one[1] == two[0] for one, two in zip(spans, spans[1:]))
    (absence,) = [event for event in events if event not in sprints]
    assert absence["SUMMARY"] == visitor.words["calendarFeed.absence"]
    assert (absence.decoded("DTSTART"), absence.decoded("DTEND")) == (first, first + timedelta(days=3))

    card.get_by_role("button", name=visitor.words["share.end"]).click()
    expect(visitor.page.get_by_text(visitor.words["calendarFeed.ended"])).to_be_visible()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(link)
