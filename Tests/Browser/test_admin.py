"""The administrators' pages: people, invitations, teams, deliveries and jobs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from installation import Installation, Person
from playwright.sync_api import expect
from test_log_in import log_in_by_form
from visitor import PROFILES, SCRIPT_OR_NOT, Profile, Visitor, script_or_not_name

PAGES = {
    "people": "adminPeople.title",
    "invitations": "adminInvitations.title",
    "invitations/new": "adminInvitations.invite",
    "invitations/import": "adminImport.title",
    "teams": "adminTeams.title",
    "teams/new": "adminTeams.add",
    "deliveries": "adminDeliveries.title",
    "jobs": "adminJobs.title",
    "jobs?state=done": "adminJobs.title",
}


def log_in_admin(visitor: Visitor, installation: Installation) -> Person:
    """Logs in a new administrator with the visitor's language."""
    admin = installation.add_person("admin", role="admin", language=visitor.profile.language)
    visitor.log_in(admin)
    return admin


def open_person(visitor: Visitor, person: Person) -> None:
    """Finds a user by a part of their address and opens their page."""
    visitor.open("/admin/people")
    visitor.field("adminPeople.search").fill(person.email.split("@", maxsplit=1)[0].upper())
    visitor.button("admin.find").click()
    visitor.page.get_by_role("link", name=person.name, exact=True).click()
    expect(visitor.page.get_by_role("heading", level=1, name=person.name, exact=True)).to_be_visible()


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_every_administration_page_has_no_findings(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=javascript)
    log_in_admin(visitor, installation)
    for address, heading in PAGES.items():
        visitor.open(f"/admin/{address}")
        visitor.expect_heading(heading)
        if javascript:
            visitor.check_layout_is_steady()
        visitor.look(f"admin-{address.replace('/', '-').replace('?state=', '-')}")


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_the_menu_leads_administrators_to_every_section(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    log_in_admin(visitor, installation)
    visitor.open("/settings")
    visitor.page.locator("details.account > summary").click()
    visitor.link("admin.title").click()
    visitor.expect_heading("admin.title")
    sections = visitor.page.get_by_role("navigation", name=visitor.words["admin.title"])
    for section in ("people", "invitations", "teams", "deliveries", "jobs"):
        sections.get_by_role("link", name=visitor.words[f"admin.{section}"], exact=True).click()
        visitor.page.wait_for_url(f"**/admin/{section}")
        current = sections.locator("[aria-current=page]")
        expect(current).to_have_text(visitor.words[f"admin.{section}"])
        # Even if the strip is wider than the window.
        expect(current).to_be_in_viewport()


def test_other_users_cannot_open_the_administration(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "en"))
    visitor.log_in_new(installation.add_team(), lead=True)
    visitor.open("/settings")
    visitor.page.locator("details.account > summary").click()
    expect(visitor.link("admin.title")).to_have_count(0)
    with visitor.complaints.expecting(404):
        visitor.open("/admin/people")
        visitor.expect_heading("errors.title")
        visitor.complaints.check()


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_an_account_is_disabled_enabled_and_deleted(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=javascript)
    admin = log_in_admin(visitor, installation)
    person = installation.add_person("quentin", team=installation.add_team())
    other = browse(Profile("phone", "en"))
    other.log_in(person)

    open_person(visitor, person)
    visitor.look("admin-person")
    visitor.button("adminPeople.disableNow").click()
    expect(visitor.page.get_by_role("status").first).to_have_text(visitor.words["adminPeople.disabledDone"])
    visitor.look("admin-person-disabled")
    other.open("/")
    other.expect_heading("logIn.title")
    visitor.button("adminPeople.enableNow").click()
    expect(visitor.button("adminPeople.disableNow")).to_be_visible()

    visitor.page.get_by_role("combobox").select_option("guest")
    visitor.page.locator("#rolePassword").fill(admin.password)
    visitor.button("settings.save").click()
    expect(visitor.page.get_by_text(visitor.words["adminPeople.roleDone"])).to_be_visible()
    expect(visitor.page.get_by_role("combobox")).to_have_value("guest")

    visitor.link("adminPeople.deleteAsk").click()
    visitor.expect_heading("adminPeople.deleteTitle")
    visitor.look("admin-person-delete")
    visitor.button("adminPeople.deleteNow").click()
    expect(visitor.page.get_by_text(visitor.words["adminPeople.deletedDone"])).to_be_visible()
    other.open("/login")
    with other.complaints.expecting(401):
        log_in_by_form(other, person.name, person.password)
        expect(other.page.get_by_role("alert")).to_be_visible()


