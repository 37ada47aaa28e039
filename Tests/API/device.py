"""A device with the command `happiness`."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from installation import BINARIES, Person

# Exit statuses: a refusal, and those of sysexits.h.
REFUSED, USAGE, LOST_OUTPUT, AWAY, LOGGED_OUT = 1, 64, 74, 75, 77


class Device:
    """A device with the command, and nothing else on it."""

    def __init__(self, folder: Path, address: str) -> None:
        self._folder = folder
        self._address = address
        self._process: subprocess.Popen[str] | None = None

    @property
    def state(self) -> dict[str, Any]:
        return json.loads((self._folder / "state.json").read_text())

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        (self._folder / "state.json").write_text(json.dumps(state))

    @property
    def _environment(self) -> dict[str, str]:
        return {"HAPPINESS_HOME": str(self._folder), "PATH": os.environ["PATH"]}

    def start(self, *arguments: str, given: str = "") -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [str(BINARIES / "happiness"), *arguments], env=self._environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self._process.stdin
        self._process.stdin.write(given + "\n")
        self._process.stdin.flush()
        return self._process

    def run(self, *arguments: str, given: str = "", status: int = 0) -> str:
        """Its output, which is that on standard error if the command fails."""
        output, errors = self.start(*arguments, given=given).communicate(timeout=60)
        assert self._process and self._process.returncode == status, output + errors
        return errors if status else output

    def run_in_shell(self, shell: str, *arguments: str) -> tuple[int, str]:
        """Exit status and standard error, if a line of bash runs the command, which is "$@" there."""
        ended = subprocess.run(
            ["bash", "-c", shell, "bash", str(BINARIES / "happiness"), *arguments], env=self._environment,
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        return ended.returncode, ended.stderr

    def kill(self) -> None:
        assert self._process
        self._process.kill()
        self._process.wait()

    def log_in_fails(self, person: Person) -> None:
        self.run("log-in", self._address, "--user", person.name, given=person.password, status=REFUSED)

    def log_in(self, person: Person) -> None:
        output = self.run("log-in", self._address, "--user", person.name, given=person.password)
        assert output == f"You’re logged in as {person.name} at {self._address}.\n"
