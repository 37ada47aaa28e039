"""The cryptography of ballot papers and of encrypted texts in the browser, against the vectors of the RFCs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from visitor import Profile, Visitor


def vector(name: str) -> Any:
    return json.loads(Path(__file__).with_name("vectors").joinpath(name).read_text())


# RFC 9474, appendix A.3.
VECTOR = vector("rfc9474-a3.json")

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


CHECK_HPKE = """
    async (vector) => {
        const folder = document.querySelector('script[src$="/app.js"]').src.replace("app.js", "");
        const { sender } = await import(`${folder}hpke.js`);
        const { toBase64, toHexadecimal } = await import(`${folder}ballot-paper.js`);
        const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16));
        const point = bytes(vector.enc);
        const jwk = {
            kty: "EC", crv: "P-256", x: toBase64(point.subarray(1, 33)), y: toBase64(point.subarray(33)),
            d: toBase64(bytes(vector.skEm)),
        };
        const curve = { name: "ECDH", namedCurve: "P-256" };
        const pair = {
            publicKey: await crypto.subtle.importKey("raw", point, curve, true, []),
            privateKey: await crypto.subtle.importKey("jwk", jwk, curve, false, ["deriveBits"]),
        };
        const context = await sender(bytes(vector.pkRm), bytes(vector.info), pair);
        const [first] = vector.encryptions;
        const exported = [];
        for (const { exporter_context, L } of vector.exports) {
            exported.push(toHexadecimal(await context.exported(bytes(exporter_context), L)));
        }
        return {
            enc: toHexadecimal(context.encapsulatedKey),
            ct: toHexadecimal(await context.seal(bytes(first.pt), bytes(first.aad))), exported,
        };
    }
"""


def test_texts_are_encrypted_as_in_rfc_9180(browse: Callable[..., Visitor]) -> None:
    hpke = vector("rfc9180-a3-1.json")
    visitor = browse(Profile("phone", "en"))
    visitor.log_in_new()
    visitor.open("/settings")
    assert visitor.page.evaluate(CHECK_HPKE, hpke) == {
        "enc": hpke["enc"], "ct": hpke["encryptions"][0]["ct"], "exported": [one["exported_value"] for one in hpke["exports"]],
    }
