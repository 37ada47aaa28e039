"""Those who read texts: logs, metrics, mails and messages."""

from __future__ import annotations

import json
import re
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from observers import Observer, Result, control, with_values
from people import Event, Person, Team
from push import PushServer
from risks import Claims
from world import World


class TextReader(Observer):
    """Looks for values and feedback in texts that have something to do with a member."""

    _VALUE = re.compile(r"(?:happiness|value|sum|voted)\W{1,4}(\d+(?:\.\d)?)\b", re.IGNORECASE)

    def __init__(self, world: World, teams: Sequence[Team]) -> None:
        super().__init__(world, teams)
        # By member.
        self._texts: dict[str, str] = defaultdict(str)

    def note(self, person: Person, text: str) -> None:
        self._texts[person.id] += text

    def claims(self, team: Team, result: Result) -> Claims:
        known = control(team, result)
        values = {person.id: value for person in team.targets if (value := self._VALUE.search(self._texts[person.id]))}
        texts = {
            person.id: {text for text in result.texts if text in self._texts[person.id]} or known.texts[person.id]
            for person in team.targets
        }  # fmt: skip
        return with_values(team, known, {member: round(float(value[1])) for member, value in values.items()}, texts)


class LogReader(TextReader):
    """Reads the API's log at its most detailed level, and its metrics, after everything that happens."""

    name = "Reader of logs and metrics"

    def __init__(self, world: World, teams: Sequence[Team], log: Path, metrics: str) -> None:
        super().__init__(world, teams)
        self._log = log
        self._metrics = metrics
        self._read = 0
        self._before = ""

    def sees(self, event: Event) -> None:
        with self._log.open() as log:
            log.seek(self._read)
            new = log.read()
            self._read = log.tell()
        with urllib.request.urlopen(self._metrics) as answer:
            metrics = answer.read().decode()
        changed = set(metrics.splitlines()) - set(self._before.splitlines())
        self._before = metrics
        if event.votes:
            self.note(event.person, new + "\n".join(changed))


class MailServer(TextReader):
    """Reads all mails: they tell who is reminded, so who had not voted then."""

    name = "Mail server"
    besides = "But who is reminded, and so has not voted by then."
    # The evening before the reminder.
    DAY = 9

    def sleeps(self, day: int) -> None:
        if day != self.DAY:
            return
        people = {self.address(person): person for team in self.teams for person in team.people}
        reminded = [(people[address], text) for address, text in self.received() if address in people]
        assert reminded, "nobody is reminded"
        for person, text in reminded:
            self.note(person, text)

    def address(self, person: Person) -> str:
        return f"{person.name}@example.org".lower()

    def received(self) -> Iterator[tuple[str, str]]:
        """Addresses and texts."""
        for mail in self.world.reminders():
            body = mail.get_body(("plain",))
            yield str(mail["To"]).lower(), f"{mail['Subject']}\n{body.get_content() if body else ''}"


class PushService(MailServer):
    """Reads all messages to phones."""

    name = "Push service"

    def __init__(self, world: World, teams: Sequence[Team], pushes: PushServer) -> None:
        super().__init__(world, teams)
        self._pushes = pushes
        for team in teams:
            for person in team.people:
                world.add_phone(person, self.address(person))

    def address(self, person: Person) -> str:
        """The phone's token; real ones look like this."""
        return f"{person.id}:APA91b" + "x" * 134

    def received(self) -> Iterator[tuple[str, str]]:
        self.world.reminders()
        for message in self._pushes.messages:
            yield message["token"], json.dumps(message)
