"""A small OpenTelemetry collector: OTLP/HTTP with JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass(frozen=True)
class Export:
    """A request with telemetry."""

    path: str
    headers: dict[str, str]
    body: bytes


class Collector:
    """Keeps everything that arrives, byte for byte."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self.exports: list[Export] = []

    def spans(self) -> list[dict[str, Any]]:
        """All spans, in the order in which they arrived."""
        return [
            span
            for body in self._bodies("/v1/traces")
            for resource in body["resourceSpans"]
            for scope in resource["scopeSpans"]
            for span in scope["spans"]
        ]

    def metrics(self) -> dict[str, dict[str, Any]]:
        """The latest value of each metric by its name."""
        return {
            metric["name"]: metric
            for body in self._bodies("/v1/metrics")
            for resource in body["resourceMetrics"]
            for scope in resource["scopeMetrics"]
            for metric in scope["metrics"]
        }

    def services(self) -> set[str]:
        """The names of the services that have sent something."""
        return {
            attributes(resource["resource"])["service.name"]
            for export in self.exports
            for resources in json.loads(export.body).values()
            for resource in resources
        }

    def _bodies(self, path: str) -> list[dict[str, Any]]:
        return [json.loads(export.body) for export in self.exports if export.path == path]


def attributes(item: dict[str, Any]) -> dict[str, str]:
    """The attributes of a span, a point or a resource; numbers as the text that they have in JSON."""
    return {each["key"]: next(iter(each["value"].values())) for each in item["attributes"]}


@contextmanager
def collecting() -> Iterator[Collector]:
    """Runs a collector while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            collector.exports.append(Export(self.path, headers, body))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *arguments: Any) -> None:
            """Writes nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    # So that closing the server does not wait for the API's open connection.
    server.daemon_threads = True
    collector = Collector(server.server_port)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
