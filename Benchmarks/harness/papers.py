"""Gets ballot papers for voters and prepares their sealed ballots, with the blinding of RFC 9474 §4 in integers."""

import base64
import hashlib
import http.client
import itertools
import json
import os
import pathlib
import secrets
import threading
import time

# Bytes of the salt, the modulus and SHA-384's output.
SALT, MODULUS, HASH = 48, 256, 48
CLIENTS = 8
# Processor time is counted in ticks (proc(5)).
TICK = os.sysconf("SC_CLK_TCK")


class Papers:
    """One paper for each of the first `count` tokens, blinded before anything is measured."""

    def __init__(self, port, sprint_path, tokens, count):
        self.port = port
        self.path = f"{sprint_path}/ballot-papers"
        self.tokens = pathlib.Path(tokens).read_text(encoding="ascii").split()[:count]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        key = ask(connection, "GET", f"{sprint_path}/ballot-key", self.tokens[0])
        connection.close()
        self.key_id = key["id"]
        # A SubjectPublicKeyInfo of RSA ends with the modulus and the exponent, which has a header of two bytes.
        der = decoded(key["publicKey"])
        modulus, exponent = int.from_bytes(der[-MODULUS - 5 : -5], "big"), int.from_bytes(der[-3:], "big")
        self.modulus = modulus
        self.papers = []
        for _ in self.tokens:
            paper, factor = secrets.token_bytes(32), secrets.randbelow(modulus - 1) + 1
            blinded = pss_encoded(paper) * pow(factor, exponent, modulus) % modulus
            body = json.dumps({"blindedMessage": encoded(blinded.to_bytes(MODULUS, "big"))})
            self.papers.append((paper, pow(factor, -1, modulus), body))
        self.answers = {}

    def get(self) -> float:
        """Gets all papers, several at a time. Returns the rate."""
        numbers = itertools.count()
        clients = [threading.Thread(target=self._get, args=(numbers,)) for _ in range(CLIENTS)]
        began = time.perf_counter()
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        seconds = time.perf_counter() - began
        if len(self.answers) != len(self.papers):
            raise SystemExit(f"bench: {len(self.answers)} of {len(self.papers)} papers were issued")
        return len(self.papers) / seconds

    def _get(self, numbers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while (number := next(numbers)) < len(self.papers):
            answer = ask(connection, "POST", self.path, self.tokens[number], self.papers[number][2])
            self.answers[number] = answer["blindSignature"]
        connection.close()

    def write_ballots(self, file):
        """One sealed ballot a line; every tenth has a feedback text, as in load.lua."""
        with open(file, "w", encoding="ascii") as lines:
            for number, (paper, inverse, _) in enumerate(self.papers):
                signature = int.from_bytes(decoded(self.answers[number]), "big") * inverse % self.modulus
                ballot = {
                    "key": self.key_id, "paper": encoded(paper),
                    "signature": encoded(signature.to_bytes(MODULUS, "big")), "happiness": number % 11,
                }  # fmt: skip
                if number % 10 == 0:
                    ballot["feedback"] = "Good pace, friendly reviews, and the tests are fast again."
                lines.write(json.dumps(ballot) + "\n")


def processor_time(process) -> float:
    """Seconds that a process has computed."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def ask(connection, method, path, token, body=None):
    """The JSON of an answer; everything but success ends the program."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    text = response.read()
    if not 200 <= response.status < 300:
        raise SystemExit(f"bench: {path}: {response.status} {text.decode()}")
    return json.loads(text)


def pss_encoded(message) -> int:
    """EMSA-PSS-ENCODE of RFC 8017 §9.1.1 with SHA-384, MGF1 and a random salt."""
    salt = secrets.token_bytes(SALT)
    digest = hashlib.sha384(bytes(8) + hashlib.sha384(message).digest() + salt).digest()
    block = bytes(MODULUS - HASH - SALT - 2) + b"\x01" + salt
    mask = b"".join(hashlib.sha384(digest + bytes([0, 0, 0, counter])).digest() for counter in range(5))[: len(block)]
    masked = bytearray(a ^ b for a, b in zip(block, mask))
    # The encoded message has one bit less than the modulus.
    masked[0] &= 0x7F
    return int.from_bytes(bytes(masked) + digest + b"\xbc", "big")


def encoded(value) -> str:
    """Base64URL without padding."""
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def decoded(text) -> bytes:
    """The reverse of `encoded`."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
