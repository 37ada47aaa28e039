"""A relay of the built product."""

from __future__ import annotations

import http.client
import os
import subprocess
from pathlib import Path

from installation import BINARIES, ROOT, START_LIMIT, STOP_LIMIT, free_port, wait_until


class Relay:
    """One process; it mixes `count` ballots, or what there is after `seconds`."""

    def __init__(self, gateway: str, log: Path, port: int = 0, count: int = 5, seconds: int = 3_600) -> None:
        """- port: 0 takes a free one."""
        self.port = port or free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        # Takes effect at its next start.
        self.mix_count = count
        self._log = log
        self._environment = {
            "GATEWAY_URL": gateway, "PORT": str(self.port), "MIX_SECONDS": str(seconds), "PATH": os.environ["PATH"]}
        self.start()

    def __enter__(self) -> Relay:
        return self

    def __exit__(self, *_: object) -> None:
        """Kills it, also after a failed test: the next one may need its port."""
        self.kill()

    def start(self) -> None:
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", str(BINARIES / "Relay")], cwd=ROOT,
                env=self._environment | {"MIX_COUNT": str(self.mix_count)}, stdin=subprocess.DEVNULL, stdout=log, stderr=log)  # fmt: skip
        wait_until(self._listens, START_LIMIT)

    def _listens(self) -> bool:
        try:
            return self.request("GET", "/health")[0] in (200, 503)
        except OSError:
            return False

    def request(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Status and content."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Content-Type": "message/ohttp-req"} if body is not None else {}
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response.status, content

    def stop(self) -> None:
        """As a service manager does; what waits is sent first."""
        self.process.terminate()
        assert self.process.wait(STOP_LIMIT) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def log(self) -> str:
        return self._log.read_text()
