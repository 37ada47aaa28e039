"""Generated requests to every operation of the API: each answer must be one that openapi.yaml has for that request."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.mongod import mongod
from installation import ROOT, Installation, running
from place import Place

HERE = Path(__file__).parent

ROLES = ["admin", "lead", "member"]


def environments(installation: Installation) -> dict[str, dict[str, str]]:
    """The variables of schemathesis.toml for each role, each in a team of its own.

    All are there before the first run. Its failed log-ins use up what this address may enter wrongly, and later log-ins
    from here have to wait.
    """
    return {role: Place(installation).environment(role) for role in ROLES}


@pytest.fixture(scope="module")
def on_sqlite() -> Iterator[dict[str, dict[str, str]]]:
    with running(Installation(demo=False)) as installation:
        yield environments(installation)


@pytest.fixture(scope="module")
def on_mongodb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, str]]]:
    with mongod(tmp_path_factory.mktemp("mongod")) as url, running(Installation(url, demo=False)) as installation:
        yield environments(installation)


@pytest.mark.parametrize("role", ROLES)
def test_every_answer_on_sqlite_is_in_the_document(on_sqlite: dict[str, dict[str, str]], role: str) -> None:
    check_answers(on_sqlite[role])


# A lead may do all that a member may, and whom a service refuses does not depend on the store.
@pytest.mark.parametrize("role", ["admin", "lead"])
def test_every_answer_on_mongodb_is_in_the_document(on_mongodb: dict[str, dict[str, str]], role: str) -> None:
    check_answers(on_mongodb[role])


def check_answers(environment: dict[str, str]) -> None:
    """Sends requests to every operation."""
    run = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"), "--config-file", HERE / "schemathesis.toml", "run",
            ROOT / "openapi/openapi.yaml",
        ],
        env=os.environ | {"PYTHONPATH": str(HERE)} | environment, capture_output=True, text=True,
    )
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr
