"""A member's tasks once more, on MongoDB: the other tests use a SQLite file."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from installation import Installation, Person
from playwright.sync_api import expect
from test_log_in import log_in_by_form, log_out
from test_settings import fill_in_password
from test_voting import choose, expect_thanks
from visitor import Profile, Visitor


@pytest.fixture
def visitor(browse: Callable[..., Visitor], cluster: Installation) -> Visitor:
    return browse(Profile("phone", "de"), place=cluster)


def test_two_people_vote_through_two_processes_and_read_the_result(
    visitor: Visitor, browse: Callable[..., Visitor], cluster: Installation
) -> None:
    team = cluster.add_team(threshold="2")
    anna, ben = visitor, browse(Profile("desktop", "en"), place=cluster, process=1)
    person = anna.somebody_new(team)
    anna.open("/")
    log_in_by_form(anna, person.name, person.password)
    anna.expect_heading("ownPassword.title")
    anna.link("ownPassword.later").click()
    anna.page.wait_for_url("**/teams/*")
    ben.log_in_new(team)
    vote(anna, 6, "Ruhige Wochen.")
    anna.page.evaluate("window.isTheSameDocument = true")
    vote(ben, 9, "Fewer meetings.")

    # Both have voted, so the sprint is complete.
    expect(ben.page.locator(".figure")).to_have_text("7.5")
    expect(anna.page.locator(".figure")).to_have_text("7,5")
    assert anna.page.evaluate("window.isTheSameDocument") is True
    anna.look("mongodb-live")

    ben.link("app.history").click()
    ben.expect_heading("history.title")
    ben.look("mongodb-history")
    ben.page.locator(".chart .wide a[aria-label]").focus()
    ben.page.keyboard.press("Enter")
    ben.page.wait_for_url("**/sprints/**")
    for text in ["Ruhige Wochen.", "Fewer meetings."]:
        expect(ben.page.get_by_text(text)).to_be_visible()
    ben.look("mongodb-sprint")
    log_out(anna)


def vote(visitor: Visitor, happiness: int, feedback: str) -> None:
    """Votes, from the start page to the confirmation."""
    visitor.open("/")
    visitor.link("live.vote").click()
    visitor.expect_heading("vote.title")
    choose(visitor, happiness)
    visitor.page.get_by_label(visitor.words["vote.feedback"]).fill(feedback)
    visitor.button("vote.send").click()
    expect_thanks(visitor)


def test_a_vote_without_scripts_is_counted_once(browse: Callable[..., Visitor], cluster: Installation) -> None:
    visitor = browse(Profile("phone", "en"), place=cluster, javascript=False)
    person = visitor.log_in_new(cluster.add_team())
    address = f"/teams/{cluster.team_id(person)}/vote"
    visitor.open(f"{address}/plain")
    visitor.page.get_by_role("radio", name=re.compile(r"^7\b")).check()
    visitor.button("vote.send").click()
    expect_thanks(visitor)
    visitor.open(address)
    expect_thanks(visitor)


def test_an_invitation_by_mail_leads_into_the_team(visitor: Visitor, cluster: Installation) -> None:
    name = f"guest{uuid4().hex[:8]}"
    email = f"{name}@example.org"
    cluster.command("user", "invite", email, "--team", cluster.add_team(), "--locale", "de")
    visitor.open(cluster.mailed_link(email))
    visitor.field("register.name").fill(name)
    visitor.field("register.password").fill("quiet lantern 1")
    visitor.field("register.repeat").fill("quiet lantern 1")
    visitor.button("invitation.accept").click()
    visitor.expect_heading("invitation.doneTitle")
    visitor.link("invitation.start").click()
    visitor.page.wait_for_url("**/teams/*")


def test_settings_reach_every_process(visitor: Visitor, browse: Callable[..., Visitor], cluster: Installation) -> None:
    person = visitor.log_in_new(cluster.add_team())
    other = browse(Profile("desktop", "de"), place=cluster, process=1)
    other.log_in(person)
    visitor.open("/settings/sessions")
    visitor.button("sessions.endOthers").click()
    expect(visitor.button("sessions.endOthers")).to_have_count(0)
    visitor.open("/settings/password")
    fill_in_password(visitor, person.password)
    visitor.button("password.save").click()
    expect(visitor.page.get_by_text(visitor.words["password.done"])).to_be_visible()
    visitor.open("/settings")
    visitor.page.locator("button[lang=en]").click()
    expect(visitor.page.locator("html")).to_have_attribute("lang", "en")
    # Through the other process; the account's language is no longer German.
    other.log_in(Person(person.name, person.email, "quiet lantern 1"))
    other.open("/settings")
    expect(other.page.locator("html")).to_have_attribute("lang", "en")
