"""`make run-full`: API and worker on MongoDB and a bucket, with a recorder in place of Mailgun and Firebase."""

from __future__ import annotations

import io
import json
import os
import re
import secrets
import shlex
import signal
import socket
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from installation import BINARIES, ROOT, START_LIMIT, free_port, wait_until
from PIL import Image
from pymongo import MongoClient

SCRIPT = ROOT / "scripts/run-full.py"
PORTS = ["PORT", "MONGODB_PORT", "BUCKET_PORT", "RECORDER_PORT"]
PASSWORD = "gentle harbour lantern"


@dataclass
class Everything:
    """What the script started, and the settings it wrote for commands."""

    process: subprocess.Popen[bytes]
    settings: dict[str, str]
    recorder: str

    @property
    def url(self) -> str:
        return self.settings["PUBLIC_URL"]

    def command(self, *arguments: str, given: str = "") -> None:
        """Runs `HappinessAPI ARGUMENTS` as the script's words for the user say."""
        subprocess.run(
            [str(BINARIES / "HappinessAPI"), *arguments], cwd=ROOT, env=os.environ | self.settings, input=f"{given}\n",
            capture_output=True, text=True, timeout=START_LIMIT, check=True)

    def call(
        self, method: str, path: str, token: str = "", body: bytes | None = None, media_type: str = "application/json",
    ) -> Any:
        headers = {"Content-Type": media_type} | ({"Authorization": f"Bearer {token}"} if token else {})
        request = urllib.request.Request(f"{self.url}{path}", body, headers, method=method)
        with urllib.request.urlopen(request, timeout=START_LIMIT) as answer:
            return json.load(answer)

    def log_in(self, name: str) -> str:
        body = urllib.parse.urlencode({"username": name, "password": PASSWORD}).encode()
        return self.call("POST", "/user/login", body=body, media_type="application/x-www-form-urlencoded")["accessToken"]

    def vote(self, name: str, happiness: float) -> None:
        """As the first apps do."""
        token = self.log_in(name)
        sprint = self.call("GET", "/happiness/currentSprint", token)["sprint"]
        form = {"happiness": str(happiness), "sprint": sprint, "feedback": "Written with an old app"}
        self.call(
            "POST", "/happiness/track", token, urllib.parse.urlencode(form).encode(), "application/x-www-form-urlencoded")

    def upload(self, name: str, picture: bytes) -> str:
        """As the first apps do. Returns the picture's address."""
        edge = secrets.token_hex(16)
        head = f'--{edge}\r\nContent-Disposition: form-data; name="image"; filename="me.png"\r\nContent-Type: image/png\r\n\r\n'
        body = head.encode() + picture + f"\r\n--{edge}--\r\n".encode()
        answer = self.call(
            "POST", "/user/uploadProfilePicture", self.log_in(name), body, f"multipart/form-data; boundary={edge}")
        return answer["profilePictureLink"]

    def sent(self, kind: str, receiver: str) -> list[dict[str, Any]]:
        """What the recorder got for a device or an address."""
        with urllib.request.urlopen(f"{self.recorder}/messages.json", timeout=START_LIMIT) as answer:
            messages = json.load(answer)["messages"]
        field = {"mail": "to", "push": "token"}[kind]
        return [message for message in messages if message["kind"] == kind and receiver in message[field]]


@contextmanager
def run_full(folder: Path, ports: dict[str, str]) -> Iterator[Everything]:
    """Runs the script with the tests' build, and ends it with Ctrl-C."""
    log = folder.with_suffix(".log")
    # The lowest cost: other tests check the strength of hashes.
    environment = os.environ | ports | {"BINARIES": str(BINARIES), "FULL_DIR": str(folder), "BCRYPT_COST": "4"}
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", sys.executable, str(SCRIPT)], env=environment, stdin=subprocess.DEVNULL,
            stdout=output, stderr=output)
    try:
        def is_running() -> bool:
            assert process.poll() is None, log.read_text()
            return "Ctrl-C stops all of it" in log.read_text()

        wait_until(is_running)
        lines = (folder / "settings.env").read_text().splitlines()
        settings = dict(shlex.split(line)[0].split("=", 1) for line in lines)
        shown = log.read_text()
        for part in [settings["PUBLIC_URL"], settings["DATABASE_URL"], settings["S3_BUCKET"], str(folder)]:
            assert part in shown
        (recorder,) = re.findall(r"Mails, pushes +(http\S+)", shown)
        yield Everything(process, settings, recorder)
        process.send_signal(signal.SIGINT)
        assert process.wait(START_LIMIT) == 0, log.read_text()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(START_LIMIT)


