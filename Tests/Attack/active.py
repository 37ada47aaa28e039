"""Plays a server that does not only watch: it lies to one person, swaps a key, shows another list, delays a script. Members
vote with the page, in a real browser, and with the command `happiness`; what they notice is compared with what the threat
model says."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import count_list
import test_commitments as scheme
from chromium import BROWSERS, SHELLS, path_of
from count_list import decoded, encoded
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from harness.papers import MODULUS
from installation import Installation, Person, running
from made_up_count import is_opened, made_up, point_of
from playwright.sync_api import Browser, Route, sync_playwright
from sealed_voter import SealedVoter
from test_late_scripts import (
    NEEDED, WAIT_FOR_SCRIPT, address_of, expect_sealed, fail, fill_in_and_try_to_send, open_vote_page, requests_with_ballots,
)
from test_sealed_ballot import new_key, send
from test_voting import choose
from visitor import Profile, Visitor
from voters import VALUE, Count, Voter, WithCommand, WithPage

# Who vote with the page in each act, and as many with the command.
VOTERS = 4
# Tenths by which a server changes a value.
CHANGE = -60


@dataclass(frozen=True)
class Case:
    """What happens to one voter."""

    # Whether they lose what the server is after.
    succeeds: bool
    # Whether the program with which they vote tells them.
    noticed: bool
    by_command: bool
    # Whether they see digits or a code that the others do not see; `None` where there is nothing to compare.
    differs: bool | None = None


@dataclass(frozen=True)
class Act:
    """What a server does to several voters."""

    # Completes "The server …".
    does: str
    # What a voter loses if the server succeeds.
    loses: str
    cases: Sequence[Case]
    # What the threat model says of every case.
    succeeds: bool
    noticed: bool
    differs: bool | None = None

    @property
    def failures(self) -> list[str]:
        """What is not as the threat model says."""
        expected = (self.succeeds, self.noticed, self.differs)
        wrong = sum((case.succeeds, case.noticed, case.differs) != expected for case in self.cases)
        if not self.cases or wrong:
            return [f"The server {self.does}: {wrong} of {len(self.cases)} cases are not as the threat model says."]
        return []


class KeyOfOnesOwn:
    """A server that gives a voter a ballot key of their own. It signs their paper with it, and so knows their ballot by its
    key. Instead of that ballot it counts an equal one, which it casts in the voter's name."""

    def __init__(self, installation: Installation, person: Person) -> None:
        self._private = rsa.generate_private_key(65_537, 8 * MODULUS)
        self.key = new_key(self._private)
        self._instead = SealedVoter(installation, person)

    def answer(self, path: str, body: bytes) -> tuple[int, Any] | None:
        if "/sprint-ballot-keys/" in path:
            return 200, self.key
        if path.endswith("/ballot-papers"):
            private = self._private.private_numbers()
            blinded = int.from_bytes(decoded(json.loads(body)["blindedMessage"]))
            signature = pow(blinded, private.d, private.public_numbers.n).to_bytes(MODULUS)
            return 201, {"blindSignature": encoded(signature)}
        if path.endswith("/ballots"):
            sent = json.loads(body)
            equal = self._instead.ballot(self._instead.unblinded(self._instead.ask_for_paper()), sent["happiness"])
            counted = self._instead.cast(equal | {"randomness": sent["randomness"]})
            return counted.status, counted.body
        return None

    def list_for(self, ballot: dict[str, Any], count: Count) -> Count:
        """The list with this key, the voter's paper, and as many invented ones as there are others."""
        papers = [secrets.token_bytes(32) for _ in count["papers"]["spent"][1:]]
        mask = padding.PSS(padding.MGF1(hashes.SHA384()), count_list.SALT)
        spent = [{"paper": ballot["paper"], "signature": ballot["signature"]}]
        for paper in papers:
            spent.append({"paper": encoded(paper), "signature": encoded(self._private.sign(paper, mask, hashes.SHA384()))})
        changed = count | {"key": self.key["publicKey"]}
        spent.sort(key=lambda one: count_list.spent_hash(changed, one))
        return changed | {"papers": count["papers"] | {"spent": spent}}


@contextmanager
def team(browser: Browser, installation: Installation, voters: int) -> Iterator[list[Voter]]:
    """A new team: so many members with the page, and so many with the command."""
    name = installation.add_team(threshold="2")
    with ExitStack() as stack:
        pages = [WithPage(browser, installation, name) for _ in range(voters)]
        yield [*pages, *(WithCommand(stack, installation, name) for _ in range(voters))]
        for page in pages:
            page.close()


def count_of(installation: Installation, voter: Voter) -> Count:
    """The true list, as everybody with its address reads it."""
    team, label = voter.sprint.split("/", 1)
    address = installation.api(voter.person, "GET", f"/teams/{team}/sprints/{label}/count")["address"]
    return count_list.fetch(installation.servers[0].address, address)


def another_key(browser: Browser, installation: Installation, voters: int) -> list[Act]:
    cases = []
    with team(browser, installation, voters) as members:
        # If nobody lies, all see the same digits.
        assert len({member.digits() for member in members}) == 1
        for member in members:
            member.lie = KeyOfOnesOwn(installation, member.person).answer
            votes = member.vote()
            if not votes:
                member.come_back()
                votes = member.vote()
            cases.append(Case(bool(member.ballots), not votes, member.by_command))
    does = "gives one person another ballot key than at the first visit, also after a log-out"
    return [Act(does, "the secrecy of the vote", cases, succeeds=False, noticed=True)]


