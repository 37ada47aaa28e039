"""A relay of the built product, and a client for it that shares no code with the product: RFC 9458 with `pyhpke`."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import socket
import subprocess
import urllib.parse
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.hmac import HMAC
from installation import BINARIES, ROOT, START_LIMIT, STOP_LIMIT, wait_until
from pyhpke import AEADId, CipherSuite, KDFId, KEMId

# Bytes of a message before it is encrypted, as for every client.
SIZE = 36 * 1024
# Bytes of AES-128's key, and of its nonce.
KEY, NONCE = 16, 12


class Relay:
    """One process; it mixes `count` ballots, or what there is after `seconds`."""

    def __init__(self, gateway: str, log: Path, count: int = 5, seconds: int = 3_600) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        # Takes effect at its next start.
        self.mix_count = count
        self._log = log
        self._environment = {
            "GATEWAY_URL": gateway, "PORT": str(self.port), "MIX_SECONDS": str(seconds), "PATH": os.environ["PATH"]}
        self.start()

    def start(self) -> None:
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", str(BINARIES / "Relay")], cwd=ROOT,
                env=self._environment | {"MIX_COUNT": str(self.mix_count)}, stdin=subprocess.DEVNULL, stdout=log, stderr=log)  # fmt: skip
        wait_until(self._listens, START_LIMIT)

    def _listens(self) -> bool:
        try:
            return self.request("GET", "/health")[0] in (200, 503)
        except OSError:
            return False

    def request(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Status and content."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Content-Type": "message/ohttp-req"} if body is not None else {}
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response.status, content

    def stop(self) -> None:
        """As a service manager does; what waits is sent first."""
        self.process.terminate()
        assert self.process.wait(STOP_LIMIT) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def log(self) -> str:
        return self._log.read_text()


class Message:
    """A request of the API, encrypted for its gateway."""

    def __init__(self, keys: bytes, method: str, path: str, body: Any = None) -> None:
        """`keys` is an `application/ohttp-keys` with one key for P-256."""
        header = keys[2:5] + keys[72:76]
        assert keys[3:5] == b"\x00\x10" and header[3:] == b"\x00\x01\x00\x01"
        suite = CipherSuite.new(KEMId.DHKEM_P256_HKDF_SHA256, KDFId.HKDF_SHA256, AEADId.AES128_GCM)
        encapsulated, context = suite.create_sender_context(
            suite.kem.deserialize_public_key(keys[5:70]), info=b"message/bhttp request\x00" + header)
        self.content = header + encapsulated + context.seal(_binary_request(method, path, body))
        self._encapsulated = encapsulated
        self._secret = context.export(b"message/bhttp response", KEY)
        self.ticket = f"/mixed/{secrets.token_hex(16)}"

    def open(self, answer: bytes) -> tuple[int, Any]:
        """Status and JSON of the API's answer."""
        nonce, sealed = answer[:KEY], answer[KEY:]
        extract = HMAC(self._encapsulated + nonce, SHA256())
        extract.update(self._secret)
        extracted = extract.finalize()
        key = HKDFExpand(SHA256(), KEY, b"key").derive(extracted)
        plain = AESGCM(key).decrypt(HKDFExpand(SHA256(), NONCE, b"nonce").derive(extracted), sealed, None)
        assert len(plain) % 2_048 == 0 and plain[0] == 1
        status, rest = _integer(plain[1:])
        fields, rest = _integer(rest)
        length, rest = _integer(rest[fields:])
        return status, json.loads(rest[:length])


def _binary_request(method: str, path: str, body: Any) -> bytes:
    """RFC 9292 §3.1, padded."""
    fields, content = b"", b""
    if body is not None:
        fields, content = _counted(b"content-type") + _counted(b"application/json"), json.dumps(body).encode()
    parts = [method.encode(), b"https", urllib.parse.quote("happiness.example.org").encode(), path.encode()]
    message = b"\x00" + b"".join(map(_counted, parts)) + _counted(fields) + _counted(content) + b"\x00"
    return message.ljust(SIZE, b"\x00")


def _counted(content: bytes) -> bytes:
    assert len(content) < 2**14
    return (len(content) | 0x4000).to_bytes(2, "big") + content


def _integer(content: bytes) -> tuple[int, bytes]:
    """An integer of RFC 9000 §16, and what follows."""
    length = 1 << (content[0] >> 6)
    value = int.from_bytes(content[:length], "big") & ((1 << (8 * length - 2)) - 1)
    return value, content[length:]
