"""The count of a sprint, checked by a member's browser, also after its data was changed on the server."""

from __future__ import annotations

import base64
import re
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import count_list
import pytest
import test_commitments as scheme
from count_list import decoded, encoded
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from installation import Installation
from made_up_count import is_opened, made_up
from playwright.sync_api import Request, Route, expect
from test_sealed_ballot import send
from test_voting import choose, expect_thanks
from visitor import PROFILES, Profile, Visitor


LISTS = "**/api/v1/counts/**"
CODE = re.compile("(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}")


class Count:
    """A sprint that is over, with a sealed vote of the visitor and two plain ones."""

    def __init__(self, visitor: Visitor, installation: Installation) -> None:
        self.visitor = visitor
        self.installation = installation
        name = installation.add_team(threshold="2")
        person = visitor.log_in_new(name)
        others = [installation.add_person("colleague", name) for _ in range(2)]
        self.team = installation.team_id(person)
        for other, happiness in zip(others, (4, 8)):
            installation.vote(other, happiness)
        visitor.open(f"/teams/{self.team}/vote")
        choose(visitor, 6)
        send(visitor)
        expect_thanks(visitor)
        self.sprint = installation.api(person, "GET", f"/teams/{self.team}/sprints")["sprints"][-1]["label"]

    def check(self) -> list[tuple[str, str]]:
        """What the page says, each with its class."""
        self.visitor.open(f"/teams/{self.team}/sprints/{self.sprint}")
        self.visitor.button("sprint.checkNow").click()
        items = self.visitor.page.locator("#check-count li")
        expect(items.first).to_be_visible()
        return [(item.text_content() or "", item.get_attribute("class") or "") for item in items.all()]

    def word(self, key: str, **values: object) -> str:
        text = self.visitor.words[f"sprint.{key}"]
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    @contextmanager
    def store(self) -> Iterator[sqlite3.Connection]:
        """The server's file, which the operator can change."""
        with closing(sqlite3.connect(self.installation.database, timeout=30)) as store, store:
            yield store

    def change(self, sql: str, *values: object) -> None:
        with self.store() as store:
            assert store.execute(sql, [*values, self.team]).rowcount == 1

    def replace_commitments(self, commitments: list[bytes]) -> None:
        with self.store() as store:
            snapshot, start = store.execute(
                "SELECT snapshot, sprintStart FROM commitments WHERE team = ?", [self.team]).fetchone()
            store.execute("DELETE FROM commitments WHERE team = ?", [self.team])
            for number, one in enumerate(commitments):
                store.execute(
                    "INSERT INTO commitments (team, sprintStart, bytes, snapshot) VALUES (?, ?, ?, ?)",
                    [self.team, start, one + bytes([number] * 8), snapshot])

    def commitments(self) -> list[bytes]:
        with self.store() as store:
            rows = store.execute("SELECT bytes FROM commitments WHERE team = ?", [self.team]).fetchall()
        return [row[0][:33] for row in rows]

    def own(self) -> bytes:
        """The commitment that the visitor's browser remembers."""
        (text,) = self.visitor.page.evaluate(
            "JSON.parse(localStorage.getItem('happiness.commitments')).map(([, { commitment }]) => commitment)")
        own = base64.urlsafe_b64decode(text)
        assert self.commitments().count(own) == 1
        return own


def commitment(value: int, randomness: int) -> bytes:
    return bytes.fromhex(scheme.commitment(value, randomness))


