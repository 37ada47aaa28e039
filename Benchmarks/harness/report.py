"""Prints the table and compares with the previous run."""

import dataclasses
import json
import operator

from .processes import ROOT

KEPT = ROOT / ".bench/latest.json"

COMPARISONS = {"≥": operator.ge, "≤": operator.le}


@dataclasses.dataclass
class Row:
    """One measured value. `value` is a ratio if `detail` contains the two rates behind it."""

    store: str
    what: str
    value: float
    unit: str
    comparison: str = ""
    bar: float = 0
    detail: str = ""

    @property
    def key(self) -> str:
        return f"{self.store}: {self.what}"

    @property
    def verdict(self) -> str:
        if not self.comparison:
            return ""
        return "ok" if COMPARISONS[self.comparison](self.value, self.bar) else "MISS"

    def cells(self, before) -> list[str]:
        change = ""
        if before:
            change = f"{(self.value / before - 1) * 100:+.0f} %"
        bar = f"{self.comparison} {self.bar:g}" if self.comparison else ""
        value = f"{self.value:.2f}" if self.value < 10 else f"{self.value:,.0f}"
        return [self.store, self.what, f"{value} {self.unit}".strip(), bar, self.verdict, self.detail, change]


HEADINGS = ["store", "what", "measured", "bar", "", "from", "last time"]


def publish(rows, machine) -> bool:
    """Prints the table (in Markdown, so that it can be pasted), stores the values for the next run, and returns whether
    every bar was met."""
    before = {}
    if KEPT.exists():
        before = json.loads(KEPT.read_text(encoding="utf-8"))["rows"]
    table = [HEADINGS] + [row.cells(before.get(row.key)) for row in rows]
    widths = [max(len(line[column]) for line in table) for column in range(len(HEADINGS))]
    table.insert(1, ["-" * width for width in widths])
    print()
    for line in table:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")
    print()

    # Stores that were not measured this time keep their previous values.
    values = before | {row.key: row.value for row in rows}
    KEPT.parent.mkdir(exist_ok=True)
    kept = json.dumps({"machine": machine, "rows": values}, indent=2, ensure_ascii=False)
    KEPT.write_text(kept + "\n", encoding="utf-8")
    missed = [row.key for row in rows if row.verdict == "MISS"]
    print(f"{len(rows) - len(missed)} rows without a miss." + "".join(f"\nMISS {key}" for key in missed))
    return not missed
