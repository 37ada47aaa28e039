"""Starts and stops the processes that the benchmarks need, and no others."""

import contextlib
import pathlib
import socket
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Seconds. The API commits pending ballots and closes its store; a mongod writes its last checkpoint.
STOP_LIMIT = 30


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


def stop(process) -> None:
    """Ends one of our own processes and waits for it."""
    process.terminate()
    try:
        process.wait(STOP_LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
