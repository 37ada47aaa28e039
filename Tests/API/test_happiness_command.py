"""The command `happiness` against a real API: a sprint, kills at every step, and servers that lie."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from altering_proxy import Exchange, Proxy
from device import AWAY, LOGGED_OUT, LOST_OUTPUT, REFUSED, USAGE, Device
from harness.papers import encoded
from installation import Installation, Person
from sealed_body import expect_anonymous, expect_canonical
from sealed_voter import result


class Vote:
    """Two members of a team that publishes from two votes on, and the first one's device."""

    def __init__(self, installation: Installation, device: Device) -> None:
        self._installation = installation
        team = installation.add_team(threshold="2")
        self.voter, self._other = (installation.add_person("voter", team) for _ in range(2))
        self.device = device

    def result_with(self, happiness: float) -> tuple[int, float]:
        """The number of votes and their mean, once the other member has voted."""
        self._installation.vote(self._other, happiness)
        return result_of_team(self._installation, self.voter)


def result_of_team(installation: Installation, member: Person) -> tuple[int, float]:
    """Votes and mean of the running sprint of a member's only team, once they are published."""
    path = f"/teams/{installation.team_id(member)}/sprints/current"
    return result(lambda: installation.api(member, "GET", path)["sprint"]["publication"])


@pytest.fixture
def vote(installation: Installation, proxy: Proxy, tmp_path: Path) -> Vote:
    vote = Vote(installation, Device(tmp_path / "device", proxy.address))
    vote.device.log_in(vote.voter)
    return vote


def test_a_vote_from_the_log_in_to_the_history(vote: Vote) -> None:
    device = vote.device
    assert "You haven’t voted yet" in device.run("sprint")
    digits = device.run("key").split("\n")[1]
    assert re.fullmatch("([0-9a-f]{4} ){7}[0-9a-f]{4}", digits)
    assert "has the same key" in device.run("key", digits.upper())
    assert "has a different key" in device.run("key", " ".join(["0000"] * 8), status=REFUSED)
    device.run("key", digits[:9], status=USAGE)
    assert "is on this device" in device.run("paper")
    assert "not used yet" in device.run("sprint")
    counted = device.run("vote", "7.5", "--feedback", "Fewer meetings – schön.")
    assert "was counted: 7.5." in counted and digits in counted and "on an earlier day" not in counted
    assert device.state["votes"] == []
    assert device.run("vote", "3", status=REFUSED) == "happiness: You’ve already voted in this sprint.\n"
    assert device.run("vote", status=REFUSED) == "happiness: No vote is waiting. Give a value from 0 to 10.\n"

    assert vote.result_with(8.5) == (2, 8)
    assert "Happiness: 8.0 (2 votes)" in device.run("sprint")
    assert re.search(r"^\d{4}/\d+ +\d{4}-\d\d-\d\d +8\.0  2", device.run("history"), re.MULTILINE)
    assert device.run("history", "--csv").startswith("sprint,start,end,happiness,votes,")
    assert json.loads(device.run("my-data"))["account"]["name"] == vote.voter.name
    assert device.run("log-out") == "You’re logged out.\n"
    assert "account" not in device.state
    assert "You aren’t logged in" in device.run("sprint", status=LOGGED_OUT)


@pytest.mark.parametrize(
    "shell",
    [
        'exec "$@" >/dev/full',
        'exec "$@" >&-',
        # The reader has ended when the command starts.
        'exec 9> >(:); wait $!; exec env --default-signal=PIPE "$@" >&9 9>&-',
    ],
)
def test_lost_output_is_an_error_and_the_vote_counts(vote: Vote, shell: str) -> None:
    for command in (["sprint"], ["my-data"], ["vote", "7.5"], ["log-out"]):
        status, errors = vote.device.run_in_shell(shell, *command)
        assert status == LOST_OUTPUT and errors.startswith("happiness: The output cannot be written: "), command
    assert vote.result_with(8.5) == (2, 8.0)


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_an_error_that_cannot_be_printed_is_still_a_status(vote: Vote, redirection: str) -> None:
    assert vote.device.run_in_shell(f'exec "$@" {redirection}', "key", "0000 0000")[0] == USAGE
    assert vote.device.run_in_shell(f'exec "$@" {redirection}', "vote")[0] == REFUSED
    # A folder cannot be read.
    assert vote.device.run_in_shell(f'exec "$@" {redirection} </', "vote", "7", "--feedback", "-")[0] == REFUSED


