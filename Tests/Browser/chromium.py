"""Finds the system's Chromium."""

from __future__ import annotations

import os
import shutil

import pytest

# Names of the program in different distributions. The shell is the same Chromium without windows, and takes half the time.
SHELLS = ("chromium-headless-shell",)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def path_of(names: tuple[str, ...]) -> str:
    """The path of the system's Chromium. `CHROMIUM` selects another one."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.fail("Chromium is missing. Run scripts/setup.sh test (make test does).", pytrace=False)
    return path
