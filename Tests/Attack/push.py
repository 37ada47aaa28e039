"""Takes the place of Google: issues access tokens, and takes the messages for phones."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

PROJECT = "attack"


class PushServer:
    """What the push service sees."""

    def __init__(self, url: str, account: Path) -> None:
        self.settings = {
            "PUSH_DRIVERS": "fcm", "FCM_BASE_URL": url, "FCM_SERVICE_ACCOUNT_FILE": str(account), "PUSH_RAMP_SECONDS": "0",
        }  # fmt: skip
        # Fields of a message (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
        self.messages: list[dict[str, Any]] = []


@contextmanager
def push_server(folder: Path) -> Iterator[PushServer]:
    access = secrets.token_hex(16)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/token":
                self._answer(200, {"access_token": access, "expires_in": 3599, "token_type": "Bearer"})
            elif self.path != f"/v1/projects/{PROJECT}/messages:send":
                self._answer(404, {})
            elif self.headers["Authorization"] != f"Bearer {access}":
                self._answer(401, {"error": {"code": 401, "status": "UNAUTHENTICATED"}})
            else:
                pushes.messages.append(json.loads(body)["message"])
                self._answer(200, {"name": f"projects/{PROJECT}/messages/{len(pushes.messages)}"})

        def _answer(self, status: int, fields: dict[str, Any]) -> None:
            content = json.dumps(fields).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    url = f"http://127.0.0.1:{server.server_port}"
    key = rsa.generate_private_key(65_537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    account = folder / "account.json"
    account.write_text(json.dumps({
        "type": "service_account", "project_id": PROJECT, "private_key_id": "attack", "private_key": key.decode(),
        "client_email": "attack@example.org", "token_uri": f"{url}/token",
    }))  # fmt: skip
    pushes = PushServer(url, account)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield pushes
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
