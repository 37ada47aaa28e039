/*
 * The commitments of the votes that this browser has cast: with them it finds its votes in the count of a sprint. They say
 * nothing about the values; the randomness, which would, is not kept.
 */
import { toBase64 } from "./ballot-paper.js";
import { root } from "./cast-ballot.js";

const storageKey = `happiness.commitments${root}`;
/** The oldest ones are forgotten: two years of a member of two teams. */
const most = 100;

/** Remembers the commitment of a vote that was counted. */
export function rememberCommitment({ viewer, ballot }, commitment) {
    try {
        const all = read();
        all.set(nameOf(viewer, ballot.team, ballot.sprint), toBase64(commitment));
        localStorage.setItem(storageKey, JSON.stringify([...all].slice(-most)));
    } catch {
        // Without storage, this browser cannot find the vote.
    }
}

/** The commitment of a user's vote, as Base64URL; `undefined` if this browser knows none. */
export function commitmentOf(viewer, team, sprint) {
    try {
        return read().get(nameOf(viewer, team, sprint));
    } catch {
        return undefined;
    }
}

function read() {
    return new Map(JSON.parse(localStorage.getItem(storageKey)) ?? []);
}

function nameOf(viewer, team, sprint) {
    return `${viewer} ${team}/${sprint}`;
}