def test_a_ballot_travels_without_the_log_in_and_on_its_own_connection(vote: Vote, proxy: Proxy) -> None:
    assert "on an earlier day" in vote.device.run("vote", "7")
    (ballot,) = proxy.requests("/ballots")
    assert ballot.status == 201
    assert ballot.headers["user-agent"] == "happiness"
    with_log_in = {exchange.connection for exchange in proxy.exchanges if "authorization" in exchange.headers}
    assert with_log_in and ballot.connection not in with_log_in


@pytest.mark.parametrize(
    ("value", "text", "happiness", "feedback"),
    [
        ("0", None, 0, None),
        ("7", "", 7, None),
        ("7.5", " \t\u00a0", 7.5, None),
        ("10", '"a/b\\c" 😀 schön', 10, '"a/b\\c" 😀 schön'),
        ("0.1", " two\r\nlines\u2028and\u00a0one u\u0308 \n", 0.1, "two\nlines\nand one ü"),
        ("7", "😀" * 2_000, 7, "😀" * 2_000),
    ],
)
def test_a_ballot_has_the_bytes_that_the_vote_page_sends(
    vote: Vote, proxy: Proxy, value: str, text: str | None, happiness: float, feedback: str | None
) -> None:
    vote.device.run("vote", value, *([] if text is None else ["--feedback", text]))
    (sent,) = proxy.requests("/ballots")
    assert sent.status == 201
    ballot = expect_canonical(sent.body, sent.headers)
    assert (ballot["happiness"], ballot["feedback"]) == (happiness, feedback)
    assert re.fullmatch("[A-Za-z0-9_-]{43}", ballot["randomness"])


def test_a_paper_of_another_day_needs_no_log_in(vote: Vote, proxy: Proxy) -> None:
    vote.device.run("paper")
    proxy.exchanges.clear()
    assert "was counted: 7." in vote.device.run("vote", "7")
    assert [exchange.path for exchange in proxy.exchanges] == ["/api/v1/ballots"]


def test_a_member_of_two_teams_says_in_which_they_vote(installation: Installation, proxy: Proxy, tmp_path: Path) -> None:
    first, second = installation.add_team(threshold="2"), installation.add_team(threshold="2")
    member = installation.add_person("member", first)
    installation.command("team", "add-member", second, member.name)
    device = Device(tmp_path, proxy.address)
    device.log_in(member)
    choose = "Choose one of your teams with --team"
    assert choose in device.run("paper", status=REFUSED)
    device.run("paper", "--team", first)
    assert choose in device.run("vote", "7", status=REFUSED)
    assert f" of {second} was counted: 3." in device.run("vote", "3", "--team", second)
    assert f" of {first} was counted: 7." in device.run("vote", "7", "--team", first)


@pytest.mark.parametrize(
    ("path", "is_answered", "again"),
    [
        ("/ballot-papers", False, ["vote"]),
        ("/ballot-papers", False, ["vote", "7"]),
        ("/ballot-papers", True, ["vote"]),
        ("/ballots", False, ["vote"]),
        ("/ballots", True, ["vote"]),
        ("/ballots", True, ["vote", "7"]),
    ],
)
def test_a_killed_command_counts_once(vote: Vote, proxy: Proxy, path: str, is_answered: bool, again: list[str]) -> None:
    def kill(exchange: Exchange) -> None:
        if exchange.path.endswith(path):
            vote.device.kill()
            if not is_answered:
                raise BrokenPipeError

    if is_answered:
        proxy.after = kill
    else:
        proxy.before = kill
    assert vote.device.start("vote", "7").wait(60) < 0
    proxy.before = proxy.after = lambda exchange: None
    assert "was counted: 7." in vote.device.run(*again)
    assert vote.device.state["votes"] == []
    assert vote.result_with(8) == (2, 7.5)


@pytest.mark.parametrize(
    ("status", "headers", "answer"),
    [
        (200, {"Content-Type": "text/html"}, b"<h1>Welcome to our network</h1>"),
        (200, {"Content-Type": "application/json"}, b"{}"),
        (302, {"Location": "/login"}, b""),
        (307, {"Location": "/health/live"}, b""),
        (403, {"Content-Type": "text/html"}, b"<h1>Blocked</h1>"),
    ],
)
def test_an_answer_of_something_else_counts_nothing(
    vote: Vote, proxy: Proxy, status: int, headers: dict[str, str], answer: bytes
) -> None:
    def interfere(exchange: Exchange) -> None:
        if exchange.path.endswith("/ballots"):
            exchange.status, exchange.answer, exchange.answer_headers = status, answer, headers

    proxy.after = interfere
    assert "was counted" not in vote.device.run("vote", "7", status=REFUSED)
    assert proxy.exchanges[-1].path == "/api/v1/ballots"
    proxy.after = lambda exchange: None
    assert "was counted: 7." in vote.device.run("vote")


