/*
 * The one place where page code casts a ballot.
 *
 * castBallot({ team, sprint, happiness, feedback }) sends it and says what became of it:
 *   "counted"       it counts
 *   "alreadyVoted"  this person has voted in the sprint; nothing changed
 *   "sprintOver"    the sprint takes no ballots any more
 *   "loggedOut"     the session is over: send it again after a log-in
 *   "refused"       it will not do as it is, now or later
 *   "unreachable"   no answer, or the service is away: send it again later; it counts once however often it is sent
 */

/** Milliseconds after which no answer is expected any more. */
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
    // Everybody has, and so has this person.
    case "sprint-complete":
    case "already-voted": return "alreadyVoted";
    case "sprint-not-open": return "sprintOver";
    // The page is older than the last log-in.
    case "form-not-ours": return "loggedOut";
    default: return "refused";
    }
}

/** What ends the `type` of a problem document (RFC 9457). */
async function reason(response) {
    try {
        return (await response.json()).type.split("#")[1];
    } catch {
        return "";
    }
}
