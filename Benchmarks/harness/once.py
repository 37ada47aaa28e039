"""Runs a program of ours to its end, and watches the jobs of a worker meanwhile."""

import contextlib
import dataclasses
import datetime
import os
import sqlite3
import subprocess
import threading
import time

from pymongo import MongoClient

from .api import memory
from .processes import ROOT, highest, stop

# Seconds between two looks at a process or a job.
LOOK_INTERVAL = 0.005


class Failed(Exception):
    """A program ended with an error, or a job was not done."""


@dataclasses.dataclass
class Run:
    """What a program needed."""

    seconds: float
    # MiB, at most.
    memory: float


def run_once(command, log, environment) -> Run:
    """Runs a program. Its memory is read while it runs: what the system says at its end includes the memory that this
    process had when it started the program (execve(2), getrusage(2))."""
    started = time.perf_counter()
    with open(log, "ab") as output:
        process = subprocess.Popen(
            command, env=environment, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    try:
        with peak(process) as most:
            _, status, _ = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    finally:
        if process.returncode is None:
            stop(process)
    if process.returncode != 0:
        raise Failed(f"status {process.returncode} after {seconds:,.1f} s")
    return Run(seconds, most())


def peak(process):
    """Yields a function that returns the peak memory of a process in MiB, as of a moment before its end."""

    def measure():
        # A process that is just starting or ending has no memory.
        with contextlib.suppress(OSError, ValueError):
            return memory(process, "VmHWM")
        return 0

    return highest(measure, LOOK_INTERVAL)


class JobWatch:
    """Measures how long a worker holds scheduled jobs, by looking at the store while it works. That leaves out the
    start of the process and all other jobs."""

    def __init__(self, database_url, kinds, instant: datetime.datetime):
        self._keys = {f"{kind}|{instant:%Y-%m-%dT%H:%MZ}": kind for kind in kinds}
        self._url = database_url
        self._begun = {}
        self._ended = {}
        self._state = {}
        self._is_over = threading.Event()
        self._failure = None
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        self._thread.join()

    def milliseconds(self, kind) -> float:
        """At most one look too long."""
        key = next(key for key, each in self._keys.items() if each == kind)
        if self._failure is not None:
            raise Failed(f"{kind}: {self._failure}")
        if self._state.get(key) != "done":
            raise Failed(f"{kind}: {self._state.get(key, 'was not enqueued')}")
        return (self._ended[key] - self._begun[key]) * 1000

    def _watch(self):
        try:
            with jobs(self._url, list(self._keys)) as states:
                begun = {key: time.perf_counter() for key in self._keys}
                while True:
                    # Once more at the end, since the process may have ended between two looks.
                    is_last = self._is_over.wait(LOOK_INTERVAL)
                    found = states()
                    now = time.perf_counter()
                    for key, state in found.items():
                        self._note(key, state, begun[key], now)
                    begun |= {key: now for key in self._keys}
                    if is_last:
                        return
        # Of this thread; `milliseconds` reports it.
        except Exception as error:  # pylint: disable=broad-exception-caught
            self._failure = error

    def _note(self, key, state, before, now):
        if state != "ready":
            self._begun.setdefault(key, before)
        if state == "done":
            self._ended.setdefault(key, now)
        self._state[key] = state


@contextlib.contextmanager
def jobs(database_url, keys):
    """Yields a function that returns the present states of jobs by their dedupe keys."""
    if database_url.startswith("sqlite:"):
        # Read only would fail while no other process has opened the file (https://www.sqlite.org/wal.html#readonly).
        path = database_url.removeprefix("sqlite:")
        query = f"SELECT dedupeKey, state FROM jobs WHERE dedupeKey IN ({', '.join('?' for _ in keys)})"
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=rw", uri=True)) as connection:
            yield lambda: dict(connection.execute(query, keys).fetchall())
    else:
        with MongoClient(database_url) as mongo:
            collection = mongo.get_default_database().jobs
            wanted = {"dedupeKey": {"$in": keys}}
            yield lambda: {job["dedupeKey"]: job["state"] for job in collection.find(wanted)}
