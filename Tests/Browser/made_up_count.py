"""The attack on the check of a count: a list that is made up around the ballot of the one who reads it."""

from __future__ import annotations

import secrets
from typing import Any

import test_commitments as scheme
from count_list import decoded, encoded


def made_up(count: dict[str, Any], own: bytes, total: int) -> dict[str, Any]:
    """The same list with commitments that add up to another sum.

    Only `own` stays. The last one is what is missing from the sum, so nobody can open it, and nobody needs to.
    """
    randomness = secrets.randbelow(scheme.ORDER)
    invented = [point_of(bytes.fromhex(commitment())) for _ in range(count["votes"] - 2)]
    rest = scheme.added(scheme.multiplied(scheme.H, total), scheme.multiplied(scheme.G, randomness))
    for point in [point_of(own), *invented]:
        rest = scheme.added(rest, (point[0], scheme.PRIME - point[1]))
    commitments = [own, *(bytes.fromhex(scheme.encoded(point)) for point in [*invented, rest])]
    return count | {
        "sum": total, "randomness": encoded(randomness.to_bytes(32)),
        "commitments": [encoded(one) for one in sorted(commitments)],
    }


def commitment() -> str:
    """To any value."""
    return scheme.commitment(secrets.randbelow(101), secrets.randbelow(scheme.ORDER))


def point_of(compressed: bytes) -> tuple[int, int]:
    x = int.from_bytes(compressed[1:])
    y = scheme.even_y(x)
    assert y is not None
    return x, y if compressed[0] == 2 else scheme.PRIME - y


def is_opened(count: dict[str, Any]) -> bool:
    """Whether the commitments add up to the sum."""
    total = None
    for one in count["commitments"]:
        total = scheme.added(total, point_of(decoded(one)))
    randomness = int.from_bytes(decoded(count["randomness"]))
    return total == scheme.added(scheme.multiplied(scheme.H, count["sum"]), scheme.multiplied(scheme.G, randomness))
