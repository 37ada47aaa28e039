"""`happiness verify-site` against the web app of this checkout, and against one that a proxy alters."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from altering_proxy import Exchange, Proxy
from device import REFUSED, Device
from installation import ROOT, Installation, Person


@pytest.fixture(scope="module")
def member(installation: Installation) -> Person:
    return installation.add_person("reader", installation.add_team())


@pytest.fixture(scope="module")
def hashes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("release") / "site-hashes.txt"
    file.write_bytes(subprocess.run(ROOT / "scripts/site-hashes.sh", check=True, capture_output=True).stdout)
    return file


def verify_site(proxy: Proxy, hashes: Path, member: Person, folder: Path, status: int = 0) -> str:
    command = ["verify-site", proxy.address, "--hashes", str(hashes), "--user", member.name]
    return Device(folder, proxy.address).run(*command, given=member.password, status=status)


def test_the_site_is_that_of_the_release(proxy: Proxy, hashes: Path, member: Person, tmp_path: Path) -> None:
    output = verify_site(proxy, hashes, member, tmp_path)
    files = len(hashes.read_text().splitlines())
    assert output.startswith(f"All {files} files are those of the release, and /login, /teams/")
    assert proxy.requests("/vote")[-1].status == 200


def test_everything_that_differs_is_noticed(proxy: Proxy, hashes: Path, member: Person, tmp_path: Path) -> None:
    changes = {
        "/unsent-vote.js": (b"export", b"export "),
        "/service-worker.js": (b"};\n", b"}; fetch('/x');\n"),
        "/login": (b"</head>", b"<script>alert(1)</script></head>"),
        "/vote": (b"</head>", b'<script src="/assets/v/0/spy.js"></script><iframe srcdoc=""></iframe></head>'),
    }

    def alter(exchange: Exchange) -> None:
        for path, (old, new) in changes.items():
            if exchange.method == "GET" and exchange.path.endswith(path):
                assert old in exchange.answer
                exchange.answer = exchange.answer.replace(old, new, 1)
        if exchange.path.endswith("/vote"):
            headers = {name.lower(): name for name in exchange.answer_headers}
            exchange.answer_headers[headers["content-security-policy"]] += "; Script-Src 'UNSAFE-INLINE'"
            exchange.answer_headers[headers["content-type"]] = "text/html; charset=utf-16le"

    proxy.after = alter
    output = verify_site(proxy, hashes, member, tmp_path, REFUSED)
    team_page = proxy.requests("/vote")[0].path
    assert re.sub("/assets/v/[0-9a-f]{16}/", "/assets/v/…/", output).splitlines() == [
        f"happiness: {sentence}"
        for sentence in [
            "/assets/v/…/unsent-vote.js differs from the release.",
            "/login loads something that isn’t in the release: <script>",
            "/service-worker.js differs from the release.",
            f"{team_page} isn’t a page in UTF-8.",
            f"{team_page} has another content security policy than the release.",
            f'{team_page} loads something that isn’t in the release: <script src="/assets/v/0/spy.js">',
            f'{team_page} loads something that isn’t in the release: <iframe srcdoc="">',
        ]
    ]


def test_a_changed_service_worker_is_noticed(proxy: Proxy, hashes: Path, member: Person, tmp_path: Path) -> None:
    def alter(exchange: Exchange) -> None:
        if exchange.path == "/service-worker.js":
            exchange.answer = exchange.answer.replace(b"self.skipWaiting", b"self.skip", 1)

    proxy.after = alter
    output = verify_site(proxy, hashes, member, tmp_path, REFUSED)
    assert output == "happiness: /service-worker.js differs from the release.\n"


def test_a_vote_page_without_its_script_is_noticed(
    proxy: Proxy, hashes: Path, member: Person, tmp_path: Path
) -> None:
    def alter(exchange: Exchange) -> None:
        if exchange.path.endswith("/vote"):
            exchange.answer = re.sub(rb"<script[^>]*></script>", b"", exchange.answer)

    proxy.after = alter
    output = verify_site(proxy, hashes, member, tmp_path, REFUSED)
    team_page = proxy.requests("/vote")[0].path
    assert output.splitlines() == [f"happiness: {team_page} doesn’t load {name}." for name in ("app.js", "vote.js")]
