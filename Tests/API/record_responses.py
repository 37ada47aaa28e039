"""Records the answers of every route, on both stores and for every role, to compare two builds byte for byte.

    .venv/bin/python3 Tests/API/record_responses.py FOLDER
    BINARIES=../before/.build/debug .venv/bin/python3 Tests/API/record_responses.py OTHER
    diff -r FOLDER OTHER

Each store and role has an installation of its own, with the demo team. All requests are sent in the same order, one
after another, so two recordings of one build are equal. Record both builds on the same day (also in Vienna, where the
demo team is): sprints and charts depend on it. What each run makes up at random is replaced: see `Normaliser`.

Routes are those of openapi/openapi.yaml and docs/pages.md. The program fails if the sources declare another one.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Browser"), str(HERE.parents[1] / "Benchmarks")]

import yaml  # noqa: E402
from harness.mongod import mongod  # noqa: E402
from installation import ROOT, Installation, Person, running  # noqa: E402
from recorded_answers import Forms, Normaliser, in_fixed_order, multipart  # noqa: E402
from recorded_requests import BODIES, FIELDS, FORMS, MEASURED, QUERIES, UNKNOWN, rank  # noqa: E402

ROLES = ["nobody", "member", "lead", "admin", "other"]
LANGUAGES = ["en", "de"]
# Seconds without a byte after which an answer that does not end, such as that of the events, is cut.
SILENCE = 0.3
SETTINGS = {
    # The same for every run, so that what is derived from them is equal.
    "JWT_SECRET": "1" * 64, "BALLOT_SECRET": "2" * 64, "VAPID_PRIVATE_KEY": "AQ" + "A" * 40 + "E",
    "PUSH_DRIVERS": "webpush", "MAILGUN_WEBHOOK_SIGNING_KEY": "key",
    # A provider that nobody can reach.
    "OIDC_PROVIDERS": "company", "OIDC_COMPANY_ISSUER": "https://127.0.0.1:9", "OIDC_COMPANY_CLIENT_ID": "client",
    "OIDC_COMPANY_CLIENT_SECRET": "secret",
}  # fmt: skip


@dataclass(frozen=True)
class Route:
    """A method and a path with names in braces. The first clients' routes and health checks are of the API, too."""

    method: str
    path: str
    is_page: bool
    # A media type of the API's body other than JSON.
    media_type: str = ""

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def documented_routes() -> list[Route]:
    """All routes; writes in an order in which the earlier ones leave what the later ones need."""
    document = yaml.safe_load((ROOT / "openapi/openapi.yaml").read_text())
    routes = [
        Route(method.upper(), path, False, _media_type(operation))
        for path, operations in document["paths"].items() for method, operation in operations.items()
        if method in ("get", "put", "post", "patch", "delete")
    ]
    rows = re.findall(r"^\| (GET|POST) \| `([^`]+)` \|", (ROOT / "docs/pages.md").read_text(), re.MULTILINE)
    routes += [Route(method, path, True) for method, path in rows]
    _compare_with_sources(routes)
    return sorted(routes, key=lambda route: rank(str(route)))


def _media_type(operation: dict[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {"application/json": None})
    return "" if "application/json" in content else next(iter(content))


def _compare_with_sources(routes: list[Route]) -> None:
    """Fails if a file declares a route whose path, without that of its group, ends none of the documented ones."""
    known = {(route.method, route.path.rstrip("/")) for route in routes}
    declared: set[tuple[str, str]] = set()
    for file in (ROOT / "Sources").rglob("*.swift"):
        for method, path in re.findall(r'\.(get|post|put|patch|delete)\(\s*"(/[^"\\]*)"', file.read_text()):
            # Served on a port of its own, with counters of the process.
            if file.is_relative_to(ROOT / "Sources/HappinessAPI") and path != "/metrics":
                declared.add((method.upper(), path.rstrip("/")))
    missing = [
        f"{method} {path}" for method, path in sorted(declared)
        if not any(method == other and whole.endswith(path) for other, whole in known)
    ]
    if missing or len(declared) < len(known) / 2:
        raise SystemExit(f"{len(declared)} routes in the sources. In no document: {', '.join(missing) or 'none'}")


class Recorder:
    """One role on one store: the installation, its log-ins, and the folder of its answers."""

    def __init__(self, installation: Installation, password: str, role: str, folder: Path) -> None:
        """- password: of the demo team."""
        self._installation, self._folder = installation, folder
        self._address = installation.servers[0].address
        self._normaliser = Normaliser(self._address)
        self._number = 0
        # For each action: a page with its form, and the fields of it.
        self._forms: dict[str, tuple[str, dict[str, str]]] = {}
        # Statuses for each route.
        self.seen: dict[str, set[int]] = {}
        self._anna, self._demo, self._ben = (
            Person(name, f"{name}@example.org", password) for name in ("anna", "demo", "ben"))
        self._make_world()
        people = {"member": self._demo, "lead": self._anna, "admin": self._admin, "other": self._other}
        self._person = people.get(role)
        self._log_in()

    def record(self, routes: list[Route]) -> None:
        for language in LANGUAGES:
            self._read(routes, language, language)
        for route in (route for route in routes if route.method != "GET"):
            self._write(route)
        self._read(routes, "en", "after")

    # What the paths name

    def _make_world(self) -> None:
        installation, anna = self._installation, self._anna
        setup = self._send("GET", urlsplit(installation.setup_link()).path + "?" + urlsplit(installation.setup_link()).query)
        self._write_file("setup", "form", "GET /setup", setup)
        setup_form = Forms(setup[2].decode()).found[0][1] | FORMS["POST /setup"]
        self._write_file("setup", "valid", "POST /setup", self._send("POST", "/setup", setup_form, is_form=True))
        self._admin = installation.add_person("admin", role="admin")
        self._other = installation.add_person("other", installation.add_team("Other"))
        bounced = installation.add_person("bounced", "Demo Team")
        leavers = [installation.add_person("leaver", "Demo Team") for _ in range(3)]
        self._leavers = iter(leavers)
        if installation.database.exists():
            installation.mark_address(bounced)
            installation.add_dead_job("Connection refused")
        team = installation.api(anna, "GET", "/teams")["teams"][0]["id"]
        path = f"/teams/{team}"
        api = installation.api
        api(self._other, "POST", "/auth/password-reset", {"email": "hugo@example.org"})
        invitation = api(anna, "POST", "/invitations", {"email": "new@example.org", "team": team})["invitation"]
        api(anna, "POST", "/registrations", {
            "username": "rita", "email": "rita@example.net", "password": "gentle harbour rita"})
        api(self._ben, "PUT", "/me/email", {"email": "benny@example.org", "password": anna.password})
        api(anna, "PUT", f"{path}/reminders", {"isOn": True, "hour": 9, "remindsAgain": True, "holidays": ["2026-12-24"]})
        api(anna, "POST", f"{path}/messages", {"title": "Retrospective at ten", "body": "Please vote before."})
        experiment = api(anna, "POST", f"{path}/experiments", self._body("POST /api/v1/teams/{team}/experiments"))
        api(anna, "POST", "/client-errors", {"level": "error", "app": "android", "message": "Lost"})
        error = api(self._admin, "GET", "/admin/client-errors?state=open")["errors"][0]["id"]
        share = api(anna, "PUT", f"{path}/share-link")
        calendar_link = api(anna, "PUT", "/me/calendar-link")
        sprints = api(anna, "GET", f"{path}/sprints")["sprints"]
        year, number = sprints[-1]["label"].split("/")
        current = api(anna, "GET", f"{path}/sprints/current")["sprint"]["label"]
        members = {one["name"]: one["id"] for one in api(anna, "GET", f"{path}/members")["members"]}
        columns = api(anna, "GET", f"{path}/actions")["columns"]
        jobs = api(self._admin, "GET", "/admin/jobs?state=dead")["jobs"]
        page = self._send("GET", "/login")[2].decode()
        picture = api(anna, "GET", "/me")["picture"]["small"]["png"]
        self._mails = {
            route: urlsplit(installation.mailed_link(address)).query for route, address in {
                "/user/resetPassword": "hugo@example.org", "/invitation": "new@example.org",
                "/registration": "rita@example.net", "/confirm-email": "benny@example.org",
            }.items()
        }
        asset = re.search(r"/assets/v/([^/]+)/([^\"?]+)", page)
        assert asset, page
        self._current = current
        self._values = {
            "team": team, "year": year, "number": number, "user": members["greta"],
            "action": columns[0]["actions"][0]["id"], "experiment": experiment["id"], "error": error,
            "job": jobs[0]["id"] if jobs else "", "invitation": invitation["id"], "language": "en", "text": "absences.done",
            "token": share["chart"].split("/")[-2], "provider": "company", "version": asset[1], "file": asset[2],
            "topic": "teams", "key": api(anna, "GET", f"{path}/sprints/{current}/ballot-key")["id"],
            "id": "f" * 32, "name": urlsplit(picture).path.split("/")[-1], "picture": urlsplit(picture).query,
            "current": current, "calendar": urlsplit(calendar_link["address"]).query, "session": "", "device": "", "count": "",
        }
        names = ("team", "experiment", "error", "job", "invitation", "key")
        self._normaliser.known = {self._values[name]: name for name in names} | {id: name for name, id in members.items()}
        actions = [action for column in columns for action in column["actions"]]
        self._normaliser.known |= {action["id"]: f"action {number}" for number, action in enumerate(actions)}

    def _body(self, route: str) -> Any:
        """The valid body of a route of the API, with its ids."""
        body = BODIES.get(route)
        if not isinstance(body, dict):
            return body
        filled = json.loads(self._filled(json.dumps(body, ensure_ascii=False)))
        return filled | ({"version": int(filled["version"])} if "{action}" in route else {})

    def _value(self, name: str) -> str:
        if name == "password":
            return self._person.password if self._person else "gentle harbour nobody"
        if name == "username":
            return self._person.name if self._person else "nobody"
        if name == "version":
            action = self._installation.api(self._anna, "GET", "/teams/{team}/actions/{action}".format(**self._values))
            return str(action["version"])
        return self._values[name]

    # Log-ins

    def _log_in(self, person: Person | None = None) -> None:
        """New tokens and a new cookie, for instance after a route has ended the session."""
        self._token = self._cookie = self._form_token = ""
        person = person or self._person
        if not person:
            return
        self._token = self._installation.classic_token(person)
        form = {"username": person.name, "password": person.password}
        _, headers, _ = self._send("POST", "/login", form, is_form=True)
        cookie = next((value for name, value in headers if name.lower() == "set-cookie"), "")
        self._cookie = cookie.split(";")[0]
        page = self._send("GET", "/settings/name", cookie=True)[2].decode()
        token = re.search(r'name="formToken" value="([^"]+)"', page)
        self._form_token = token[1] if token else ""
        sessions = self._installation_json("/api/v1/me/sessions").get("sessions", [])
        self._values["session"] = next((one["id"] for one in sessions if not one["current"]), "")

    def _installation_json(self, path: str) -> Any:
        return json.loads(self._send("GET", path, token=True)[2] or b"{}")

    # Requests

    def _read(self, routes: list[Route], language: str, folder: str) -> None:
        for route in (route for route in routes if route.method == "GET"):
            # Takes seconds, since nobody answers.
            if route.path == "/login/{provider}" and folder != "en":
                continue
            for label, path in self._paths(route):
                answer = self._send("GET", path, language=language, cookie=route.is_page, token=not route.is_page)
                self._write_file(folder, label, str(route), answer)
                if route.is_page:
                    self._note_forms(path, answer[2])
                if folder == "en" and label == "known" and route.path != "/login/{provider}":
                    by = {"cookie": route.is_page, "token": not route.is_page}
                    self._write_file("head", label, str(route), self._send("HEAD", path, **by))
                    self._write_file("methods", label, str(route), self._send("OPTIONS", path, **by))
                    if not route.is_page:
                        self._write_file("cookie", label, str(route), self._send("GET", path, cookie=True))

    def _note_forms(self, page: str, content: bytes) -> None:
        if b"<form" in content:
            for action, fields in Forms(content.decode()).found:
                self._forms.setdefault(urlsplit(action or page).path, (page, fields))

    def _form(self, route: Route, path: str) -> dict[str, str]:
        """The form as a person would fill it in, with the fields that its page has now."""
        page, fields = self._forms.get(path, ("", {}))
        if page:
            content = self._send("GET", page, cookie=True)[2].decode(errors="replace")
            fields = next((now for action, now in Forms(content).found if urlsplit(action or page).path == path), fields)
        given = {name: self._filled(value) for name, value in FORMS.get(str(route), {}).items()}
        fields = {name: value or self._filled(FIELDS.get(name, "")) for name, value in fields.items()}
        return fields | given

    def _filled(self, text: str) -> str:
        return re.sub(r"‹(\w+)›", lambda name: self._value(name[1]), text)

    def _paths(self, route: Route) -> list[tuple[str, str]]:
        names = re.findall(r"{(\w+)}", route.path)
        values = self._values | ({"number": self._current.split("/")[1]} if "ballot" in route.path else {})
        if route.path.startswith("/assets/{"):
            values["name"] = "style.css"
        known = re.sub(r"{(\w+)}", lambda name: quote(values[name[1]] or UNKNOWN["id"]), route.path)
        query = "?" + self._mails[route.path] if route.path in self._mails else ""
        if route.path.startswith("/pictures"):
            query = f"?{values['picture']}"
        if route.path == "/calendar":
            query = f"?{values['calendar']}"
        if str(route) == "DELETE /api/v1/teams/{team}/actions/{action}":
            query = f"?version={self._value('version')}"
        paths = [("known", known + query)]
        if route.method == "GET":
            for query in QUERIES.get(str(route), []):
                paths.append((f"known.{query}", f"{known}?{query}"))
            paths += [("bare", known)] if "?" in paths[0][1] else []
        # One name at a time is unknown, so that the answer tells which one is looked up first.
        for name in names:
            for kind in ("id", "text"):
                path = route.path.replace(f"{{{name}}}", UNKNOWN[name if name in UNKNOWN else kind])
                path = re.sub(r"{(\w+)}", lambda one: quote(values[one[1]] or UNKNOWN["id"]), path)
                paths.append((f"unknown.{name}.{kind}", path))
        return paths

    def _write(self, route: Route) -> None:
        """Refused requests first, so that the valid one is the last one of its route."""
        _, path = self._paths(route)[0]
        if re.search(r"/me$|/settings/delete|deleteAccount", route.path) and route.method != "PATCH" and self._person:
            self._log_in(next(self._leavers))
        if route.is_page:
            self._write_page(route, path)
        else:
            self._write_api(route, path)
        if self._person and re.search(r"password|logout|sessions|delete|/me$|user/|login|own-|email|disabled", route.path, re.I):
            try:
                self._log_in()
            except OSError as error:
                raise RuntimeError(f"{self._person} cannot log in after {route}") from error

    def _write_page(self, route: Route, path: str) -> None:
        bare = urlsplit(path).path
        fields = self._form(route, bare) | dict(parse_qsl(urlsplit(path).query))
        without = {name: value for name, value in fields.items() if name != "formToken"}
        token = {"formToken": self._form_token} if self._form_token else {}
        posted: list[tuple[str, Any, dict[str, Any]]] = [
            ("anonymous", fields, {"cookie": False}), ("no-token", without, {}), ("foreign-token", without | {"formToken": "A" * 43}, {}),
            ("foreign-origin", without, {"origin": "https://elsewhere.example"}),
            ("unreadable", b"%%%=&\xff", {}), ("empty", token, {}),
            ("blank", {name: "" for name in without} | token, {}),
            ("wrong", {name: "‽ wrong" for name in without} | token, {}),
            ("wrong.de", {name: "‽ wrong" for name in without} | token, {"language": "de"}), ("valid", None, {}),
        ]
        for number, (_, unknown) in enumerate(self._paths(route)[1:]):
            posted.insert(0, (f"unknown.{number}", without | token, {"path": unknown}))
        for label, body, options in posted:
            if label == "valid":
                body = self._form(route, bare) | dict(parse_qsl(urlsplit(path).query)) | token
            target = options.pop("path", bare)
            if self._is_multipart(route) and label != "unreadable":
                body, options["type"] = multipart(body, route.path)
            answer = self._send("POST", target, body, is_form=True, **{"cookie": True} | options)
            self._write_file("writes", label, str(route), answer)
            self._note_forms(target, answer[2])

    def _write_api(self, route: Route, path: str) -> None:
        valid, options = self._body(str(route)), {}
        if self._is_multipart(route) or route.media_type.startswith("image/"):
            valid, options["type"] = multipart({}, route.path)
        elif route.media_type == "text/csv":
            valid, options["type"] = b"email,role\r\ncsv@example.org,member\r\n", "text/csv"
        posted: list[tuple[str, Any, dict[str, Any]]] = [("cookie", valid, {"cookie": True, "token": False} | options)]
        if valid is not None:
            posted += [("unreadable", b"{", {}), ("list", [], {}), ("empty", None, {}), ("no-field", {}, {})]
        if isinstance(valid, dict):
            posted += [
                ("types", {name: [1] for name in valid}, {}), ("blank", {name: "" for name in valid}, {}),
                ("wrong", {name: "‽ wrong" for name in valid}, {}),
                ("wrong.de", {name: "‽ wrong" for name in valid}, {"language": "de"}),
            ]
            if not route.path.startswith("/api/"):
                posted.append(("form", valid, {"is_form": True}))
        posted = [
            (f"unknown.{number}", valid, {"path": unknown} | options) for number, (_, unknown) in enumerate(self._paths(route)[1:])
        ] + posted + [("valid", valid, options)]
        for label, body, given in posted:
            given = {"token": True} | given
            answer = self._send(route.method, given.pop("path", path), body, **given)
            self._write_file("writes", label, str(route), answer)

    @staticmethod
    def _is_multipart(route: Route) -> bool:
        return "multipart" in route.media_type or str(route) in ("POST /settings/picture", "POST /admin/invitations/import")

    def _send(
        self, method: str, path: str, body: Any = None, is_form: bool = False, language: str = "en", cookie: bool = False,
        token: bool = False, origin: str = "", type: str = "",
    ) -> tuple[str, list[tuple[str, str]], bytes]:
        """Status line, headers and body. Each request comes from another address, so that no limit for one applies."""
        self._number += 1
        headers = {
            "Accept-Language": language, "User-Agent": "recorder", "Connection": "close",
            "X-Forwarded-For": f"10.{self._number // 65536}.{self._number // 256 % 256}.{self._number % 256}",
        }
        if is_form:
            headers |= {"Origin": origin or self._address, "Content-Type": "application/x-www-form-urlencoded"}
            headers |= {"Sec-Fetch-Site": "cross-site" if origin else "same-origin"}
        elif body is not None:
            headers["Content-Type"] = "application/json"
        headers |= {"Content-Type": type} if type else {}
        headers |= {"Cookie": self._cookie} if cookie and self._cookie else {}
        headers |= {"Authorization": f"Bearer {self._token}"} if token and self._token else {}
        if body is not None and not isinstance(body, bytes):
            body = urlencode(body).encode() if is_form else json.dumps(body).encode()
        connection = http.client.HTTPConnection(urlsplit(self._address).netloc, timeout=20)
        try:
            connection.request(method, path, body, headers)
            if path.split("?")[0].endswith("/events") and connection.sock:
                connection.sock.settimeout(SILENCE)
            answer = connection.getresponse()
            content = b""
            try:
                while part := answer.read1(65536):
                    content += part
            except TimeoutError:
                content += b"\n(cut)"
            return f"{answer.status} {answer.reason}", answer.getheaders(), content
        finally:
            connection.close()

    # Files

    def _write_file(self, kind: str, label: str, route: str, answer: tuple[str, list[tuple[str, str]], bytes]) -> None:
        status, headers, content = answer
        self.seen.setdefault(route, set()).add(int(status[:3]))
        try:
            original = content.decode()
            is_file = re.search(r" /(openapi\.yaml|assets/)", route)
            text = original if is_file else in_fixed_order(route, self._normaliser.text(original))
        except UnicodeDecodeError:
            original = text = f"{len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}"
            if "/initials/" in route:
                # Its colour is random.
                text = "A picture."
        lines = [status]
        for name, value in sorted((name.lower(), value) for name, value in headers):
            is_masked = text != original or re.search(rf"/initials/|{MEASURED}", route)
            if name == "date" or (name in ("etag", "content-length") and is_masked):
                value = "‹varies›"
            # Ends with the day.
            if "/pictures/" in route or (name == "set-cookie" and value.startswith("happiness-")):
                value = re.sub(r"(?i)(max-age=)[1-9]\d*", r"\1‹seconds›", value)
            if name == "retry-after":
                value = "‹seconds›"
            lines.append(f"{name}: {self._normaliser.text(value)}")
        folder = self._folder / kind
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^\w{}.=-]+", "_", f"{route} {label}")
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n\n" + text)


@contextmanager
def demo(database: str | None) -> Iterator[tuple[Installation, str]]:
    """An installation with the demo team, and the password of its members. Only a SQLite file gets that team, so it is
    moved from there to MongoDB."""
    with running(Installation(**SETTINGS)) as installation:
        password = installation.demo("anna").password
        if not database:
            yield installation, password
            return
        installation.servers[0].stop()
        installation.command("move", "--to", database)
        with running(Installation(database, demo=False, **SETTINGS)) as moved:
            yield moved, password


def record(folder: Path, routes: list[Route], store: str, role: str, url: str) -> dict[str, set[int]]:
    """Records one role on one store; returns the statuses of each route."""
    database = url.replace("/happiness?", f"/{role}?") if store == "mongodb" else None
    with demo(database) as (installation, password):
        recorder = Recorder(installation, password, role, folder / store / role)
        recorder.record(routes)
        return recorder.seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--stores", nargs="+", choices=["sqlite", "mongodb"], default=["sqlite", "mongodb"])
    parser.add_argument("--roles", nargs="+", choices=ROLES, default=ROLES)
    arguments = parser.parse_args()
    routes = documented_routes()
    shutil.rmtree(arguments.folder, ignore_errors=True)

    with tempfile.TemporaryDirectory() as data, mongod(Path(data)) as url, ProcessPoolExecutor(4) as pool:
        runs = [
            pool.submit(record, arguments.folder, routes, store, role, url)
            for store in arguments.stores for role in arguments.roles
        ]
        results = [run.result() for run in runs]
    statuses: dict[str, set[int]] = {}
    for result in results:
        for route, seen in result.items():
            statuses.setdefault(route, set()).update(seen)
    refused = [route for route, seen in statuses.items() if min(seen) >= 400]
    print(f"{len(routes)} routes, {sum(1 for _ in arguments.folder.rglob('*.txt'))} answers.")
    print("Refused in every request:", *sorted(refused), sep="\n  ")


if __name__ == "__main__":
    main()
