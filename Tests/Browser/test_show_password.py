"""The button that shows a password."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from installation import Installation
from playwright.sync_api import expect
from visitor import PROFILES, Profile, Visitor


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_password_is_shown_and_hidden_with_the_keyboard(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    person = visitor.somebody_new()
    visitor.open("/login")
    visitor.field("logIn.username").fill(person.name)
    field = visitor.page.locator("#password")
    field.press_sequentially(person.password)
    expect(field).to_have_attribute("type", "password")
    button = visitor.button("layout.showPassword")
    field.press("Tab")
    expect(button).to_be_focused()
    button.press("Enter")
    expect(field).to_have_attribute("type", "text")
    expect(button).to_have_attribute("aria-pressed", "true")
    visitor.look("password-shown")
    button.press("Space")
    expect(field).to_have_attribute("type", "password")
    button.click()
    field.press("Enter")
    expect(visitor.page).not_to_have_url(re.compile("/login"))


def test_a_new_password_and_its_repetition_are_shown_separately(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "de"))
    visitor.log_in_new()
    visitor.open("/settings/password")
    buttons = visitor.button("layout.showPassword")
    expect(buttons).to_have_count(3)
    buttons.nth(1).click()
    # An eye, not a button of the app like those that send a form; the mouse is over it.
    expect(buttons.nth(1)).to_have_css("background-color", "rgba(0, 0, 0, 0)")
    kinds = visitor.page.locator("input[data-show]").evaluate_all("all => all.map(one => one.type)")
    assert kinds == ["password", "text", "password"]
    visitor.look("password-change-shown")


def test_without_scripts_a_password_field_is_an_ordinary_one(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "en"), javascript=False)
    visitor.open("/login")
    expect(visitor.button("layout.showPassword")).to_have_count(0)
    expect(visitor.field("logIn.password")).to_be_visible()
