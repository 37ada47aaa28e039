"""The table of what grows with what: its values, which are stored as they come, and its form."""

import json

from .processes import ROOT

KEPT = ROOT / ".bench/growth.json"


class GrowthTable:
    """Values by store, group, row and size. A value is a number, or words that say why there is none."""

    def __init__(self, values=None, file=None):
        self.values = values or {}
        self._file = file

    @classmethod
    def kept(cls) -> "GrowthTable":
        """What earlier runs have measured: a long run can be made in parts."""
        return cls(json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}, KEPT)

    def forget(self, store, group):
        """Removes the values of a group that is measured again."""
        self.values.setdefault(store, {})[group] = {}

    def add(self, store, group, row, size, value):
        """Stores a value at once, so that a run that is interrupted keeps what it has measured."""
        rows = self.values.setdefault(store, {}).setdefault(group, {})
        rows.setdefault(row, {})[str(size)] = value
        if self._file is not None:
            self._file.parent.mkdir(exist_ok=True)
            self._file.write_text(json.dumps(self.values, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    def show(self, store, titles):
        """Prints the table of a store in Markdown.

        `titles` are the headings of the groups, which also give their order."""
        groups = {group: rows for group, rows in self.values.get(store, {}).items() if rows}
        columns = max((len(sizes(rows)) for rows in groups.values()), default=0)
        lines = [[store, *[""] * columns, "growth"]]
        for group, title in titles.items():
            if group in groups:
                lines += self._lines(groups[group], title, columns)
        widths = [max(len(line[column]) for line in lines) for column in range(columns + 2)]
        lines.insert(1, ["-" * widths[0], *["-" * (width - 1) + ":" for width in widths[1:]]])
        print()
        for line in lines:
            cells = [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:]))]
            print("| " + " | ".join(cells) + " |")
        print()

    @staticmethod
    def _lines(rows, title, columns):
        measured = sizes(rows)
        rest = [""] * (columns - len(measured))
        lines = [[f"**{title}**", *(f"**{size:,}**" for size in measured), *rest, factor(measured)]]
        for row, values in rows.items():
            found = [values.get(str(size), "") for size in measured]
            lines.append([row, *(cell(value) for value in found), *rest, factor(found)])
        return lines

    def misses(self, bars) -> list[str]:
        """The measured values above their bars.

        `bars` has the largest permitted value by group, row and size."""
        return [
            f"{store}: {row}, {size:,}: {cell(value)}, bar {bar:,}"
            for store, groups in self.values.items()
            for (group, row, size), bar in bars.items()
            if (value := groups.get(group, {}).get(row, {}).get(str(size))) is not None
            and (isinstance(value, str) or value > bar)
        ]


def sizes(rows) -> list[int]:
    """All sizes for which a group has a value."""
    return sorted({int(size) for values in rows.values() for size in values})


def cell(value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def factor(values) -> str:
    """The last value divided by the first; empty unless both are numbers."""
    if len(values) < 2 or isinstance(values[0], str) or isinstance(values[-1], str) or not values[0]:
        return ""
    ratio = values[-1] / values[0]
    return f"× {ratio:.1f}" if ratio < 10 else f"× {ratio:,.0f}"
