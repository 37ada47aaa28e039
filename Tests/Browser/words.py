"""The texts of the pages, so that tests work in each language, and better wording breaks none."""

from __future__ import annotations

import json

from installation import ROOT


class Words:
    """The texts of one language, by `SECTION.KEY`."""

    def __init__(self, language: str) -> None:
        self._sections = json.loads((ROOT / "templates" / "messages" / f"{language}.json").read_text())

    def __getitem__(self, key: str) -> str:
        section, name = key.split(".", maxsplit=1)
        return self._sections[section][name]
