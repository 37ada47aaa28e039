"""Runs the Express service of Benchmarks/express, with users of its own, and casts votes in it."""

import contextlib
import itertools
import os
import secrets
import shutil
import subprocess
import urllib.error
import urllib.request

from .processes import ROOT, free_port, running, wait_until
from .wrk import load

SERVICE = ROOT / "Benchmarks/express"
# Where Debian's packages install libraries for Node. A Node from elsewhere does not look there itself.
LIBRARIES = "/usr/share/nodejs"
# Votes before the measured ones, since Node compiles what runs often: with 256 connections, for this many seconds.
WARM_UP = 4


class Express:
    """A running service and the tokens of its users."""

    def __init__(self, port, tokens):
        self._url = f"http://127.0.0.1:{port}"
        self._tokens = tokens
        self._sprints = itertools.count(1)

    def votes(self, connections, seconds):
        """Votes in a new sprint, until the time is over or every user has voted. Returns the result of the load."""
        return load(
            self._url, connections=connections, seconds=seconds, tokens=self._tokens, body="cast", once=1,
            path=f"/happiness/track?sprint=2026/{next(self._sprints)}",
        )  # fmt: skip

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self._url}/health/live", timeout=2):
                return True
        except (OSError, urllib.error.URLError):
            return False


@contextlib.contextmanager
def express(folder, database_url, voters):
    """Yields a service with `voters` users in an empty database once it is warm."""
    node = shutil.which("node") or shutil.which("nodejs")
    if not node:
        raise SystemExit("bench: no node; scripts/setup.sh bench installs it")
    port = free_port()
    tokens = folder / "express-tokens"
    log = folder / "express.log"
    environment = os.environ | {
        "MONGODB_URL": database_url,
        "JWT_SECRET": secrets.token_hex(32),
        "PORT": str(port),
        "NODE_PATH": LIBRARIES,
        # Express is faster with it (https://expressjs.com/en/advanced/best-practice-performance.html).
        "NODE_ENV": "production",
        # The driver warns of what later versions of Node will lack.
        "NODE_NO_WARNINGS": "1",
    }
    subprocess.run([node, str(SERVICE / "seed.js"), str(voters), str(tokens)], env=environment, cwd=ROOT, check=True)
    with running([node, str(SERVICE / "server.js")], log, env=environment) as process:
        service = Express(port, tokens)
        wait_until(service.answers, process, "the Express service", log)
        service.votes(connections=256, seconds=WARM_UP)
        yield service
