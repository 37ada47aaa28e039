"""Administrators change the texts of pages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from installation import Installation
from playwright.sync_api import expect
from visitor import PROFILES, PROFILES_WITHOUT_SCRIPT, Profile, Visitor


@pytest.fixture(autouse=True)
def originals_again(installation: Installation) -> None:
    """Other tests expect the original texts."""
    yield
    admin = installation.admin()
    for language in ("en", "de"):
        for text in installation.api(admin, "GET", f"/admin/texts?language={language}&own=true")["texts"]:
            installation.api(admin, "DELETE", f"/admin/texts/{language}/{text['key']}")


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_text_is_found_reworded_and_restored(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    word_differently(browse(profile), installation)


@pytest.mark.parametrize("profile", PROFILES_WITHOUT_SCRIPT, ids=str)
def test_texts_are_reworded_without_scripts(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    word_differently(browse(profile, javascript=False), installation)


def word_differently(visitor: Visitor, installation: Installation) -> None:
    visitor.log_in(installation.admin())
    visitor.open("/admin/texts")
    visitor.expect_heading("adminTexts.title")
    visitor.field("adminTexts.search").fill("settings.title")
    visitor.button("admin.find").click()
    visitor.look("admin-texts")
    visitor.link("settings.title").click()
    visitor.expect_heading("adminTexts.change")
    visitor.look("admin-text")

    with visitor.complaints.expecting(422):
        visitor.field("adminTexts.ownText").fill("Hello {name}")
        visitor.button("adminTexts.save").click()
        expect(visitor.page.get_by_role("alert")).to_have_text(visitor.words["adminTexts.noPlaceholders"])
        expect(visitor.field("adminTexts.ownText")).to_have_value("Hello {name}")
        visitor.look("admin-text-wrong")
    visitor.field("adminTexts.ownText").fill("Nobody's <b>land</b> & more")
    visitor.button("adminTexts.save").click()
    expect(visitor.page.get_by_text(visitor.words["adminTexts.changed"])).to_be_visible()
    visitor.look("admin-text-changed")
    visitor.open("/settings")
    expect(visitor.page.get_by_role("heading", name="Nobody's <b>land</b> & more", level=1)).to_be_visible()

    visitor.open(f"/admin/texts/{visitor.profile.language}/settings.title")
    visitor.button("adminTexts.restore").click()
    expect(visitor.page.get_by_text(visitor.words["adminTexts.restored"])).to_be_visible()
    visitor.open("/settings")
    visitor.expect_heading("settings.title")
