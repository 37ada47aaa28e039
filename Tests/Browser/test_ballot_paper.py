"""The cryptography of ballot papers in the browser, against the vectors of the RFC."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from visitor import Profile, Visitor

# RFC 9474, appendix A.3.
VECTOR = json.loads(Path(__file__).with_name("vectors").joinpath("rfc9474-a3.json").read_text())

CHECK_VECTOR = """
    async (vector) => {
        const { blind, inverted, readKey, toBase64, toHexadecimal, unblind } =
            await import(document.querySelector('script[src$="/app.js"]').src.replace("app.js", "ballot-paper.js"));
        const bytes = (text) => Uint8Array.from(text.match(/../g), (digits) => parseInt(digits, 16));
        const jwk = { kty: "RSA", n: toBase64(bytes(vector.n)), e: toBase64(bytes(vector.e)) };
        const imported = await crypto.subtle.importKey("jwk", jwk, { name: "RSA-PSS", hash: "SHA-384" }, true, ["verify"]);
        const key = await readKey(new Uint8Array(await crypto.subtle.exportKey("spki", imported)));
        const inverse = BigInt("0x" + vector.inv);
        const random = { salt: bytes(vector.salt), factor: inverted(inverse, key.modulus) };
        const blinding = await blind(bytes(vector.msg), key, random);
        const signature = await unblind(bytes(vector.blind_sig), bytes(vector.msg), key, blinding.inverse);
        const other = await blind(bytes(vector.msg), key);
        const forged = bytes(vector.blind_sig).fill(1, 100, 101);
        return {
            blinded: toHexadecimal(blinding.blinded), isInverse: blinding.inverse === inverse,
            signature: toHexadecimal(signature), forged: await unblind(forged, bytes(vector.msg), key, inverse),
            short: await unblind(bytes(vector.blind_sig).subarray(1), bytes(vector.msg), key, inverse),
            isRandom: toHexadecimal(other.blinded) !== vector.blinded_msg,
        };
    }
"""


def test_papers_are_those_of_rfc_9474(browse: Callable[..., Visitor]) -> None:
    visitor = browse(Profile("phone", "en"))
    visitor.log_in_new()
    visitor.open("/settings")
    assert visitor.page.evaluate(CHECK_VECTOR, VECTOR) == {
        "blinded": VECTOR["blinded_msg"], "isInverse": True, "signature": VECTOR["sig"], "forged": None, "short": None,
        "isRandom": True,
    }
