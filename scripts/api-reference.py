#!/usr/bin/env python3
"""Writes the templates of the API reference from openapi/openapi.yaml: templates/pages/api-reference.mustache with all
routes, and one for each topic in templates/reference. Commit what it writes.

    .venv/bin/python3 scripts/api-reference.py           # write
    .venv/bin/python3 scripts/api-reference.py --check   # fail if a file is not what this would write

The document's texts are English in every language. What surrounds them is looked up at each request, so that it follows
the reader's language and the installation's own texts.
"""

from __future__ import annotations

import html
import pathlib
import re
import sys
from typing import Any

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
METHODS = ["get", "put", "post", "delete", "patch"]
# Who may use an operation, `x-callers` of the document. Each word is a text of `reference` in templates/messages.
CALLERS = [
    "anyone", "users", "members", "membersAndAdmins", "leads", "leadsAndAssignee", "leadsAndAdmins", "anyLeadsAndAdmins",
    "admins",
]
# The media type of refusals (RFC 9457). The page about the API describes them.
PROBLEM = "application/problem+json"
# References and levels that are followed.
DEEPEST = 12
# Characters of a list or an object in JSON that still fits on a line.
LINE_LENGTH = 56
# Examples of texts by their format.
TEXTS = {
    "date-time": "2026-11-09T08:00:00Z", "date": "2026-11-09", "email": "anna@example.org",
    "uri": "https://happiness.example.org/", "uri-reference": "/", "password": "purple lamp 9",
}


class Number(str):
    """A number as it is written, such as `0.1`."""


