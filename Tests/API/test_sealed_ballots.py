"""A sealed ballot by a client that shares no code with the server: RFC 9474 in integers, checked as plain RSASSA-PSS."""

from __future__ import annotations

import hashlib
import json
import secrets
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from harness.papers import MODULUS, SALT, decoded, encoded, pss_encoded
from installation import Installation, running


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
