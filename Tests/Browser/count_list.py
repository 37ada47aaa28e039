"""The list of a sprint's count, read and checked by a third program, as docs/count.md describes it."""

from __future__ import annotations

import base64
import hashlib
import json
import urllib.request
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

SALT = 48
RANDOMNESS, COMMITMENT, HASH, PAPER, SIGNATURE = 32, 33, 32, 32, 256


def decoded(text: str, length: int | None = None) -> bytes:
    """Bytes, of this number if it is given.

    With fields of any length, two lists could have one code: a hash with a signature after it, and both apart.
    """
    result = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if length not in (None, len(result)):
        raise ValueError(f"{len(result)} bytes instead of {length}")
    return result


def encoded(value: bytes) -> str:
    """Base64URL without padding."""
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def fetch(server: str, address: str) -> dict[str, Any]:
    """Reads a list without a log-in.

    The server is an address such as `http://127.0.0.1:8080`, and `address` the path that members get.
    """
    with urllib.request.urlopen(server + address, timeout=60) as answer:
        return json.load(answer)


def spent_hash(count: dict[str, Any], spent: dict[str, str]) -> bytes:
    if "hash" in spent:
        return decoded(spent["hash"], HASH)
    return hashlib.sha256(hashlib.sha256(decoded(count["key"])).digest() + decoded(spent["paper"], PAPER)).digest()


def signature_of(spent: dict[str, str]) -> bytes:
    """None if the paper has only its hash."""
    return b"" if "hash" in spent else decoded(spent["signature"], SIGNATURE)


def code(count: dict[str, Any]) -> str:
    """The code of the whole list, in eight groups of four digits."""
    papers = count["papers"]
    fields = [
        b"happiness/count/1", count["team"].encode(), count["sprint"].encode(), number(count["votes"]),
        number(count["sum"]), decoded(count["randomness"], RANDOMNESS), number(count["members"]),
        number(papers["issued"]) if papers else b"", decoded(count["key"]) if count["key"] else b"",
        b"".join(decoded(one, COMMITMENT) for one in count["commitments"]),
        *(spent_hash(count, one) + signature_of(one) for one in (papers["spent"] if papers else [])),
    ]  # fmt: skip
    digest = hashlib.sha256(b"".join(number(len(field)) + field for field in fields)).digest()
    digits = base64.b32encode(digest[:20]).decode()
    return " ".join(digits[place : place + 4] for place in range(0, 32, 4))


def has_signed_papers(count: dict[str, Any]) -> bool:
    """Whether each paper has a signature by the list's key, and comes once and in its place."""
    key = serialization.load_der_public_key(decoded(count["key"]))
    assert isinstance(key, RSAPublicKey) and key.key_size == 2048 and key.public_numbers().e == 65_537
    hashes_of_papers = [spent_hash(count, one) for one in count["papers"]["spent"]]
    if hashes_of_papers != sorted(set(hashes_of_papers)) or len(hashes_of_papers) > count["papers"]["issued"]:
        return False
    try:
        for one in count["papers"]["spent"]:
            key.verify(
                decoded(one["signature"]), decoded(one["paper"]), padding.PSS(padding.MGF1(hashes.SHA384()), SALT),
                hashes.SHA384())
    except (InvalidSignature, KeyError):
        return False
    return True


def number(value: int) -> bytes:
    return value.to_bytes(4)
