"""The templates of the API reference, which scripts/api-reference.py makes from openapi.yaml."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from html.parser import HTMLParser
from types import ModuleType

import pytest
import yaml
from installation import ROOT

SCRIPT = ROOT / "scripts/api-reference.py"
HOSTILE = "<script>alert(1)</script>\"'&{{words}}{{{page}}}><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script, whose name is none that could be imported."""
    spec = importlib.util.spec_from_file_location("api_reference", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Markup(HTMLParser):
    """The names of all elements, and all texts."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.texts: list[str] = []
        self.values: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.values += [value for _, value in attrs]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_templates_are_what_the_script_makes_of_the_document() -> None:
    checked = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_no_text_of_the_document_becomes_markup_or_part_of_the_template(script: ModuleType) -> None:
    document = {
        "tags": [{"name": HOSTILE, "description": f"{HOSTILE}\n\n`{HOSTILE}`"}],
        "paths": {HOSTILE: {"post": {
            "tags": [HOSTILE], "operationId": HOSTILE, "summary": HOSTILE, "description": HOSTILE, "x-callers": "anyone",
            "parameters": [{
                "name": HOSTILE, "in": "query", "example": HOSTILE, "description": HOSTILE,
                "schema": {"type": "string", "enum": [HOSTILE], "pattern": HOSTILE}}],
            "requestBody": {"content": {HOSTILE: {
                "example": HOSTILE,
                "schema": {"type": "object", "properties": {HOSTILE: {"type": HOSTILE, "format": HOSTILE}}}}}},
            "responses": {"200": {"description": HOSTILE, "content": {
                HOSTILE: {"schema": {"$ref": "#/components/schemas/X"}}}}}}}},
        "components": {"schemas": {"X": {"description": HOSTILE, "properties": {HOSTILE: {"const": HOSTILE}}}}},
    }
    made = script.templates(yaml.dump(document), "")
    assert len(made) == 2
    for name, template in made.items():
        markup = Markup()
        markup.feed(template)
        assert not markup.elements & {"script", "img"}, name
        assert HOSTILE in markup.texts and (HOSTILE in markup.values or "pages/" in name), name
        assert "{{{" not in template and "{{words}}" not in template, name


def test_values_are_read_as_yaml_1_2_has_them_and_shown_as_json(script: ModuleType) -> None:
    text = r"""{ a: 2026-11-09, b: yes, c: 0.1, d: null, e: 'null', f: "x\ty\"\\", g: [true, -2], h: 2026/3 }"""
    value = script.tree(yaml.compose(text))
    expected = {
        "a": "2026-11-09", "b": "yes", "c": 0.1, "d": None, "e": "null", "f": 'x\ty"\\', "g": [True, -2], "h": "2026/3"}
    assert json.loads(script.one_line(value)) == json.loads(script.pretty(value)) == expected
    assert script.pretty(value).startswith('{\n  "a": "2026-11-09",\n  "b"')
    assert script.pretty({"a": script.Number("1")}) == '{ "a": 1 }'


def test_an_operation_needs_one_of_the_words_for_its_callers(script: ModuleType) -> None:
    operation = {"tags": ["a"], "operationId": "b", "x-callers": "everybody", "responses": {}}
    document = yaml.dump({"tags": [{"name": "a"}], "paths": {"/": {"get": operation}}})
    with pytest.raises(SystemExit, match="everybody"):
        script.templates(document, "")