@pytest.fixture
def count(browse: Callable[..., Visitor], installation: Installation) -> Count:
    return Count(browse(Profile("phone", "en")), installation)


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_member_checks_a_count(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    count = Count(browse(profile), installation)
    assert count.check() == [(count.word("checkSum", votes=3), "right"), (count.word("checkOwn"), "right")]
    count.visitor.look("sprint-count-checked")
    # Another browser has not cast the vote.
    count.visitor.page.evaluate("localStorage.removeItem('happiness.commitments')")
    assert count.check()[1] == (count.word("checkOwnUnknown"), "")


# As version 0.1.0 kept the commitment.
KEEP_WITH_USER_ID = """
    ([team, sprint]) => {
        const viewer = document.querySelector('meta[name="viewer"]').content;
        const [[, { commitment }]] = JSON.parse(localStorage.getItem("happiness.commitments"));
        localStorage.setItem("happiness.commitments", JSON.stringify([[`${viewer} ${team}/${sprint}`, commitment]]));
    }
"""


def test_a_vote_that_an_earlier_version_kept_is_found(count: Count) -> None:
    page = count.visitor.page
    page.evaluate(KEEP_WITH_USER_ID, [count.team, count.sprint])
    assert count.check()[1] == (count.word("checkOwn"), "right")
    viewer = page.locator('meta[name="viewer"]').get_attribute("content")
    assert viewer and viewer not in page.evaluate("localStorage.getItem('happiness.commitments')")


def test_a_swapped_paper_is_found(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor, _ = vote_as_two(browse, installation)

    def swap(count: dict[str, Any]) -> dict[str, Any]:
        own = decoded(kept(visitor)["spent"])
        spent = [one for one in count["papers"]["spent"] if count_list.spent_hash(count, one) != own]
        assert len(spent) == 1
        return with_papers(count, [{"hash": "A" * 43}, *spent])

    assert (visitor.words["sprint.checkOwnMissing"], "wrong") in check(visitor, swap)


def vote_as_two(browse: Callable[..., Visitor], installation: Installation) -> list[Visitor]:
    """Casts the two sealed votes of a new team. Returns the voters."""
    visitors = [browse(Profile("phone", "en")).without_service_worker() for _ in range(2)]
    team = installation.add_team(threshold="2")
    people = [visitor.log_in_new(team) for visitor in visitors]
    for visitor, person in zip(visitors, people):
        visitor.open(f"/teams/{installation.team_id(person)}/vote")
        choose(visitor, 7)
        send(visitor)
        expect_thanks(visitor)
    first, second = visitors
    first.link("live.lookAtResult").click()
    expect(first.page.locator("#check-count")).to_be_visible()
    second.open(first.page.url.removeprefix(first.url))
    return visitors


def check(visitor: Visitor, change: Callable[[dict[str, Any]], dict[str, Any]] | None = None) -> list[tuple[str, str]]:
    """What the page says, each with its class. A server may change the list before."""
    if change:
        visitor.page.route(LISTS, lambda route: route.fulfill(json=change(route.fetch().json())))
    visitor.page.locator("#check-count ul").evaluate("(list) => list.replaceChildren()")
    visitor.button("sprint.checkNow").click()
    items = visitor.page.locator("#check-count li")
    expect(items.first).to_be_visible()
    visitor.page.unroute(LISTS)
    return [(item.text_content() or "", item.get_attribute("class") or "") for item in items.all()]


def code(visitor: Visitor) -> str:
    """The code of the whole list, as the page shows it."""
    shown = visitor.page.locator("#check-count .list-code code")
    expect(shown).to_have_text(CODE)
    expect(visitor.page.get_by_text(visitor.words["sprint.checkCode"])).to_be_visible()
    return shown.text_content() or ""


def kept(visitor: Visitor) -> dict[str, str]:
    """What the browser keeps of its vote."""
    ((_, kept),) = visitor.page.evaluate("JSON.parse(localStorage.getItem('happiness.commitments'))")
    return kept


def list_of(visitor: Visitor) -> dict[str, Any]:
    """The list, as everybody with the address of the visitor's page reads it."""
    data = visitor.page.locator("#check-count").evaluate("(card) => ({ ...card.dataset })")
    return count_list.fetch(visitor.url, f"/api/v1/counts/{data['team']}/{data['sprint']}/{data['token']}")


def with_papers(count: dict[str, Any], spent: list[dict[str, str]]) -> dict[str, Any]:
    return count | {"papers": count["papers"] | {"spent": spent}}


def test_another_list_for_each_voter_shows_in_the_code(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    """The server makes up a list around the vote of each voter. Everything in it is right, so only people who compare
    its code find out."""
    visitors = vote_as_two(browse, installation)
    count = list_of(visitors[0])
    assert count_list.has_signed_papers(count) and is_opened(count)
    honest = []
    for visitor in visitors:
        assert {kind for _, kind in check(visitor)} == {"right"}
        honest.append(code(visitor))
    assert honest == [count_list.code(count)] * 2

    codes = []
    for visitor in visitors:
        lie = made_up(count, decoded(kept(visitor)["commitment"]), 200)
        assert is_opened(lie)
        # The page is the server's as well.
        visitor.page.locator("#check-count").evaluate("(card) => { card.dataset.happiness = 10; }")
        found = check(visitor, lambda _, lie=lie: lie)
        assert (visitor.words["sprint.checkOwn"], "right") in found and {kind for _, kind in found} == {"right"}
        codes.append(code(visitor))
        assert codes[-1] == count_list.code(lie)
    assert len({*honest, *codes}) == 3


def test_the_list_is_asked_for_without_the_log_in(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitors = vote_as_two(browse, installation)
    addresses = set()
    for visitor in visitors:
        requests: list[Request] = []
        visitor.page.on("request", requests.append)
        check(visitor)
        asked = [request for request in requests if re.search("/api/.*/counts?", request.url)]
        assert len(asked) == 1
        assert not {"cookie", "authorization", "x-form-token"} & set(asked[0].all_headers())
        addresses.add(asked[0].url.removeprefix(visitor.url))
    (address,) = addresses
    assert re.fullmatch(r"/api/v1/counts/[0-9a-f]{32}/\d+/\w+/[\w-]{22}", address)


@pytest.mark.parametrize(("field", "value"), [("token", "A" * 22 + "?of=1"), ("sprint", "2026/2?of=1"), ("team", "..")])
def test_a_list_at_an_address_that_it_cannot_have_is_not_asked_for(
    field: str, value: str, browse: Callable[..., Visitor], installation: Installation
) -> None:
    """It could tell the server who asks."""
    visitor, _ = vote_as_two(browse, installation)
    requests: list[Request] = []
    visitor.page.on("request", requests.append)
    card = visitor.page.locator("#check-count")
    card.evaluate("(card, [field, value]) => { card.dataset[field] = value; }", [field, value])
    assert check(visitor) == [(visitor.words["sprint.checkWrongList"], "wrong")]
    token = card.get_attribute("data-token")
    assert token and not [request.url for request in requests if token[:22] in request.url]


def test_papers_are_told_where_they_single_out_nobody(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor, _ = vote_as_two(browse, installation)
    assert (told(visitor), "right") in check(visitor)
    visitor.look("sprint-count-papers")


def told(visitor: Visitor) -> str:
    text = visitor.words["sprint.checkPapers"]
    return text.replace("{issued}", "2").replace("{counted}", "2").replace("{members}", "2")


def test_papers_of_an_earlier_version_are_not_said_to_be_signed(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor, _ = vote_as_two(browse, installation)
    team = visitor.page.locator("#check-count").get_attribute("data-team")
    with closing(sqlite3.connect(installation.database, timeout=30)) as store, store:
        # As version 0.1.0 stored one of the two.
        changed = store.execute(
            "UPDATE spentPapers SET bytes = NULL, signature = NULL WHERE team = ?1"
            " AND paper = (SELECT min(paper) FROM spentPapers WHERE team = ?1)", [team])
        assert changed.rowcount == 1
    found = check(visitor)
    assert found[-2:] == [(told(visitor), ""), (visitor.words["sprint.checkUnsigned"].replace("{unsigned}", "1"), "")]
    # It is still found by its hash.
    assert (visitor.words["sprint.checkOwn"], "right") in found
    count = list_of(visitor)
    assert [set(one) for one in count["papers"]["spent"]] == [{"hash"}, {"paper", "signature"}]
    assert code(visitor) == count_list.code(count)


def forged_paper(count: dict[str, Any]) -> dict[str, Any]:
    """The papers with one more, which another key has signed."""
    paper = secrets.token_bytes(32)
    signature = rsa.generate_private_key(65_537, 2_048).sign(
        paper, padding.PSS(padding.MGF1(hashes.SHA384()), count_list.SALT), hashes.SHA384())
    spent = [*count["papers"]["spent"], {"paper": encoded(paper), "signature": encoded(signature)}]
    spent.sort(key=lambda one: count_list.spent_hash(count, one))
    return count | {"papers": {"issued": 3, "spent": spent}}


def swapped_signatures(count: dict[str, Any]) -> dict[str, Any]:
    first, second = count["papers"]["spent"]
    return with_papers(
        count, [first | {"signature": second["signature"]}, second | {"signature": first["signature"]}])


def paper_twice(count: dict[str, Any]) -> dict[str, Any]:
    first, second = count["papers"]["spent"]
    return count | {"papers": {"issued": 3, "spent": [first, first, second]}}


def more_than_issued(count: dict[str, Any]) -> dict[str, Any]:
    return count | {"papers": count["papers"] | {"issued": 1}}


def none_issued(count: dict[str, Any]) -> dict[str, Any]:
    return count | {"papers": count["papers"] | {"issued": 0}}


def another_key(count: dict[str, Any]) -> dict[str, Any]:
    """One that has signed all the papers that it lists."""
    key = rsa.generate_private_key(65_537, 2_048)
    der = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    papers = [secrets.token_bytes(32) for _ in range(2)]
    mask = padding.PSS(padding.MGF1(hashes.SHA384()), count_list.SALT)
    spent = [
        {"paper": encoded(paper), "signature": encoded(key.sign(paper, mask, hashes.SHA384()))} for paper in papers]
    changed = count | {"key": encoded(der)}
    return with_papers(changed, sorted(spent, key=lambda one: count_list.spent_hash(changed, one)))


def test_wrong_papers_are_found(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor, _ = vote_as_two(browse, installation)
    for change, words in [
        (swapped_signatures, "checkWrongPapers"), (forged_paper, "checkWrongPapers"), (paper_twice, "checkTooMany"),
        (more_than_issued, "checkTooMany"), (none_issued, "checkTooMany"), (another_key, "checkOtherKey"),
    ]:  # fmt: skip
        assert (visitor.words[f"sprint.{words}"], "wrong") in check(visitor, change), change.__name__
    # Without changes, everything is right again.
    assert {kind for _, kind in check(visitor)} == {"right"}


def test_a_list_that_is_not_as_it_must_be_has_no_code(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor, _ = vote_as_two(browse, installation)
    for changes in [
        {"commitments": sorted(list_of(visitor)["commitments"], key=decoded, reverse=True)}, {"sprint": "2020/1"},
        {"key": None},
    ]:  # fmt: skip
        found = check(visitor, lambda count, changes=changes: count | changes)
        assert found == [(visitor.words["sprint.checkWrongList"], "wrong")], changes
        expect(visitor.page.locator("#check-count .list-code")).to_be_hidden()


def test_a_changed_value_is_found(count: Count) -> None:
    count.change("UPDATE happiness SET publishedSum = publishedSum + 10 WHERE team = ?")
    assert count.check()[0] == (count.word("checkWrongSum"), "wrong")


def test_a_dropped_vote_is_found(count: Count) -> None:
    own = count.own()
    count.replace_commitments([one for one in count.commitments() if one != own])
    count.change("UPDATE happiness SET publishedCount = 2, publishedSum = publishedSum - 60 WHERE team = ?")
    assert count.check() == [(count.word("checkWrongSum"), "wrong"), (count.word("checkOwnMissing"), "wrong")]
    count.visitor.look("sprint-count-wrong")


def test_an_invented_vote_is_found(count: Count) -> None:
    count.replace_commitments([*count.commitments(), commitment(0, 7)])
    count.change("UPDATE happiness SET publishedCount = 4 WHERE team = ?")
    assert count.check() == [(count.word("checkWrongSum"), "wrong"), (count.word("checkOwn"), "right")]


def test_a_swapped_commitment_is_found(count: Count) -> None:
    own = count.own()
    count.replace_commitments([commitment(60, 7) if one == own else one for one in count.commitments()])
    assert count.check() == [(count.word("checkWrongSum"), "wrong"), (count.word("checkOwnMissing"), "wrong")]


def test_a_count_made_up_as_a_whole_is_found_by_the_voter(count: Count) -> None:
    """The sums are right, but the server does not know what hides the value in the visitor's commitment."""
    values, randomness = [0, 90, 90], [3, 4, scheme.ORDER - 5]
    count.replace_commitments([commitment(*pair) for pair in zip(values, randomness)])
    count.change("UPDATE happiness SET publishedRandomness = ? WHERE team = ?", (2).to_bytes(32))
    assert count.check() == [(count.word("checkSum", votes=3), "right"), (count.word("checkOwnMissing"), "wrong")]


def test_a_count_without_all_commitments_says_that_it_cannot_be_checked(count: Count) -> None:
    count.replace_commitments(count.commitments()[:2])
    with count.visitor.complaints.expecting(404):
        assert count.check() == [(count.word("checkNotPossible"), "")]
