#!/usr/bin/env python3
"""Reads what `swift test --event-stream-output-path FILE` wrote.

    swift-test-report.py slowest FILE    prints the twenty slowest tests
    swift-test-report.py repeat FILE     prints a regular expression for the failed suites, for `swift test --filter`

`repeat` fails, and says why, if a failure must not be repeated: a test of votes, attacks, stores, kills or things that
happen at the same time may have found a fault of the product that appears by chance.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

# Targets whose tests of time limits and processes may fail on a busy machine.
MAY_BE_REPEATED = {
    "HappinessAPITests", "MailTests", "ObjectStorageTests", "OpenIDConnectTests", "OutboundTests", "PictureToolTests",
    "PushTests", "TelemetryTests", "WorkerTests",
}
# Words in suites and tests that say that one failure counts.
MUST_HOLD = re.compile(
    r"attack|ballot|vote|paper|sealed|commit|count|once|kill|crash|die|race|concurren|same time|at once|two |transaction",
    re.IGNORECASE)


def events(file: str) -> Iterator[dict[str, Any]]:
    """The payloads of events. A process that was killed may leave a broken last line."""
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if record.get("kind") == "event":
                yield record["payload"]


def slowest(file: str) -> None:
    """Prints the longest tests in seconds.

    A test without arguments has an event when it begins to wait, and when it ends. It began to run once there was a place
    among those that run at the same time, so it took at most that long.
    """
    free = [0.0] * int(os.environ.get("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "1"))
    started: dict[tuple[str, str], float] = {}
    found: list[tuple[float, str, str]] = []
    with_cases: set[str] = set()
    for event in events(file):
        now, test, case = event["instant"]["absolute"], event.get("testID", ""), event.get("_testCase") or {}
        key = (test, case.get("id", ""))
        if event["kind"] == "testStarted":
            started[test, ""] = now
        elif event["kind"] == "testCaseStarted":
            with_cases.add(test)
            started[key] = now
            if free:
                free.remove(max(free))
        elif event["kind"] == "testCaseEnded" and key in started:
            found.append((now - started.pop(key), test, case.get("displayName") or ""))
            free.append(now)
        # A suite has no backtick, and no place.
        elif event["kind"] == "testEnded" and "`" in test and test not in with_cases and (test, "") in started:
            begun = min(free, default=now)
            found.append((now - max(begun, started.pop((test, ""))), test, ""))
            if free:
                free.remove(begun)
            free.append(now)
    for seconds, test, arguments in sorted(found, reverse=True)[:20]:
        # TARGET.SUITE/`NAME`(arguments)/FILE:LINE:COLUMN
        print(f"{seconds:6.1f} s  {test.rsplit('/', 1)[0]} {arguments[:60]}".rstrip())


def repeat(file: str) -> None:
    """Prints the filter, or ends with an error."""
    found = list(events(file))
    if not any(event["kind"] == "runEnded" for event in found):
        sys.exit("The tests ended early.")
    failed = {
        event["testID"] for event in found
        if event["kind"] == "issueRecorded" and not event["issue"].get("isKnown") and "testID" in event
    }
    if not failed:
        sys.exit("No test is known to have failed.")
    for test in sorted(failed):
        if test.split(".")[0] not in MAY_BE_REPEATED or MUST_HOLD.search(test):
            sys.exit(f"Not repeated: {test}")
    suites = sorted({re.sub(r"/.*", "", test) for test in failed})
    print("^(" + "|".join(re.escape(suite) for suite in suites) + ")/")


if __name__ == "__main__":
    {"slowest": slowest, "repeat": repeat}[sys.argv[1]](sys.argv[2])
