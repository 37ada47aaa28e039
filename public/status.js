// Keeps the status page fresh: every 15 seconds it fetches the page again and swaps the marked part.
//
//   <div data-status>…</div>
//
// A hidden page asks for nothing, and asks at once when it is seen again. Nothing is said to screen readers: numbers that
// change by themselves are read when somebody comes to them.

const region = document.querySelector("[data-status]");

/** Milliseconds between two looks: a process gives a sign of life that often. */
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
        // Whoever selects text or reads with the keyboard in there is not disturbed; the next look comes soon.
        if (!fresh || region.contains(document.activeElement) || !getSelection().isCollapsed) return;
        region.replaceChildren(...document.importNode(fresh, true).childNodes);
    } catch {
        // Offline, or the server is away: the page stays as it was and says since when.
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
