// Keeps the status page up to date: every 15 seconds it fetches the page again and swaps the marked part.
//
//   <div data-status>…</div>
//
// A hidden page pauses, and refreshes at once when it becomes visible. Changes are not announced to screen readers:
// numbers that change on their own are read when the user gets to them.

const region = document.querySelector("[data-status]");

/** Milliseconds between two refreshes: processes update their records at the same interval. */
const pause = 15_000;

let timer = null;
let isFetching = false;

async function refresh() {
    if (isFetching || document.visibilityState === "hidden") return;
    isFetching = true;
    try {
        const answer = await fetch(location.href, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout?.(pause) });
        if (!answer.ok || answer.redirected) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.querySelector("[data-status]");
        // Does not disturb users who select text or have the focus in there; the next refresh comes soon.
        if (!fresh || region.contains(document.activeElement) || !getSelection().isCollapsed) return;
        region.replaceChildren(...document.importNode(fresh, true).childNodes);
    } catch {
        // Offline, or the server is unavailable: the page stays unchanged and says since when.
    } finally {
        isFetching = false;
    }
}

function start() {
    clearInterval(timer);
    if (document.visibilityState === "hidden") return;
    timer = setInterval(refresh, pause);
}

document.addEventListener("visibilitychange", () => {
    start();
    refresh();
});
start();
