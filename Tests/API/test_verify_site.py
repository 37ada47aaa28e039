"""`happiness verify-site` against the web app of this checkout, and against one that a proxy alters; each at the root of
a host and below a path."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from altering_proxy import Exchange, Proxy
from device import LOGGED_OUT, REFUSED, Device
from installation import ROOT, Installation, Person, running


@pytest.fixture(scope="module", params=["", "/mood"], ids=["root", "path"])
def path(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def installation(path: str) -> Iterator[Installation]:
    with running(Installation(demo=False, path=path)) as installation:
        yield installation


@pytest.fixture
def address(proxy: Proxy, path: str) -> str:
    return proxy.address + path


@pytest.fixture
def elsewhere(path: str) -> str:
    """What an address outside of the installation begins with: another path of the host, if there can be others."""
    return "/other" if path else "//other.example"


@pytest.fixture(scope="module")
def member(installation: Installation) -> Person:
    return installation.add_person("reader", installation.add_team())


@pytest.fixture(scope="module")
def hashes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("release") / "site-hashes.txt"
    file.write_bytes(subprocess.run(ROOT / "scripts/site-hashes.sh", check=True, capture_output=True).stdout)
    return file


def verify_site(
    address: str, hashes: Path, member: Person, folder: Path, status: int = 0, password: str | None = None
) -> str:
    command = ["verify-site", address, "--hashes", str(hashes), "--user", member.name]
    return Device(folder, address).run(*command, given=password or member.password, status=status)


def test_the_site_is_that_of_the_release(
    proxy: Proxy, address: str, path: str, hashes: Path, member: Person, tmp_path: Path
) -> None:
    output = verify_site(address, hashes, member, tmp_path)
    files = len(hashes.read_text().splitlines())
    assert output.startswith(f"All {files} files are those of the release, and /login, /teams/")
    assert proxy.requests("/vote")[-1].status == 200
    assert [exchange.path for exchange in proxy.exchanges if not exchange.path.startswith(f"{path}/")] == []


def test_a_slash_at_the_end_of_the_address_changes_nothing(
    address: str, hashes: Path, member: Person, tmp_path: Path
) -> None:
    assert "are those of the release" in verify_site(f"{address}/", hashes, member, tmp_path)


def test_a_wrong_password_is_reported(address: str, hashes: Path, member: Person, tmp_path: Path) -> None:
    output = verify_site(address, hashes, member, tmp_path, LOGGED_OUT, password="wrong")
    assert output == "happiness: The server didn’t log you in.\n"


def test_everything_that_differs_is_noticed(
    proxy: Proxy, address: str, path: str, hashes: Path, member: Person, tmp_path: Path
) -> None:
    changes = {
        "/unsent-vote.js": (b"export", b"export "),
        "/service-worker.js": (b"};\n", b"}; fetch('/x');\n"),
        "/login": (b"</head>", b"<script>alert(1)</script></head>"),
        "/vote": (b"</head>", b'<script src="/assets/v/0/spy.js"></script><iframe srcdoc=""></iframe></head>'),
    }

    def alter(exchange: Exchange) -> None:
        for ending, (old, new) in changes.items():
            if exchange.method == "GET" and exchange.path.endswith(ending):
                assert old in exchange.answer
                exchange.answer = exchange.answer.replace(old, new, 1)
        if exchange.path.endswith("/vote"):
            headers = {name.lower(): name for name in exchange.answer_headers}
            exchange.answer_headers[headers["content-security-policy"]] += "; Script-Src 'UNSAFE-INLINE'"
            exchange.answer_headers[headers["content-type"]] = "text/html; charset=utf-16le"

    proxy.after = alter
    output = verify_site(address, hashes, member, tmp_path, REFUSED)
    team_page = proxy.requests("/vote")[0].path.removeprefix(path)
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


def test_pages_that_use_addresses_elsewhere_are_noticed(
    proxy: Proxy, address: str, elsewhere: str, hashes: Path, member: Person, tmp_path: Path
) -> None:
    root = f'<html lang="en" data-root="{elsewhere}">'

    def alter(exchange: Exchange) -> None:
        if exchange.method == "GET" and exchange.path.endswith("/login"):
            html = exchange.answer.decode()
            html = re.sub(r"<html[^>]*>", root, html)
            html = re.sub(r'"[^"]*(/assets/v/[0-9a-f]+/style\.css")', rf'"{elsewhere}\1', html)
            exchange.answer = html.encode()

    proxy.after = alter
    output = verify_site(address, hashes, member, tmp_path, REFUSED)
    assert re.sub("/assets/v/[0-9a-f]{16}/", "/assets/v/…/", output).splitlines() == [
        f"happiness: /login {sentence}"
        for sentence in [
            f"has a tag <html> that isn’t the one of the release: {root}",
            "loads something that isn’t in the release: "
            f'<link rel="stylesheet" href="{elsewhere}/assets/v/…/style.css">',
            "doesn’t load style.css.",
        ]
    ]


def test_a_second_root_tag_is_noticed(
    proxy: Proxy, address: str, hashes: Path, member: Person, tmp_path: Path
) -> None:
    def alter(exchange: Exchange) -> None:
        if exchange.path.endswith("/vote"):
            exchange.answer = exchange.answer.replace(b"</main>", b"<HTML Data-Root=/other></main>", 1)

    proxy.after = alter
    output = verify_site(address, hashes, member, tmp_path, REFUSED)
    assert "/vote has a tag <html> that isn’t the one of the release: <html " in output
    assert output.endswith("> <HTML Data-Root=/other>\n")


def test_a_service_worker_that_uses_addresses_elsewhere_is_noticed(
    proxy: Proxy, address: str, elsewhere: str, hashes: Path, member: Person, tmp_path: Path
) -> None:
    def alter(exchange: Exchange) -> None:
        if exchange.path.endswith("/service-worker.js"):
            start = b"const SHELL = "
            line, script = exchange.answer.split(b"\n", 1)
            shell = json.loads(line.removeprefix(start).removesuffix(b";"))
            shell["root"] = elsewhere
            shell["assets"].append(elsewhere + shell["assets"][0])
            shell["offline"]["en"] = f"{elsewhere}/offline"
            exchange.answer = start + json.dumps(shell).encode() + b";\n" + script

    proxy.after = alter
    output = verify_site(address, hashes, member, tmp_path, REFUSED)
    root, asset, offline = output.splitlines()
    worker = "happiness: /service-worker.js"
    assert root == f"{worker} uses addresses below “{elsewhere}”, which isn’t the path of this server."
    assert asset.startswith(f"{worker} keeps {elsewhere}/") and asset.endswith(", which isn’t in the release.")
    assert offline == f"{worker} keeps {elsewhere}/offline, which isn’t in the release."


def test_a_redirect_elsewhere_is_not_followed(
    proxy: Proxy, address: str, elsewhere: str, hashes: Path, member: Person, tmp_path: Path
) -> None:
    def alter(exchange: Exchange) -> None:
        if exchange.path.endswith("/login"):
            exchange.status, exchange.answer = 303, b""
            exchange.answer_headers = {"Location": f"{elsewhere}/login"}

    proxy.after = alter
    output = verify_site(address, hashes, member, tmp_path, REFUSED)
    assert output == "happiness: The server answers with status 303.\n"
    assert len(proxy.exchanges) == 1


def test_a_changed_service_worker_is_noticed(
    proxy: Proxy, address: str, hashes: Path, member: Person, tmp_path: Path
) -> None:
    def alter(exchange: Exchange) -> None:
        if exchange.path.endswith("/service-worker.js"):
            exchange.answer = exchange.answer.replace(b"self.skipWaiting", b"self.skip", 1)

    proxy.after = alter
    output = verify_site(address, hashes, member, tmp_path, REFUSED)
    assert output == "happiness: /service-worker.js differs from the release.\n"


def test_a_vote_page_without_its_script_is_noticed(
    proxy: Proxy, address: str, path: str, hashes: Path, member: Person, tmp_path: Path
) -> None:
    def alter(exchange: Exchange) -> None:
        if exchange.path.endswith("/vote"):
            exchange.answer = re.sub(rb"<script[^>]*></script>", b"", exchange.answer)

    proxy.after = alter
    output = verify_site(address, hashes, member, tmp_path, REFUSED)
    team_page = proxy.requests("/vote")[0].path.removeprefix(path)
    assert output.splitlines() == [f"happiness: {team_page} doesn’t load {name}." for name in ("app.js", "vote.js")]
