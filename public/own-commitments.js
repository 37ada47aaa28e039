/*
 * What this browser keeps of the votes that it has cast: their commitments, and the hashes of their spent papers. With
 * them it finds its votes in the count of a sprint. They say nothing about the values; the randomness, which would, is not
 * kept, and neither is whose they are.
 */
import { nameOfVote, toBase64 } from "./ballot-paper.js";
import { root } from "./cast-ballot.js";

const storageKey = `happiness.commitments${root}`;
/** The oldest ones are forgotten: two years of a member of two teams. */
const most = 100;

/**
 * Remembers a vote that was counted.
 * @param {string} name of the vote (`nameOfVote`)
 * @param {Uint8Array} commitment to its value
 * @param {Uint8Array} spent hash of its paper, as the count lists it
 */
export async function rememberVote(name, commitment, spent) {
    try {
        await removeUserIDs();
        const all = read();
        all.set(name, { commitment: toBase64(commitment), spent: toBase64(spent) });
        write([...all].slice(-most));
    } catch {
        // Without storage, this browser cannot find the vote.
    }
}

/**
 * What this browser knows of a user's vote.
 * @returns {Promise<{ commitment: string, spent?: string } | undefined>} as Base64URL; votes of version 0.1.0 have no
 *     `spent`
 */
export async function ownVote(viewer, team, sprint) {
    try {
        await removeUserIDs();
        return read().get(await nameOfVote(viewer, { team, sprint }));
    } catch {
        return undefined;
    }
}

/** Version 0.1.0 kept commitments alone, under names with the user's id. */
async function removeUserIDs() {
    const all = [...read()];
    if (all.every(([name]) => !name.includes(" "))) return;
    write(await Promise.all(all.map(async ([name, kept]) => {
        const [, viewer, team, sprint] = name.match(/^(.*) (.*?)\/(.*)$/) ?? [];
        return viewer === undefined ? [name, kept] : [await nameOfVote(viewer, { team, sprint }), { commitment: kept }];
    })));
}

function read() {
    return new Map(JSON.parse(localStorage.getItem(storageKey)) ?? []);
}

function write(all) {
    localStorage.setItem(storageKey, JSON.stringify(all));
}
