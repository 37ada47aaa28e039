"""Sealed ballots that go through a relay, by a client that shares no code with the product."""

from __future__ import annotations

import time
from pathlib import Path

from installation import Installation, wait_until
from harness.oblivious_message import Message
from relay import Relay
from sealed_voter import SealedVoter


class Team:
    """Members of a new team with signed papers, and their ballots of 4, 5 and so on."""

    def __init__(self, installation: Installation, relay: Relay, size: int) -> None:
        team = installation.add_team(threshold="2")
        self.voters = [SealedVoter(installation, installation.add_person("voter", team)) for _ in range(size)]
        self.ballots = [
            voter.ballot(voter.unblinded(voter.ask_for_paper()), 4 + number) for number, voter in enumerate(self.voters)
        ]
        self._relay = relay

    def messages(self) -> list[Message]:
        """Their ballots, encrypted anew at each call."""
        status, keys = self._relay.request("GET", "/keys")
        assert status == 200
        return [Message(keys, "POST", "/api/v1/ballots", ballot) for ballot in self.ballots]

    def result(self) -> tuple[int, float]:
        return self.voters[0].result()


def put(relay: Relay, message: Message) -> int:
    return relay.request("PUT", message.ticket, message.content)[0]


def answer(relay: Relay, message: Message) -> tuple[int, object]:
    """What the API says, once the relay has sent the message."""
    wait_until(lambda: relay.request("GET", message.ticket)[0] != 202)
    status, content = relay.request("GET", message.ticket)
    assert status == 200
    return message.open(content)


def test_five_ballots_go_on_together_and_are_counted(installation: Installation, relay: Relay) -> None:
    team = Team(installation, relay, 5)
    messages = team.messages()
    for message in messages[:4]:
        assert put(relay, message) == 202
        # The same ticket again does not make it a fifth one.
        assert put(relay, message) == 202
    assert [relay.request("GET", message.ticket)[0] for message in messages] == [202] * 4 + [404]
    assert put(relay, messages[4]) == 202
    assert [answer(relay, message) for message in messages] == [(201, {"counted": True})] * 5
    assert team.result() == (5, 6)


def test_even_one_ballot_goes_on_after_a_while(installation: Installation, tmp_path: Path) -> None:
    relay = Relay(installation.servers[0].address, tmp_path / "relay.log", seconds=1)
    message = Team(installation, relay, 2).messages()[0]
    assert put(relay, message) == 202
    assert answer(relay, message) == (201, {"counted": True})
    relay.stop()


def test_a_ballot_goes_on_before_its_sprint_closes(installation: Installation, relay: Relay) -> None:
    first, second = Team(installation, relay, 2).messages()
    assert relay.request("PUT", f"{first.ticket}?before={int(time.time()) + 86_400}", first.content)[0] == 202
    assert relay.request("GET", first.ticket)[0] == 202
    # The relay keeps five minutes for an attempt that fails.
    assert relay.request("PUT", f"{second.ticket}?before={int(time.time()) + 300}", second.content)[0] == 202
    assert [answer(relay, message) for message in (first, second)] == [(201, {"counted": True})] * 2


def test_a_relay_that_is_stopped_sends_what_waits(installation: Installation, relay: Relay) -> None:
    team = Team(installation, relay, 3)
    for message in team.messages():
        assert put(relay, message) == 202
    relay.stop()
    assert team.result() == (3, 5)


def test_a_killed_relay_loses_nothing_that_a_device_has(installation: Installation, relay: Relay) -> None:
    team = Team(installation, relay, 6)
    messages = team.messages()
    for message in messages[:5]:
        put(relay, message)
    assert answer(relay, messages[0]) == (201, {"counted": True})
    assert put(relay, messages[5]) == 202
    relay.kill()
    relay.start()
    # The devices learn that their ballots are unknown, and send them again: counted or not, each counts once.
    assert [relay.request("GET", message.ticket)[0] for message in messages] == [404] * 6
    again = team.messages()
    for message in again:
        assert put(relay, message) == 202
    relay.stop()
    assert team.result() == (6, 6.5)


def test_ballots_wait_while_the_gateway_is_away(installation: Installation, tmp_path: Path) -> None:
    relay = Relay(installation.servers[0].address, tmp_path / "relay.log", count=2, seconds=1)
    team = Team(installation, relay, 2)
    messages = team.messages()
    installation.servers[0].stop()
    for message in messages:
        assert put(relay, message) == 202
    wait_until(lambda: relay.request("GET", "/health")[0] == 503)
    assert relay.request("POST", "/now", messages[0].content)[0] == 503
    assert [relay.request("GET", message.ticket)[0] for message in messages] == [202, 202]
    installation.servers[0].start()
    assert [answer(relay, message) for message in messages] == [(201, {"counted": True})] * 2
    assert relay.request("GET", "/health")[0] == 200
    relay.stop()


def test_a_ballot_key_comes_through_the_relay_at_once(installation: Installation, relay: Relay) -> None:
    voter = SealedVoter(installation, installation.add_person("voter", installation.add_team()))
    _, keys = relay.request("GET", "/keys")
    message = Message(keys, "GET", f"/api/v1/ballot-keys/{voter.key_id}")
    status, content = relay.request("POST", "/now", message.content)
    assert status == 200
    key_status, key = message.open(content)
    assert key_status == 200 and key["id"] == voter.key_id  # type: ignore[index]


def test_the_relay_says_nothing_about_its_requests(installation: Installation, relay: Relay) -> None:
    messages = Team(installation, relay, 2).messages()
    for message in messages:
        put(relay, message)
    relay.request("PUT", "/mixed/1", b"1")
    relay.request("GET", "/nowhere")
    relay.stop()
    lines = relay.log().splitlines()
    assert len(lines) == 1 and "Listening" in lines[0], lines
