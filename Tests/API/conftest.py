"""What the tests of the API and of its clients share. A module that needs another installation has its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from altering_proxy import Proxy, altering_proxy
from installation import Installation, running

pytest_plugins = ["repeats"]


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    with running(Installation(demo=False)) as installation:
        yield installation


@pytest.fixture
def proxy(installation: Installation) -> Iterator[Proxy]:
    """Stands in front of the server, and sees what goes there."""
    with altering_proxy(installation.servers[0].address) as proxy:
        yield proxy
