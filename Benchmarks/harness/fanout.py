"""Sends a reminder to many devices, with our own sink instead of Google."""

import contextlib
import datetime
import json
import os
import subprocess
import time

from .api import BIN, Installation
from .processes import ROOT, stop

# Monday of an even ISO week, 09:20 UTC: inside the window of the first reminder of a two-week sprint in UTC.
WINDOW = datetime.datetime(2026, 1, 5, 9, 20, tzinfo=datetime.timezone.utc)
FORTNIGHT = datetime.timedelta(days=14)


class FanOut:
    """A team with devices in a store of its own, so that no other team is due a reminder."""

    def __init__(self, folder, database_url, devices):
        folder.mkdir()
        self.devices = devices
        self.installation = Installation(folder, database_url)
        self.installation.seed_large("devices", "--count", str(devices))

    def remind(self, round_number):
        """Plans and sends one sprint's first reminder. The seconds include the start and end of the process.

        Returns seconds, messages per second at the sink, and the worker's peak memory in MiB."""
        instant = WINDOW + FORTNIGHT * round_number
        now = instant.strftime("%Y-%m-%dT%H:%M:%SZ")
        command = [self.installation.worker, "--once", "--now", now, "--close-sprints"]
        with sink(self.installation.folder) as (url, account, finish):
            environment = self.installation.environment | {
                "PUSH_DRIVERS": "fcm", "FCM_SERVICE_ACCOUNT_FILE": str(account), "FCM_BASE_URL": url,
                "PUSH_RAMP_SECONDS": "0", "PUSH_REQUESTS_PER_SECOND": "10000", "LOG_LEVEL": "warning",
            }  # fmt: skip
            started = time.perf_counter()
            with open(self.installation.log, "ab") as log:
                process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=log, stderr=log)
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - started
            process.returncode = os.waitstatus_to_exitcode(status)
            result = finish()
        if process.returncode != 0 or result["messages"] != self.devices:
            tail = self.installation.log.read_text()[-2000:]
            raise SystemExit(f"bench: {result['messages']} of {self.devices} devices were reminded:\n{tail}")
        # KiB (getrusage(2)).
        return seconds, result["messages"] / result["seconds"], usage.ru_maxrss / 1024


@contextlib.contextmanager
def sink(folder, programs=BIN):
    """Yields its address, the file of a service account for which it issues tokens, and a function that stops it and
    returns what it received."""
    account = folder / "account.json"
    process = subprocess.Popen(
        [str(programs / "BenchmarkSeed"), "sink", "--account", str(account)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True,
    )  # fmt: skip

    def finish():
        process.stdin.close()
        return json.loads(process.stdout.readline())

    try:
        yield json.loads(process.stdout.readline())["url"], account, finish
    finally:
        stop(process)
