/*
 * Votes on their way: on the device until the server says that they are counted, over a crash, without a connection and
 * after a log-out. Each is of one user and one sprint, and is counted once. They contain value and text, but not whose they
 * are: that is a hash in their names.
 */
import { nameOfVote } from "./ballot-paper.js";
import { castPlainBallot, root } from "./cast-ballot.js";
import { rememberIfWanted } from "./own-votes.js";
import { canSeal, castSealedBallot } from "./sealed-ballot.js";

/** As in app.js, which loads this module if the database exists. It is deleted when no vote waits. */
const database = `happiness.unsent-votes${root}`;
const table = "votes";

/** The logged-in user; a ballot without a signed paper is never sent in another user's name. */
const viewer = document.querySelector('meta[name="viewer"]')?.content;

/** Results after which a vote may be sent again. */
const waits = ["unreachable", "loggedOut", "keyDiffers"];

/**
 * Votes that cannot be stored, by name, as long as the page is open: the server has signed their papers, and signs no
 * others.
 */
const unstored = new Map();

/**
 * Casts the viewer's ballot, sealed. If it cannot be sent now, it is kept. If an earlier one may be counted, such as that
 * of another window, it stays as it is and is sent instead.
 * @param {{ ballot: object, closes: string, key?: object }} vote `closes` is an ISO 8601 instant
 * @returns {Promise<{ outcome: string, isKept: boolean }>} the result, as in cast-ballot.js; `alreadyVoted` if the earlier
 *     ballot is counted, and `earlierWaits` if it could not be sent
 */
export async function castVote({ ballot, closes, key }) {
    return alone(async () => {
        await removeUserIDs();
        const name = await nameOfVote(viewer, ballot);
        // A paper that this device has already got for the sprint is used; the server does not sign another one.
        const before = unstored.get(name) ?? await read(name).catch(() => undefined);
        const vote = withoutRelay({ ballot, closes, key, ...before, isSealed: true });
        if (mayBeCounted(vote) && !isSame(vote.ballot, ballot)) {
            const { outcome } = await send(name, vote);
            if (outcome === "counted") rememberIfWanted(vote.ballot);
            if (outcome === "unreachable") return { outcome: "earlierWaits", isKept: false };
            if (outcome !== "refused") return { outcome: outcome === "counted" ? "alreadyVoted" : outcome, isKept: false };
        }
        vote.ballot = ballot;
        const { outcome, isKept } = await send(name, vote);
        if (outcome === "counted") rememberIfWanted(ballot);
        return { outcome, isKept };
    });
}

/** Whether a ballot was sent, and the answer may have been lost: also to a relay, by version 0.1.0. */
function mayBeCounted({ isRefused, randomness, handedOver }) {
    return !isRefused && Boolean(randomness ?? handedOver);
}

function isSame(one, other) {
    return one.happiness === other.happiness && one.feedback === other.feedback;
}

/**
 * Sends the stored votes.
 * @returns {Promise<"none" | "waiting" | "sent" | "over" | "refused" | "keyDiffers" | "waitsForOwner">} what became of the
 *     viewer's; `waitsForOwner` if it is sent only after `sendAgain`
 */
export async function sendUnsent() {
    return alone(async () => {
        let result = "none";
        await removeUserIDs();
        const votes = await readAll();
        // A page was left between the deletion of its last vote and that of the database. Without a lock, another page may
        // have just created it.
        if (votes.length === 0 && navigator.locks) await removeIfEmpty().catch(() => {});
        for (const [name, vote] of votes) {
            const isTheirs = await isOwn(name, vote);
            const outcome = await sendStored(name, vote, isTheirs);
            // The offline page does not know who is logged in.
            if (isTheirs || viewer === undefined) result = outcome;
        }
        return result;
    });
}

/** Lets `sendUnsent` send the viewer's votes to the server that version 0.1.0 was to send through a relay. */
export async function sendAgain() {
    return alone(async () => {
        for (const [name, vote] of await ownVotes()) await write(name, withoutRelay(vote));
    });
}

/** What a log-out does to the viewer's votes: `sealed` ones wait, plain ones are deleted. */
export async function ownUnsent() {
    const own = await ownVotes();
    return { sealed: own.some(([, { isSealed }]) => isSealed), plain: own.some(([, { isSealed }]) => !isSealed) };
}

/** Deletes the plain votes, which cannot be sent after a log-out, and the database if nothing stays in it. */
export async function logOut() {
    return alone(async () => {
        for (const [name, { isSealed }] of await readAll()) if (!isSealed) await remove(name);
        // Reading it may just have created it.
        await removeIfEmpty().catch(() => {});
    });
}

