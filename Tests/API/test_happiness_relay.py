"""The command `happiness` with a relay: ballots that the server cannot link by address or time."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from altering_proxy import Proxy
from device import AWAY, REFUSED, Device
from installation import Installation, Person, wait_until
from relay import Relay


def device_of(person: Person, address: str, relay: Relay, folder: Path) -> Device:
    device = Device(folder, address)
    output = device.run(
        "log-in", address, "--user", person.name, "--relay", relay.address, given=person.password)
    assert f"Your votes go through {relay.address}." in output
    return device


@pytest.fixture
def device(installation: Installation, relay: Relay, proxy: Proxy, tmp_path: Path) -> Device:
    person = installation.add_person("voter", installation.add_team())
    return device_of(person, proxy.address, relay, tmp_path / "device")


def is_counted(device: Device) -> bool:
    output = device.run("vote")
    assert "was counted: 7" in output or "is on its way" in output
    return "was counted: 7" in output


def test_a_ballot_reaches_the_server_only_through_the_relay(device: Device, relay: Relay, proxy: Proxy) -> None:
    output = device.run("vote", "7")
    assert f"is on its way through {relay.address}" in output
    assert "is on its way" in device.run("vote")
    relay.mix_count = 1
    relay.stop()
    # What waited was sent; the answer went with the process, so the device hands its ballot over once more.
    relay.start()
    wait_until(lambda: is_counted(device))
    assert proxy.requests("/api/v1/ballots") == [] and proxy.requests("/ballot-keys/") == []
    assert device.state["votes"] == []


def test_a_ballot_that_a_killed_relay_lost_is_sent_again(device: Device, relay: Relay) -> None:
    device.run("vote", "7")
    relay.kill()
    assert "doesn’t answer" in device.run("vote", status=AWAY)
    relay.mix_count = 1
    relay.start()
    wait_until(lambda: is_counted(device))


def test_a_ballot_that_the_server_could_not_store_is_sent_again(
    device: Device, relay: Relay, installation: Installation
) -> None:
    device.run("paper")
    relay.mix_count = 1
    relay.stop()
    relay.start()
    with closing(sqlite3.connect(installation.database, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        device.run("vote", "7")
        ticket = device.state["votes"][0]["relayed"]["ticket"]
        wait_until(lambda: relay.request("GET", f"/mixed/{ticket}")[0] == 200)
    wait_until(lambda: is_counted(device))


def test_members_ballots_go_on_together(installation: Installation, relay: Relay, tmp_path: Path) -> None:
    team = installation.add_team()
    address = installation.servers[0].address
    devices = [
        device_of(installation.add_person("voter", team), address, relay, tmp_path / str(number)) for number in range(5)
    ]
    for device in devices[:4]:
        device.run("vote", "7")
    assert not is_counted(devices[0])
    devices[4].run("vote", "7")
    for device in devices:
        wait_until(lambda device=device: is_counted(device))  # type: ignore[misc]


def test_something_else_than_a_relay_gets_no_ballot(
    installation: Installation, relay: Relay, proxy: Proxy, tmp_path: Path
) -> None:
    person = installation.add_person("voter", installation.add_team())
    device = Device(tmp_path / "device", proxy.address)
    device.run(
        "log-in", proxy.address, "--user", person.name, "--relay", installation.servers[0].address,
        given=person.password)  # fmt: skip
    device.run("vote", "7", status=REFUSED)
    assert proxy.requests("/api/v1/ballots") == []
