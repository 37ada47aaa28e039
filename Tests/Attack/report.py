"""What was measured, as text, as JSON, and as a picture."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from installation import ROOT
from risks import LIMIT, Measurement, Risk

if TYPE_CHECKING:
    from active import Act
    from attack import Row

BEGIN, END = "<!-- The following table is written by `make attack`. -->", "<!-- End of the table. -->"
SHORT = "<!-- The following table in short is written by `make attack`. -->"
ACTING = "<!-- The following table of those who act is written by `make attack`. -->"

# From this advantage on, an observer is shown in red.
MUCH = 0.2

# Pixels.
WIDTH, LABEL, LINE, TOP, GAP = 1_080, 430, 26, 64, 20


def write(rows: Sequence[Row], acts: Sequence[Act], sprints: int, folder: Path | None) -> None:
    """Prints the tables, and writes the files into a folder if there is one."""
    lines, acting = _table(rows), _acting(acts)
    print("\n".join([*lines, "", *acting]))
    if not folder:
        return
    facts = {"date": date.today().isoformat(), "version": _version(), "sprints": sprints, "limit": LIMIT}
    facts |= {"rows": [_json(row) for row in rows], "acts": [_act_json(act) for act in acts]}
    content = json.dumps(facts, indent=2, ensure_ascii=False)
    (folder / "attacks.json").write_text(content + "\n")
    (folder / "attacks.svg").write_text(_picture(rows))
    page = folder / "attacks.md"
    head = f"Measured on {facts['date']} with version {facts['version']}; {sprints:,} sprints for most rows."
    text = _replaced(_replaced(page.read_text(), SHORT, _short(rows)), BEGIN, [head, "", *lines])
    page.write_text(_replaced(text, ACTING, acting))


def _replaced(page: str, begin: str, lines: Sequence[str]) -> str:
    """The page with other lines between `begin` and the next `END`."""
    before, _, rest = page.partition(begin)
    return before + "\n".join([begin, "", *lines, "", END]) + rest.partition(END)[2]


def _version() -> str:
    found = re.search(r'current = "([^"]+)"', (ROOT / "Sources/Product/ProductVersion.swift").read_text())
    assert found
    return found[1]


def _short(rows: Sequence[Row]) -> list[str]:
    """A line for each observer, for people who read no numbers."""
    cells = [["who", "where", "", "what they learn"]]
    for row in rows:
        most = max(row.measured.risks[risk].advantage for risk in Risk if row.measured.risks[risk].sprints)
        if all(row.measured.risks[risk].is_within_limit for risk in Risk if row.measured.risks[risk].sprints):
            nothing = "No value and no text beyond the result that the whole team sees."
            cells.append([row.observer, row.where, "🟢 green", f"{nothing} {row.besides}".rstrip()])
        else:
            cells.append([row.observer, row.where, "🔴 red" if most >= MUCH else "🟡 amber", row.learns])
    return _aligned(cells)


def _table(rows: Sequence[Row]) -> list[str]:
    cells = [["observer", "where", *(risk.value for risk in Risk), "planted leak"]]
    for row in rows:
        cells.append([
            row.observer, row.where, *(_cell(row, risk) for risk in Risk),
            ", ".join(
                f"{risk.value} {_points(row.planted.risks[risk].advantage)}" for risk in Risk if row.planted and risk in row.shows
            ) or "none needed: it learns much",
        ])  # fmt: skip
    return _aligned(cells)


def _acting(acts: Sequence[Act]) -> list[str]:
    """A line for each act."""
    head = ["the server …", "what a voter would lose", "they lose it", "the page says so", "the command says so"]
    cells = [[*head, "shows if people compare"]]
    for act in acts:
        cells.append([act.does, act.loses, *(f"{found} of {of}" if of else "" for found, of in _counts(act).values())])
    return _aligned(cells)


def _counts(act: Act) -> dict[str, tuple[int, int]]:
    """How many voters, of how many."""
    seen = {
        "succeeds": [case.succeeds for case in act.cases],
        "page": [case.noticed for case in act.cases if not case.by_command],
        "command": [case.noticed for case in act.cases if case.by_command],
        "compared": [case.differs for case in act.cases if case.differs is not None],
    }
    return {name: (sum(cases), len(cases)) for name, cases in seen.items()}


def _act_json(act: Act) -> dict[str, Any]:
    counts = {name: {"voters": of, "found": found} for name, (found, of) in _counts(act).items() if of}
    expected = {"succeeds": act.succeeds, "noticed": act.noticed, "differs": act.differs}
    return {"server": act.does, "loses": act.loses, "expected": expected, **counts}


def _aligned(cells: list[list[str]]) -> list[str]:
    """A table in Markdown, the first line being its head."""
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    cells.insert(1, ["-" * width for width in widths])
    return ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in cells]


def _cell(row: Row, risk: Risk) -> str:
    """Such as `✓ +0.4 (−1.2 to +2.0) on 31 %`, with `✓` if the threat model calls it protected."""
    measured = row.measured.risks[risk]
    if not measured.sprints:
        return ""
    low, high = measured.interval
    mark = "✓ " if risk in row.protected else ""
    return f"{mark}{_points(measured.advantage)} ({_points(low)} to {_points(high)}) on {100 * measured.control_rate:.0f} %"


def _points(share: float) -> str:
    """Percentage points with a sign."""
    return f"{100 * share:+.1f}".replace("-", "−")


def _json(row: Row) -> dict[str, Any]:
    def risks(measured: dict[Risk, Measurement]) -> dict[str, Any]:
        return {
            risk.value: {
                "sprints": measurement.sprints, "attack": measurement.attack_rate, "control": measurement.control_rate,
                "advantage": measurement.advantage, "interval": measurement.interval,
            } for risk, measurement in measured.items()
        }  # fmt: skip

    return {
        "observer": row.observer, "where": row.where, "protected": sorted(row.protected),
        "risks": risks(row.measured.risks),
        "planted": row.planted and {risk: values for risk, values in risks(row.planted.risks).items() if risk in row.shows},
    }  # fmt: skip


def _picture(rows: Sequence[Row]) -> str:
    """A line for each row, and in it an interval for each risk; the dashed line is the limit."""
    panel = (WIDTH - LABEL - GAP * len(Risk)) / len(Risk)
    # From −0.1 to 1.
    scale = panel / 1.1

    def place(column: int, share: float) -> float:
        return round(LABEL + column * (panel + GAP) + (min(1, max(-0.1, share)) + 0.1) * scale, 1)

    height = TOP + LINE * len(rows) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title">',
        '<title id="title">How much better than a guess each observer is, with 95 % intervals</title>',
        "<style>",
        "text{font:13px system-ui,sans-serif;fill:#1c2733}.head{font-weight:600}.axis{stroke:#8a97a5}",
        ".limit{stroke:#8a97a5;stroke-dasharray:3 3}.protected{stroke:#0b6e4f;fill:#0b6e4f}.open{stroke:#b3401f;fill:#b3401f}",
        "rect{fill:#fff}",
        "@media(prefers-color-scheme:dark){rect{fill:#14191f}text{fill:#e6edf3}.protected{stroke:#4cc38a;fill:#4cc38a}"
        ".open{stroke:#ff9b70;fill:#ff9b70}}",
        "</style>",
        f'<rect width="{WIDTH}" height="{height}"/>',
    ]
    for column, risk in enumerate(Risk):
        parts.append(f'<text class="head" x="{place(column, 0)}" y="24">{risk.value}</text>')
        for share, label, anchor in ((0, "0", "middle"), (0.5, "50", "middle"), (1, "100 %", "end")):
            parts.append(f'<text x="{place(column, share)}" y="46" text-anchor="{anchor}">{label}</text>')
        for share, kind in ((0, "axis"), (LIMIT, "limit")):
            x = place(column, share)
            parts.append(f'<line class="{kind}" x1="{x}" x2="{x}" y1="{TOP - 10}" y2="{height - GAP}"/>')
    for number, row in enumerate(rows):
        y = TOP + LINE * number + LINE / 2
        label = f"{row.observer}, {row.where}".replace("`", "")
        parts.append(f'<text x="8" y="{y + 4}">{escape(label)}</text>')
        for column, risk in enumerate(Risk):
            measured = row.measured.risks[risk]
            if not measured.sprints:
                continue
            kind = "protected" if risk in row.protected else "open"
            low, high = (place(column, share) for share in measured.interval)
            parts.append(f'<line class="{kind}" stroke-width="2" x1="{low}" x2="{high}" y1="{y}" y2="{y}"/>')
            parts.append(f'<circle class="{kind}" r="4" cx="{place(column, measured.advantage)}" cy="{y}"/>')
    return "\n".join([*parts, "</svg>", ""])
