/*
 * Encryption to a public key: HPKE (RFC 9180), base mode, in the suite DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM.
 */

/** The algorithms by their numbers (RFC 9180 §7). */
const kem = number(0x0010, 2);
const kdf = number(0x0001, 2);
const aead = number(0x0001, 2);

/** Bytes. */
const keyLength = 16;
const nonceLength = 12;
const hashLength = 32;

const curve = { name: "ECDH", namedCurve: "P-256" };

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

// Bytes

/** Big-endian. */
function number(value, length) {
    return Uint8Array.from({ length }, (_, index) => Math.floor(value / 256 ** (length - 1 - index)) % 256);
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
