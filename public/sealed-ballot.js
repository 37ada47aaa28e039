/*
 * Sealed ballots: the server signs a ballot paper for the user who is logged in, without seeing the paper; the ballot
 * then goes with this paper and without the log-in, so nobody can link the two by what is stored.
 */
import {
    blind, fromBase64, isBallotKey, newPaper, readKey, sha256, toBase64, toHexadecimal, unblind,
} from "./ballot-paper.js";
import { root, send } from "./cast-ballot.js";

/** Whether this browser can seal a ballot: only in a secure context. */
export const canSeal = globalThis.crypto?.subtle !== undefined && globalThis.indexedDB !== undefined;

/**
 * The keys that this browser has seen: ids by SHA-256 of team and sprint, the oldest first. They outlive a log-out, after
 * which a server could otherwise show another key.
 */
const keysSeen = `happiness.ballot-keys${root}`;
/** More than the teams that share a device have in a year. */
const mostKeys = 500;

/** Team and sprint as the server writes them. Another spelling would be another sprint here, and could tell who asks. */
const placeForm = /^[0-9a-f]{32}\/[1-9]\d{0,3}\/(?:0|[1-9]\d?)[b-z]?$/;

export function isPlace(team, sprint) {
    return placeForm.test(`${team}/${sprint}`);
}

/**
 * The ballot key of a sprint, asked for without the log-in: with a key of their own, a voter could be recognised. A server
 * that knows all the same who asks shows only when people compare the key's digits.
 * @returns {Promise<{ outcome?: string, key?: { id: string, publicKey: string } }>} with `keyDiffers` perhaps a key,
 *     which must not be used: this browser saw another one first
 */
export async function ballotKey({ team, sprint }) {
    if (!isPlace(team, sprint)) return { outcome: "keyDiffers" };
    const { outcome, reason, answer: key } = await send(`/api/v1/sprint-ballot-keys/${team}/${sprint}`, { withLogIn: false });
    // A sprint that is over gets none any more.
    if (reason === "no-such-ballot-key") return { outcome: "sprintOver" };
    if (outcome) return { outcome };
    if (!(await isValid(key))) return { outcome: "keyDiffers" };
    return (await isAsSeen(key.id, `${team}/${sprint}`)) ? { key } : { outcome: "keyDiffers", key };
}

/** What people compare: 128 bits, because a server can create keys until two of them share their first digits. */
export function digitsOf({ id }) {
    return id.slice(0, 32).replace(/.{4}(?!$)/g, "$& ");
}

/** Whether an answer is a ballot key with the id that belongs to it. */
async function isValid(key) {
    try {
        const bytes = fromBase64(key.publicKey);
        return toHexadecimal(await sha256(bytes)) === key.id && (await isBallotKey(bytes));
    } catch {
        return false;
    }
}

/** Remembers the first key of each sprint. */
async function isAsSeen(id, sprint) {
    try {
        const name = await nameOf(sprint);
        const seen = await firstKeys();
        if (!seen.has(name)) seen.set(name, id);
        localStorage.setItem(keysSeen, JSON.stringify([...seen].slice(-mostKeys)));
        return seen.get(name) === id;
    } catch {
        // Without storage there is nothing to compare with.
        return true;
    }
}

/** The ids by the names of their sprints. */
async function firstKeys() {
    const seen = new Map();
    for (const [place, first] of JSON.parse(localStorage.getItem(keysSeen)) ?? []) {
        // Version 0.1.0 wrote team and sprint.
        const known = place.includes("/") ? await nameOf(place) : place;
        if (!seen.has(known)) seen.set(known, first);
    }
    return seen;
}

/**
 * The key that this browser saw first in a sprint.
 * @returns {Promise<string | undefined>} its id; `undefined` if this browser remembers none
 */
export async function firstKeySeen(team, sprint) {
    try {
        return (await firstKeys()).get(await nameOf(`${team}/${sprint}`));
    } catch {
        return undefined;
    }
}

/** The name under which the key of a sprint is remembered. */
async function nameOf(sprint) {
    return toHexadecimal(await sha256(sprint));
}

