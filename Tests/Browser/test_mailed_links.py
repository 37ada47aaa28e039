"""Everything that uses mail: a forgotten password, an invitation, a registration, a new address."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

from installation import Installation, Person
from playwright.sync_api import expect
from test_log_in import log_in_by_form
from visitor import Profile, Visitor


def new_address(domain: str) -> str:
    return f"{uuid4().hex[:12]}@{domain}"


def test_a_forgotten_password_is_replaced_through_the_mailed_link(visitor: Visitor, installation: Installation) -> None:
    person = visitor.somebody_new()
    visitor.open("/login")
    visitor.link("logIn.forgotten").click()
    visitor.expect_heading("forgotten.title")
    visitor.look("forgotten-password")
    visitor.field("forgotten.email").fill(person.email)
    visitor.button("forgotten.send").click()
    visitor.expect_heading("mailFolder.askTitle")
    visitor.look("forgotten-password-sent")

    link = installation.mailed_link(person.email)
    visitor.open(link)
    visitor.expect_heading("reset.title")
    visitor.look("reset-password")
    visitor.field("reset.password").fill("quiet lantern 1")
    visitor.field("reset.repeat").fill("quiet lantern 2")
    with visitor.complaints.expecting(422):
        visitor.button("reset.save").click()
        expect(visitor.page.get_by_role("alert")).to_have_text(visitor.words["reset.different"])
        visitor.look("reset-password-different")
    visitor.field("reset.password").fill("quiet lantern 1")
    visitor.field("reset.repeat").fill("quiet lantern 1")
    visitor.button("reset.save").click()
    visitor.expect_heading("resetDone.title")
    visitor.look("reset-password-done")
    visitor.link("logIn.title").click()
    log_in_by_form(visitor, person.name, "quiet lantern 1")
    visitor.expect_heading("noTeam.title")

    with visitor.complaints.expecting(422):
        visitor.open(link)
        visitor.expect_heading("expired.title")
        visitor.look("link-expired")


def test_a_password_can_be_generated(visitor: Visitor, installation: Installation) -> None:
    person = visitor.somebody_new()
    visitor.open("/forgot-password")
    visitor.field("forgotten.email").fill(person.email)
    visitor.button("forgotten.send").click()
    visitor.expect_heading("mailFolder.askTitle")
    visitor.open(installation.mailed_link(person.email))
    visitor.button("reset.generate").click()
    visitor.expect_heading("resetDone.title")
    visitor.look("reset-password-generated")
    visitor.log_in(Person(person.name, person.email, visitor.page.locator("code").inner_text()))


def test_an_invitation_creates_an_account_in_the_team(visitor: Visitor, installation: Installation) -> None:
    team = installation.add_team()
    email = new_address("example.org")
    installation.command("user", "invite", email, "--team", team, "--locale", visitor.profile.language)
    visitor.open(installation.mailed_link(email))
    visitor.expect_heading("invitation.title")
    expect(visitor.page.get_by_text(team, exact=True)).to_be_visible()
    visitor.look("invitation")
    name = email.split("@")[0]
    visitor.field("register.name").fill(name)
    visitor.field("register.password").fill("quiet lantern 1")
    visitor.field("register.repeat").fill("quiet lantern 1")
    visitor.button("invitation.accept").click()
    visitor.expect_heading("invitation.doneTitle")
    visitor.look("invitation-accepted")
    visitor.link("invitation.start").click()
    visitor.page.wait_for_url("**/teams/*")


def test_a_user_with_an_account_is_asked_before_joining_a_team(visitor: Visitor, installation: Installation) -> None:
    person = visitor.somebody_new()
    installation.command("user", "invite", person.email, "--team", installation.add_team())
    visitor.open(installation.mailed_link(person.email))
    visitor.expect_heading("join.title")
    visitor.look("join-team")
    visitor.button("join.accept").click()
    visitor.expect_heading("join.doneTitle")
    visitor.look("joined-team")
    visitor.link("logIn.title").click()
    log_in_by_form(visitor, person.name, person.password)
    visitor.page.wait_for_url("**/teams/*")


def test_a_registration_takes_effect_after_confirmation(visitor: Visitor, installation: Installation) -> None:
    email = new_address("example.net")
    name = email.split("@")[0]
    visitor.open("/login")
    visitor.link("logIn.register").click()
    visitor.expect_heading("register.title")
    visitor.look("register")
    visitor.field("forgotten.email").fill(email)
    visitor.field("register.name").fill(name)
    visitor.field("register.password").fill("quiet lantern 1")
    visitor.field("register.repeat").fill("quiet lantern 1")
    visitor.button("register.send").click()
    visitor.expect_heading("mailFolder.askTitle")
    visitor.look("register-sent")

    first = installation.mailed_link(email)
    visitor.open("/login")
    with visitor.complaints.expecting(401):
        log_in_by_form(visitor, name, "quiet lantern 1")
        expect(visitor.page.get_by_role("alert")).to_have_text(visitor.words["errors.address-not-confirmed"])
        visitor.look("log-in-not-confirmed")
    visitor.field("forgotten.email").fill(email)
    visitor.button("logIn.mailAgain").click()
    visitor.expect_heading("mailFolder.askTitle")

    visitor.open(first)
    visitor.expect_heading("registration.title")
    visitor.look("registration")
    visitor.field("register.password").fill("quiet lantern 1")
    visitor.button("registration.confirm").click()
    visitor.expect_heading("invitation.doneTitle")
    visitor.look("registered")
    visitor.link("invitation.start").click()
    visitor.expect_heading("noTeam.title")


def test_mailed_links_need_no_script(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "de"), javascript=False)
    person = visitor.somebody_new()
    visitor.open("/forgot-password")
    visitor.field("forgotten.email").fill(person.email)
    visitor.button("forgotten.send").click()
    visitor.expect_heading("mailFolder.askTitle")
    visitor.open(installation.mailed_link(person.email))
    visitor.field("reset.password").fill("quiet lantern 1")
    visitor.field("reset.repeat").fill("quiet lantern 1")
    visitor.button("reset.save").click()
    visitor.expect_heading("resetDone.title")
    visitor.look("reset-password-done")


def test_the_link_in_a_reminder_turns_reminders_off(visitor: Visitor, installation: Installation) -> None:
    lead = visitor.somebody_new(installation.add_team(), lead=True)
    installation.api(lead, "POST", f"/teams/{installation.team_id(lead)}/reminders/test")
    link = str(installation.mail(lead.email)["List-Unsubscribe"]).strip("<>")
    visitor.open(link)
    visitor.expect_heading("unsubscribe.title")
    visitor.look("unsubscribe")
    assert installation.api(lead, "GET", "/me")["notifications"]["mail"], "mail scanners open links"
    visitor.button("unsubscribe.stop").click()
    visitor.expect_heading("unsubscribe.doneTitle")
    visitor.look("unsubscribe-done")
    assert not installation.api(lead, "GET", "/me")["notifications"]["mail"]

    with visitor.complaints.expecting(422):
        visitor.open(f"{link}x")
        visitor.expect_heading("unsubscribe.unknownTitle")
        visitor.look("unsubscribe-unknown")