async function sendStored(name, vote, isTheirs) {
    const isOver = Date.parse(vote.closes) <= Date.now();
    if (vote.isRefused) {
        if (isOver) await remove(name);
        return "none";
    }
    // A signed paper needs no user, and its ballot may have been counted: only the server knows.
    if (!vote.signature) {
        if (isOver) {
            await remove(name);
            return "over";
        }
        if (!isTheirs) {
            // The offline page has no user: it leaves votes to the next page that has one.
            if (!vote.isSealed && viewer !== undefined) await remove(name);
            return "waiting";
        }
    }
    // The offline page has no button to send it.
    if (vote.relay) return viewer === undefined ? "waiting" : "waitsForOwner";
    const { outcome } = await send(name, vote);
    switch (outcome) {
    case "counted":
        if (isTheirs) rememberIfWanted(vote.ballot);
        return "sent";
    case "alreadyVoted": return "sent";
    case "sprintOver": return "over";
    // The page to vote says why.
    case "mailboxVoted":
    case "refused": return "refused";
    case "keyDiffers": return "keyDiffers";
    default: return "waiting";
    }
}

/** The vote, to go to the server. */
function withoutRelay({ relay, ...vote }) {
    return vote;
}

/** Sends a vote and keeps it as long as that makes sense. */
async function send(name, vote) {
    let isKept = false;
    const keep = async () => {
        isKept = await write(name, vote).then(() => true, () => false);
    };
    vote.isRefused = false;
    // The ballot may differ from the stored one. A paper that is not signed yet is stored before its request.
    if (vote.signature) await keep();
    // A vote of version 0.1.0 has its old name if it could not be renamed.
    const { viewer: owner } = vote;
    const hashed = owner !== undefined && canSeal ? await nameOfVote(owner, vote.ballot) : name;
    const outcome = vote.isSealed ? await castSealedBallot(vote, hashed, keep) : await castPlainBallot(vote.ballot);
    // The user has no other paper, so it stays for another ballot.
    vote.isRefused = outcome === "refused" && vote.paper !== undefined;
    if (vote.isRefused) {
        delete vote.randomness;
        delete vote.handedOver;
    }
    unstored.delete(name);
    if (waits.includes(outcome) || vote.isRefused) {
        await keep();
        if (!isKept) unstored.set(name, vote);
    } else {
        await remove(name).catch(() => {});
    }
    return { outcome, isKept };
}

async function isOwn(name, vote) {
    if (viewer === undefined) return false;
    // A plain vote of version 0.1.0, in a browser without hashes.
    if (vote.viewer !== undefined) return vote.viewer === viewer;
    return name === await nameOfVote(viewer, vote.ballot);
}

/** Pairs of name and vote. */
async function ownVotes() {
    const all = await readAll();
    const areOwn = await Promise.all(all.map(([name, vote]) => isOwn(name, vote)));
    return all.filter((_, index) => areOwn[index]);
}

/** Version 0.1.0 stored the user's id in votes and their names. */
async function removeUserIDs() {
    if (!canSeal) return;
    for (const [name, { viewer: owner, ballot }] of await readAll()) {
        if (owner !== undefined) await rename(name, await nameOfVote(owner, ballot)).catch(() => {});
    }
}

/** One window at a time: several may notice the connection at the same moment. */
function alone(act) {
    return navigator.locks ? navigator.locks.request(database, act) : act();
}

// Storage

const read = (name) => inDatabase("readonly", (votes) => votes.get(name));
const write = (name, vote) => inDatabase("readwrite", (votes) => votes.put(vote, name));

/** Pairs of name and vote; none where nothing can be stored. */
async function readAll() {
    try {
        const names = await inDatabase("readonly", (votes) => votes.getAllKeys());
        const votes = await inDatabase("readonly", (votes) => votes.getAll());
        return names.map((name, index) => [name, votes[index]]);
    } catch {
        return [];
    }
}

/**
 * Gives a vote of version 0.1.0 another name. A page of that version that is still open does not find what has the new name,
 * and may have stored a vote with a paper of its own. The server signs only the paper that was asked for first.
 */
function rename(name, newName) {
    return inDatabase("readwrite", (votes) => {
        const reading = votes.get(newName);
        reading.onsuccess = () => {
            const there = reading.result;
            votes.get(name).onsuccess = ({ target }) => {
                // Another window was faster.
                if (!target.result) return;
                const { viewer: _, ...vote } = target.result;
                if (!there?.paper || (vote.signature && !there.signature)) votes.put(vote, newName);
                votes.delete(name);
            };
        };
        return reading;
    });
}

async function remove(name) {
    await inDatabase("readwrite", (votes) => votes.delete(name));
    await removeIfEmpty();
}

async function removeIfEmpty() {
    if (await inDatabase("readonly", (votes) => votes.count())) return;
    await new Promise((resolve) => {
        const deletion = indexedDB.deleteDatabase(database);
        deletion.onsuccess = deletion.onerror = deletion.onblocked = resolve;
    });
}

/** One transaction, on the disk when this returns: a paper must survive a crash right after it was asked for. */
function inDatabase(mode, act) {
    return new Promise((resolve, reject) => {
        const opening = indexedDB.open(database, 1);
        opening.onupgradeneeded = () => opening.result.createObjectStore(table);
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
            const open = opening.result;
            const transaction = open.transaction(table, mode, { durability: "strict" });
            const request = act(transaction.objectStore(table));
            transaction.oncomplete = () => {
                open.close();
                resolve(request.result);
            };
            transaction.onabort = () => {
                open.close();
                reject(transaction.error);
            };
        };
    });
}
