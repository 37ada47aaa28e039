/*
 * A relay, which another organisation runs: it knows who sends a ballot and cannot read it; the server can read it and
 * does not know who sent it. It holds ballots back until several go on together.
 */
import { toHexadecimal } from "./ballot-paper.js";
import { isTemporary, patience, resultOf } from "./cast-ballot.js";
import { encrypt, open } from "./oblivious-http.js";

/** Gets what the server shows to strangers, at once. The result is as that of `send` in cast-ballot.js. */
export async function getThrough(relay, path) {
    const request = await encrypted(relay, { method: "GET", path });
    if (!request) return { outcome: "unreachable" };
    const answer = await ask(relay, "/now", "POST", request.message);
    return await resultIn(answer, request.answerKey) ?? { outcome: "unreachable" };
}

/**
 * Hands a ballot to the relay, or asks there what has become of it. The server does not notice the question.
 * @param {{ relay: string, closes: string, handedOver?: { ticket: string, answerKey: object } }} vote gets `handedOver`: with the ticket
 *     the relay finds the answer, which only this device can read
 * @param {() => Promise<void>} keep stores the vote on the device
 * @returns as `send` in cast-ballot.js, or `onItsWay`
 */
export async function castThrough(vote, body, keep) {
    if (vote.handedOver) {
        const answer = await ask(vote.relay, `/mixed/${vote.handedOver.ticket}`);
        if (answer.status === 202) return { outcome: "onItsWay" };
        if (isTemporary(answer.status)) return { outcome: "unreachable" };
        const result = await resultIn(answer, vote.handedOver.answerKey);
        if (result && result.outcome !== "unreachable") return result;
        // The relay was restarted, the server could not store the ballot, or it has another key now.
    }
    const request = await encrypted(vote.relay, { method: "POST", path: "/api/v1/ballots", body });
    if (!request) return { outcome: "unreachable" };
    vote.handedOver = { ticket: toHexadecimal(crypto.getRandomValues(new Uint8Array(16))), answerKey: request.answerKey };
    await keep();
    // The relay must not hold it back for longer than the sprint is open.
    const end = Math.floor(Date.parse(vote.closes) / 1_000);
    const { status } = await ask(vote.relay, `/mixed/${vote.handedOver.ticket}?before=${end}`, "PUT", request.message);
    return { outcome: status === 202 ? "onItsWay" : "unreachable" };
}

async function encrypted(relay, request) {
    const { status, content } = await ask(relay, "/keys");
    return status === 200 ? encrypt(request, content) : null;
}

/** What the server answered; `null` if this is not its answer. */
async function resultIn({ status, content }, answerKey) {
    const response = status === 200 ? await open(content, answerKey) : null;
    if (!response) return null;
    let answer;
    try {
        answer = JSON.parse(new TextDecoder().decode(response.content));
    } catch {
        // No JSON.
    }
    return resultOf(response.status, answer);
}

/** @returns {Promise<{ status: number, content?: Uint8Array }>} status 0 without a response */
async function ask(relay, path, method = "GET", message = undefined) {
    try {
        const response = await fetch(relay + path, {
            method,
            headers: message ? { "Content-Type": "message/ohttp-req" } : {},
            body: message,
            credentials: "omit",
            // One to the server would show it the address of this device.
            redirect: "error",
            signal: AbortSignal.timeout?.(patience),
        });
        return { status: response.status, content: new Uint8Array(await response.arrayBuffer()) };
    } catch {
        return { status: 0 };
    }
}
