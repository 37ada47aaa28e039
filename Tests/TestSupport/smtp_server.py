"""A mail server for the tests: aiosmtpd with a folder, STARTTLS or TLS, log-in, and recipients that are refused.

Prints {"port": N} when it listens, stores every accepted mail as N.eml next to N.json (envelope and session), and ends
when its standard input does, so that it never outlives the test that started it.

A recipient's local part determines what happens: reject-550, policy-550 (no relaying), later-451, content-554 (after
the text), hang, drop (the connection, before the last reply). So does a sender's: reject-550. A client whose name in
EHLO is neither fully qualified nor an address literal gets 504, as from Postfix with reject_non_fqdn_helo_hostname.
"""

import argparse
import asyncio
import json
import os
import pathlib
import re
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword


NAME = re.compile(r"\[[0-9.]+\]|\[IPv6:[0-9A-Fa-f:.]+\]|([A-Za-z0-9-]+\.)+[A-Za-z0-9-]+")


class Refusal(asyncio.Protocol):
    """A connection that ends with its greeting."""

    def __init__(self, code):
        self.code = code

    def connection_made(self, transport):
        transport.write(f"{self.code} 4.7.0 not now\r\n".encode())
        transport.close()


class CountedSMTP(SMTP):
    """Counts open connections, from the moment they are accepted."""

    open = 0

    def connection_lost(self, error):
        CountedSMTP.open -= 1
        super().connection_lost(error)


class Handler:
    def __init__(self, folder, refused=None):
        self.folder = folder
        self.count = 0
        # If given, mails wait until a connection was refused.
        self.refused = refused

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        if not NAME.fullmatch(hostname):
            return [f"504 5.5.2 <{hostname}>: Helo command rejected: need fully-qualified hostname"]
        session.host_name = hostname
        return responses

    async def handle_HELO(self, server, session, envelope, hostname):
        if not NAME.fullmatch(hostname):
            return f"504 5.5.2 <{hostname}>: Helo command rejected: need fully-qualified hostname"
        session.host_name = hostname
        return "250 localhost"

    async def handle_MAIL(self, server, session, envelope, address, options):
        local = address.split("@")[0]
        if local.startswith("reject-"):
            return f"{local.removeprefix('reject-')} 5.1.8 <{address}> no such sender"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        local = address.split("@")[0]
        if local.startswith("reject-"):
            return f"{local.removeprefix('reject-')} 5.1.1 <{address}> no such mailbox"
        if local.startswith("policy-"):
            return f"{local.removeprefix('policy-')} 5.7.1 <{address}> relaying denied"
        if local.startswith("later-"):
            return f"{local.removeprefix('later-')} 4.7.1 <{address}> come back later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if self.refused:
            await self.refused.wait()
        local = envelope.rcpt_tos[0].split("@")[0]
        if local == "hang":
            await asyncio.Event().wait()
        if local == "drop":
            server.transport.abort()
            return "451 gone"
        if local.startswith("content-"):
            return f"{local.removeprefix('content-')} 5.7.1 content refused"
        self.count += 1
        path = self.folder / f"{self.count}.eml"
        path.write_bytes(envelope.original_content)
        path.with_suffix(".json").write_text(
            json.dumps(
                {
                    "from": envelope.mail_from,
                    "to": envelope.rcpt_tos,
                    "encrypted": session.ssl is not None or server.transport.get_extra_info("sslcontext") is not None,
                    "authenticated": bool(session.authenticated),
                    "clientName": session.host_name,
                }
            )
        )
        return "250 queued"


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--certificate", help="PEM of certificate and key")
    parser.add_argument("--tls", choices=["none", "starttls", "implicit"], default="none")
    parser.add_argument("--user", help="name:password, without which no mail is taken")
    parser.add_argument("--greeting", type=int, help="reply code with which every connection is refused")
    parser.add_argument("--connections", type=int, help="maximum number; further ones get 421")
    arguments = parser.parse_args()

    context = None
    if arguments.tls != "none":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(arguments.certificate)

    def authenticate(server, session, envelope, mechanism, data):
        name, password = arguments.user.split(":", 1)
        good = isinstance(data, LoginPassword) and data == LoginPassword(name.encode(), password.encode())
        return AuthResult(success=good, handled=good)

    refused = asyncio.Event() if arguments.connections else None
    handler = Handler(arguments.folder, refused)

    def factory():
        if arguments.greeting:
            return Refusal(arguments.greeting)
        if arguments.connections and CountedSMTP.open >= arguments.connections:
            refused.set()
            return Refusal(421)
        CountedSMTP.open += 1
        return (CountedSMTP if arguments.connections else SMTP)(
            handler,
            tls_context=context if arguments.tls == "starttls" else None,
            require_starttls=arguments.tls == "starttls",
            authenticator=authenticate if arguments.user else None,
            auth_required=bool(arguments.user),
            auth_require_tls=arguments.tls == "starttls",
            hostname="localhost",
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        factory, "127.0.0.1", 0, ssl=context if arguments.tls == "implicit" else None
    )
    loop.add_reader(sys.stdin.fileno(), lambda: os._exit(0))
    print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
    await server.serve_forever()


asyncio.run(main())
