/*
 * Requests that a relay forwards without being able to read them: Oblivious HTTP (RFC 9458), with HPKE (RFC 9180) in the
 * suite DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM, and Binary HTTP (RFC 9292) inside.
 */

/** The algorithms by their numbers (RFC 9180 §7). */
const kem = number(0x0010, 2);
const kdf = number(0x0001, 2);
const aead = number(0x0001, 2);

/** Bytes. */
const publicKeyLength = 65;
const keyLength = 16;
const nonceLength = 12;
const hashLength = 32;

/** Bytes of every message before it is encrypted, so that its length says nothing. The longest ballot fits. */
const messageLength = 36 * 1024;

const curve = { name: "ECDH", namedCurve: "P-256" };

/**
 * Encrypts a request for a gateway (RFC 9458 §4.3).
 * @param {{ method: string, path: string, body?: object }} request with a `body` as JSON
 * @param {Uint8Array} keys the gateway's, as `application/ohttp-keys`
 * @returns {Promise<{ message: Uint8Array, answerKey: { secret: Uint8Array, encapsulatedKey: Uint8Array } } | null>} what
 *     is sent, and what `open` needs; `null` if the keys are none that this code can use
 */
export async function encrypt(request, keys) {
    const configuration = configurationIn(keys);
    if (!configuration) return null;
    const header = joined(configuration.id, kem, kdf, aead);
    try {
        const context = await sender(configuration.publicKey, joined(utf8("message/bhttp request"), [0], header));
        return {
            message: joined(header, context.encapsulatedKey, await context.seal(encoded(request))),
            answerKey: {
                secret: await context.exported(utf8("message/bhttp response"), keyLength),
                encapsulatedKey: context.encapsulatedKey,
            },
        };
    } catch {
        // The public key is not on the curve.
        return null;
    }
}

/**
 * Decrypts the answer to a request (RFC 9458 §4.4).
 * @returns {Promise<{ status: number, content: Uint8Array } | null>} `null` if it is not the answer to this request
 */
export async function open(answer, { secret, encapsulatedKey }) {
    const nonce = answer.subarray(0, keyLength);
    const extracted = await extract(joined(encapsulatedKey, nonce), secret);
    const key = await crypto.subtle.importKey("raw", await expand(extracted, utf8("key"), keyLength), "AES-GCM", false, ["decrypt"]);
    const iv = await expand(extracted, utf8("nonce"), nonceLength);
    try {
        return decoded(new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, answer.subarray(keyLength))));
    } catch {
        return null;
    }
}

/** The first configuration with these algorithms, in a list of them (RFC 9458 §3.1 and §3.2). */
function configurationIn(keys) {
    for (let start = 0, end; start + 2 < keys.length; start = end) {
        end = start + 2 + valueOf(keys.subarray(start, start + 2));
        const entry = keys.subarray(start + 2, end);
        if (!areEqual(entry.subarray(1, 3), kem)) continue;
        const publicKey = entry.subarray(3, 3 + publicKeyLength);
        // After the length of the list come pairs of numbers.
        for (let pair = 3 + publicKeyLength + 2; pair + 4 <= entry.length; pair += 4) {
            if (areEqual(entry.subarray(pair, pair + 4), joined(kdf, aead))) return { id: entry.subarray(0, 1), publicKey };
        }
    }
    return null;
}

// HPKE

/**
 * A sender's context in base mode (RFC 9180 §5.1.1), for one message.
 * @param {CryptoKeyPair} pair for test vectors; a new one otherwise
 */
