/*
 * The only place where page code sends a plain ballot, and what every request about a vote can result in:
 *   "counted"       the vote was cast
 *   "alreadyVoted"  this user has already voted in the sprint; nothing changed
 *   "mailboxVoted"  another account with the same mailbox has; nothing changed
 *   "sprintOver"    the sprint is closed
 *   "loggedOut"     the session has ended: send it again after a log-in
 *   "refused"       it is not valid and never will be
 *   "unreachable"   no response, or the service is unavailable: send it again later; it is cast once in any case
 *   "keyDiffers"    for a sealed ballot: the ballot key is not the one it should be, so nothing was sent
 */

/**
 * The path of this server, if it is not at the root of its host. What a page stores has names that end with it: a browser
 * shares its storage between all installations of a host.
 */
export const root = document.documentElement.dataset.root ?? "";

/** Milliseconds after which a request is given up. */
const patience = 15_000;

/** As the command sends them (`HTTPExchange.swift`), and not as this browser would. */
const anonymousHeaders = { Accept: "*/*", "Accept-Language": "en", "Cache-Control": "no-cache", Pragma: "no-cache" };

/** Casts a plain ballot that version 0.1.0 kept in a browser that cannot seal it: with the log-in. */
export async function castPlainBallot({ team, sprint, happiness, feedback }) {
    const answer = await send(`/api/v1/teams/${team}/sprints/${sprint}/ballots`, { body: { happiness, feedback } });
    return answer.outcome ?? "counted";
}

/**
 * Sends a request, a POST if there is a `body`.
 * @param {string} path of this server
 * @param {object | string} [body] a text is JSON already
 * @param {boolean} withLogIn `false` sends neither cookies nor anything else that says who asks
 * @returns {Promise<{ outcome?: string, reason?: string, answer?: object }>} the JSON of the answer, or, if it is not a
 *     success, the result with the reason in the problem document
 */
export async function send(path, { body, withLogIn = true } = {}) {
    const formToken = document.querySelector('meta[name="form-token"]')?.content ?? "";
    const headers = withLogIn ? { "X-Form-Token": formToken } : { ...anonymousHeaders };
    if (body) headers["Content-Type"] = "application/json";
    let response, answer;
    try {
        response = await fetch(root + path, {
            method: body ? "POST" : "GET",
            headers,
            body: typeof body === "object" ? JSON.stringify(body) : body,
            credentials: withLogIn ? "same-origin" : "omit",
            // Another address could be one for this user alone.
            redirect: withLogIn ? "follow" : "error",
            cache: "no-store",
            referrerPolicy: "no-referrer",
            signal: AbortSignal.timeout?.(patience),
        });
        answer = await response.json();
    } catch {
        // No response, one that was cut off, or one of a proxy in front.
    }
    return resultOf(response?.status ?? 0, answer);
}

/**
 * What an answer means.
 * @param {number} status 0 if there is none
 * @param {object} [answer] the JSON of the response, if it is any
 */
function resultOf(status, answer) {
    if (status >= 200 && status < 300) return answer === undefined ? { outcome: "unreachable" } : { answer };
    if (isTemporary(status)) return { outcome: "unreachable" };
    if (status === 401) return { outcome: "loggedOut" };
    // The last part of the `type` of a problem document (RFC 9457).
    const reason = answer?.type?.split("#")[1];
    // Not an answer of this server, but of a proxy or a filter in front of it.
    if (reason === undefined) return { outcome: "unreachable" };
    switch (reason) {
    case "already-voted": return { outcome: "alreadyVoted", reason };
    case "mailbox-voted": return { outcome: "mailboxVoted", reason };
    // Everyone has voted. Whether this user was one of them, nobody knows any more.
    case "sprint-complete":
    case "sprint-not-open": return { outcome: "sprintOver", reason };
    // The page was loaded before the last log-in.
    case "form-not-ours": return { outcome: "loggedOut", reason };
    default: return { outcome: "refused", reason };
    }
}

/** Whether the same request may be answered differently later. */
function isTemporary(status) {
    return status === 0 || status >= 500 || status === 408 || status === 429;
}
