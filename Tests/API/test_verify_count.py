"""The command `happiness verify`: checks the count of a sprint, also after its data was changed on the server."""

from __future__ import annotations

import base64
import json
import re
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import count_list
import pytest
from altering_proxy import Exchange, Proxy, altering_proxy
from count_list import decoded, encoded
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from device import REFUSED, Device
from installation import Installation
from made_up_count import is_opened, made_up


@pytest.fixture
def device(installation: Installation, tmp_path: Path) -> Device:
    """Of a member who has voted with it; their two colleagues have voted, too."""
    team = installation.add_team(threshold="2")
    person = installation.add_person("voter", team)
    for happiness in (4, 8):
        installation.vote(installation.add_person("colleague", team), happiness)
    device = Device(tmp_path / "device", installation.servers[0].address)
    device.run("log-in", installation.servers[0].address, "--user", person.name, given=person.password)
    assert "was counted" in device.run("vote", "6.5")
    return device


def test_the_command_checks_a_count(device: Device) -> None:
    output = device.run("verify")
    assert "the commitments of all 3 votes add up to the result" in output
    assert "Your vote is among them, exactly as you cast it on this device." in output
    label = output.split()[1]
    assert device.run("verify", label) == output
    assert "isn’t over" in device.run("verify", "2020/1", status=REFUSED)


def test_the_command_misses_its_own_vote(device: Device, installation: Installation) -> None:
    """Together with the sums, which a server that knows what it does could change as well."""
    own = own_commitment(device)
    with closing(sqlite3.connect(installation.database, timeout=30)) as store, store:
        # The other format of the same point: it is opposite to it.
        other = bytes([own[0] ^ 1]) + own[1:] + bytes(8)
        assert store.execute("UPDATE commitments SET bytes = ? WHERE substr(bytes, 1, 33) = ?", [other, own]).rowcount == 1
    assert "the commitments don’t add up" in device.run("verify", status=REFUSED)


def test_the_command_finds_a_changed_count(device: Device, installation: Installation) -> None:
    own = own_commitment(device)
    with closing(sqlite3.connect(installation.database, timeout=30)) as store, store:
        (team,) = store.execute("SELECT team FROM commitments WHERE substr(bytes, 1, 33) = ?", [own]).fetchone()
        store.execute("UPDATE happiness SET publishedSum = publishedSum + 10 WHERE team = ?", [team])
    assert "the commitments don’t add up to the result" in device.run("verify", status=REFUSED)


def own_commitment(device: Device) -> bytes:
    """The commitment that the device keeps."""
    (commitment,) = device.state["commitments"]
    return base64.b64decode(commitment["bytes"])


