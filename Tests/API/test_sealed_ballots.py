"""A sealed ballot by a client that shares no code with the server: RFC 9474 in integers, checked as plain RSASSA-PSS."""

from __future__ import annotations

import hashlib
import json
import secrets
import urllib.error
import urllib.request
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from installation import Installation, running

# Bytes of the salt, the modulus and SHA-384's output.
SALT, MODULUS, HASH = 48, 256, 48


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    with running(Installation(demo=False)) as installation:
        yield installation


def test_a_paper_is_a_plain_pss_signature_and_counts_once(installation: Installation) -> None:
    team = installation.add_team(threshold="2")
    voter = installation.add_person("voter", team)
    path = f"/teams/{installation.team_id(voter)}"
    sprint = f"{path}/sprints/{installation.api(voter, 'GET', f'{path}/sprints/current')['sprint']['label']}"
    answer = installation.api(voter, "GET", f"{sprint}/ballot-key")
    der = decoded(answer["publicKey"])
    assert answer["id"] == hashlib.sha256(der).hexdigest()
    key = serialization.load_der_public_key(der)
    assert isinstance(key, RSAPublicKey) and key.key_size == 8 * MODULUS

    n, e = key.public_numbers().n, key.public_numbers().e
    paper, factor = secrets.token_bytes(32), secrets.randbelow(n - 1) + 1
    blinded = pss_encoded(paper) * pow(factor, e, n) % n
    asked = {"blindedMessage": encoded(blinded.to_bytes(MODULUS))}
    blind_signature = installation.api(voter, "POST", f"{sprint}/ballot-papers", asked)["blindSignature"]
    signature = (int.from_bytes(decoded(blind_signature)) * pow(factor, -1, n) % n).to_bytes(MODULUS)
    key.verify(signature, paper, padding.PSS(padding.MGF1(hashes.SHA384()), SALT), hashes.SHA384())

    ballot = {"key": answer["id"], "paper": encoded(paper), "signature": encoded(signature), "happiness": 7.5}
    assert cast(installation, ballot)[0] == 201
    status, refusal = cast(installation, ballot)
    assert (status, refusal["type"]) == (409, "/api#already-counted")
    assert installation.api(voter, "GET", f"{path}/sprints/current")["hasVoted"] is True


def cast(installation: Installation, ballot: dict[str, Any]) -> tuple[int, Any]:
    """Status and JSON of the answer, without a log-in."""
    request = urllib.request.Request(
        f"{installation.servers[0].address}/api/v1/ballots", json.dumps(ballot).encode(),
        {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def pss_encoded(message: bytes) -> int:
    """EMSA-PSS-ENCODE of RFC 8017 §9.1.1 with SHA-384, MGF1 and a random salt."""
    salt = secrets.token_bytes(SALT)
    digest = hashlib.sha384(bytes(8) + hashlib.sha384(message).digest() + salt).digest()
    block = bytes(MODULUS - HASH - SALT - 2) + b"\x01" + salt
    mask = b"".join(hashlib.sha384(digest + counter.to_bytes(4)).digest() for counter in range(5))[: len(block)]
    masked = bytearray(a ^ b for a, b in zip(block, mask, strict=True))
    # The encoded message has one bit less than the modulus.
    masked[0] &= 0x7F
    return int.from_bytes(bytes(masked) + digest + b"\xbc")


def encoded(value: bytes) -> str:
    """Base64URL without padding."""
    return urlsafe_b64encode(value).decode().rstrip("=")


def decoded(text: str) -> bytes:
    """The reverse of `encoded`."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
