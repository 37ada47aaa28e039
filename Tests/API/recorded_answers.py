"""Answers and forms of `record_responses.py`: what differs between two runs of one build is replaced or sorted."""

from __future__ import annotations

import calendar
import io
import re
import time
from html.parser import HTMLParser
from urllib.parse import urlsplit

from PIL import Image
from recorded_requests import MEASURED, RANDOM_CHOICE, RANDOM_MINUTE, RANDOM_ORDER


class Normaliser:
    """Replaces what differs between two runs of one build.

    Ids of the world get a name (`known`), all others are ‹id›; tokens and signatures are ‹token›, and so on for keys, the
    address of the server, colours of initials, and instants between the start of the recording and now. Everything else
    stays: days, sprints, addresses of assets with their hashes.
    """

    _PATTERNS = [
        ("jwt", re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+")),
        # Keys, in base64url or base64.
        ("key", re.compile(r"(?<![\w/+=.-])[A-Za-z0-9_/+-]{300,}={0,2}")),
        ("form", re.compile(r'(?<=name="kept" id="kept" value=")[^"]+')),
        ("id", re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{32}){1,2}(?![0-9a-f])")),
        ("token", re.compile(r"(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[A-Za-z0-9_-]{43}(?![\w-])")),
    ]
    _INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\b\d{8}T\d{6}Z\b")
    _CLOCK = re.compile(r"\b\d\d:\d\d(?= UTC)")
    _COLOUR = re.compile(r"(/pictures/initials/[0-9a-f]+-)[0-9a-f]{6}")
    _SECONDS = re.compile(r"\b1[789]\d{8}(\d{3})?\b")

    def __init__(self, address: str) -> None:
        self._host = urlsplit(address).netloc
        self._port = self._host.split(":")[1]
        # Names of ids.
        self.known: dict[str, str] = {}
        self._start = time.time() - 60

    def text(self, text: str) -> str:
        text = text.replace(self._host, "‹host›").replace(f"-{self._port}", "-‹port›")
        # The device of a classic log-in by the tests.
        text = re.sub(r"\btest [0-9a-f]{32}", "recorder", text)
        for kind, pattern in self._PATTERNS:
            text = pattern.sub(lambda match, kind=kind: f"‹{self.known.get(match[0], kind)}›", text)
        # Chosen by the id, from so few that two people may have the same.
        text = self._COLOUR.sub(r"\1‹colour›", text)
        text = self._INSTANT.sub(self._instant, text)
        text = self._CLOCK.sub(self._time, text)
        return self._SECONDS.sub(lambda match: "‹now›" if self._is_now(int(match[0][:10])) else match[0], text)

    def _time(self, match: re.Match[str]) -> str:
        start = int(self._start) // 60
        minutes = {time.strftime("%H:%M", time.gmtime(60 * minute)) for minute in range(start, int(time.time()) // 60 + 1)}
        return "‹now›" if match[0] in minutes else match[0]

    def _instant(self, match: re.Match[str]) -> str:
        digits = re.sub(r"\D", "", match[0])[:14]
        seconds = calendar.timegm(time.strptime(digits, "%Y%m%d%H%M%S"))
        return "‹now›" if self._is_now(seconds) else match[0]

    def _is_now(self, seconds: float) -> bool:
        """Also the same time on another day, such as the end of a token. Full hours are those of sprints."""
        since = (seconds - self._start) % 86_400
        return since <= time.time() + 1 - self._start and int(seconds) % 3_600 != 0


class Forms(HTMLParser):
    """The forms of a page with what a browser would send of them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self._fields: dict[str, str] = {}
        self._name = self._select = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        name, value = given.get("name") or "", given.get("value") or ""
        if tag == "form":
            self._fields = {}
            if given.get("method") == "post":
                self.found.append((given.get("action") or "", self._fields))
        elif tag == "select":
            self._select = name
        elif tag == "option" and ("selected" in given or self._select not in self._fields):
            self._fields[self._select] = value
        elif tag == "textarea":
            self._name = name
            self._fields[name] = ""
        elif tag in ("input", "button") and name:
            if given.get("type") not in ("checkbox", "radio", "file") or "checked" in given:
                self._fields.setdefault(name, value)

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._name = ""

    def handle_data(self, data: str) -> None:
        if self._name:
            self._fields[self._name] += data


def in_fixed_order(route: str, text: str) -> str:
    """The text without what depends on random ids or on the machine, by RANDOM_ORDER and the like."""
    if re.search(RANDOM_MINUTE, route):
        text = re.sub(r"(?<![\d:])(\d{1,2}):[0-5]\d(?=:00Z|\b)", r"\1:‹minute›", text)
    if re.search(MEASURED, route):
        text = re.sub(r"(?:below |under |unter )?\d[\d.,]*", "‹number›", re.sub(r"(?s)<svg.*?</svg>", "", text))
        text = re.sub(r".*CPU.*", "", text)
        return "\n".join(["The different parts:", *sorted(set(re.split(r"[\n,\[\]{}]", text)))])
    if re.search(RANDOM_CHOICE, route):
        text = re.sub(r"<li>[^<\n]+</li>", "<li>‹feedback›</li>", text)
    if not re.search(RANDOM_ORDER, route):
        return text
    parts = sorted(re.split(r"[\n,\[\]{}]", text))
    return "\n".join([f"{len(text)} characters, parts in alphabetical order:", *parts])


def multipart(fields: dict[str, str], path: str) -> tuple[bytes, str]:
    """A form with a file, and its media type."""
    if path.endswith("import"):
        name, file = "list", b"email,role\r\ncsv@example.org,member\r\n"
    else:
        buffer = io.BytesIO()
        Image.new("RGB", (256, 256), (31, 111, 67)).save(buffer, "PNG")
        name, file = "image", buffer.getvalue()
    parts = [f'--part\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n' for key, value in fields.items()]
    head = f'--part\r\nContent-Disposition: form-data; name="{name}"; filename="file"\r\n\r\n'
    return ("".join(parts) + head).encode() + file + b"\r\n--part--\r\n", "multipart/form-data; boundary=part"
