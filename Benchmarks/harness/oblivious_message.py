"""A client for a relay that shares no code with the product: RFC 9458 with `pyhpke`."""

from __future__ import annotations

import json
import secrets
import urllib.parse
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.hmac import HMAC
from pyhpke import AEADId, CipherSuite, KDFId, KEMId

# Bytes of a message before it is encrypted, as for every client.
SIZE = 36 * 1024
# Bytes of AES-128's key, and of its nonce.
KEY, NONCE = 16, 12


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
