"""What casts a sealed ballot: the same bytes and header fields from the vote page and from the command."""

from __future__ import annotations

import json
from typing import Any

FIELDS = ["feedback", "happiness", "key", "paper", "randomness", "signature"]
# Bytes. A body has a multiple of these.
BLOCK = 4_096

# Of every request without a log-in, as far as a page may choose them.
ANONYMOUS = {"accept": "*/*", "accept-language": "en", "cache-control": "no-cache", "pragma": "no-cache"}


def canonical(ballot: dict[str, Any]) -> bytes:
    """The only body for a ballot. A number without decimal places must be an integer."""
    text = json.dumps(ballot, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    return text + b" " * (-len(text) % BLOCK)


def expect_canonical(body: bytes | None, headers: dict[str, str]) -> dict[str, Any]:
    """Checks a request that casts a ballot, and returns its fields."""
    assert body
    ballot: dict[str, Any] = json.loads(body)
    assert sorted(ballot) == FIELDS
    assert body == canonical(ballot) and len(body) % BLOCK == 0
    expect_anonymous(headers)
    assert headers["content-type"] == "application/json"
    return ballot


def expect_anonymous(headers: dict[str, str]) -> None:
    """Checks the header fields of a request without a log-in."""
    assert {name: headers.get(name) for name in ANONYMOUS} == ANONYMOUS
    assert not {"authorization", "cookie", "referer", "x-form-token"} & headers.keys()
