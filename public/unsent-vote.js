/*
 * A vote that could not be sent: stored on the device until there is a connection, for one user and one sprint, and
 * sent once.
 */
import { castBallot } from "./cast-ballot.js";
import { rememberIfWanted } from "./own-votes.js";

export const storageKey = "happiness.unsent-vote";

/** The name of the logged-in user; a vote is never sent in another user's name. */
const viewer = document.querySelector('meta[name="viewer"]')?.content;

/**
 * Stores a ballot. `closes` is an ISO 8601 instant.
 * @returns {boolean} whether it fits into the storage
 */
export function keep(ballot, closes) {
    try {
        localStorage.setItem(storageKey, JSON.stringify({ viewer, ballot, closes }));
        return true;
    } catch {
        return false;
    }
}

/** Deletes the vote. */
export function forget() {
    localStorage.removeItem(storageKey);
}

/**
 * Sends the stored vote, if there is one.
 * @returns {Promise<"none" | "waiting" | "sent" | "over" | "refused">}
 */
export async function sendUnsent() {
    // Several windows may notice the connection at the same moment.
    return navigator.locks ? navigator.locks.request(storageKey, send) : send();
}

async function send() {
    const kept = read();
    if (!kept) return "none";
    // The offline page has no user: it leaves the vote to the next page that has one.
    if (viewer === undefined) return "waiting";
    if (kept.viewer !== viewer) {
        forget();
        return "none";
    }
    if (Date.parse(kept.closes) <= Date.now()) {
        forget();
        return "over";
    }
    switch (await castBallot(kept.ballot)) {
    case "counted":
        rememberIfWanted(kept.ballot);
        forget();
        return "sent";
    case "alreadyVoted": forget(); return "sent";
    case "sprintOver": forget(); return "over";
    case "refused": forget(); return "refused";
    default: return "waiting";
    }
}

function read() {
    try {
        return JSON.parse(localStorage.getItem(storageKey));
    } catch {
        forget();
        return null;
    }
}
