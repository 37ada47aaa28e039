"""Starts and stops the processes that the benchmarks need, and no others."""

import contextlib
import pathlib
import socket
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Seconds. The API commits pending ballots and closes its store; a mongod writes its last checkpoint.
STOP_LIMIT = 30
# Seconds within which a started server must answer.
START_LIMIT = 30
# Seconds between two checks of a starting server: far below a measured start, and it leaves the core to the server.
LOOK_INTERVAL = 0.0005


def free_port() -> int:
    """A port of the loopback address that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(command, log, **options):
    """Runs a program while the block runs, then asks it to stop; kills it only if it does not."""
    with open(log, "ab") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=ROOT, **options
        )
    try:
        yield process
    finally:
        stop(process)


def wait_until(answers, process, name, log) -> None:
    """Waits until a server that was just started answers, and ends the program if it does not."""
    deadline = time.monotonic() + START_LIMIT
    while not answers():
        if process.poll() is not None:
            raise SystemExit(f"bench: {name} ended with {process.returncode}:\n{log.read_text()[-2000:]}")
        if time.monotonic() > deadline:
            raise SystemExit(f"bench: {name} did not answer within {START_LIMIT} s")
        time.sleep(LOOK_INTERVAL)


@contextlib.contextmanager
def highest(measure, interval):
    """Yields a function that returns the highest value of `measure` so far, called every `interval` seconds."""
    most = 0.0
    is_over = threading.Event()

    def watch():
        nonlocal most
        while not is_over.wait(interval):
            most = max(most, measure())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield lambda: most
    finally:
        is_over.set()
        thread.join()


def stop(process) -> None:
    """Ends one of our own processes and waits for it."""
    process.terminate()
    try:
        process.wait(STOP_LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
