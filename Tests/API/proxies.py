"""nginx and Caddy with the files in deploy/, and connections to them."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
from pathlib import Path
from typing import Any

import pytest
from installation import ROOT, START_LIMIT, end, free_port, wait_until

# The name in the files; the tests connect to it on the loopback address.
NAME = "happiness.example.org"


class Proxy:
    """A reverse proxy with a temporary copy of its file in deploy/, in which only addresses and paths differ."""

    # Name of the program, and of the first byte after `127.0.` of its clients' addresses.
    program: str
    network: int
    # What its file says about paths, and the same for one path only.
    everything: str
    below: str

    def __init__(self, folder: Path, certificate: Path, upstreams: list[str], path: str = "") -> None:
        """- path: of PUBLIC_URL (docs/operations.md, "Below a path")."""
        self.folder = folder
        self._path = path
        self.port, self.plain_port = free_port(), free_port()
        self.certificate = certificate
        self._upstreams = upstreams
        self._process: subprocess.Popen[bytes] | None = None

    def client(self, number: int) -> str:
        """An address from which a client connects to this proxy."""
        return f"127.0.{self.network}.{number}"

    def start(self) -> None:
        """Starts it and returns when it accepts connections."""
        command = self._prepare()
        with (self.folder / "output.log").open("ab") as log:
            self._process = subprocess.Popen(
                # The kernel kills it when this process ends for any reason.
                ["setpriv", "--pdeathsig", "KILL", *command], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, env={"PATH": os.environ["PATH"], "HOME": str(self.folder)})  # fmt: skip
        wait_until(self._accepts)

    def stop(self) -> None:
        """Stops it if it runs."""
        if self._process is not None:
            end(self._process)

    def log(self) -> str:
        """All that it has written."""
        return "".join(file.read_text() for file in sorted(self.folder.glob("*.log")))

    def connect(self, number: int) -> Connection:
        """A connection from the client with this number."""
        return Connection(self, self.client(number))

    def curl(self, address: str) -> str:
        """The protocol's version and the status of an answer."""
        return subprocess.run(
            ["curl", "--silent", "--show-error", "--output", "/dev/null", "--write-out", "%{http_version} %{http_code}",
             "--cacert", str(self.certificate), "--resolve", f"{NAME}:{self.port}:127.0.0.1",
             "--resolve", f"{NAME}:{self.plain_port}:127.0.0.1", address],
            check=True, capture_output=True, text=True, timeout=START_LIMIT).stdout  # fmt: skip

    def _prepare(self) -> list[str]:
        """Writes its configuration, and returns the command."""
        raise NotImplementedError

    def _copy(self, name: str, changes: dict[str, str]) -> str:
        """The text of a file in deploy/ with these changes, each at one place."""
        text = (ROOT / "deploy" / name).read_text()
        for number, upstream in enumerate(self._upstreams):
            changes[f"127.0.0.1:{8080 + number}"] = upstream
        if self._path:
            changes[self.everything] = self.below.format(path=self._path)
        for old, new in changes.items():
            assert text.count(old) == 1, f"{name} has {text.count(old)} times {old!r}"
            text = text.replace(old, new)
        return text

    def _accepts(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.log()
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=START_LIMIT).close()
        except OSError:
            return False
        return True


class Nginx(Proxy):
    """Includes the file in a configuration like Debian's /etc/nginx/nginx.conf, which has logs and compresses pages."""

    program = "nginx"
    network = 101
    everything, below = "location / {", "location {path}/ {{"

    def _prepare(self) -> list[str]:
        folder = self.folder
        site = self._copy("nginx.conf", {
            "listen 80;": f"listen 127.0.0.1:{self.plain_port};",
            "listen [::]:80;": "",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{self.port} ssl http2;",
            "listen [::]:443 ssl http2;": "",
            f"/etc/letsencrypt/live/{NAME}/fullchain.pem": str(self.certificate),
            f"/etc/letsencrypt/live/{NAME}/privkey.pem": str(self.certificate.with_suffix(".key")),
        })  # fmt: skip
        (folder / "site.conf").write_text(site)
        temporary = "".join(
            f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (folder / "main.conf").write_text(
            # One process without another user, so that it needs no root and ends with the test.
            f"daemon off;\nmaster_process off;\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\n"
            f"events {{ worker_connections 768; }}\n"
            f"http {{\naccess_log {folder}/access.log;\ngzip on;\n{temporary}include {folder}/site.conf;\n}}\n")
        return [find("nginx"), "-p", str(folder), "-c", str(folder / "main.conf"), "-e", str(folder / "error.log")]


class Caddy(Proxy):
    """Uses the file as it is, with a certificate of the test."""

    program = "caddy"
    network = 102
    everything = "\treverse_proxy "
    below = "\t@happiness path {path} {path}/*\n\treverse_proxy @happiness "

    def _prepare(self) -> list[str]:
        text = self._copy("Caddyfile", {
            # The first would need the fixed port 2019, the second is for the redirect to https.
            "\tlog default {": f"\tadmin off\n\thttp_port {self.plain_port}\n\tlog default {{",
            f"\n{NAME} {{": f"\nhttps://{NAME}:{self.port} {{\n\tbind 127.0.0.1\n"
                            f"\ttls {self.certificate} {self.certificate.with_suffix('.key')}",
        })  # fmt: skip
        (self.folder / "Caddyfile").write_text(text)
        return [find("caddy"), "run", "--config", str(self.folder / "Caddyfile"), "--adapter", "caddyfile"]


class Connection(http.client.HTTPSConnection):
    """A connection to a proxy under its public name, from an address of its own."""

    def __init__(self, proxy: Proxy, source: str) -> None:
        super().__init__("127.0.0.1", proxy.port, timeout=START_LIMIT)
        self._source = source
        self._trust = ssl.create_default_context(cafile=str(proxy.certificate))

    def connect(self) -> None:
        plain = socket.create_connection((self.host, self.port), self.timeout, (self._source, 0))
        self.sock = self._trust.wrap_socket(plain, server_hostname=NAME)

    def send_request(
        self, method: str, path: str, body: Any = None, token: str = "", headers: dict[str, str] | None = None
    ) -> http.client.HTTPResponse:
        """Sends bytes as they are, anything else as JSON; the answer is still to be read."""
        sent = {"Host": NAME} | (headers or {})
        if token:
            sent["Authorization"] = f"Bearer {token}"
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        self.request(method, path, body, sent)
        return self.getresponse()

    def ask(
        self, method: str, path: str, body: Any = None, token: str = "", headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        """Status and content."""
        response = self.send_request(method, path, body, token, headers)
        return response.status, response.read()


def find(program: str) -> str:
    """The path of a proxy; Debian has nginx in a folder that is not on every PATH."""
    path = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin")
    if path is None:
        pytest.fail(f"{program} is missing. Run scripts/setup.sh test (make test does).", pytrace=False)
    return path