def test_a_user_gets_a_mail_to_choose_a_password(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("desktop", "de"))
    log_in_admin(visitor, installation)
    person = installation.add_person("rita", language="de")
    open_person(visitor, person)
    visitor.button("adminPeople.passwordSend").click()
    expect(visitor.page.get_by_text(visitor.words["mailFolder.passwordDone"])).to_be_visible()
    rita = browse(Profile("phone", "de"))
    rita.open(installation.mailed_link(person.email))
    rita.expect_heading("reset.title")


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_a_user_whose_mailbox_is_gone_gets_another_address(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=javascript)
    admin = log_in_admin(visitor, installation)
    person = installation.add_person("nora", language="en")
    nora = browse(Profile("phone", "en"))
    nora.log_in(person)
    new = f"new-{person.email}"

    open_person(visitor, person)
    field = visitor.page.get_by_role("textbox", name=visitor.words["adminPeople.email"], exact=True)
    expect(field).to_have_value(person.email)
    field.fill(new)
    visitor.page.locator("#current").fill("not the password")
    with visitor.complaints.expecting(403):
        visitor.button("adminPeople.emailNow").click()
        expect(visitor.page.locator("#current")).to_have_attribute("aria-invalid", "true")
        visitor.look("admin-person-address-wrong-password")
    expect(field).to_have_value(new)
    visitor.page.locator("#current").fill(admin.password)
    visitor.button("adminPeople.emailNow").click()
    expect(visitor.page.get_by_role("status").first).to_have_text(visitor.words["adminPeople.emailDone"])
    expect(field).to_have_value(new)
    visitor.look("admin-person-address")

    notice = installation.mail(person.email).get_body(("plain",))
    assert notice and "An admin has given your account" in notice.get_content()
    nora.open("/settings/email")
    expect(nora.page.locator("#set-on")).to_contain_text(nora.words["email.setOnHint"])
    nora.look("settings-email-set-by-admin")
    visitor.button("adminPeople.passwordSend").click()
    expect(visitor.page.get_by_text(visitor.words["mailFolder.passwordDone"])).to_be_visible()
    nora.open(installation.mailed_link(new))
    nora.expect_heading("reset.title")


