"""The first administrator of an installation without any account."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from installation import Installation, running
from playwright.sync_api import expect
from visitor import SCRIPT_OR_NOT, Profile, Visitor, script_or_not_name


@pytest.fixture
def empty() -> Iterator[Installation]:
    """An installation without any account."""
    with running(Installation(demo=False)) as empty:
        yield empty


def fill_in(visitor: Visitor, repeated: str = "a harbour at dusk") -> None:
    visitor.field("register.name").fill("Anna Berg")
    visitor.field("forgotten.email").fill("anna@example.org")
    visitor.field("register.password").fill("a harbour at dusk")
    visitor.field("register.repeat").fill(repeated)
    visitor.field("setup.team").fill("Team Blue")
    visitor.button("setup.send").click()


@pytest.mark.parametrize(("profile", "javascript"), SCRIPT_OR_NOT, ids=script_or_not_name)
def test_the_printed_link_leads_to_the_administration(
    profile: Profile, javascript: bool, empty: Installation, browse: Callable[..., Visitor]
) -> None:
    link = empty.setup_link()
    visitor = browse(profile, place=empty, javascript=javascript)
    visitor.open("/")
    visitor.expect_heading("logIn.title")
    expect(visitor.page.get_by_text(visitor.words["logIn.noAccounts"])).to_be_visible()
    visitor.look("log-in-without-accounts")
    visitor.open(link)
    visitor.expect_heading("setup.title")
    visitor.look("setup")
    with visitor.complaints.expecting(422):
        fill_in(visitor, repeated="another")
        expect(visitor.page.get_by_role("alert")).to_have_text(visitor.words["reset.different"])
        expect(visitor.field("register.name")).to_have_value("Anna Berg")
        visitor.look("setup-refused")
    fill_in(visitor)
    visitor.page.wait_for_url("**/admin")
    visitor.expect_heading("admin.title")
    card = visitor.page.locator(".first-steps")
    expect(card.get_by_role("heading", name="Team Blue")).to_be_visible()
    visitor.look("setup-done")
    expect(visitor.page.get_by_text(visitor.words["mailFolder.admin"])).to_be_visible()
    expect(visitor.page.locator("#mail")).to_contain_text(visitor.words["health.mailFolder"])
    # Each step leads to where it is done, and is ticked then.
    card.get_by_role("link", name=visitor.words["firstSteps.invite"]).click()
    visitor.expect_heading("members.title")
    visitor.field("invite.emails").fill("a@example.org\nb@example.org\nc@example.org")
    visitor.button("invite.send").click()
    visitor.open("/")
    expect(card.locator("li.done")).to_have_count(2)
    visitor.look("first-steps")
    card.get_by_role("link", name=visitor.words["firstSteps.test"]).click()
    visitor.button("teamReminders.test").click()
    visitor.open("/admin")
    # The mail of the test is kept in a folder. That is no proof that mails arrive.
    expect(card.locator("li.done")).to_have_count(2)
    card.get_by_role("link", name=visitor.words["firstSteps.vote"]).click()
    visitor.expect_heading("vote.title")

    late = browse(profile, place=empty)
    with late.complaints.expecting(422):
        late.open(link)
        late.expect_heading("expired.title")
        late.look("setup-link-expired")
    late.open("/login")
    expect(late.page.get_by_text(late.words["logIn.noAccounts"])).to_have_count(0)