@dataclass
class Voter:
    """A member with the command, behind a proxy of their own."""

    device: Device
    proxy: Proxy

    def verify(self, status: int = 0) -> str:
        return self.device.run("verify", status=status)

    def change(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Lets the server change the list for this voter."""

        def after(exchange: Exchange) -> None:
            if exchange.path.startswith("/api/v1/counts/"):
                exchange.answer = json.dumps(change(json.loads(exchange.answer))).encode()

        self.proxy.after = after


@dataclass
class Sprint:
    """A sprint of four that is over: two sealed votes by the command, and two plain ones; all of them 2."""

    voters: list[Voter]
    team: str
    # As everybody with the address reads it.
    count: dict[str, Any]


@pytest.fixture
def sprint(installation: Installation, tmp_path: Path) -> Iterator[Sprint]:
    team = installation.add_team(threshold="2")
    server = installation.servers[0].address
    people = [installation.add_person("voter", team) for _ in range(2)]
    # Before anybody votes: the sprint closes once all members have.
    colleagues = [installation.add_person("colleague", team) for _ in range(2)]
    with ExitStack() as stack:
        voters = []
        for number, person in enumerate(people):
            proxy = stack.enter_context(altering_proxy(server))
            device = Device(tmp_path / f"device-{number}", proxy.address)
            device.log_in(person)
            assert "was counted: 2." in device.run("vote", "2")
            voters.append(Voter(device, proxy))
        for colleague in colleagues:
            installation.vote(colleague, 2)
        path = f"/teams/{installation.team_id(people[0])}"
        label = voters[0].verify().split()[1]
        address = installation.api(people[0], "GET", f"{path}/sprints/{label}/count")["address"]
        yield Sprint(voters, installation.team_id(people[0]), count_list.fetch(server, address))


def code(output: str) -> str:
    (code,) = re.findall("^((?:[A-Z2-7]{4} ){7}[A-Z2-7]{4})$", output, re.MULTILINE)
    return code


def test_another_list_for_each_voter_shows_in_the_code(sprint: Sprint) -> None:
    """A server publishes 7.5 for a true 2.0, and makes up a list around the vote of each voter. Everything in it is
    right, so only people who compare its code find out."""
    assert count_list.has_signed_papers(sprint.count) and is_opened(sprint.count)
    honest = [code(voter.verify()) for voter in sprint.voters]
    assert honest == [count_list.code(sprint.count)] * 2

    codes = []
    for voter in sprint.voters:
        lie = made_up(sprint.count, own_commitment(voter.device), 300)
        assert is_opened(lie)

        def answer(exchange: Exchange, lie: dict[str, Any] = lie) -> None:
            if exchange.path.startswith("/api/v1/counts/"):
                exchange.answer = json.dumps(lie).encode()
            elif exchange.path.endswith("/sprints"):
                read = json.loads(exchange.answer)
                for one in read["sprints"]:
                    if one["publication"]:
                        one["publication"]["happiness"] = 7.5
                exchange.answer = json.dumps(read).encode()

        voter.proxy.after = answer
        output = voter.verify()
        assert "add up to the result" in output and "2 sealed votes were counted" in output
        assert "Your vote is among them, exactly as you cast it on this device." in output
        assert "If you all see the same one, you all see the same list." in output
        codes.append(code(output))
        assert codes[-1] == count_list.code(lie)
    assert len({*honest, *codes}) == 3


def test_the_list_is_asked_for_without_the_log_in(sprint: Sprint) -> None:
    addresses = set()
    for voter in sprint.voters:
        voter.proxy.exchanges.clear()
        voter.verify()
        (asked,) = [one for one in voter.proxy.exchanges if one.path.startswith("/api/v1/counts/")]
        assert asked.status == 200 and not {"authorization", "cookie"} & asked.headers.keys()
        with_log_in = {one.connection for one in voter.proxy.exchanges if "authorization" in one.headers}
        assert with_log_in and asked.connection not in with_log_in
        addresses.add(asked.path)
    assert len(addresses) == 1


@pytest.mark.parametrize("address", ["@127.0.0.1:1/", "/api/v1/counts/x/2026/1/" + "A" * 22, "/health/live", None])
def test_the_command_follows_no_other_address(sprint: Sprint, address: str | None) -> None:
    def lead_away(exchange: Exchange) -> None:
        if exchange.path.endswith("/count"):
            exchange.answer = json.dumps(json.loads(exchange.answer) | {"address": address}).encode()

    voter = sprint.voters[0]
    voter.proxy.after = lead_away
    expected = "can’t have" if address else "only to people who are logged in"
    assert expected in voter.verify(status=REFUSED)
    assert voter.proxy.exchanges[-1].path.endswith("/count")


def test_the_command_looks_for_its_paper(sprint: Sprint) -> None:
    voter = sprint.voters[0]
    (own,) = voter.device.state["commitments"]
    spent = base64.b64decode(own["spent"])

    def without_own(count: dict[str, Any]) -> dict[str, Any]:
        papers = [one for one in count["papers"]["spent"] if count_list.spent_hash(count, one) != spent]
        assert len(papers) == 1
        return count | {"papers": count["papers"] | {"spent": papers}}

    voter.change(without_own)
    assert "Your vote isn’t among them" in voter.verify(status=REFUSED)
    # A device of version 0.1.0 has kept no hash.
    state = voter.device.state
    state["commitments"] = [{name: value for name, value in own.items() if name != "spent"}]
    voter.device.state = state
    assert "Your vote is among them" in voter.verify()


def swapped_signatures(count: dict[str, Any]) -> dict[str, Any]:
    first, second = count["papers"]["spent"]
    spent = [first | {"signature": second["signature"]}, second | {"signature": first["signature"]}]
    return count | {"papers": count["papers"] | {"spent": spent}}


def forged_paper(count: dict[str, Any]) -> dict[str, Any]:
    """The papers with one more, which another key has signed."""
    paper = secrets.token_bytes(32)
    signature = rsa.generate_private_key(65_537, 2_048).sign(
        paper, padding.PSS(padding.MGF1(hashes.SHA384()), count_list.SALT), hashes.SHA384())
    spent = [*count["papers"]["spent"], {"paper": encoded(paper), "signature": encoded(signature)}]
    spent.sort(key=lambda one: count_list.spent_hash(count, one))
    return count | {"papers": {"issued": 3, "spent": spent}}


def paper_twice(count: dict[str, Any]) -> dict[str, Any]:
    first, second = count["papers"]["spent"]
    return count | {"papers": {"issued": 3, "spent": [first, first, second]}}


def none_issued(count: dict[str, Any]) -> dict[str, Any]:
    return count | {"papers": count["papers"] | {"issued": 0}}


def unsorted(count: dict[str, Any]) -> dict[str, Any]:
    return count | {"commitments": sorted(count["commitments"], key=decoded, reverse=True)}


def another_sprint(count: dict[str, Any]) -> dict[str, Any]:
    return count | {"sprint": "2020/1"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (swapped_signatures, "no valid signature"), (forged_paper, "no valid signature"),
        (paper_twice, "more sealed votes than ballot papers"), (none_issued, "more sealed votes than ballot papers"),
        (unsorted, "isn’t as it must be"), (another_sprint, "isn’t as it must be"),
    ],
)  # fmt: skip
def test_the_command_finds_a_wrong_list(
    sprint: Sprint, change: Callable[[dict[str, Any]], dict[str, Any]], words: str
) -> None:
    sprint.voters[0].change(change)
    assert words in sprint.voters[0].verify(status=REFUSED)


def test_the_command_finds_another_ballot_key(sprint: Sprint) -> None:
    device = sprint.voters[0].device
    state = device.state
    for key in state["keysSeen"]:
        key["id"] = "0" * 64
    device.state = state
    assert "another key than the one this device saw first" in device.run("verify", status=REFUSED)


def test_papers_of_an_earlier_version_are_not_said_to_be_signed(sprint: Sprint, installation: Installation) -> None:
    with closing(sqlite3.connect(installation.database, timeout=30)) as store, store:
        # As version 0.1.0 stored them.
        changed = store.execute("UPDATE spentPapers SET bytes = NULL, signature = NULL WHERE team = ?", [sprint.team])
        assert changed.rowcount == 2
    output = sprint.voters[0].verify()
    assert "The signatures of 2 of these ballot papers can’t be checked" in output
    assert "Your vote is among them" in output
    assert code(output) != count_list.code(sprint.count)