def test_a_paper_is_found_with_another_spelling_of_the_address(vote: Vote, proxy: Proxy) -> None:
    vote.device.run("paper")
    vote.device.run("log-out")
    for address in (f"{proxy.address}/", proxy.address.replace("http:", "HTTP:")):
        vote.device.run("log-in", address, "--user", vote.voter.name, given=vote.voter.password)
    assert "was counted" in vote.device.run("vote", "7")


def test_nobody_votes_with_the_paper_of_someone_who_has_logged_out(vote: Vote, proxy: Proxy) -> None:
    vote.device.run("paper")
    vote.device.run("log-out")
    assert "You aren’t logged in" in vote.device.run("vote", "7", status=LOGGED_OUT)
    assert proxy.requests("/ballots") == []


def test_an_unreadable_state_is_not_an_empty_one(vote: Vote) -> None:
    vote.device.run("paper")
    state = vote.device.state
    vote.device.state = {"format": 1, "votes": "broken"}
    vote.device.run("sprint", status=REFUSED)
    vote.device.state = {"format": 2, "papers": []}
    assert "A later version of happiness wrote" in vote.device.run("sprint", status=REFUSED)
    vote.device.log_in_fails(vote.voter)
    vote.device.state = state
    assert "was counted" in vote.device.run("vote", "7")


def test_a_feedback_comes_from_standard_input(vote: Vote, proxy: Proxy, installation: Installation) -> None:
    bodies: list[bytes] = []
    proxy.before = lambda exchange: bodies.append(exchange.body)
    vote.device.run("vote", "7", "--feedback", "-", given="Two\nlines")
    assert json.loads(bodies[-1])["feedback"] == "Two\nlines"


def test_control_characters_of_a_server_do_not_reach_the_terminal(vote: Vote, proxy: Proxy) -> None:
    def forge(exchange: Exchange) -> None:
        if exchange.path.endswith("/teams"):
            exchange.answer = exchange.answer.replace(b'"name":"', b'"name":"\\u001b[8m\\u202e')

    proxy.after = forge
    output = vote.device.run("sprint")
    assert "\x1b" not in output and "\u202e" not in output and "\ufffd[8m\ufffdTeam" in output


def test_a_vote_waits_for_a_server_that_is_away(vote: Vote, proxy: Proxy) -> None:
    def lose(exchange: Exchange) -> None:
        if exchange.path.endswith("/ballots"):
            exchange.status, exchange.answer = 503, b"away"

    proxy.after = lose
    vote.device.run("vote", "7", status=AWAY)
    assert "perhaps not counted yet" in vote.device.run("sprint")
    proxy.after = lambda exchange: None
    # It may be counted already, so another value cannot replace it.
    assert "can’t replace it" in vote.device.run("vote", "2", status=REFUSED)
    assert vote.result_with(8) == (2, 7.5)


@pytest.mark.parametrize("again", [["vote"], ["vote", "8"]], ids=" ".join)
def test_a_vote_that_waits_for_a_relay_is_sent_only_if_its_owner_wants_that(
    vote: Vote, proxy: Proxy, again: list[str]
) -> None:
    vote.device.run("paper")
    # As version 0.1.0 left it.
    state = vote.device.state
    state["votes"][0] |= {"ballot": {"happiness": 7}, "relay": "https://relay.example.org", "relayed": {"ticket": "0"}}
    vote.device.state = state
    sentence = vote.device.run(*again, status=REFUSED)
    assert sentence.startswith("happiness: Your votes were to go through https://relay.example.org, ")
    assert sentence.endswith(" run the command again with --directly.\n")
    assert proxy.requests("/ballots") == []
    assert "was counted: 7." in vote.device.run("vote", "--directly")
    assert vote.device.state["votes"] == []
    assert vote.result_with(8) == (2, 7.5)


