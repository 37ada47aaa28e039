"""A mail server for the tests: aiosmtpd with a folder, STARTTLS or TLS, log-in, and recipients that are refused.

Prints {"port": N} when it listens, stores every accepted mail as N.eml next to N.json (envelope and session), and ends
when its standard input does, so that it never outlives the test that started it.

A recipient's local part determines what happens: reject-550, later-451, hang, drop (the connection, before the last
reply).
"""

import argparse
import asyncio
import json
import os
import pathlib
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword


class Handler:
    def __init__(self, folder):
        self.folder = folder
        self.count = 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        local = address.split("@")[0]
        if local.startswith("reject-"):
            return f"{local.removeprefix('reject-')} 5.1.1 <{address}> no such mailbox"
        if local.startswith("later-"):
            return f"{local.removeprefix('later-')} 4.7.1 <{address}> come back later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        local = envelope.rcpt_tos[0].split("@")[0]
        if local == "hang":
            await asyncio.Event().wait()
        if local == "drop":
            server.transport.abort()
            return "451 gone"
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
    arguments = parser.parse_args()

    context = None
    if arguments.tls != "none":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(arguments.certificate)

    def authenticate(server, session, envelope, mechanism, data):
        name, password = arguments.user.split(":", 1)
        good = isinstance(data, LoginPassword) and data == LoginPassword(name.encode(), password.encode())
        return AuthResult(success=good, handled=good)

    handler = Handler(arguments.folder)

    def factory():
        return SMTP(
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
