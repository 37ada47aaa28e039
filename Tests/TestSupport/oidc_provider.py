"""An OpenID provider (oidc-provider-mock) on a free port, until standard input ends. Prints {"port": N} when it
listens.

Clients must be registered, so that it checks their secret and address, and must send a nonce. The package does not
support PKCE, so Authlib, on which it is built, checks it.
"""

import json
import os
import socket
import sys
import threading

import uvicorn

# Otherwise the library refuses plain HTTP; nothing leaves this machine.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import authlib.integrations.flask_oauth2  # noqa: E402
from authlib.oauth2.rfc7636 import CodeChallenge  # noqa: E402
from oidc_provider_mock import _app, app  # noqa: E402

challenges: dict[str, tuple[str | None, str | None]] = {}


class RememberingGrant(_app.AuthorizationCodeGrant):
    """The package's grant, extended to store the challenge of each code."""

    def save_authorization_code(self, code, request):
        super().save_authorization_code(code, request)
        data = request.payload.data
        challenges[code] = (data.get("code_challenge"), data.get("code_challenge_method"))


class RememberedChallenge(CodeChallenge):
    def get_authorization_code_challenge(self, authorization_code):
        return challenges[authorization_code.code][0]

    def get_authorization_code_challenge_method(self, authorization_code):
        return challenges[authorization_code.code][1]


class StrictServer(authlib.integrations.flask_oauth2.AuthorizationServer):
    def register_grant(self, grant_cls, extensions=None):
        if grant_cls is RememberingGrant:
            extensions = [*(extensions or []), RememberedChallenge(required=True)]
        super().register_grant(grant_cls, extensions)


_app.AuthorizationCodeGrant = RememberingGrant
_app.flask_oauth2.AuthorizationServer = StrictServer


def main() -> None:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    print(json.dumps({"port": listener.getsockname()[1]}), flush=True)
    provider = app(require_client_registration=True, require_nonce=True)
    server = uvicorn.Server(uvicorn.Config(provider, interface="wsgi", log_level="critical"))
    server.run(sockets=[listener])


main()