def test_a_member_who_logged_in_with_a_relay_is_asked_before_a_vote(vote: Vote, proxy: Proxy) -> None:
    state = vote.device.state
    state["account"]["relay"] = "https://relay.example.org"
    vote.device.state = state
    assert "with --directly" in vote.device.run("vote", "7", status=REFUSED)
    assert proxy.requests("/ballot-papers") == [] and proxy.requests("/ballots") == []
    assert "was counted: 7." in vote.device.run("vote", "7", "--directly")
    # Only once.
    assert "relay" not in vote.device.state["account"]


def test_a_refused_ballot_keeps_its_paper(vote: Vote) -> None:
    refusal = vote.device.run("vote", "7,5", "--feedback", "x" * 2_001, status=REFUSED)
    assert "2,000" in refusal or "2000" in refusal
    assert "was counted: 7.5." in vote.device.run("vote", "7,5", "--feedback", "x" * 2_000)


@pytest.mark.parametrize("value", ["11", "-1", "7.55", "nan", "seven"])
def test_a_value_that_is_none_is_refused(vote: Vote, proxy: Proxy, value: str) -> None:
    vote.device.run("vote", "--", value, status=USAGE)
    assert proxy.requests("/ballot-papers") == []


def test_a_paper_belongs_to_its_member(installation: Installation, proxy: Proxy, tmp_path: Path) -> None:
    team = installation.add_team(threshold="2")
    first, second = (installation.add_person("voter", team) for _ in range(2))
    device = Device(tmp_path, proxy.address)
    device.log_in(first)
    device.run("paper")
    device.run("log-out")
    device.log_in(second)
    device.run("vote", "3")
    device.run("log-out")
    device.log_in(first)
    device.run("vote", "8")
    assert result_of_team(installation, first) == (2, 5.5)


def test_two_commands_at_once_count_once(vote: Vote) -> None:
    commands = [vote.device.start("vote", "7") for _ in range(2)]
    for command in commands:
        command.communicate(timeout=60)
    assert sorted(command.returncode for command in commands) == [0, REFUSED]
    assert vote.result_with(8) == (2, 7.5)


def test_an_expired_token_is_renewed(vote: Vote, proxy: Proxy) -> None:
    state = vote.device.state
    before = dict(state["account"]["logIn"])
    state["account"]["logIn"]["expires"] = 0
    vote.device.state = state
    vote.device.run("sprint")
    assert len(proxy.requests("/auth/refresh")) == 1
    assert vote.device.state["account"]["logIn"]["refreshToken"] != before["refreshToken"]
    vote.device.run("sprint")
    assert len(proxy.requests("/auth/refresh")) == 1


def test_a_token_that_the_server_does_not_accept_any_more_is_renewed(vote: Vote, proxy: Proxy) -> None:
    state = vote.device.state
    state["account"]["logIn"]["accessToken"] = "outdated"
    vote.device.state = state
    vote.device.run("sprint")
    assert len(proxy.requests("/auth/refresh")) == 1


def new_key() -> dict[str, str]:
    """A ballot key as the API returns it."""
    command = "openssl genrsa 2048 | openssl rsa -pubout -outform DER"
    der = subprocess.run(command, shell=True, check=True, capture_output=True).stdout
    return {"id": hashlib.sha256(der).hexdigest(), "publicKey": encoded(der)}


# The request for the key of a team's sprint.
KEY = r"/sprint-ballot-keys/[0-9a-f]{32}/\d+/\w+$"


def other_key(exchange: Exchange) -> None:
    """Answers with a valid key that does not belong to the id."""
    answer = json.loads(exchange.answer)
    exchange.answer = json.dumps(answer | {"publicKey": new_key()["publicKey"]}).encode()


def unknown(exchange: Exchange) -> None:
    exchange.status = 404
    exchange.answer = b'{"type":"/api#no-such-ballot-key","title":"Not Found","status":404,"detail":"There is none."}'


def give(proxy: Proxy, path: str, key: dict[str, str]) -> None:
    """Answers requests to a path with this key from now on."""

    def answer(exchange: Exchange) -> None:
        if re.search(path, exchange.path):
            exchange.status, exchange.answer = 200, json.dumps(key).encode()

    proxy.after = answer


def place_of(installation: Installation, member: Person) -> str:
    """The running sprint of a member's only team: id and label."""
    team = installation.team_id(member)
    label = installation.api(member, "GET", f"/teams/{team}/sprints/current")["sprint"]["label"]
    return f"{team}/{label}"


@pytest.mark.parametrize(
    ("lie", "words"), [(unknown, "There is none."), (other_key, "isn’t a ballot key")], ids=["none", "of another id"])
