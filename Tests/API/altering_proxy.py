"""A proxy between the command `happiness` and an API, which records requests and can alter answers or kill the command."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

# Header fields that concern one connection only.
OF_THE_CONNECTION = {"connection", "content-length", "host", "keep-alive", "transfer-encoding"}


@dataclass
class Exchange:
    """A request and its answer."""

    method: str
    path: str
    headers: dict[str, str]
    # The client's port: requests over one connection share it.
    connection: int
    body: bytes = b""
    status: int = 0
    answer: bytes = b""
    answer_headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Proxy:
    """What the proxy saw, and what it does."""

    address: str
    # Called before a request is forwarded, and before its answer is. A request that has its answer then is not forwarded.
    before: Callable[[Exchange], None] = lambda exchange: None
    after: Callable[[Exchange], None] = lambda exchange: None
    exchanges: list[Exchange] = field(default_factory=list)

    def requests(self, ending: str) -> list[Exchange]:
        """The requests to a path with this end."""
        return [exchange for exchange in self.exchanges if exchange.path.endswith(ending)]


@contextmanager
def altering_proxy(server: str) -> Iterator[Proxy]:
    """Forwards to the server at an address while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            exchange = Exchange(self.command, self.path, headers, self.client_address[1], body)
            proxy.exchanges.append(exchange)
            proxy.before(exchange)
            if not exchange.status:
                self.ask(exchange)
            proxy.after(exchange)
            self.send_response(exchange.status)
            for name, value in exchange.answer_headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(exchange.answer)))
            self.end_headers()
            self.wfile.write(exchange.answer)

        def ask(self, exchange: Exchange) -> None:
            upstream = http.client.HTTPConnection(urlsplit(server).netloc, timeout=20)
            # Without the compression that some answers have.
            dropped = OF_THE_CONNECTION | {"accept-encoding"}
            sent = {name: value for name, value in exchange.headers.items() if name not in dropped}
            upstream.request(exchange.method, exchange.path, exchange.body, sent)
            response = upstream.getresponse()
            exchange.status, exchange.answer = response.status, response.read()
            exchange.answer_headers = {
                name: value for name, value in response.getheaders() if name.lower() not in OF_THE_CONNECTION
            }
            upstream.close()

        do_GET = do_POST = forward

        def log_message(self, format: str, *arguments: object) -> None:
            """Keeps quiet."""

        def handle(self) -> None:
            try:
                super().handle()
            except (BrokenPipeError, ConnectionResetError):
                # The client was killed.
                pass

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    proxy = Proxy(f"http://127.0.0.1:{listener.server_address[1]}")
    thread = threading.Thread(target=listener.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield proxy
    finally:
        listener.shutdown()
        thread.join()
        listener.server_close()
