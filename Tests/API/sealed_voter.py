"""A client for sealed ballots that shares no code with the server: RFC 9474 in integers."""

from __future__ import annotations

import http.client
import json
import secrets
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from harness.papers import MODULUS, decoded, encoded, pss_encoded
from installation import START_LIMIT, Installation, Person, wait_until


@dataclass(frozen=True)
class Answer:
    """What a client gets for a request."""

    # 0 if the connection ended without an answer.
    status: int
    body: Any = None

    @property
    def refusal(self) -> tuple[int, str]:
        """The status, and the rule that the request violates, such as `already-voted`."""
        return self.status, self.body.get("type", "").removeprefix("/api#")


class SealedVoter:
    """A member with a ballot paper that is not signed yet, for the running sprint of their only team."""

    def __init__(self, installation: Installation, person: Person) -> None:
        self._installation = installation
        self.token = installation.classic_token(person)
        team = installation.team_id(person)
        self.current = f"/teams/{team}/sprints/current"
        label = installation.api(person, "GET", self.current)["sprint"]["label"]
        self.sprint = f"/teams/{team}/sprints/{label}"
        answer = send(installation, f"/sprint-ballot-keys/{team}/{label}")
        assert answer.status == 200, answer
        self.key_id, self.der = answer.body["id"], decoded(answer.body["publicKey"])
        key = serialization.load_der_public_key(self.der)
        assert isinstance(key, RSAPublicKey) and key.key_size == 8 * MODULUS
        self.key = key
        self.paper = secrets.token_bytes(32)
        self._factor = secrets.randbelow(self._n - 1) + 1
        self._blinded = self._blind(self.paper)

    @property
    def _n(self) -> int:
        return self.key.public_numbers().n

    def ask_for_paper(self) -> Answer:
        """Sends the same blinded message each time."""
        return self._ask(self._blinded)

    def ask_for_another_paper(self) -> Answer:
        """Sends a blinded message that differs from all others."""
        return self._ask(self._blind(secrets.token_bytes(32)))

    def unblinded(self, answer: Answer) -> bytes:
        """The signature of the paper."""
        assert answer.status == 201, answer
        blind_signature = int.from_bytes(decoded(answer.body["blindSignature"]))
        return (blind_signature * pow(self._factor, -1, self._n) % self._n).to_bytes(MODULUS)

    def ballot(self, signature: bytes, happiness: float) -> dict[str, Any]:
        return {
            "key": self.key_id, "paper": encoded(self.paper), "signature": encoded(signature), "happiness": happiness,
        }

    def cast(self, ballot: dict[str, Any]) -> Answer:
        """Sends a ballot without a log-in."""
        return send(self._installation, "/ballots", ballot)

    def read_sprint(self) -> Answer:
        """Reads the running sprint."""
        return send(self._installation, self.current, token=self.token)

    def result(self) -> tuple[int, float]:
        """Votes and mean of the sprint, once they are published."""

        def publication() -> Any:
            answer = self.read_sprint()
            return answer.body["sprint"]["publication"] if answer.status == 200 else None

        return result(publication)

    def _blind(self, paper: bytes) -> str:
        blinded = pss_encoded(paper) * pow(self._factor, self.key.public_numbers().e, self._n) % self._n
        return encoded(blinded.to_bytes(MODULUS))

    def _ask(self, blinded: str) -> Answer:
        return send(self._installation, f"{self.sprint}/ballot-papers", {"blindedMessage": blinded}, self.token)


def result(publication: Callable[[], Any]) -> tuple[int, float]:
    """Votes and mean, once something is published."""
    read: list[Any] = []

    def is_published() -> bool:
        read.append(publication())
        return read[-1] is not None

    wait_until(is_published)
    return read[-1]["votes"], read[-1]["happiness"]


def send(installation: Installation, path: str, body: Any = None, token: str | None = None) -> Answer:
    """Sends a POST to `/api/v1`, or a GET if there is no body."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{installation.servers[0].address}/api/v1{path}", data, headers)
    try:
        with urllib.request.urlopen(request, timeout=START_LIMIT) as answer:
            return Answer(answer.status, json.load(answer))
    except urllib.error.HTTPError as error:
        return Answer(error.code, json.load(error))
    except (OSError, http.client.HTTPException, ValueError):
        # The last one: an answer that ends early is no JSON.
        return Answer(0)
