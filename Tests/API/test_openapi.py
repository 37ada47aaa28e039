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


@pytest.fixture(scope="module", params=["sqlite", "mongodb"])
def installation(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    if request.param == "sqlite":
        with running(Installation(demo=False)) as installation:
            yield installation
    else:
        with mongod(tmp_path_factory.mktemp("mongod")) as url, running(Installation(url, demo=False)) as installation:
            yield installation


@pytest.mark.parametrize("role", ["admin", "lead", "member"])
def test_every_answer_is_in_the_document(installation: Installation, role: str) -> None:
    place = Place(installation)
    run = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"), "--config-file", HERE / "schemathesis.toml", "run",
            ROOT / "openapi/openapi.yaml",
        ],
        env=os.environ | {"PYTHONPATH": str(HERE)} | place.environment(role), capture_output=True, text=True,
    )
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr
