#!/usr/bin/env python3
"""Takes the place of Mailgun and of Firebase Cloud Messaging on this machine, for `make run-full`: it accepts mails and
pushes, delivers none, and shows them on a page.

    scripts/recorder.py PORT FOLDER

FOLDER/mailgun.key has the API key. Messages are kept in FOLDER/messages.jsonl, one a line. The page is /,
and /messages.json is the same for programs. It answers on 127.0.0.1 only, since links in mails are secrets.
"""

from __future__ import annotations

import base64
import hmac
import html
import json
import re
import secrets
import sys
import threading
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

DOMAIN = "mail.example.org"
PROJECT = "happiness-metric"
ACCOUNT = f"sender@{PROJECT}.iam.gserviceaccount.com"

# Bytes. Mailgun's limit for a message is 25 MB, FCM's 4 KB.
BODY_LIMIT = 25_000_000
# Messages on the page. The file has all of them.
SHOWN = 100

STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; margin: 1rem auto; max-width: 48rem; padding: 0 1rem; color-scheme: light dark }
article { border: 1px solid gray; border-radius: .5rem; margin: 1rem 0; padding: .5rem 1rem }
h2 { font-size: 1.1rem; margin: .25rem 0 } pre { white-space: pre-wrap; overflow-wrap: anywhere }
iframe { background: white; border: 0; height: 24rem; width: 100% }
"""


class Messages:
    """What was sent, oldest first."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._all = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def all(self) -> list[dict[str, Any]]:
        with self._lock:
            return list(self._all)

    def add(self, kind: str, fields: dict[str, Any]) -> int:
        """Keeps a message, and returns its number."""
        message = {"kind": kind, "at": datetime.now().astimezone().isoformat(timespec="seconds"), **fields}
        with self._lock:
            with self._file.open("a") as file:
                file.write(json.dumps(message) + "\n")
            self._all.append(message)
            return len(self._all)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    messages: Messages
    mailgun_key: str
    # Issued here; valid until the recorder ends.
    access_tokens: set[str] = set()

    def do_GET(self) -> None:
        if self.path == "/":
            self._answer(200, page(self.messages.all()), "text/html; charset=utf-8")
        elif self.path == "/messages.json":
            self._json(200, {"messages": self.messages.all()})
        else:
            self._json(404, {"message": "page not found"})

    def do_POST(self) -> None:
        length = self.headers["Content-Length"] or ""
        if not length.isdigit() or int(length) > BODY_LIMIT:
            self.close_connection = True
            return self._json(413, {"message": "Request Entity Too Large"})
        body = self.rfile.read(int(length)).decode(errors="replace")
        if self.path == f"/v3/{DOMAIN}/messages":
            self._mail(parse_qs(body, keep_blank_values=True))
        elif self.path == "/token":
            self._token(parse_qs(body))
        elif self.path == f"/v1/projects/{PROJECT}/messages:send":
            self._push(body)
        else:
            self._json(404, {"message": "page not found"})

    def _mail(self, fields: dict[str, list[str]]) -> None:
        """https://documentation.mailgun.com/docs/mailgun/api-reference/openapi-final/tag/Messages/"""
        expected = "Basic " + base64.b64encode(f"api:{self.mailgun_key}".encode()).decode()
        if not hmac.compare_digest(self.headers["Authorization"] or "", expected):
            return self._answer(401, "Forbidden", "text/plain")
        for name in ["from", "to", "subject", "text"]:
            if not fields.get(name, [""])[0]:
                return self._json(400, {"message": f"{name} parameter is missing"})
        number = self.messages.add("mail", {name: values[0] for name, values in fields.items()})
        self._json(200, {"id": f"<{number}@{DOMAIN}>", "message": "Queued. Thank you."})

    def _token(self, fields: dict[str, list[str]]) -> None:
        """https://developers.google.com/identity/protocols/oauth2/service-account; does not check the signature."""
        try:
            claims = json.loads(base64.urlsafe_b64decode(fields["assertion"][0].split(".")[1] + "=="))
            is_right = fields["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"] and claims["iss"] == ACCOUNT
        except (KeyError, IndexError, ValueError):
            is_right = False
        if not is_right:
            return self._json(400, {"error": "invalid_grant"})
        token = secrets.token_hex(16)
        self.access_tokens.add(token)
        self._json(200, {"access_token": token, "expires_in": 3599, "token_type": "Bearer"})

    def _push(self, body: str) -> None:
        """https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send"""
        if (self.headers["Authorization"] or "").removeprefix("Bearer ") not in self.access_tokens:
            return self._json(401, {"error": {"code": 401, "status": "UNAUTHENTICATED"}})
        try:
            message = json.loads(body)["message"]
            message["token"], message["notification"]["title"]
        except (KeyError, TypeError, ValueError):
            return self._json(400, {"error": {"code": 400, "status": "INVALID_ARGUMENT"}})
        number = self.messages.add("push", message)
        self._json(200, {"name": f"projects/{PROJECT}/messages/{number}"})

    def _json(self, status: int, fields: dict[str, Any]) -> None:
        self._answer(status, json.dumps(fields), "application/json")

    def _answer(self, status: int, text: str, media_type: str) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(content)))
        # A mail is text of users: nothing in it runs, and nothing is loaded for it.
        self.send_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Prints nothing."""


def page(messages: list[dict[str, Any]]) -> str:
    shown = "\n".join(article(message) for message in reversed(messages[-SHOWN:])) or "<p>Nothing was sent yet.</p>"
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Recorder</title><style>{STYLE}</style>
<h1>Mails and pushes</h1>
<p>{len(messages)} so far, the newest first. None of them left this machine. Reload the page to see new ones.</p>
{shown}
</html>"""


def article(message: dict[str, Any]) -> str:
    at = html.escape(message["at"])
    if message["kind"] == "mail":
        head = f"{html.escape(message['subject'])}</h2><p>Mail to {html.escape(message['to'])}, {at}</p>"
        picture = f'<details><summary>HTML</summary><iframe sandbox title="HTML" srcdoc="{html.escape(message["html"])}">' \
            "</iframe></details>" if "html" in message else ""  # fmt: skip
        return f"<article><h2>{head}<pre>{linked(message['text'])}</pre>{picture}</article>"
    notification = message["notification"]
    head = f"{html.escape(notification['title'])}</h2><p>Push to {html.escape(message['token'])}, {at}</p>"
    link = linked(str(message.get("data", {}).get("link", "")))
    return f"<article><h2>{head}<pre>{html.escape(str(notification.get('body', '')))}\n{link}</pre></article>"


def linked(text: str) -> str:
    """The text with its addresses as links."""
    parts = re.split(r"(https?://[^\s<>\"']+)", text)
    return "".join(
        f'<a href="{html.escape(part)}" target="_blank" rel="noreferrer">{html.escape(part)}</a>' if number % 2
        else html.escape(part) for number, part in enumerate(parts))  # fmt: skip


def main() -> None:
    port, folder = int(sys.argv[1]), Path(sys.argv[2])
    Handler.mailgun_key = (folder / "mailgun.key").read_text().strip()
    Handler.messages = Messages(folder / "messages.jsonl")
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    main()
