"""Generates load with wrk and Benchmarks/wrk/load.lua."""

import collections
import http.client
import json
import subprocess
import urllib.parse

from .processes import ROOT

SCRIPT = ROOT / "Benchmarks/wrk/load.lua"


class Load:
    """The result of one run of wrk."""

    def __init__(self, text):
        result = json.loads(text)
        self.requests = result["requests"]
        self.refused = result["refused"]
        self.broken = result["broken"]
        self.rate = result["requests"] / result["seconds"]
        self.p50 = result["p50"]
        self.p99 = result["p99"]


def load(url, *, connections, seconds, **options) -> Load:
    """Runs load.lua with its options against a server. One thread, since threads do not share tokens, and a small
    machine needs its cores for the server. Refused requests would distort the measurement, so they end the program."""
    command = [
        "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "10s", "-s", str(SCRIPT), url,
        "--", *(f"{key}={value}" for key, value in options.items()),
    ]  # fmt: skip
    result = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True, text=True)
    done = Load(result.stdout.strip().splitlines()[-1])
    if done.refused or done.broken:
        raise SystemExit(
            f"bench: {options['path']}: of {done.requests} requests {done.refused} were refused and {done.broken} "
            f"broke"
            + (f"; asked again one by one: {answers(url, **options)}" if "tokens" in options else "")
        )
    return done


def answers(url, *, tokens, path, body=None, **_) -> str:
    """Counts the responses when every voter sends one more request, since wrk counts refused requests without showing
    the reason.

    A member who has voted gets `409 already-voted`, so a vote that was refused temporarily (503) shows as one that
    succeeds now (201)."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=10)
    ballot = json.dumps({"happiness": 5, "validateOnly": body == "validate"})
    found = collections.Counter()
    with open(tokens, encoding="ascii") as lines:
        for token in lines:
            headers = {"Authorization": f"Bearer {token.strip()}", "Content-Type": "application/json"}
            connection.request("POST" if body else "GET", path, ballot if body else None, headers)
            response = connection.getresponse()
            found[f"{response.status} {reason(response.read())}".strip()] += 1
    connection.close()
    return ", ".join(f"{count} × {answer}" for answer, count in found.most_common())


def reason(text) -> str:
    """The last part of a problem's type (RFC 9457); empty if the response is not a problem document."""
    try:
        return json.loads(text).get("type", "").rpartition("#")[2]
    except (ValueError, AttributeError):
        return ""