def test_the_only_lead_of_a_team_cannot_be_deleted(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("phone", "de"))
    log_in_admin(visitor, installation)
    team = installation.add_team()
    lead = installation.add_person("lead", team=team, lead=True)
    installation.add_person("member", team=team)
    open_person(visitor, lead)
    visitor.link("adminPeople.deleteAsk").click()
    with visitor.complaints.expecting(422):
        visitor.button("adminPeople.deleteNow").click()
        expect(visitor.page.get_by_role("alert")).to_have_text(visitor.words["adminPeople.lastLead"])
        visitor.look("admin-person-only-lead")


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_a_team_is_created_and_its_lead_invited(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=javascript)
    admin = log_in_admin(visitor, installation)
    name, address = f"Zebra & {admin.name} + Co", f"first-{admin.name}@example.org"
    visitor.open("/admin/teams")
    visitor.link("adminTeams.add").click()
    visitor.field("adminTeams.name").fill(name)
    if javascript:
        zone = visitor.page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
        expect(visitor.field("teamSettings.zone")).to_have_value(zone)
    visitor.look("admin-team-new")
    visitor.button("adminTeams.addNow").click()
    expect(visitor.page.get_by_role("status").first).to_have_text(visitor.words["adminTeams.done"])
    row = visitor.page.get_by_role("row").filter(has_text=name)
    visitor.look("admin-teams-new-one")
    row.get_by_role("link", name=visitor.words["adminTeams.invite"]).click()
    expect(visitor.field("adminInvitations.teamField")).to_have_value(name)
    visitor.field("adminInvitations.address").fill(address)
    visitor.button("adminInvitations.send").click()
    expect(visitor.page.get_by_text(visitor.words["mailFolder.invitationDone"])).to_be_visible()
    visitor.look("admin-invitations-one")

    guest = browse(profile)
    guest.open(installation.mailed_link(address))
    expect(guest.page.get_by_text(name)).to_be_visible()
    invitation = visitor.page.get_by_role("row").filter(has_text=address)
    invitation.get_by_role("button", name=visitor.words["adminInvitations.withdraw"]).click()
    expect(visitor.page.get_by_text(visitor.words["adminInvitations.withdrawn"])).to_be_visible()
    expect(visitor.page.get_by_text(address)).to_have_count(0)


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no-script"])
def test_a_list_is_imported(
    javascript: bool, browse: Callable[..., Visitor], installation: Installation, tmp_path: Path
) -> None:
    visitor = browse(Profile("phone", "de"), javascript=javascript)
    admin = log_in_admin(visitor, installation)
    team = installation.add_team("Listenteam")
    file = tmp_path / "list.csv"
    lines = [
        "Anrede;E-Mail-Adresse;team;teamRole",
        f"Frau;one-{admin.email};{team};lead",
        f";two-{admin.email};no such team;",
        ";nonsense;;",
    ]
    # What Excel saves as "Unicode Text".
    file.write_text("\r\n".join(lines).replace(";", "\t"), "utf-16")
    visitor.open("/admin/invitations/import")
    visitor.field("adminImport.file").set_input_files(file)
    visitor.button("adminImport.send").click()
    visitor.expect_heading("adminImport.doneTitle")
    expect(visitor.page.get_by_role("row")).to_have_count(4)
    expect(visitor.page.get_by_text("Diese Spalten wurden nicht beachtet: Anrede.")).to_be_visible()
    refusal = visitor.page.get_by_text("Die Spalte „E-Mail-Adresse“ lässt sich in dieser Zeile nicht lesen.")
    expect(refusal).to_be_visible()
    visitor.look("admin-import-done")


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_a_list_is_checked_before_it_is_sent(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation, tmp_path: Path
) -> None:
    visitor = browse(profile, javascript=javascript)
    admin = log_in_admin(visitor, installation)
    file = tmp_path / "list.csv"
    file.write_text(f"email;team;teamRole\nthree-{admin.email};;\nnonsense;;\n")
    visitor.open("/admin/invitations/import")
    visitor.field("adminImport.file").set_input_files(file)
    visitor.button("adminImport.check").click()
    visitor.expect_heading("adminImport.checkTitle")
    visitor.look("admin-import-checked")
    visitor.button("adminImport.send").click()
    visitor.expect_heading("adminImport.doneTitle")
    # The check had sent nothing, or this would be a second invitation.
    expect(visitor.page.get_by_role("row").filter(has_text=f"three-{admin.email}")).to_contain_text(
        visitor.words["adminImport.invited"])


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_a_team_is_deleted_by_who_types_its_name(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=javascript)
    log_in_admin(visitor, installation)
    team = installation.add_team("Farewell & Co")
    member = browse(profile)
    member.log_in(installation.add_person(team=team, language=profile.language))
    visitor.open("/admin/teams")
    visitor.field("adminTeams.search").fill(team)
    visitor.button("admin.find").click()
    visitor.page.get_by_role("row").filter(has_text=team).get_by_role("link", name=visitor.words["adminTeams.delete"]).click()
    visitor.expect_heading("adminTeams.deleteTitle")
    visitor.look("admin-team-delete")
    name = visitor.field("adminTeams.typeName")
    name.fill("Farewell")
    with visitor.complaints.expecting(422):
        visitor.button("adminTeams.deleteNow").click()
        expect(name).to_have_attribute("aria-invalid", "true")
        visitor.look("admin-team-delete-refused")
    name.fill(team)
    visitor.button("adminTeams.deleteNow").click()
    expect(visitor.page.get_by_text(visitor.words["adminTeams.deleted"])).to_be_visible()
    expect(visitor.page.get_by_text(team, exact=True)).to_have_count(0)
    member.open("/")
    member.expect_heading("noTeam.title")


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_a_dead_job_is_dropped_after_confirmation(
    profile: Profile, javascript: bool, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile, javascript=javascript)
    error = f"unavailable: the mail server of {log_in_admin(visitor, installation).name} does not answer"
    installation.add_dead_job(error)
    visitor.open("/admin/jobs")
    row = visitor.page.get_by_role("row").filter(has_text=error)
    visitor.look("admin-jobs-dead")
    row.locator("summary").click()
    expect(row.get_by_text(visitor.words["adminJobs.dropQuestion"])).to_be_visible()
    row.get_by_role("button", name=visitor.words["adminJobs.dropNow"]).click()
    expect(visitor.page.get_by_text(visitor.words["adminJobs.dropped"])).to_be_visible()
    expect(row).to_have_count(0)


def test_a_message_appears_in_its_teams_deliveries(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "en"))
    log_in_admin(visitor, installation)
    team = installation.add_team("Delivered")
    lead = installation.add_person("sender", team=team, lead=True)
    installation.api(
        lead, "POST", f"/teams/{installation.team_id(lead)}/messages", {"title": "Cake", "body": "In the kitchen."})
    visitor.open("/admin/deliveries")
    visitor.field("adminDeliveries.team").fill(team.lower())
    visitor.button("adminDeliveries.show").click()
    expect(visitor.page.get_by_role("row").filter(has_text="Cake")).to_have_count(1)
    visitor.look("admin-deliveries-of-one-team")
