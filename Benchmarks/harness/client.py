"""Sends single requests to the API, and measures how long each takes."""

import contextlib
import dataclasses
import http.client
import json
import time
import urllib.parse

# Seconds. Far more than anybody would wait for.
TIME_LIMIT = 300


class Refused(Exception):
    """An answer with another status than expected."""


@dataclasses.dataclass
class Answer:
    """A successful answer."""

    content: bytes
    milliseconds: float

    def json(self):
        return json.loads(self.content)


class Client:
    """One connection, which stays open between requests, as a browser's does."""

    def __init__(self, port):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIME_LIMIT)

    def get(self, path, token) -> Answer:
        return self._send("GET", path, {"Authorization": f"Bearer {token}"}, None, 200)

    def page(self, path, token) -> Answer:
        """A page of the web app, without the files that belong to it."""
        return self._send("GET", path, {"Cookie": f"happiness={token}"}, None, 200)

    def vote(self, path, token, happiness) -> Answer:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        return self._send("POST", path, headers, json.dumps({"happiness": happiness}), 201)

    def pages(self, path, token) -> list[Answer]:
        """All pages of a list: an answer that is not the last one has `nextAfter`."""
        answers = [self.get(path, token)]
        while (after := next_page(answers[-1].content)) is not None:
            separator = "&" if "?" in path else "?"
            answers.append(self.get(f"{path}{separator}after={urllib.parse.quote(after)}", token))
        return answers

    def close(self):
        self._connection.close()

    def _send(self, method, path, headers, body, expected) -> Answer:
        started = time.perf_counter()
        try:
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            # The next request opens a new connection.
            self._connection.close()
            raise Refused(f"{type(error).__name__} after {time.perf_counter() - started:,.1f} s") from error
        milliseconds = (time.perf_counter() - started) * 1000
        if response.status != expected:
            raise Refused(f"{response.status} after {milliseconds:,.0f} ms")
        return Answer(content, milliseconds)


def next_page(content) -> str | None:
    """Where the next page begins. Only a list with pages is parsed: another one may have many megabytes."""
    return json.loads(content)["nextAfter"] if b'"nextAfter":' in content else None


@contextlib.contextmanager
def client(port):
    """Yields a client whose connection is closed afterwards."""
    one = Client(port)
    try:
        yield one
    finally:
        one.close()
