"""Commitments to votes in the browser, against the same arithmetic in Python."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from random import Random
from typing import Any

from visitor import Profile, Visitor

# P-256 (SP 800-186 §3.2.1.3): y² = x³ - 3x + B modulo PRIME. None is the point at infinity.
PRIME = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)

Point = tuple[int, int] | None


def added(one: Point, other: Point) -> Point:
    if one is None or other is None:
        return one or other
    (x1, y1), (x2, y2) = one, other
    if x1 == x2 and (y1 + y2) % PRIME == 0:
        return None
    rise, run = (3 * x1 * x1 - 3, 2 * y1) if x1 == x2 else (y2 - y1, x2 - x1)
    slope = rise * pow(run, -1, PRIME)
    x = (slope * slope - x1 - x2) % PRIME
    return x, (slope * (x1 - x) - y1) % PRIME


def multiplied(point: Point, factor: int) -> Point:
    result = None
    for digit in f"{factor:b}":
        result = added(result, result)
        if digit == "1":
            result = added(result, point)
    return result


def even_y(x: int) -> int | None:
    """The even one of the two y; None if there is no point with this x."""
    square = (x**3 - 3 * x + B) % PRIME
    root = pow(square, (PRIME + 1) // 4, PRIME)
    return None if root * root % PRIME != square else root if root % 2 == 0 else PRIME - root


def second_generator() -> Point:
    for counter in range(256):
        x = int.from_bytes(hashlib.sha256(b"Happiness Metric commitment" + bytes([counter])).digest())
        if x < PRIME and (y := even_y(x)):
            return x, y
    return None


H = second_generator()


def encoded(point: Point) -> str:
    assert point is not None
    return f"{2 + point[1] % 2:02x}{point[0]:064x}"


def commitment(value: int, randomness: int) -> str:
    return encoded(added(multiplied(H, value), multiplied(G, randomness)))


def negative(commitment: str) -> str:
    return {"02": "03", "03": "02"}[commitment[:2]] + commitment[2:]


def case(commitments: list[str], value: int, randomness: int) -> dict[str, Any]:
    """Whether these commitments are opened by these sums."""
    return {"commitments": commitments, "sum": value, "randomness": f"{randomness % ORDER:064x}"}


def settings(browse: Callable[..., Visitor]) -> Visitor:
    """Any page with modules."""
    visitor = browse(Profile("phone", "en"))
    visitor.log_in_new()
    visitor.open("/settings")
    return visitor


COMMIT = """
    async (openings) => {
        const folder = document.querySelector('script[src$="/app.js"]').src.replace("app.js", "");
        const { commit } = await import(`${folder}commitment.js`);
        const { toHexadecimal } = await import(`${folder}ballot-paper.js`);
        const bytes = (text) => Uint8Array.from(text.match(/../g), (digits) => parseInt(digits, 16));
        return Promise.all(openings.map(([value, randomness]) =>
            commit(value, bytes(randomness)).then(toHexadecimal, (error) => error.name)));
    }
"""


def test_commitments_are_those_of_another_implementation(browse: Callable[..., Visitor]) -> None:
    random = Random(1)
    openings = [
        (70, 1), (70, 0), (1, 0), (2, 0), (0, 1), (0, ORDER - 1), (100, ORDER - 1), (100, 2**255), (2_000, ORDER // 2),
        *((random.randint(0, 100), random.randrange(ORDER)) for _ in range(20)),
    ]
    visitor = settings(browse)
    results = visitor.page.evaluate(COMMIT, [[value, f"{randomness:064x}"] for value, randomness in openings])
    assert results == [commitment(*opening) for opening in openings]
    # 1 * H + 0 * G.
    assert results[2] == "0237f5179e99c9f63a0d6ad6aa44e03b8560b00a57d4dac7e67706f7f1dd9ab7a5"


def test_numbers_out_of_range_have_no_commitment(browse: Callable[..., Visitor]) -> None:
    openings = [
        [0, f"{0:064x}"], [-1, f"{1:064x}"], [0.5, f"{1:064x}"], [2**53, f"{1:064x}"], [70, f"{ORDER:064x}"],
        [70, f"{1:062x}"], [70, f"{1:066x}"],
    ]
    assert settings(browse).page.evaluate(COMMIT, openings) == ["RangeError"] * len(openings)


NEW_RANDOMNESS = """
    async (numbers) => {
        const folder = document.querySelector('script[src$="/app.js"]').src.replace("app.js", "");
        const { areOpened, commit, newRandomness } = await import(`${folder}commitment.js`);
        const { toHexadecimal } = await import(`${folder}ballot-paper.js`);
        const first = newRandomness();
        const isOpened = await areOpened([await commit(70, first)], 70, first);
        const isNew = toHexadecimal(first) !== toHexadecimal(newRandomness());
        const bytes = (text) => Uint8Array.from(text.match(/../g), (digits) => parseInt(digits, 16));
        crypto.getRandomValues = (array) => {
            array.set(bytes(numbers.shift()));
            return array;
        };
        return { isOpened, isNew, chosen: [newRandomness(), newRandomness()].map(toHexadecimal), left: numbers };
    }
"""


def test_randomness_is_from_one_to_below_the_order(browse: Callable[..., Visitor]) -> None:
    numbers = [f"{number:064x}" for number in (0, ORDER, 2**256 - 1, ORDER - 1, 1)]
    assert settings(browse).page.evaluate(NEW_RANDOMNESS, numbers) == {
        "isOpened": True, "isNew": True, "chosen": numbers[-2:], "left": [],
    }


ARE_OPENED = """
    async (cases) => {
        const { areOpened } =
            await import(document.querySelector('script[src$="/app.js"]').src.replace("app.js", "commitment.js"));
        const bytes = (text) => Uint8Array.from(text.match(/../g), (digits) => parseInt(digits, 16));
        const results = {};
        for (const [name, { commitments, sum, randomness }] of Object.entries(cases)) {
            results[name] = await areOpened(commitments.map(bytes), sum, bytes(randomness));
        }
        return results;
    }
