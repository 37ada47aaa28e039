"""The compose files: the settings that they name exist, and the programs accept them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from installation import BINARIES, ROOT, START_LIMIT

FILES = sorted((ROOT / "deploy").glob("compose*.yaml"))
FULL = ROOT / "deploy/compose.full.yaml"
# Those that compose.full.yaml asks the operator to keep in secrets.env.
SECRETS = {name: "0123456789abcdef" * 4 for name in [
    "JWT_SECRET", "BALLOT_SECRET", "S3_SECRET_ACCESS_KEY", "S3_ACCESS_KEY_ID", "MAILGUN_API_KEY",
]} | {"VAPID_PRIVATE_KEY": "A" * 42 + "E"}  # fmt: skip


def without_hashes(text: str) -> str:
    """As an operator does: a hash before a setting goes, and one before a sentence, which has a space, stays."""
    return re.sub(r"^( *)#(?=\S)", r"\1", text, flags=re.MULTILINE)


def settings(text: str) -> dict[str, str]:
    """What the file gives API and worker, with its defaults for variables."""
    services = yaml.safe_load(text)["services"]
    programs = [service for service in services.values() if service.get("command") in (["api"], ["worker"])]
    assert len(programs) >= 2
    assert all(program["environment"] == programs[0]["environment"] for program in programs)
    return {
        name: re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", str(value)) for name, value in programs[0]["environment"].items()}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_setting_is_one_of_the_programs(file: Path) -> None:
    example = (ROOT / ".env.example").read_text()
    known = set(re.findall(r"^#?([A-Z][A-Z0-9_]*)=", example, flags=re.MULTILINE))
    known.add("HAPPINESS_COMMAND")
    assert set(settings(file.read_text())) <= known
    everything = without_hashes(file.read_text())
    assert set(settings(everything)) <= known
    # Also in the lines about secrets.env.
    named = set(re.findall(r"\b((?:MAILGUN|FCM|S3|SMTP|VAPID|MAIL|PUSH|JWT|BALLOT)_[A-Z0-9_]+)\b", everything))
    assert named <= known


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_programs_print_commands_for_the_service_that_runs(file: Path) -> None:
    content = yaml.safe_load(file.read_text())
    words = settings(file.read_text())["HAPPINESS_COMMAND"].split()
    assert words[:4] == ["docker", "compose", "--project-name", content["name"]]
    assert words[4] == "exec" and words[6:] == ["api"]
    assert content["services"][words[5]]["command"] == ["api"]


def test_the_full_file_has_mailgun_and_firebase_behind_hashes() -> None:
    text = FULL.read_text()
    as_it_is, all_of_it = settings(text), settings(without_hashes(text))
    assert not any(name.startswith(("MAIL", "FCM", "PUSH")) for name in as_it_is)
    assert all_of_it["MAIL_DRIVER"] == "mailgun" and "fcm" in all_of_it["PUSH_DRIVERS"]
    worker: dict[str, Any] = yaml.safe_load(without_hashes(text))
    (name,) = worker["services"]["worker"]["secrets"]
    assert all_of_it["FCM_SERVICE_ACCOUNT_FILE"] == f"/run/secrets/{name}"
    assert worker["secrets"][name] == {"file": "fcm-account.json"}


@pytest.mark.parametrize("is_whole", [False, True], ids=["as it is", "without hashes"])
def test_the_program_accepts_the_full_file(is_whole: bool, tmp_path: Path) -> None:
    text = FULL.read_text()
    given = settings(without_hashes(text) if is_whole else text) | SECRETS
    assert refusal(given, tmp_path).startswith("Error: There is no store at")
    if is_whole:
        # Otherwise the test would show nothing about the settings behind the hashes.
        for name in ["MAIL_FROM", "MAILGUN_DOMAIN", "MAILGUN_API_KEY", "FCM_SERVICE_ACCOUNT_FILE"]:
            assert name in refusal({key: value for key, value in given.items() if key != name}, tmp_path)


def refusal(given: dict[str, str], folder: Path) -> str:
    """Runs a command that reads all settings and then misses the store."""
    environment = given | {"DATA_DIR": str(folder), "DATABASE_URL": f"sqlite:{folder / 'none.sqlite'}"}
    # Not in the repository, whose .env would be read.
    ended = subprocess.run(
        [str(BINARIES / "HappinessAPI"), "user", "list"], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=START_LIMIT, check=False)
    assert ended.returncode != 0
    return ended.stderr