def test_a_vote_a_picture_a_push_and_a_mail_go_the_way_that_was_meant(tmp_path: Path) -> None:
    ports = {name: str(free_port()) for name in PORTS}
    with run_full(tmp_path / "full", ports) as everything:
        # Emma does not vote: when the last one does, the sprint closes, and its receipts are removed.
        names = ["anna", "ben", "clara", "david", "emma"]
        everything.command("team", "add", "Blue", "--threshold", "2")
        for name in names:
            lead = ["--lead"] if name == "anna" else []
            everything.command("user", "add", name, f"{name}@example.org", "--team", "Blue", *lead, given=PASSWORD)
        with MongoClient[Any](everything.settings["DATABASE_URL"]) as client:
            check_votes(everything, client.get_default_database(), names)
        check_picture(everything)
        check_push(everything)
        check_mail(everything)

    for port in ports.values():
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", int(port))) != 0, "something was left behind"

    # Again, with what is in the folder, and on another port: MongoDB's is part of its data.
    with run_full(tmp_path / "full", ports | {"MONGODB_PORT": str(free_port())}) as everything:
        with MongoClient[Any](everything.settings["DATABASE_URL"]) as client:
            assert client.get_default_database()["userSprints"].count_documents({}) == 4
        assert everything.sent("mail", "ben@example.org")
        profile = everything.call("GET", "/user/profile", everything.log_in("ben"))
        check_in_bucket(everything, profile["profilePictureLink"])


def check_votes(everything: Everything, database: Any, names: list[str]) -> None:
    """Who voted is seen at once; the result with the next group of two, as the rules for anonymity say."""
    for number, (name, happiness) in enumerate(zip(names, [4, 8, 10, 1], strict=False), start=1):
        assert list(database["happinessBySprint"].find()) == []
        everything.vote(name, happiness)
        assert database["userSprints"].count_documents({}) == number
    (sprint,) = database["happinessBySprint"].find()
    assert (sprint["happiness"], sprint["votes"], sprint["happinesssum"]) == (6, 2, 12)
    label = everything.call("GET", "/happiness/currentSprint", everything.log_in("anna"))["sprint"]
    assert (sprint["sprint"], sprint["sprintyear"]) == (label, int(label.split("/")[0]))
    assert sprint["month"] in range(12)


def check_picture(everything: Everything) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (64, 64), (200, 40, 40)).save(picture, "PNG")
    check_in_bucket(everything, everything.upload("ben", picture.getvalue()))


def check_in_bucket(everything: Everything, address: str) -> None:
    """The address leads to the bucket, which has a picture there."""
    with urllib.request.urlopen(address, timeout=START_LIMIT) as answer:
        place = f"{everything.settings['S3_PUBLIC_ENDPOINT']}/{everything.settings['S3_BUCKET']}/"
        assert answer.url.startswith(place)
        assert Image.open(io.BytesIO(answer.read())).convert("RGB").getpixel((30, 30))[0] > 180


def check_push(everything: Everything) -> None:
    device = {"token": "a-phone-of-clara", "platform": "android"}
    everything.call("POST", "/user/registerDevice", everything.log_in("clara"), json.dumps(device).encode())
    lead = everything.log_in("anna")
    team = everything.call("GET", "/api/v1/me", lead)["defaultTeam"]
    message = {"title": "Retrospective at ten", "body": "Please vote before we meet."}
    everything.call("POST", f"/api/v1/teams/{team}/messages", lead, json.dumps(message).encode())
    wait_until(lambda: bool(everything.sent("push", device["token"])))
    (push,) = everything.sent("push", device["token"])
    assert push["notification"] == message


def check_mail(everything: Everything) -> None:
    everything.call("GET", "/user/sendPasswordResetMail?email=ben@example.org")

    def resets() -> list[dict[str, Any]]:
        # The message to the team went to members without a device by mail.
        return [mail for mail in everything.sent("mail", "ben@example.org") if "token=" in mail["text"]
                and "reset" in mail["text"].lower()]

    wait_until(lambda: bool(resets()))
    (mail,) = resets()
    (link,) = re.findall(rf"{re.escape(everything.url)}/\S*token=\S+", mail["text"])
    with urllib.request.urlopen(f"{everything.recorder}/", timeout=START_LIMIT) as answer:
        assert f'href="{link}"' in answer.read().decode()
    with urllib.request.urlopen(link, timeout=START_LIMIT) as answer:
        page = answer.read().decode()
    assert answer.status == 200 and 'type="password"' in page


def test_a_port_that_is_taken_is_named_with_its_setting(tmp_path: Path) -> None:
    folder = tmp_path / "full"
    for name in PORTS:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            taken = listener.getsockname()[1]
            ports = {other: str(free_port()) for other in PORTS} | {name: str(taken)}
            ended = run_to_its_end(folder, ports)
        assert ended.returncode == 1
        assert f"Port {taken} cannot be used" in ended.stderr and f"{name}=" in ended.stderr
        assert len(ended.stderr.splitlines()) == 1, "one line is enough"
    assert not folder.exists()


@pytest.mark.parametrize(
    ("ports", "words"),
    [({"PORT": "none"}, "PORT is none"), ({"BUCKET_PORT": "70000"}, "BUCKET_PORT is 70000"),
     ({"PORT": "18125", "RECORDER_PORT": "18125"}, "RECORDER_PORT and PORT are both 18125")],
)  # fmt: skip
def test_a_port_that_is_none_is_refused(ports: dict[str, str], words: str, tmp_path: Path) -> None:
    free = {name: str(free_port()) for name in PORTS}
    ended = run_to_its_end(tmp_path / "full", free | ports)
    assert ended.returncode == 1 and words in ended.stderr


def run_to_its_end(folder: Path, ports: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT)], env=os.environ | ports | {"BINARIES": str(BINARIES), "FULL_DIR": str(folder)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=START_LIMIT, check=False)