/** Sizes of bodies, in bytes, are multiples of this: they do not tell how long the text is. */
const block = 4_096;

/**
 * The body that casts a ballot. The command sends the same bytes for the same ballot (`SealedBallot.swift`), so they do
 * not tell who uses which: fields in alphabetical order, then blanks.
 */
export function bodyOf({ key, paper, signature, happiness, feedback, randomness }) {
    const json = JSON.stringify({ feedback: normalized(feedback ?? ""), happiness, key, paper, randomness, signature });
    const { length } = new TextEncoder().encode(json);
    return json + " ".repeat((block - length % block) % block);
}

/**
 * The text as it is sent, `null` if there is none: the characters of line ends and blanks, and how letters are
 * composed, would tell the device. The command does the same; the server does more (`FeedbackText`).
 */
export function normalized(text) {
    return text.replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n").replace(/[\t\p{Zs}]/gu, " ")
        // The server refuses control characters; halves of characters are none. A paste may contain both.
        .replace(/(?!\n)[\p{Cc}\p{Cs}]/gu, "").normalize().replace(/^[ \n]+|[ \n]+$/g, "") || null;
}

/**
 * Casts a sealed ballot.
 *
 * `vote` has the `ballot`, perhaps the `key`, and from here on what is needed to go on after any interruption: the
 * `paper`, how it was blinded (`blinded`, `inverse`), its `signature`, and the blinding factor of its commitment
 * (`randomness`), from before the ballot is sent. The server signs one paper for each user and sprint, so a vote must
 * never lose its paper.
 * @param {string} name of the vote (`nameOfVote`)
 * @param {() => Promise<void>} keep stores the vote on the device; called before each request that depends on it
 * @returns the result, as in cast-ballot.js
 */
export async function castSealedBallot(vote, name, keep) {
    if (!vote.signature) {
        const outcome = await getPaper(vote, keep);
        if (outcome) return outcome;
    }
    // Not before the vote is sent, so that the page comes sooner.
    const modules = await Promise.all([import("./commitment.js"), import("./own-commitments.js")]).catch(() => null);
    if (!modules) return "unreachable";
    const [{ commit, newRandomness }, { rememberVote }] = modules;
    if (!vote.randomness) {
        vote.randomness = newRandomness();
        await keep();
    }
    const { happiness, feedback } = vote.ballot;
    const { outcome, reason } = await send("/api/v1/ballots", {
        body: bodyOf({
            key: vote.key.id, paper: toBase64(vote.paper), signature: vote.signature, happiness, feedback,
            randomness: toBase64(vote.randomness),
        }),
        withLogIn: false,
    });
    // The answer to an earlier request was lost. It was for the same ballot (`unsent-vote.js`).
    if (outcome && reason !== "already-counted") return outcome;
    const spent = await sha256(await sha256(fromBase64(vote.key.publicKey)), vote.paper);
    await rememberVote(name, await commit(happiness * 10, vote.randomness), spent);
    return "counted";
}

/** Gets the paper signed. Returns a result only if that fails. */
async function getPaper(vote, keep) {
    if (!vote.paper) {
        const { outcome, key } = vote.key ? vote : await ballotKey(vote.ballot);
        if (outcome) return outcome;
        const paper = newPaper();
        const blinding = await blind(paper, await readKey(fromBase64(key.publicKey)));
        if (!blinding) return "keyDiffers";
        Object.assign(vote, { key, paper, blinded: toBase64(blinding.blinded), inverse: blinding.inverse });
    }
    await keep();
    const { team, sprint } = vote.ballot;
    const { outcome, answer } = await send(`/api/v1/teams/${team}/sprints/${sprint}/ballot-papers`, {
        body: { blindedMessage: vote.blinded },
    });
    if (outcome) return outcome;
    const key = await readKey(fromBase64(vote.key.publicKey));
    const signature = await unblind(fromBase64(answer.blindSignature), vote.paper, key, vote.inverse);
    if (!signature) return "keyDiffers";
    vote.signature = toBase64(signature);
    // They link the paper to the user who asked for it.
    delete vote.blinded;
    delete vote.inverse;
    await keep();
    return null;
}