def key_of_ones_own(browser: Browser, installation: Installation, voters: int) -> list[Act]:
    cases = []
    with team(browser, installation, voters) as members:
        servers = [KeyOfOnesOwn(installation, member.person) for member in members]
        for member, server in zip(members, servers):
            member.lie = server.answer
        digits = [member.digits() for member in members]
        votes = [member.vote() for member in members]
        count = count_of(installation, members[0])
        for member, server, own, voted in zip(members, servers, digits, votes):
            (ballot,) = member.ballots
            is_fine = voted and member.check(server.list_for(ballot, count)) is not None
            cases.append(
                Case(ballot["key"] == server.key["id"], not is_fine, member.by_command, digits.count(own) == 1))
    does = "gives each person a ballot key of their own from the start"
    return [Act(does, "the secrecy of the vote", cases, succeeds=True, noticed=False, differs=True)]


def adds_up(count: Count) -> bool:
    return is_opened(count) and count_list.has_signed_papers(count)


def own_commitment(ballot: dict[str, Any]) -> tuple[bytes, int]:
    """Of a ballot, with its randomness, as the server computes it."""
    randomness = int.from_bytes(decoded(ballot["randomness"]))
    return bytes.fromhex(scheme.commitment(10 * VALUE, randomness)), randomness


def another_result(count: Count, ballot: dict[str, Any]) -> Count:
    """A list that is made up around the voter's own ballot."""
    return made_up(count, own_commitment(ballot)[0], 30 * count["votes"])


def without_ballot(count: Count, ballot: dict[str, Any]) -> Count:
    """The list without a ballot. What is left adds up, because the server knows what it left out."""
    own, randomness = own_commitment(ballot)
    left = (int.from_bytes(decoded(count["randomness"])) - randomness) % scheme.ORDER
    spent = [one for one in count["papers"]["spent"] if one["paper"] != ballot["paper"]]
    return count | {
        "votes": count["votes"] - 1, "sum": count["sum"] - 10 * VALUE, "randomness": encoded(left.to_bytes(32)),
        "commitments": [one for one in count["commitments"] if one != encoded(own)],
        "papers": count["papers"] | {"spent": spent},
    }  # fmt: skip


def with_other_value(count: Count, ballot: dict[str, Any]) -> Count:
    """The list with another value in the place of a ballot's. It adds up, and only this commitment differs."""
    own, _ = own_commitment(ballot)
    changed = scheme.added(point_of(own), scheme.multiplied(scheme.H, CHANGE % scheme.ORDER))
    others = [decoded(one) for one in count["commitments"] if one != encoded(own)]
    commitments = sorted([*others, bytes.fromhex(scheme.encoded(changed))])
    return count | {"sum": count["sum"] + CHANGE, "commitments": list(map(encoded, commitments))}


def false_results(browser: Browser, installation: Installation, voters: int) -> list[Act]:
    with team(browser, installation, voters) as members:
        assert all([member.vote() for member in members])
        count = count_of(installation, members[0])
        true = count_list.code(count)
        # If nobody lies, nobody notices anything, and there is one code.
        assert {member.check() for member in members} == {true}

        def cases(change: Callable[[Count, dict[str, Any]], Count], compares: bool = False) -> list[Case]:
            lies = [change(count, member.ballots[0]) for member in members]
            codes = [member.check(lie) for member, lie in zip(members, lies)]
            return [
                Case(
                    adds_up(lie) and lie["sum"] != count["sum"], own is None, member.by_command,
                    codes.count(own) == 1 and own != true if compares else None)
                for member, lie, own in zip(members, lies, codes)
            ]  # fmt: skip

        return [
            Act("shows each member another list, made up around their own vote", "the true result",
                cases(another_result, compares=True), succeeds=True, noticed=False, differs=True),
            Act("drops a ballot after it said that it is counted", "their vote in the result",
                cases(without_ballot), succeeds=True, noticed=True),
            Act("changes the value of a ballot", "their vote in the result",
                cases(with_other_value), succeeds=True, noticed=True),
        ]  # fmt: skip


def late_scripts(browser: Browser, installation: Installation, voters: int) -> list[Act]:
    """Delays a module of every second voter, and lets another one of each other voter fail."""
    cases = []
    for number, module in enumerate(sorted(NEEDED)[:voters]):
        visitor = Visitor(browser, installation, Profile("desktop", "en")).without_service_worker()
        held: list[Route] = []
        visitor.page.route(address_of(module), fail if number % 2 else lambda route: held.append(route))
        sent = requests_with_ballots(visitor)
        with visitor.complaints.expecting_no_network():
            open_vote_page(visitor, installation, wait_until="commit")
            fill_in_and_try_to_send(visitor)
            visitor.page.evaluate(WAIT_FOR_SCRIPT)
            is_told = visitor.page.get_by_text(visitor.words["vote.undecided"]).is_visible()
        cases.append(Case(bool(sent), is_told, by_command=False))
        # With all scripts the ballot leaves the browser, and it is sealed.
        for route in held:
            route.continue_()
        visitor.page.unroute(address_of(module))
        if not held:
            visitor.page.reload()
        choose(visitor, VALUE)
        send(visitor)
        expect_sealed(visitor, sent)
        visitor.close()
    return [Act("delays a script of the page, or lets one fail", "the seal of the vote", cases, succeeds=False, noticed=True)]


def acts(voters: int = VOTERS) -> list[Act]:
    """All of them, with so many voters with the page, and with the command."""
    with sync_playwright() as playwright, running(Installation(demo=False)) as installation:
        browser = playwright.chromium.launch(executable_path=path_of(SHELLS + BROWSERS))
        plays = (another_key, key_of_ones_own, false_results, late_scripts)
        return [act for play in plays for act in play(browser, installation, voters)]
