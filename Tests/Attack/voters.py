"""Members who vote and check the count with the page or with the command, of a server that may lie to them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import test_check_count as on_page
from altering_proxy import Exchange, altering_proxy
from device import REFUSED, Device
from installation import Installation
from playwright.sync_api import Browser, Route, expect
from test_log_in import log_out
from test_sealed_ballot import BALLOTS, KEYS, NO_KEY, PAPERS, ballots_sent, expect_another_key, send, sprint_of
from test_verify_count import code
from test_voting import choose, expect_thanks
from visitor import Profile, Visitor

# What everybody votes.
VALUE = 7

Count = dict[str, Any]
# How a server answers a request with this path and body. `None`: as it should.
Lie = Callable[[str, bytes], tuple[int, Any] | None]


class WithPage:
    """A member with the page. Their server lies with `lie`."""

    by_command = False

    def __init__(self, browser: Browser, installation: Installation, team: str) -> None:
        self._visitor = Visitor(browser, installation, Profile("desktop", "en")).without_service_worker()
        self.person = self._visitor.log_in_new(team)
        self.sprint = sprint_of(installation, self.person)
        self.lie: Lie = lambda path, body: None
        self._sent = ballots_sent(self._visitor)
        for address in (KEYS, PAPERS, BALLOTS):
            self._visitor.context.route(address, self._answer)

    def _answer(self, route: Route) -> None:
        answer = self.lie(route.request.url, route.request.post_data_buffer or b"")
        if answer:
            route.fulfill(status=answer[0], json=answer[1])
        else:
            route.continue_()

    def digits(self) -> str:
        """What they may compare before they vote."""
        self._visitor.open(f"/teams/{self.sprint.split('/')[0]}/vote")
        digits = self._visitor.page.locator("#protection code")
        expect(digits).not_to_have_text(NO_KEY)
        return digits.text_content() or ""

    def come_back(self) -> None:
        """Logs out, and in again."""
        self._visitor.open("/")
        log_out(self._visitor)
        self._visitor.log_in(self.person)

    def vote(self) -> bool:
        """Tries to vote; false if the program says that the key differs, and stops."""
        self.digits()
        # The page decides when it shows the digits.
        if self._visitor.button("vote.send").is_disabled():
            expect_another_key(self._visitor)
            return False
        choose(self._visitor, VALUE)
        send(self._visitor)
        expect_thanks(self._visitor)
        return True

    @property
    def ballots(self) -> list[dict[str, Any]]:
        """Those that were sent."""
        return [request.post_data_json for request in self._sent]

    def check(self, shown: Count | None = None) -> str | None:
        """The code of the list, which may be another one than the true one, if everything seems right; `None` if the
        program says that the voter's own vote is missing."""
        team, label = self.sprint.split("/", 1)
        self._visitor.open(f"/teams/{team}/sprints/{label}")
        if shown:
            # The page is the server's as well.
            card = self._visitor.page.locator("#check-count")
            card.evaluate("(card, shown) => Object.assign(card.dataset, shown)", result(shown))
        found = on_page.check(self._visitor, (lambda _: shown) if shown else None)
        wrong = {words for words, kind in found if kind != "right"}
        assert wrong <= {self._visitor.words["sprint.checkOwnMissing"]}, found
        return None if wrong else on_page.code(self._visitor)

    def close(self) -> None:
        self._visitor.close()


class WithCommand:
    """The same with the command."""

    by_command = True

    def __init__(self, stack: ExitStack, installation: Installation, team: str) -> None:
        self._proxy = stack.enter_context(altering_proxy(installation.servers[0].address))
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="happiness-attack-"))
        self.person = installation.add_person("voter", team)
        self.sprint = sprint_of(installation, self.person)
        self.lie: Lie = lambda path, body: None
        self._device = Device(Path(folder), self._proxy.address)
        self._device.log_in(self.person)
        self._proxy.before = self._answer

    def _answer(self, exchange: Exchange) -> None:
        answer = self.lie(exchange.path, exchange.body)
        if answer:
            exchange.status, exchange.answer = answer[0], json.dumps(answer[1]).encode()
            exchange.answer_headers = {"content-type": "application/json"}

    def digits(self) -> str:
        return self._device.run("key").split("\n")[1]

    def come_back(self) -> None:
        self._device.run("log-out")
        self._device.log_in(self.person)

    def vote(self) -> bool:
        return self._run("vote", str(VALUE), stops="has changed since you first saw it") is not None

    @property
    def ballots(self) -> list[dict[str, Any]]:
        return [json.loads(exchange.body) for exchange in self._proxy.requests("/ballots")]

    def check(self, shown: Count | None = None) -> str | None:
        def after(exchange: Exchange) -> None:
            if exchange.path.startswith("/api/v1/counts/"):
                exchange.answer = json.dumps(shown).encode()
            elif exchange.path.endswith("/sprints"):
                read = json.loads(exchange.answer)
                for one in read["sprints"]:
                    if one["publication"]:
                        one["publication"] |= result(shown)
                exchange.answer = json.dumps(read).encode()

        self._proxy.after = after if shown else lambda exchange: None
        output = self._run("verify", stops="Your vote isn’t among them")
        return None if output is None else code(output)

    def _run(self, *arguments: str, stops: str) -> str | None:
        """The output; `None` if the command refuses with these words."""
        process = self._device.start(*arguments)
        output, errors = process.communicate(timeout=60)
        if process.returncode == REFUSED and stops in errors:
            return None
        assert process.returncode == 0, errors
        return output


def result(count: Count) -> dict[str, Any]:
    """Of a list, as pages show it."""
    return {"votes": count["votes"], "happiness": count["sum"] / count["votes"] / 10}


Voter = WithPage | WithCommand
