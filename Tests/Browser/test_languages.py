"""A language is added as files: the program, unchanged, speaks a made-up one."""

from __future__ import annotations

import html
import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from installation import ROOT, Installation, Person, running
from pseudo_language import CODE, english_words, install, pseudo, words
from visitor import Profile, Visitor

# Everything that a page says, also to screen readers.
TEXTS = """
    () => {
        const texts = [];
        const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            if (!walker.currentNode.parentElement.closest("script, style, noscript")) texts.push(walker.currentNode.data);
        }
        const names = ["alt", "aria-label", "aria-description", "aria-valuetext", "placeholder", "title"];
        for (const element of document.querySelectorAll("*")) {
            for (const name of names) if (element.hasAttribute(name)) texts.push(element.getAttribute(name));
        }
        return texts.join("\\n");
    }
"""

# The name of the product, and those of the other languages in themselves.
NAMES = ["Happiness Metric", "English", "Deutsch"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """The program with the files of one more language."""
    root = tmp_path_factory.mktemp("languages")
    install(root)
    with running(Installation(root=root, PUSH_DRIVERS="log", LOG_LEVEL="info")) as place:
        yield place


def speaker(place: Installation, team: str, lead: bool = False) -> Person:
    """Somebody who has chosen the made-up language. Their name is no English word."""
    person = place.add_person("zzy", team=team, lead=lead)
    place.api(person, "PATCH", "/me", {"locale": CODE})
    return person


def expect_no_english(text: str, *given: str) -> None:
    """Fails if a text has an English word that is not part of what users have written."""
    for own in sorted([*given, *NAMES], key=len, reverse=True):
        text = text.replace(own, " ")
    text = re.sub(r"https?://\S+", " ", text)
    assert any(character in text for character in "áéíóú"), f"it is not in the language: {text[:200]}"
    assert words(text) & english_words() == set()


def expect_page(visitor: Visitor, *given: str) -> None:
    """Fails unless the page is in the made-up language, from right to left."""
    page = visitor.page
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [CODE, "rtl"]
    assert page.evaluate("getComputedStyle(document.body).direction") == "rtl"
    expect_no_english(page.evaluate(TEXTS), *given)


def test_the_made_up_language_leaves_no_english_word() -> None:
    assert pseudo("Vote {days} now") != "Vote {days} now" and "{days}" in pseudo("Vote {days} now")
    text = "Please choose a day, and vote for it."
    assert not words(pseudo(text)) and len(pseudo(text)) >= 1.3 * len(text)
    with pytest.raises(AssertionError):
        expect_no_english(f"{pseudo(text)} {text}")


def test_all_pages_of_a_member_are_in_the_language(browse: Callable[..., Visitor], place: Installation) -> None:
    team = place.add_team("Qqx")
    person = speaker(place, team)
    visitor = browse(Profile("desktop", "en"), place=place)
    visitor.log_in(person)
    given = (person.email, person.name, team)
    for path in ("/", f"/teams/{place.team_id(person)}/vote", "/settings"):
        visitor.open(path)
        expect_page(visitor, *given)
    # In the list of languages, by its own name.
    name = json.loads((ROOT / "templates" / "messages" / "en.json").read_text())["language"]["name"]
    assert visitor.page.get_by_role("button", name=pseudo(name), exact=True).get_attribute("aria-pressed") == "true"


def test_the_history_and_its_chart_are_in_the_language(browse: Callable[..., Visitor], place: Installation) -> None:
    person = speaker(place, "Demo Team")
    team = place.team_id(person)
    visitor = browse(Profile("desktop", "en"), place=place)
    visitor.log_in(person)
    titles = find_all("title", place.api(person, "GET", f"/teams/{team}/actions"))
    visitor.open(f"/teams/{team}/history")
    assert visitor.page.locator("svg a[aria-label]").count() > 0, "there is a chart"
    expect_page(visitor, person.email, person.name, "Demo Team", *titles)


def test_a_reminder_comes_by_mail_and_push_in_the_language(place: Installation) -> None:
    team = place.add_team("Qqx")
    reader = speaker(place, team, lead=True)
    place.api(reader, "POST", f"/teams/{place.team_id(reader)}/reminders/test", {})
    mail = place.mail(reader.email)
    assert mail["Content-Language"] in (None, CODE)
    given = (reader.email, reader.name, team)
    plain, rich = mail.get_body(("plain",)), mail.get_body(("html",))
    assert plain and rich
    expect_no_english(f"{mail['Subject']}\n{plain.get_content()}", *given)
    document = re.sub(r"<style>.*?</style>|<!--.*?-->", " ", rich.get_content(), flags=re.DOTALL)
    assert 'dir="rtl"' in document
    expect_no_english(html.unescape(re.sub("<[^>]*>", " ", document)), *given)

    owner = speaker(place, team, lead=True)
    device = {"service": "fcm", "token": "a-token", "platform": "android", "locale": CODE}
    place.api(owner, "POST", "/me/devices", device)
    place.api(owner, "POST", f"/teams/{place.team_id(owner)}/reminders/test", {})
    english = json.loads((ROOT / "templates" / "messages" / "en.json").read_text())["reminder"]
    log = place.work()
    # Standard texts of the reminder of this day.
    titles = [pseudo(english[key]) for key in ("startTitle", "endTitle", "secondTitle")]
    pieces = [piece for title in titles for piece in [title.split("{")[0] or title.split("}")[1]]]
    assert any(piece.strip() in log for piece in pieces), log


def test_a_browser_that_prefers_the_language_gets_it(place: Installation) -> None:
    request = urllib.request.Request(f"{place.url}/login", headers={"Accept-Language": f"{CODE},en;q=0.5"})
    with urllib.request.urlopen(request) as answer:
        page = answer.read().decode()
    assert f'<html lang="{CODE}" dir="rtl"' in page
    assert 'hreflang="en"' in page and 'hreflang="de"' in page


def test_only_languages_with_files_can_be_chosen(place: Installation) -> None:
    person = place.add_person("zzy", team=place.add_team("Qqx"))
    with pytest.raises(urllib.error.HTTPError) as refusal:
        place.api(person, "PATCH", "/me", {"locale": "qqq"})
    assert refusal.value.code == 422
    place.command("user", "invite", "new@example.org", "--team", place.add_team("Qqx"), "--locale", CODE)


def test_config_check_names_what_a_language_lacks(tmp_path: Path) -> None:
    install(tmp_path)
    messages = tmp_path / "templates" / "messages" / f"{CODE}.json"
    texts = json.loads(messages.read_text())
    del texts["vote"]["title"]
    messages.write_text(json.dumps(texts))
    (tmp_path / "templates" / "mail" / CODE / "results.mustache").unlink()
    place = Installation(root=tmp_path, LOG_LEVEL="warning")
    with pytest.raises(RuntimeError) as failure:
        place.command("config", "check")
    for part in (f"{CODE}.json", "vote.title", f"{CODE}/results"):
        assert part in str(failure.value)
    # It starts all the same.
    with running(place):
        assert "vote.title" in place.servers[0].log()


def find_all(name: str, value: Any) -> list[str]:
    """All texts with this name in JSON."""
    if isinstance(value, list):
        return [text for one in value for text in find_all(name, one)]
    if isinstance(value, dict):
        here = [value[name]] if isinstance(value.get(name), str) else []
        return here + [text for one in value.values() for text in find_all(name, one)]
    return []
