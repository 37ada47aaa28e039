/*
 * The only place where page code casts a ballot.
 *
 * castBallot({ team, sprint, happiness, feedback }) sends it and returns the result:
 *   "counted"       the vote was cast
 *   "alreadyVoted"  this user has already voted in the sprint; nothing changed
 *   "sprintOver"    the sprint is closed
 *   "loggedOut"     the session has ended: send it again after a log-in
 *   "refused"       it is not valid and never will be
 *   "unreachable"   no response, or the service is unavailable: send it again later; it is cast once in any case
 */

/** Milliseconds after which a request is given up. */
const patience = 15_000;

export async function castBallot({ team, sprint, happiness, feedback }) {
    let response;
    try {
        response = await fetch(`/api/v1/teams/${team}/sprints/${sprint}/ballots`, {
            method: "POST",
            headers: {
                "Content-Type": "application/json",
                "X-Form-Token": document.querySelector('meta[name="form-token"]')?.content ?? "",
            },
            body: JSON.stringify({ happiness, feedback }),
            signal: AbortSignal.timeout?.(patience),
        });
    } catch {
        return "unreachable";
    }
    if (response.status === 201) return "counted";
    if (response.status >= 500 || response.status === 408 || response.status === 429) return "unreachable";
    if (response.status === 401) return "loggedOut";
    switch (await reason(response)) {
    // All members have voted, including this one.
    case "sprint-complete":
    case "already-voted": return "alreadyVoted";
    case "sprint-not-open": return "sprintOver";
    // The page was loaded before the last log-in.
    case "form-not-ours": return "loggedOut";
    default: return "refused";
    }
}

/** The last part of the `type` of a problem document (RFC 9457). */
async function reason(response) {
    try {
        return (await response.json()).type.split("#")[1];
    } catch {
        return "";
    }
}
