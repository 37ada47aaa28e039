"""The command `happiness` with an installation that shares its host with others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from altering_proxy import Proxy
from device import Device
from installation import Installation, Person, running
from test_happiness_command import result_of_team

PATH = "/mood"


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    with running(Installation(demo=False, path=PATH)) as installation:
        yield installation


@pytest.fixture
def voters(installation: Installation) -> tuple[Person, Person]:
    """The members of a team that publishes from two votes on."""
    team = installation.add_team(threshold="2")
    return installation.add_person("voter", team), installation.add_person("voter", team)


def test_a_vote_from_the_log_in_to_the_history(
    installation: Installation, voters: tuple[Person, Person], proxy: Proxy, tmp_path: Path
) -> None:
    voter, other = voters
    device = Device(tmp_path, proxy.address + PATH)
    device.log_in(voter)
    assert device.state["account"]["server"] == proxy.address + PATH
    assert "is on this device" in device.run("paper")
    # Another spelling finds the same paper.
    device.run("log-out")
    output = device.run("log-in", f"{proxy.address}{PATH}/", "--user", voter.name, given=voter.password)
    assert output == f"You’re logged in as {voter.name} at {proxy.address}{PATH}.\n"
    assert "not used yet" in device.run("sprint")
    assert "was counted: 7.5." in device.run("vote", "7.5")
    assert device.state["votes"] == []

    installation.vote(other, 8.5)
    assert result_of_team(installation, voter) == (2, 8)
    assert "Happiness: 8.0 (2 votes)" in device.run("sprint")
    assert re.search(r"^\d{4}/\d+ +\d{4}-\d\d-\d\d +8\.0  2", device.run("history"), re.MULTILINE)
    assert device.run("history", "--csv").startswith("sprint,start,end,happiness,votes,")
    assert device.run("log-out") == "You’re logged out.\n"
    assert [exchange.path for exchange in proxy.exchanges if not exchange.path.startswith(f"{PATH}/api/v1/")] == []