def tree(node: yaml.Node) -> Any:
    """A value by the core schema of YAML 1.2 (§10.3.2), as OpenAPI requires: unlike in YAML 1.1, which PyYAML reads, a
    date or `yes` is a text."""
    if isinstance(node, yaml.MappingNode):
        return {key.value: tree(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [tree(item) for item in node.value]
    if node.style is not None:
        return node.value
    plain = {"": None, "~": None, "null": None, "true": True, "false": False}
    if node.value in plain:
        return plain[node.value]
    return Number(node.value) if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", node.value) else node.value


def quoted(text: str) -> str:
    """A text in JSON."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    return '"' + "".join(escapes.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text) + '"'


def one_line(value: Any) -> str:
    """JSON on one line."""
    match value:
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case Number():
            return str(value)
        case str():
            return quoted(value)
        case list():
            return f"[{', '.join(map(one_line, value))}]"
        case _:
            return f"{{ {', '.join(f'{quoted(name)}: {one_line(field)}' for name, field in value.items())} }}"


def pretty(value: Any, indent: str = "") -> str:
    """JSON with indented lines; short lists and objects stay on one."""
    line = one_line(value)
    if len(line) <= LINE_LENGTH or not isinstance(value, (list, dict)):
        return line
    deeper = indent + "  "
    if isinstance(value, list):
        lines, (opening, closing) = [deeper + pretty(item, deeper) for item in value], "[]"
    else:
        lines = [f"{deeper}{quoted(name)}: {pretty(field, deeper)}" for name, field in value.items()]
        opening, closing = "{}"
    return f"{opening}\n" + ",\n".join(lines) + f"\n{indent}{closing}"


def plain(value: Any) -> str:
    """A single value as people read it, without quotation marks."""
    return str(value) if isinstance(value, str) else one_line(value)


def is_text(value: Any) -> bool:
    """Whether a value of the document is a text."""
    return isinstance(value, str) and not isinstance(value, Number)


def slug(name: str) -> str:
    """The part of a topic's address."""
    return "".join(c if c.isalnum() else "-" for c in name.lower())


# What a document says


class Document:
    """An OpenAPI 3.1 document, as far as ours uses it."""

    def __init__(self, text: str) -> None:
        self.root = tree(yaml.compose(text))

    def resolved(self, value: Any) -> Any:
        """The value that a `$ref` leads to; a value without one is returned unchanged."""
        # The bound ends a circle of references.
        for _ in range(DEEPEST):
            if "$ref" not in value:
                return value
            value = self.found(value["$ref"])
        return value

    def found(self, reference: str) -> Any:
        """The value at `#/a/b`."""
        value = self.root
        for name in reference.split("/")[1:]:
            value = value[name]
        return value

    def is_object(self, schema: Any) -> bool:
        """Whether values are objects with fields of their own, which a page describes once."""
        schema = self.resolved(schema)
        return "properties" in schema or "allOf" in schema

    def properties(self, schema: Any, depth: int = 0) -> dict[str, tuple[Any, bool]]:
        """The properties of an object, those of `allOf` included, and whether they are required. The last one of a
        name counts, in the place of the first."""
        if depth >= DEEPEST:
            return {}
        schema = self.resolved(schema)
        found: dict[str, tuple[Any, bool]] = {}
        for part in schema.get("allOf", []):
            found |= self.properties(part, depth + 1)
        required = schema.get("required", [])
        return found | {name: (value, name in required) for name, value in schema.get("properties", {}).items()}

    def alternatives(self, schema: Any) -> list[Any]:
        """Those of `oneOf` or `anyOf`, without the one for `null`."""
        return [part for part in schema.get("oneOf") or schema.get("anyOf") or [] if part.get("type") != "null"]

    def types(self, schema: Any) -> list[str]:
        """Types of a schema's values, without `null`."""
        types = schema.get("type", [])
        return [name for name in ([types] if isinstance(types, str) else types) if name != "null"]

    def is_nullable(self, schema: Any) -> bool:
        """Whether a schema permits `null`."""
        schema = self.resolved(schema)
        types = schema.get("type")
        return isinstance(types, list) and "null" in types or any(
            part.get("type") == "null" for part in schema.get("oneOf", []))

    def example_of_content(self, content: Any) -> Any:
        """The written example of a request's or response's content, or one that follows from its schema."""
        if "example" in content:
            return content["example"]
        for first in content.get("examples", {}).values():
            return self.resolved(first)["value"]
        return self.example(content["schema"])

    def example(self, reference: Any, depth: int = 0) -> Any:
        """The example of a schema: the written one, else the only or first value, else one that follows from its
        type."""
        schema = self.resolved(reference)
        for written in (reference, schema):
            if "example" in written:
                return written["example"]
        if "const" in schema:
            return schema["const"]
        values = [value for value in schema.get("enum", []) if value is not None]
        if values:
            return values[0]
        if schema.get("default") is not None:
            return schema["default"]
        if depth >= DEEPEST:
            return None
        properties = self.properties(schema)
        if properties:
            return {name: self.example(value, depth + 1) for name, (value, _) in properties.items()}
        for first in self.alternatives(schema):
            return self.example(first, depth + 1)
        match next(iter(self.types(schema)), None):
            case "array":
                count = max(1, int(schema.get("minItems", 1)))
                return [self.example(schema["items"], depth + 1)] * count if "items" in schema else []
            case "object":
                values = schema.get("additionalProperties")
                return {"name": self.example(values, depth + 1)} if isinstance(values, dict) and values else {}
            case "integer" | "number":
                return schema.get("minimum", Number("1"))
            case "boolean":
                return True
            case "string":
                return TEXTS.get(schema.get("format", ""), "text")
        return None

    # Types and limits in words

    def value_schema(self, schema: Any) -> Any:
        """The schema of the values other than `null`."""
        resolved = self.resolved(schema)
        alternatives = self.alternatives(resolved)
        return alternatives[0] if len(alternatives) == 1 and "properties" not in resolved else schema

    def object_name(self, schema: Any) -> str | None:
        """The name of an object that is described on its own."""
        inner = self.value_schema(schema)
        return inner["$ref"].rsplit("/", 1)[-1] if self.is_object(inner) and "$ref" in inner else None

    def inner_object(self, schema: Any) -> tuple[Any, str] | None:
        """An object without a name of its own, in a field or in the items of a list, and what separates its fields."""
        if self.object_name(schema):
            return None
        inner = self.resolved(self.value_schema(schema))
        if "items" in inner:
            items = inner["items"]
            return (items, "[].") if not self.object_name(items) and self.is_object(items) else None
        return (inner, ".") if self.is_object(inner) else None

    def fields(self, schema: Any, prefix: str = "", depth: int = 0) -> list[str]:
        """The fields of an object in HTML. Objects within it that have no name of their own are listed with it."""
        if depth >= DEEPEST:
            return []
        own: list[str] = []
        for name, (value, is_required) in self.properties(schema).items():
            own.append(self.field(prefix + name, value, is_required))
            if inner := self.inner_object(value):
                own += self.fields(inner[0], f"{prefix}{name}{inner[1]}", depth + 1)
        inner = self.inner_object(schema)
        if not own and inner and inner[1].startswith("["):
            return self.fields(inner[0], prefix + inner[1], depth + 1)
        return own

    def field(self, name: str, schema: Any, is_required: bool, description: str | None = None) -> str:
        """A parameter, or a field of an object, in HTML."""
        before, linked, after = self.type_name(schema)
        text = description or schema.get("description")
        # An object's own description is where the link leads.
        if not text and not linked:
            text = self.value_schema(schema).get("description")
        limits = self.limits(schema)
        return (
            f"<code>{escaped(name)}</code> <i>{type_html(before, linked, after)}"
            + (f"; {escaped(limits)}" if limits else "") + "</i>"
            + (" <b>required</b>" if is_required else "") + prose(text))

    def type_name(self, schema: Any) -> tuple[str, str | None, str]:
        """For example `string`, `list of Sprint`, or `string, date or null`: what stands before the name of an object
        that is described on its own, this name, and what stands after it."""
        end = " or null" if self.is_nullable(schema) else ""
        if name := self.object_name(schema):
            return "", name, end
        resolved = self.resolved(self.value_schema(schema))
        if self.types(resolved)[:1] == ["array"] and "items" in resolved:
            before, name, after = self.type_name(resolved["items"])
            return f"list of {before}", name, after + end
        alternatives = self.alternatives(resolved)
        if len(alternatives) > 1 and "properties" not in resolved:
            return " or ".join(map(self.plain_name, alternatives)) + end, None, ""
        return self.plain_name(resolved) + end, None, ""

    def plain_name(self, schema: Any) -> str:
        """The type and format of a schema's values."""
        name = " or ".join(self.types(schema)) or ("string" if "const" in schema else "any")
        values = schema.get("additionalProperties")
        if name == "object" and isinstance(values, dict) and values:
            return f"object of {self.plain_name(self.resolved(values))}"
        return f"{name}, {schema['format']}" if "format" in schema else name

    def limits(self, reference: Any) -> str:
        """Values, range, length and such; empty without any."""
        schema = self.resolved(self.value_schema(reference))
        parts: list[str] = []
        if "const" in schema:
            parts.append(f"always {plain(schema['const'])}")
        if "enum" in schema:
            parts.append(f"one of {', '.join(plain(value) for value in schema['enum'] if value is not None)}")
        for least, most, unit in [
            ("minimum", "maximum", ""), ("minLength", "maxLength", " characters"), ("minItems", "maxItems", " items"),
        ]:
            if least in schema and most in schema:
                low, high = plain(schema[least]), plain(schema[most])
                parts.append(f"{low}{unit}" if low == high else f"{low} to {high}{unit}")
            elif least in schema:
                parts.append(f"at least {plain(schema[least])}{unit}")
            elif most in schema:
                parts.append(f"at most {plain(schema[most])}{unit}")
        if "multipleOf" in schema:
            parts.append(f"in steps of {plain(schema['multipleOf'])}")
        if "pattern" in schema:
            parts.append(f"matches {plain(schema['pattern'])}")
        for written in (reference, schema):
            if "default" in written:
                parts.append(f"default {plain(written['default'])}")
                break
        return "; ".join(parts)

    def collect(self, schema: Any, names: set[str]) -> None:
        """Adds the names of the objects that a schema refers to, and of those that they refer to."""
        if name := self.object_name(schema):
            if name in names:
                return
            names.add(name)
        inner = self.resolved(self.value_schema(schema))
        for value, _ in self.properties(inner).values():
            self.collect(value, names)
        for key in ["items", "additionalProperties"]:
            if isinstance(inner.get(key), dict) and inner[key]:
                self.collect(inner[key], names)


# HTML


def escaped(text: str) -> str:
    """A text of the document in HTML, and in a template. Browsers read all ends of lines as LF."""
    return html.escape(text.replace("\r\n", "\n")).replace("{{", "{&#123;")


def word(name: str) -> str:
    """A text of `reference` in templates/messages."""
    return f"{{{{words.reference.{name}}}}}"


def prose(text: str | None, reasons: frozenset[str] = frozenset()) -> str:
    """A description: paragraphs separated by empty lines; code between backticks. Code that is the reason of an error
    becomes a link to its explanation."""
    paragraphs: list[str] = []
    for block in (text or "").split("\n\n"):
        pieces = [escaped(piece) for piece in " ".join(filter(None, block.split("\n"))).split("`")]
        for index in range(1, len(pieces), 2):
            code = f"<code>{pieces[index]}</code>"
            pieces[index] = f'<a href="/api#{pieces[index]}">{code}</a>' if pieces[index] in reasons else code
        if block:
            paragraphs.append(f"<p>{''.join(pieces)}</p>")
    return "".join(paragraphs)


def type_html(before: str, linked: str | None, after: str) -> str:
    """A type's name, with a link to the object's description."""
    link = f'<a href="#type-{escaped(linked)}">{escaped(linked)}</a>' if linked else ""
    return escaped(before) + link + escaped(after)


def items(lines: list[str]) -> str:
    """Items of a list."""
    return "".join(f"<li>{line}</li>\n" for line in lines)


class Topic:
    """A group of operations, one page."""

    def __init__(self, document: Document, tag: Any, reasons: frozenset[str]) -> None:
        self.document = document
        self.reasons = reasons
        self.name: str = tag["name"]
        self.description: str | None = tag.get("description")
        self.slug = slug(self.name)
        self.address = f"/api/reference/{self.slug}"
        # Method, path, operation, parameters.
        self.operations = [
            (method, path, node, [document.resolved(one) for one in
                                  item.get("parameters", []) + node.get("parameters", [])])
            for path, item in document.root["paths"].items() for method, node in item.items()
            if method in METHODS and node["tags"][0] == self.name]
        # Only refusals are shared: each operation shows its own successful answers.
        references = [
            response["$ref"] for _, _, node, _ in self.operations
            for status, response in node["responses"].items() if status >= "400" and "$ref" in response]
        self.shared = {reference for reference in references if references.count(reference) > 1}

    def is_shared(self, response: Any) -> bool:
        """Whether the response is described once for the topic."""
        return response.get("$ref") in self.shared

    @staticmethod
    def anchor(status: str, response: Any) -> str:
        """Its status, and the name that its reference has."""
        return f"answer-{status}-{response.get('$ref', '').rsplit('/', 1)[-1]}"

    def overview(self) -> str:
        """The topic on the page with all operations."""
        lines = [
            f'<li data-operation><a href="{self.address}#{escaped(node["operationId"])}">'
            f'<span class="method {method.upper()}">{method.upper()}</span> <code>{escaped(path)}</code></a> '
            f"<span>{escaped(node.get('summary', ''))}</span></li>\n"
            for method, path, node, _ in self.operations]
        return (
            f'<section class="group" aria-labelledby="topic-{self.slug}" lang="en">\n'
            f'<h2 id="topic-{self.slug}"><a href="{self.address}">{escaped(self.name)}</a></h2>\n'
            f"{prose(self.description)}\n"
            f'<ul class="operations">\n{"".join(lines)}</ul>\n</section>\n')

    def page(self, topics: list[Topic]) -> str:
        """The topic's own page."""
        shared = sorted({
            (status, self.anchor(status, response)): response for _, _, node, _ in self.operations
            for status, response in node["responses"].items() if self.is_shared(response)}.items())
        answers = "".join(
            f'<li id="{escaped(anchor)}">{self.answer(status, response)}</li>\n' for (status, anchor), response in shared)
        return page(
            topics, self,
            f'<div lang="en">\n{prose(self.description)}\n</div>\n'
            "{{> reference-access}}\n"
            + "".join(self.operation(*operation) for operation in self.operations)
            + f"<h2>{word('sharedAnswers')}</h2>\n"
            f'<p>{word("problems")} <a href="/api#errors">{word("guide")}</a></p>\n'
            f'<ul class="answers" lang="en">\n{answers}</ul>\n'
            f"<h2>{word('types')}</h2>\n" + "".join(map(self.object_type, self.types()))
            + "{{> reference-try}}\n")

    def operation(self, method: str, path: str, node: Any, parameters: list[Any]) -> str:
        """A method and a path."""
        name = escaped(node["operationId"])
        caller = node["x-callers"]
        if caller not in CALLERS:
            sys.exit(f"api-reference: x-callers of {name} is {caller}, not one of {', '.join(CALLERS)}")
        responses = list(node["responses"].items())
        also = "".join(
            f'<a href="#{escaped(self.anchor(status, response))}">{escaped(status)}</a> '
            for status, response in responses if self.is_shared(response))
        own = [self.answer(status, response) for status, response in responses if not self.is_shared(response)]
        listed = "".join(map(self.parameter, parameters))
        return (
            f'<details class="operation" data-operation data-method="{method.upper()}" data-path="{escaped(path)}"'
            f"{'' if method == 'get' else ' data-changes'}>\n"
            f'<summary><span class="method {method.upper()}">{method.upper()}</span> <code>{escaped(path)}</code> '
            f'<span lang="en">{escaped(node.get("summary", ""))}</span></summary>\n'
            f'<div id="{name}" class="inside">\n<div lang="en">{prose(node.get("description"))}</div>\n'
            f'<p><a href="#{name}">{name}</a> · {word("callers")} <strong>{word(caller)}</strong></p>\n'
            + (f'<h3>{word("parameters")}</h3>\n<ul class="fields" lang="en">\n{listed}</ul>\n' if listed else "")
            + (self.body(self.document.resolved(node["requestBody"])) if "requestBody" in node else "")
            + f'<h3>{word("answers")}</h3>\n<ul class="answers" lang="en">\n{items(own)}</ul>\n'
            f'<p class="also">{word("also")} {also}</p>\n</div>\n</details>\n')

    def parameter(self, node: Any) -> str:
        """A parameter in path, query or headers, with what its field in the form needs."""
        schema = node.get("schema", {})
        resolved = self.document.resolved(schema)
        attributes = f' data-name="{escaped(node["name"])}" data-place="{escaped(node["in"])}"'
        if node.get("required") is True:
            attributes += " data-required"
        if "enum" in resolved:
            attributes += f' data-choices="{escaped(" ".join(map(plain, resolved["enum"])))}"'
        for hints, key in [(node, "example"), (resolved, "example"), (resolved, "default")]:
            if key in hints:
                attributes += f' data-hint="{escaped(plain(hints[key]))}"'
                break
        field = self.document.field(
            node["name"], schema, node.get("required") is True, description=node.get("description"))
        return f"<li{attributes}>{field} <i>in {escaped(node['in'])}</i></li>\n"

    def body(self, node: Any) -> str:
        """The body of a request."""
        contents = node["content"]
        json = "application/json" if "application/json" in contents else None
        text = next((name for name in contents if name.startswith("text/")), None)
        shown = json or text or next(iter(contents))
        content = contents[shown]
        fields = self.document.fields(content["schema"]) if "schema" in content else []
        is_form = list(contents) == ["multipart/form-data"]
        kind = "json" if json else "text" if text else "form" if is_form else "file"
        part = ""
        if is_form:
            part = f' data-part="{escaped(next(iter(self.document.properties(content["schema"]))))}"'
        example = ""
        if not is_form and content.keys() & {"example", "examples", "schema"}:
            value = self.document.example_of_content(content)
            example = f"<pre data-example><code>{escaped(pretty(value) if json else plain(value))}</code></pre>\n"
        optional = "" if node.get("required") is True else ' <span lang="en">(optional)</span>'
        return (
            f"<h3>{word('body')}</h3>\n"
            f'<p data-body="{kind}" data-type="{escaped(shown)}"{part}><code>{escaped(", ".join(contents))}</code>'
            f"{optional}</p>\n{example}"
            + (f'<ul class="fields" lang="en">\n{items(fields)}</ul>\n' if fields else ""))

    def answer(self, status: str, response: Any) -> str:
        """A response."""
        node = self.document.resolved(response)
        media, content = next(iter(node.get("content", {}).items()), (None, {}))
        is_problem = media == PROBLEM
        schema = content.get("schema")
        kind = ""
        if schema and not is_problem and (
            self.document.is_object(schema) or self.document.types(self.document.resolved(schema))[:1] == ["array"]
        ):
            kind = f": {type_html(*self.document.type_name(schema))}"
        example = ""
        # A refusal whose example nobody wrote would show one of another refusal.
        if content.keys() & ({"example"} if is_problem else {"example", "examples", "schema"}):
            value = self.document.example_of_content(content)
            text = escaped(pretty(value) if media.endswith("json") else plain(value))
            example = f"<details><summary>Example</summary><pre><code>{text}</code></pre></details>"
        shown = "" if is_problem or not media else escaped(media)
        return (
            f"<strong>{escaped(status)}</strong> <i>{shown}{kind}</i>"
            f"{prose(node.get('description'), self.reasons)}{example}")

    def types(self) -> list[str]:
        """All objects that bodies and answers refer to, and those that these refer to, in alphabetical order."""
        names: set[str] = set()
        for _, _, node, _ in self.operations:
            for content in self.document.resolved(node.get("requestBody", {})).get("content", {}).values():
                # The fields of the body itself are with the operation.
                for value, _ in self.document.properties(content.get("schema", {})).values():
                    self.document.collect(value, names)
            for response in node["responses"].values():
                for media, content in self.document.resolved(response).get("content", {}).items():
                    if media != PROBLEM and "schema" in content:
                        self.document.collect(content["schema"], names)
        return sorted(names)

    def object_type(self, name: str) -> str:
        """The description of an object."""
        reference = {"$ref": f"#/components/schemas/{name}"}
        return (
            f'<details class="type">\n<summary>{escaped(name)}</summary>\n'
            f'<div id="type-{escaped(name)}" class="inside">\n'
            f'<div lang="en">{prose(self.document.resolved(reference).get("description"))}</div>\n'
            f'<ul class="fields" lang="en">\n{items(self.document.fields(reference))}</ul>\n</div>\n</details>\n')


def page(topics: list[Topic], current: Topic | None, content: str) -> str:
    """The template of a page with the links to all topics."""
    here = ' aria-current="page"'
    links = "".join(
        f'<li><a href="{topic.address}" lang="en"{here if topic is current else ""}>'
        f"{escaped(topic.name)}</a></li>\n" for topic in topics)
    title, heading, lead, everything = word("title"), word("title"), "", ""
    if current:
        title = f"{escaped(current.name)} · {title}"
        heading += f': <span lang="en">{escaped(current.name)}</span>'
    else:
        lead, everything = f'<p class="lead">{word("lead")}</p>\n', here
    return (
        "{{! Made by scripts/api-reference.py from openapi/openapi.yaml. }}\n"
        f"{{{{<layout}}}}\n{{{{$title}}}}{title}{{{{/title}}}}\n"
        "{{$view}}reference{{/view}}\n{{$surface}}sheet{{/surface}}\n{{$head}}{{> reference-head}}{{/head}}\n"
        "{{$main}}\n"
        f'<p class="ways"><a href="/api">{word("guide")}</a> <a href="/openapi.yaml">openapi.yaml</a></p>\n'
        f"<h1>{heading}</h1>\n{lead}"
        f'<nav class="topics" aria-label="{word("topics")}"><ul>\n'
        f'<li><a href="/api/reference"{everything}>{word("everything")}</a></li>\n{links}</ul></nav>\n'
        "{{> reference-filter}}\n"
        f"{content}{{{{/main}}}}\n{{{{/layout}}}}\n")


def templates(document: str, guide: str) -> dict[str, str]:
    """The templates by their paths.

    `document` is openapi.yaml; `guide` is the page about the API, which explains the reasons of errors."""
    parsed = Document(document)
    reasons = frozenset(re.findall(r'<dt id="([a-z0-9-]+)">', guide))
    topics = [Topic(parsed, tag, reasons) for tag in parsed.root["tags"]]
    everything = page(topics, None, "".join(topic.overview() for topic in topics))
    return {"templates/pages/api-reference.mustache": everything} | {
        f"templates/reference/{topic.slug}.mustache": topic.page(topics) for topic in topics}


def main() -> int:
    """Writes, or checks."""
    made = templates(
        (ROOT / "openapi/openapi.yaml").read_text("utf-8"), (ROOT / "templates/pages/api.html").read_text("utf-8"))
    folder = ROOT / "templates/reference"
    extra = {str(file.relative_to(ROOT)) for file in folder.glob("*")} - made.keys()
    if sys.argv[1:] == ["--check"]:
        wrong = sorted(extra | {
            path for path, text in made.items()
            if not (ROOT / path).exists() or (ROOT / path).read_text("utf-8") != text})
        if wrong:
            print(f"api-reference: run scripts/api-reference.py, which changes {', '.join(wrong)}", file=sys.stderr)
        return 1 if wrong else 0
    folder.mkdir(exist_ok=True)
    for path, text in made.items():
        (ROOT / path).write_text(text, "utf-8")
    for path in extra:
        (ROOT / path).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
