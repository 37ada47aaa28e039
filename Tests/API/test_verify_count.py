"""The command `happiness verify`: checks the count of a sprint, also after its data was changed on the server."""

from __future__ import annotations

import base64
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from device import REFUSED, Device
from installation import Installation


@pytest.fixture
def device(installation: Installation, tmp_path: Path) -> Device:
    """Of a member who has voted with it; their two colleagues have voted, too."""
    team = installation.add_team(threshold="2")
    person = installation.add_person("voter", team)
    for happiness in (4, 8):
        installation.vote(installation.add_person("colleague", team), happiness)
    device = Device(tmp_path / "device", installation.servers[0].address)
    device.run("log-in", installation.servers[0].address, "--user", person.name, given=person.password)
    assert "was counted" in device.run("vote", "6.5")
    return device


def test_the_command_checks_a_count(device: Device) -> None:
    output = device.run("verify")
    assert "the commitments of all 3 votes add up to the result" in output
    assert "Your vote is among them, exactly as you cast it on this device." in output
    label = output.split()[1]
    assert device.run("verify", label) == output
    assert "isn’t over" in device.run("verify", "2020/1", status=REFUSED)


def test_the_command_misses_its_own_vote(device: Device, installation: Installation) -> None:
    """Together with the sums, which a server that knows what it does could change as well."""
    own = own_commitment(device)
    with closing(sqlite3.connect(installation.database, timeout=30)) as store, store:
        # The other format of the same point: it is opposite to it.
        other = bytes([own[0] ^ 1]) + own[1:] + bytes(8)
        assert store.execute("UPDATE commitments SET bytes = ? WHERE substr(bytes, 1, 33) = ?", [other, own]).rowcount == 1
    assert "the commitments don’t add up" in device.run("verify", status=REFUSED)


def test_the_command_finds_a_changed_count(device: Device, installation: Installation) -> None:
    own = own_commitment(device)
    with closing(sqlite3.connect(installation.database, timeout=30)) as store, store:
        (team,) = store.execute("SELECT team FROM commitments WHERE substr(bytes, 1, 33) = ?", [own]).fetchone()
        store.execute("UPDATE happiness SET publishedSum = publishedSum + 10 WHERE team = ?", [team])
    assert "the commitments don’t add up to the result" in device.run("verify", status=REFUSED)


def own_commitment(device: Device) -> bytes:
    """The commitment that the device keeps."""
    (commitment,) = device.state["commitments"]
    return base64.b64decode(commitment["bytes"])