"""


def votes(number: int) -> tuple[list[str], int, int]:
    """Random commitments, and the two sums that open them."""
    random = Random(number)
    openings = [(random.randint(0, 100), random.randrange(ORDER)) for _ in range(number)]
    values, randomness = zip(*openings)
    return [commitment(*opening) for opening in openings], sum(values), sum(randomness)


def test_sums_open_exactly_their_commitments(browse: Callable[..., Visitor]) -> None:
    every, value, randomness = votes(100)
    first, *rest = every
    invented = commitment(50, 12_345)
    right = {
        "every": case(every, value, randomness),
        "another order": case(every[::-1], value, randomness),
        "one more": case([*every, invented], value + 50, randomness + 12_345),
        "none": case([], 0, 0),
    }
    wrong = {
        "more": case(every, value + 1, randomness),
        "less": case(every, value - 1, randomness),
        "other randomness": case(every, value, randomness + 1),
        "both": case(every, value + 1, randomness - 1),
        "dropped": case(rest, value, randomness),
        "invented": case([*every, invented], value, randomness),
        "swapped": case([invented, *rest], value, randomness),
        "another sign": case([negative(first), *rest], value, randomness),
        "twice": case([*every, first], value, randomness),
        "none, but a value": case([], 1, 0),
        "none, but randomness": case([], 0, 1),
        "not whole": case(every, value + 0.5, randomness),
        "negative": case(every, -value, randomness),
        "large randomness": {**case([], 0, 0), "randomness": f"{ORDER:064x}"},
        "short randomness": {**case([], 0, 0), "randomness": f"{0:062x}"},
    }
    expected = dict.fromkeys(right, True) | dict.fromkeys(wrong, False)
    assert settings(browse).page.evaluate(ARE_OPENED, right | wrong) == expected


def test_equal_and_opposite_commitments_add_up(browse: Callable[..., Visitor]) -> None:
    rest, value, randomness = votes(5)
    one, double, whole = commitment(70, 99), commitment(140, 198), commitment(value, randomness % ORDER)
    cases = {
        "twice": case([one, one], 140, 198),
        "three times": case([one, one, one], 210, 297),
        "twice, and the rest": case([one, one, *rest], value + 140, randomness + 198),
        "opposite": case([one, negative(one)], 0, 0),
        "opposite, and the rest": case([one, negative(one), *rest], value, randomness),
        "the rest, and opposite": case([*rest, one, negative(one)], value, randomness),
        "the negative sum": case([negative(whole), whole, *rest], value, randomness),
        "from the negative": case([negative(one), double], 70, 99),
        "to the negative": case([double, negative(one)], 70, 99),
    }
    assert settings(browse).page.evaluate(ARE_OPENED, cases) == dict.fromkeys(cases, True)


def test_malformed_commitments_open_nothing(browse: Callable[..., Visitor]) -> None:
    """Each would be right if the fault were overlooked."""
    rest, value, randomness = votes(5)
    # Its x begins with zeros.
    small, factor = G, 1
    while small[0] >= 2**248 or small[1] % 2:
        small, factor = added(small, G), factor + 1
    even = encoded(small)
    no_point = next(x for x in range(PRIME) if even_y(x) is None)
    point = next(x for x in range(PRIME) if even_y(x))
    good = {"good": case([even, *rest], value, randomness + factor)}
    malformed = {
        **{prefix: case([prefix + even[2:], *rest], value, randomness + factor) for prefix in ("00", "04", "06", "82")},
        "not on the curve": case([f"02{no_point:064x}", f"03{no_point:064x}", *rest], value, randomness),
        "not below the prime": case([f"02{PRIME + point:064x}", f"03{point:064x}", *rest], value, randomness),
        "32 bytes": case([even[:2] + even[4:], *rest], value, randomness + factor),
        "34 bytes": case([f"{even[:2]}00{even[2:]}", *rest], value, randomness + factor),
        "uncompressed": case([f"04{small[0]:064x}{small[1]:064x}", *rest], value, randomness + factor),
        "infinity": case(["00", *rest], value, randomness),
        "last": case([*rest, even[:-2]], value, randomness + factor),
    }
    expected = dict.fromkeys(good, True) | dict.fromkeys(malformed, False)
    assert settings(browse).page.evaluate(ARE_OPENED, good | malformed) == expected


MEASURE = """
    async ({ commitments, sum, randomness }) => {
        const { areOpened } =
            await import(document.querySelector('script[src$="/app.js"]').src.replace("app.js", "commitment.js"));
        const bytes = (text) => Uint8Array.from(text.match(/../g), (digits) => parseInt(digits, 16));
        const [points, opening] = [commitments.map(bytes), bytes(randomness)];
        const durations = [];
        for (let run = 0; run < 3; run += 1) {
            const start = performance.now();
            if (!await areOpened(points, sum, opening)) return null;
            durations.push(performance.now() - start);
        }
        return Math.min(...durations);
    }
"""


def test_a_hundred_commitments_are_checked_within_a_second(browse: Callable[..., Visitor]) -> None:
    milliseconds = settings(browse).page.evaluate(MEASURE, case(*votes(100)))
    assert milliseconds is not None
    assert milliseconds < 1_000