def test_without_a_valid_key_nothing_is_sent(
    vote: Vote, proxy: Proxy, lie: Callable[[Exchange], None], words: str
) -> None:
    proxy.after = lambda exchange: lie(exchange) if re.search(KEY, exchange.path) else None
    assert words in vote.device.run("vote", "7", status=REFUSED)
    assert proxy.requests("/ballot-papers") == []


def test_the_key_is_asked_for_without_the_log_in_and_on_its_own_connection(
    vote: Vote, proxy: Proxy, installation: Installation
) -> None:
    vote.device.run("vote", "7")
    (asked,) = [exchange for exchange in proxy.exchanges if "ballot-key" in exchange.path]
    assert asked.path == f"/api/v1/sprint-ballot-keys/{place_of(installation, vote.voter)}"
    expect_anonymous(asked.headers)
    assert asked.connection not in {one.connection for one in proxy.exchanges if "authorization" in one.headers}


def test_a_key_for_each_log_in_that_is_published_by_its_id_is_not_taken(vote: Vote, proxy: Proxy) -> None:
    """A server linked three of three ballots like this, when clients asked with the log-in, and then by id."""
    own = new_key()
    give(proxy, f"/ballot-key$|/ballot-keys/{own['id']}$", own)
    vote.device.run("vote", "7")
    (ballot,) = proxy.requests("/ballots")
    assert ballot.status == 201 and json.loads(ballot.body)["key"] != own["id"]


def test_a_key_of_ones_own_shows_only_in_its_digits(vote: Vote, proxy: Proxy) -> None:
    key = new_key()
    colleague = vote.device.run("key").split("\n")[1]
    state = vote.device.state
    vote.device.state = state | {"keysSeen": []}
    give(proxy, KEY, key)
    assert vote.device.run("key").split("\n")[1].replace(" ", "") == key["id"][:32]
    assert "has a different key" in vote.device.run("key", colleague, status=REFUSED)


@pytest.mark.parametrize("logs_out", [False, True], ids=["at once", "after a log-out"])
def test_another_key_than_the_first_one_stops_the_vote(vote: Vote, proxy: Proxy, logs_out: bool) -> None:
    vote.device.run("key")
    if logs_out:
        vote.device.run("log-out")
        vote.device.log_in(vote.voter)
    give(proxy, KEY, new_key())
    assert "has changed since you first saw it" in vote.device.run("vote", "7", status=REFUSED)
    assert proxy.requests("/ballot-papers") == []


def test_a_key_that_was_seen_tells_neither_team_nor_sprint(
    vote: Vote, proxy: Proxy, installation: Installation
) -> None:
    vote.device.run("key")
    vote.device.run("log-out")
    (seen,) = vote.device.state["keysSeen"]
    place = f"{proxy.address} {place_of(installation, vote.voter)}"
    assert seen["sprint"] == hashlib.sha256(place.encode()).hexdigest()


def test_a_key_that_an_earlier_version_saw_is_still_the_first_one(
    vote: Vote, proxy: Proxy, installation: Installation
) -> None:
    place = f"{proxy.address} {place_of(installation, vote.voter)}"
    first = {"sprint": place, "id": "0" * 64}
    vote.device.state = vote.device.state | {"keysSeen": [first]}
    assert "has changed since you first saw it" in vote.device.run("vote", "7", status=REFUSED)
    vote.device.run("log-out")
    assert vote.device.state["keysSeen"] == [first | {"sprint": hashlib.sha256(place.encode()).hexdigest()}]


def test_a_paper_signed_with_another_key_is_not_used(vote: Vote, proxy: Proxy) -> None:
    def sign_wrongly(exchange: Exchange) -> None:
        if exchange.path.endswith("/ballot-papers"):
            exchange.answer = json.dumps({"blindSignature": "AAAA" * 85 + "AA"}).encode()

    proxy.after = sign_wrongly
    assert "didn’t sign your ballot paper with the ballot key" in vote.device.run("vote", "7", status=REFUSED)
    assert proxy.requests("/ballots") == []
    # A server that was merely broken: the paper is still good.
    proxy.after = lambda exchange: None
    assert "was counted" in vote.device.run("vote")


def test_a_password_is_not_sent_unencrypted(tmp_path: Path) -> None:
    device = Device(tmp_path, "")
    assert "unencrypted" in device.run("log-in", "http://happiness.example.org", "--user", "x", given="y", status=REFUSED)