export async function sender(publicKey, info, pair) {
    const { publicKey: ownPublicKey, privateKey } = pair ?? await crypto.subtle.generateKey(curve, true, ["deriveBits"]);
    const encapsulatedKey = new Uint8Array(await crypto.subtle.exportKey("raw", ownPublicKey));
    const recipient = await crypto.subtle.importKey("raw", publicKey, curve, true, []);
    const common = new Uint8Array(await crypto.subtle.deriveBits({ name: "ECDH", public: recipient }, privateKey, 8 * hashLength));
    // Encap (§4.1).
    const kemSuite = joined(utf8("KEM"), kem);
    const keys = joined(encapsulatedKey, publicKey);
    const secret = await labelledExpand(
        kemSuite, await labelledExtract(kemSuite, [], "eae_prk", common), "shared_secret", keys, hashLength);
    // KeySchedule (§5.1).
    const suite = joined(utf8("HPKE"), kem, kdf, aead);
    const context = joined(
        [0], await labelledExtract(suite, [], "psk_id_hash", []), await labelledExtract(suite, [], "info_hash", info));
    const scheduled = await labelledExtract(suite, secret, "secret", []);
    const key = await crypto.subtle.importKey(
        "raw", await labelledExpand(suite, scheduled, "key", context, keyLength), "AES-GCM", false, ["encrypt"]);
    const iv = await labelledExpand(suite, scheduled, "base_nonce", context, nonceLength);
    const exporter = await labelledExpand(suite, scheduled, "exp", context, hashLength);
    return {
        encapsulatedKey,
        /** The only message: a second one would need another nonce. */
        seal: async (plain, additionalData = new Uint8Array(0)) =>
            new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, plain)),
        exported: (purpose, length) => labelledExpand(suite, exporter, "sec", purpose, length),
    };
}

function labelledExtract(suite, salt, label, secret) {
    return extract(salt, joined(utf8("HPKE-v1"), suite, utf8(label), secret));
}

function labelledExpand(suite, key, label, info, length) {
    return expand(key, joined(number(length, 2), utf8("HPKE-v1"), suite, utf8(label), info), length);
}

/** HKDF-Extract (RFC 5869 §2.2). Zeros are the same as no salt, which WebCrypto refuses as a key. */
function extract(salt, secret) {
    return hmac(salt.length > 0 ? salt : new Uint8Array(hashLength), secret);
}

/** HKDF-Expand (RFC 5869 §2.3) to at most 32 bytes. */
async function expand(key, info, length) {
    return (await hmac(key, joined(info, [1]))).subarray(0, length);
}

async function hmac(key, message) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign(algorithm.name, imported, message));
}

// Binary HTTP

/** A request with known lengths (RFC 9292 §3.1), padded with zeros (§3.8). */
function encoded({ method, path, body }) {
    const fields = body ? joined(counted(utf8("content-type")), counted(utf8("application/json"))) : [];
    const content = body ? utf8(JSON.stringify(body)) : [];
    // The gateway knows its own name.
    const control = [method, "https", "gateway", path].map((part) => counted(utf8(part)));
    const message = joined([0], ...control, counted(fields), counted(content), [0]);
    const padded = new Uint8Array(messageLength);
    padded.set(message);
    return padded;
}

/** A final response with known lengths (§3.1). */
function decoded(message) {
    const reader = new Reader(message);
    if (reader.integer() !== 1) return null;
    const status = reader.integer();
    reader.counted();
    return { status, content: reader.counted() };
}

/** Reads what RFC 9000 §16 calls variable-length integers, and bytes after their number. */
class Reader {
    #bytes;

    constructor(bytes) {
        this.#bytes = bytes;
    }

    integer() {
        const length = 1 << (this.#bytes[0] >> 6);
        return valueOf(this.#take(length)) % 2 ** (8 * length - 2);
    }

    /** Empty at the end: a message may be cut short before what is empty (RFC 9292 §3.8). */
    counted() {
        return this.#take(this.#bytes.length > 0 ? this.integer() : 0);
    }

    #take(length) {
        if (!(length <= this.#bytes.length)) throw new RangeError("The message is cut short.");
        const taken = this.#bytes.subarray(0, length);
        this.#bytes = this.#bytes.subarray(length);
        return taken;
    }
}

/** Bytes after their number, as an integer of 2 or 4 bytes. */
function counted(bytes) {
    const length = bytes.length < 2 ** 14 ? number(bytes.length + 2 ** 14, 2) : number(bytes.length + 2 ** 31, 4);
    return joined(length, bytes);
}

// Bytes

/** Big-endian. */
function number(value, length) {
    return Uint8Array.from({ length }, (_, index) => Math.floor(value / 256 ** (length - 1 - index)) % 256);
}

function valueOf(bytes) {
    return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

function utf8(text) {
    return new TextEncoder().encode(text);
}

function joined(...parts) {
    const result = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    let end = 0;
    for (const part of parts) {
        result.set(part, end);
        end += part.length;
    }
    return result;
}

function areEqual(some, others) {
    return some.length === others.length && some.every((byte, index) => byte === others[index]);
}
