"""Repeats a failed test once, at once. If it passes then, the run does not fail, and its end names the test.

Not where one failure counts: what tests votes, attacks, kills and concurrency may have found a fault of the product that
appears by chance.
"""

from __future__ import annotations

import re

import pytest

# Modules of tests of which one failure counts.
MUST_HOLD = re.compile(
    r"attack|ballot|vote|voting|paper|count|commit|kill|forged|revocation|proxies|replica|shard|mongodb|two_leads|stopping|live|late_scripts|kept_votes")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests for pytest-rerunfailures."""
    for item in items:
        if not MUST_HOLD.search(item.path.stem):
            item.add_marker(pytest.mark.flaky(reruns=1))
