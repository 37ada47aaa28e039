/*
 * The count of a sprint as everybody with its address can read it, and the code of the whole list. docs/count.md says
 * byte by byte how the code is computed.
 *
 * It is computed from the fields as they were understood here, not from the text of the answer: two programs may read
 * the same text in two ways.
 */
import { fromBase64, isBallotKey, readKey, sha256, toHexadecimal } from "./ballot-paper.js";

const lengths = { randomness: 32, commitment: 33, hash: 32, paper: 32, signature: 256 };
/** Bytes of the code. The server can look for two lists with the same one, so a shorter code would not do. */
const codeLength = 20;
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * Reads a list.
 * @param {object} answer of the server
 * @param {{ team: string, sprint: string }} expected whose count it must be
 * @returns {Promise<object | null>} with bytes instead of Base64URL, each spent paper with its `hash`; `null` if a field
 *     does not have the form that it must have
 */
export async function readCount(answer, { team, sprint }) {
    try {
        const { votes, sum, members } = answer;
        const key = answer.key === null ? null : fromBase64(answer.key);
        const papers = answer.papers === null ? null : {
            issued: answer.papers.issued, spent: await Promise.all(answer.papers.spent.map((one) => spentPaper(one, key))),
        };
        const list = {
            team, sprint, votes, sum, members, key, papers, randomness: bytes(answer.randomness, lengths.randomness),
            commitments: answer.commitments.map((text) => bytes(text, lengths.commitment)),
        };
        const isRight = answer.team === team && answer.sprint === sprint
            && [votes, sum, members, papers ? papers.issued : 0].every(isNumber) && list.commitments.length === votes
            && isAscending(list.commitments) && isAscending(papers?.spent.map(({ hash }) => hash) ?? [])
            && (key === null || await isBallotKey(key));
        return isRight ? list : null;
    } catch {
        return null;
    }
}

/** A paper of version 0.1.0 has a hash only. */
async function spentPaper({ paper, signature, hash }, key) {
    if (hash !== undefined) return { hash: bytes(hash, lengths.hash) };
    if (key === null) throw new RangeError("A signature needs a key.");
    const spent = { paper: bytes(paper, lengths.paper), signature: bytes(signature, lengths.signature) };
    return { hash: await sha256(await sha256(key), spent.paper), ...spent };
}

/** The papers of a list whose signature is not one by its ballot key. */
export async function forgedPapers({ key, papers }) {
    const signed = papers.spent.filter(({ signature }) => signature);
    if (signed.length === 0) return [];
    const { verifier } = await readKey(key);
    // RSASSA-PSS with SHA-384 (RFC 8017 §8.1), as RSABSSA gives it.
    const valid = await Promise.all(signed.map(({ paper, signature }) =>
        crypto.subtle.verify({ name: "RSA-PSS", saltLength: 48 }, verifier, signature, paper)));
    return signed.filter((_, index) => !valid[index]);
}

/**
 * The code of a list: people who see the same code see the same list.
 * @param {object} list as `readCount` returns it
 * @returns {Promise<string>} eight groups of four digits of base32 (RFC 4648 §6)
 */
export async function codeOf({ team, sprint, votes, sum, randomness, members, papers, key, commitments }) {
    const text = new TextEncoder();
    const fields = [
        text.encode("happiness/count/1"), text.encode(team), text.encode(sprint), number(votes), number(sum), randomness,
        number(members), papers ? number(papers.issued) : new Uint8Array(), key ?? new Uint8Array(),
        joined(commitments), ...(papers?.spent ?? []).map(({ hash, signature }) => joined([hash, signature ?? []])),
    ];
    const digest = await sha256(...fields.flatMap((field) => [number(field.length), field]));
    const bits = Array.from(digest.slice(0, codeLength), (byte) => byte.toString(2).padStart(8, "0")).join("");
    const code = bits.match(/.{5}/g).map((digit) => digits[parseInt(digit, 2)]).join("");
    return code.match(/.{4}/g).join(" ");
}

/** Four bytes, big-endian. */
function number(value) {
    const result = new Uint8Array(4);
    new DataView(result.buffer).setUint32(0, value);
    return result;
}

function isNumber(value) {
    return Number.isInteger(value) && value >= 0 && value < 2 ** 32;
}

/** Base64URL of this many bytes. */
function bytes(text, length) {
    const result = fromBase64(text);
    if (result.length !== length) throw new RangeError("Another number of bytes was expected.");
    return result;
}

function joined(parts) {
    return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Whether these are in the order of their bytes. Two voters' devices may choose the same commitment. */
function isAscending(list) {
    const all = list.map(toHexadecimal);
    return all.every((one, index) => index === 0 || all[index - 1] <= one);
}
