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


@pytest.fixture(scope="module", params=["sqlite", "mongodb"])
def environments(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, dict[str, str]]]:
    """The variables of schemathesis.toml for each role, each in a team of its own.

    All are there before the first run. Its failed log-ins use up what this address may enter wrongly, and later log-ins
    from here have to wait.
    """
    if request.param == "sqlite":
        with running(Installation(demo=False)) as installation:
            yield {role: Place(installation).environment(role) for role in ROLES}
    else:
        with mongod(tmp_path_factory.mktemp("mongod")) as url, running(Installation(url, demo=False)) as installation:
            yield {role: Place(installation).environment(role) for role in ROLES}


@pytest.mark.parametrize("role", ROLES)
def test_every_answer_is_in_the_document(environments: dict[str, dict[str, str]], role: str) -> None:
    run = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"), "--config-file", HERE / "schemathesis.toml", "run",
            ROOT / "openapi/openapi.yaml",
        ],
        env=os.environ | {"PYTHONPATH": str(HERE)} | environments[role], capture_output=True, text=True,
    )
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr
