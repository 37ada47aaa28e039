"""The list of a count in the browser, and its code, against the same in Python. `SprintCountTests` reads the same list
in Swift."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import count_list
import pytest
from test_commitments import settings
from visitor import Visitor

VECTOR = json.loads(Path(__file__).with_name("vectors").joinpath("count.json").read_text())
LIST = VECTOR["count"]

READ = """
    async (lists) => {
        const folder = document.querySelector('script[src$="/app.js"]').src.replace("app.js", "");
        const { codeOf, forgedPapers, readCount } = await import(`${folder}count-list.js`);
        const results = {};
        for (const [name, list] of Object.entries(lists)) {
            const count = await readCount(list, { team: "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f", sprint: "2026/23" });
            const forged = count?.papers ? (await forgedPapers(count)).length : null;
            results[name] = count && { code: await codeOf(count), forged };
        }
        return results;
    }
"""


def read(browse: Callable[..., Visitor], lists: dict[str, Any]) -> dict[str, Any]:
    return settings(browse).page.evaluate(READ, lists)


def with_papers(change: Callable[[list[dict[str, str]]], list[dict[str, str]]]) -> dict[str, Any]:
    return LIST | {"papers": LIST["papers"] | {"spent": change([dict(one) for one in LIST["papers"]["spent"]])}}


def forge(spent: list[dict[str, str]]) -> list[dict[str, str]]:
    """Swaps the signatures of two papers."""
    first, second = [one for one in spent if "signature" in one][:2]
    first["signature"], second["signature"] = second["signature"], first["signature"]
    return spent


def test_the_code_is_that_of_other_programs(browse: Callable[..., Visitor]) -> None:
    without = LIST | {"papers": None, "key": None}
    assert (count_list.code(LIST), count_list.code(without)) == (VECTOR["code"], VECTOR["codeWithoutPapers"])
    # Their order in the answer is not part of it.
    turned = dict(reversed(LIST.items()))
    assert read(browse, {"list": LIST, "without": without, "turned": turned}) == {
        "list": {"code": VECTOR["code"], "forged": 0}, "without": {"code": VECTOR["codeWithoutPapers"], "forged": None},
        "turned": {"code": VECTOR["code"], "forged": 0},
    }


def test_another_value_in_any_field_is_another_code(browse: Callable[..., Visitor]) -> None:
    changes = {
        "sum": LIST | {"sum": 206},
        "members": LIST | {"members": 10},
        "randomness": LIST | {"randomness": "A" * 43},
        "issued": LIST | {"papers": LIST["papers"] | {"issued": 6}},
        "fewer votes": LIST | {"votes": 3, "commitments": LIST["commitments"][:3]},
        "fewer papers": with_papers(lambda spent: spent[:-1]),
        "a paper twice": with_papers(lambda spent: [spent[0], *spent]),
        "swapped signatures": with_papers(forge),
    }
    results = read(browse, changes)
    assert {name: result["code"] for name, result in results.items()} == {
        name: count_list.code(change) for name, change in changes.items()}
    assert len({VECTOR["code"], *(result["code"] for result in results.values())}) == len(changes) + 1
    assert {name: result["forged"] for name, result in results.items() if result["forged"]} == {"swapped signatures": 2}


def test_a_hash_that_contains_a_signature_has_no_code() -> None:
    def join(spent: list[dict[str, str]]) -> list[dict[str, str]]:
        both = [(count_list.spent_hash(LIST, one), count_list.signature_of(one)) for one in spent]
        return [{"hash": count_list.encoded(paper + signature)} for paper, signature in both]

    with pytest.raises(ValueError):
        count_list.code(with_papers(join))


def test_a_list_of_another_sprint_or_of_another_form_is_not_read(browse: Callable[..., Visitor]) -> None:
    signed = next(place for place, one in enumerate(LIST["papers"]["spent"]) if "signature" in one)

    def with_paper(**changes: Any) -> dict[str, Any]:
        return with_papers(lambda spent: [one | changes if place == signed else one for place, one in enumerate(spent)])

    lists = {
        "another team": LIST | {"team": "0" * 32},
        "another sprint": LIST | {"sprint": "2026/22"},
        "unsorted commitments": LIST | {"commitments": LIST["commitments"][::-1]},
        "unsorted papers": with_papers(lambda spent: spent[::-1]),
        "a commitment too few": LIST | {"commitments": LIST["commitments"][:-1]},
        "a short commitment": LIST | {"commitments": ["AAAA", *LIST["commitments"][1:]]},
        "short randomness": LIST | {"randomness": "AAAA"},
        "a negative number": LIST | {"sum": -1},
        "half a number": LIST | {"sum": 205.5},
        "a large number": LIST | {"members": 2**32},
        "a number as text": LIST | {"members": "9"},
        "no number of papers": LIST | {"papers": {"spent": LIST["papers"]["spent"]}},
        "an empty number of papers": LIST | {"papers": LIST["papers"] | {"issued": None}},
        "another key": LIST | {"key": "AAAA"},
        "papers without a key": LIST | {"key": None},
        "a short paper": with_paper(paper="AAAA"),
        "a short signature": with_paper(signature="AAAA"),
        "a paper alone": with_paper(signature=None),
        "nothing": {},
    }
    assert read(browse, lists) == dict.fromkeys(lists)
