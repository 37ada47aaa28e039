/*
 * Ballot papers on a voter's device: RSABSSA-SHA384-PSS-Deterministic (RFC 9474 §5). The server signs a paper without
 * seeing it: `blind` hides it behind a random factor, and `unblind` removes the factor from the signature.
 *
 * Needs WebCrypto, which browsers offer in secure contexts only (HTTPS, and `localhost`).
 */

/** Bytes of the salt, of SHA-384's output, and of a paper. */
const saltLength = 48;
const hashLength = 48;
const paperLength = 32;

const algorithm = { name: "RSA-PSS", hash: "SHA-384" };

/** A new paper: random bytes. */
export function newPaper() {
    return crypto.getRandomValues(new Uint8Array(paperLength));
}

/**
 * Reads a ballot key.
 * @param {Uint8Array} publicKey SubjectPublicKeyInfo in DER (RFC 5280 §4.1)
 */
export async function readKey(publicKey) {
    const verifier = await crypto.subtle.importKey("spki", publicKey, algorithm, true, ["verify"]);
    const { n, e } = await crypto.subtle.exportKey("jwk", verifier);
    return { verifier, modulus: toNumber(fromBase64(n)), exponent: toNumber(fromBase64(e)), length: fromBase64(n).length };
}

/** Whether it is an RSA key of 2048 bits with the exponent 65537, in the one spelling that DER has for it. */
export async function isBallotKey(publicKey) {
    try {
        const { verifier, exponent, length } = await readKey(publicKey);
        const spelling = new Uint8Array(await crypto.subtle.exportKey("spki", verifier));
        return length === 256 && exponent === 65_537n && toHexadecimal(spelling) === toHexadecimal(publicKey);
    } catch {
        return false;
    }
}

/**
 * Blind (RFC 9474 §4.2).
 * @param {{ salt?: Uint8Array, factor?: bigint }} random values, for test vectors; new ones otherwise
 * @returns {Promise<{ blinded: Uint8Array, inverse: bigint } | null>} what the server signs, and what `unblind` needs;
 *     `null` if a number shares a divisor with the modulus: it would be recognised, blinded or not
 */
export async function blind(paper, { modulus, exponent, length }, random = {}) {
    const salt = random.salt ?? crypto.getRandomValues(new Uint8Array(saltLength));
    const factor = random.factor ?? randomBelow(modulus, length);
    const message = toNumber(await encoded(paper, salt, length));
    const inverse = inverted(factor, modulus);
    if (inverse === null || inverted(message, modulus) === null) return null;
    return { blinded: toBytes(message * power(factor, exponent, modulus) % modulus, length), inverse };
}

/**
 * Finalize (RFC 9474 §4.4).
 * @returns {Promise<Uint8Array | null>} the paper's signature; `null` if the server has signed something else or with
 *     another key
 */
export async function unblind(blindSignature, paper, { verifier, modulus, length }, inverse) {
    if (blindSignature.length !== length) return null;
    const signature = toBytes(toNumber(blindSignature) * inverse % modulus, length);
    const isValid = await crypto.subtle.verify({ name: algorithm.name, saltLength }, verifier, signature, paper);
    return isValid ? signature : null;
}

/** EMSA-PSS-ENCODE (RFC 8017 §9.1.1) for a modulus of `length` bytes whose highest bit is set, as in ballot keys. */
async function encoded(message, salt, length) {
    const digest = await sha384(new Uint8Array(8), await sha384(message), salt);
    const block = new Uint8Array(length - hashLength - 1);
    block.set(salt, block.length - saltLength);
    block[block.length - saltLength - 1] = 1;
    const mask = await maskOf(digest, block.length);
    const result = new Uint8Array(length);
    result.set(block.map((byte, index) => byte ^ mask[index]));
    // It has one bit less than the modulus.
    result[0] &= 0x7f;
    result.set(digest, block.length);
    result[length - 1] = 0xbc;
    return result;
}

/** MGF1 (RFC 8017 §B.2.1). */
async function maskOf(seed, length) {
    const mask = new Uint8Array(Math.ceil(length / hashLength) * hashLength);
    for (let counter = 0; counter * hashLength < length; counter += 1) {
        mask.set(await sha384(seed, Uint8Array.of(0, 0, 0, counter)), counter * hashLength);
    }
    return mask.subarray(0, length);
}

async function sha384(...parts) {
    return new Uint8Array(await crypto.subtle.digest("SHA-384", await new Blob(parts).arrayBuffer()));
}

// Large numbers

/** A random number from 1 to `limit` - 1; each is equally likely. */
function randomBelow(limit, length) {
    for (;;) {
        const number = toNumber(crypto.getRandomValues(new Uint8Array(length)));
        if (number > 0n && number < limit) return number;
    }
}

function power(base, exponent, modulus) {
    let result = 1n;
    for (let square = base; exponent > 0n; exponent >>= 1n, square = square * square % modulus) {
        if (exponent & 1n) result = result * square % modulus;
    }
    return result;
}

/** The multiplicative inverse, with Euclid's extended algorithm; `null` if there is none. */
export function inverted(number, modulus) {
    let [before, rest] = [modulus, number];
    let [factorBefore, factor] = [0n, 1n];
    while (rest > 0n) {
        const quotient = before / rest;
        [before, rest] = [rest, before - quotient * rest];
        [factorBefore, factor] = [factor, factorBefore - quotient * factor];
    }
    if (before !== 1n) return null;
    return factorBefore < 0n ? factorBefore + modulus : factorBefore;
}

/** Big-endian. */
function toNumber(bytes) {
    return BigInt(`0x${toHexadecimal(bytes)}`);
}

function toBytes(number, length) {
    const digits = number.toString(16).padStart(2 * length, "0");
    return Uint8Array.from({ length }, (_, index) => parseInt(digits.slice(2 * index, 2 * index + 2), 16));
}

/** SHA-256 of bytes and texts, one after another. */
export async function sha256(...parts) {
    return new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer()));
}

// Text

/**
 * The name under which a browser stores something about a user's vote in a sprint. It is a hash, so that the next user of
 * the browser does not read whose it is.
 */
export async function nameOfVote(viewer, { team, sprint }) {
    return toHexadecimal(await sha256(`Happiness Metric vote ${viewer} ${team} ${sprint}`));
}

export function toHexadecimal(bytes) {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Base64URL without padding (RFC 4648 §5). */
export function toBase64(bytes) {
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function fromBase64(text) {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
}
