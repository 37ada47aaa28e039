// Keeps a page's results up to date: on every publication of the team it fetches the page again and swaps the marked
// part.
//
//   <section data-live="/api/v1/teams/ID/events" data-live-number="41" data-live-text="7.4 from 6 answers">…</section>
//   <p class="unseen" role="status" data-live-status></p>
//
// `data-live` is the event stream, `data-live-number` the publication number of the page, and `data-live-text` the text
// announced to screen readers. `document` gets the event `happiness:publishing` with `{region, fresh}` before the swap,
// and `happiness:published` with `{region}` after it. Without this module the page shows what was published when it was
// loaded.

const region = document.querySelector("[data-live]");

// Milliseconds. The data behind a page may be a second old, so requests after that are up to date; the random part
// spreads the load.
const patience = () => 1100 + Math.random() * 400;

// Milliseconds until a refused stream is opened again or a page is fetched again, doubled after each failure: a proxy
// responds 502 while its server is replaced. The browser itself reopens broken connections.
const firstPause = 5_000;
const longestPause = 600_000;

let source = null;
let pause = firstPause;
let refreshPause = firstPause;
let isFetching = false;
let wanted = 0;

function number() {
    return Number(region.dataset.liveNumber ?? 0);
}

// A hidden page does not listen: browsers limit a site to six connections for all of its tabs.
function listen() {
    if (document.visibilityState === "hidden" || source) return;
    source = new EventSource(`${region.dataset.live}?after=${number()}`);
    source.addEventListener("publication", event => {
        wanted = Number(event.lastEventId);
        refresh();
    });
    source.addEventListener("open", () => {
        pause = firstPause;
    });
    source.addEventListener("error", () => {
        // Refused, perhaps permanently: logged out, or no longer in the team.
        if (source?.readyState !== EventSource.CLOSED) return;
        source = null;
        setTimeout(listen, pause);
        pause = Math.min(pause * 2, longestPause);
    });
}

function hush() {
    source?.close();
    source = null;
}

async function refresh() {
    if (isFetching) return;
    isFetching = true;
    try {
        for (let attempt = 0; attempt < 3 && number() < wanted; attempt += 1) {
            await new Promise(resolve => setTimeout(resolve, patience()));
            const fresh = await freshRegion();
            if (!fresh) return;
            swap(fresh);
        }
        refreshPause = firstPause;
    } catch {
        // No response. The stream does not repeat its event.
        setTimeout(refresh, refreshPause);
        refreshPause = Math.min(refreshPause * 2, longestPause);
    } finally {
        isFetching = false;
    }
}

async function freshRegion() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
    if (answer.status >= 500 || [408, 429].includes(answer.status)) throw new Error(`The page answered ${answer.status}.`);
    // Logged out, or no longer in the team.
    if (!answer.ok || answer.redirected) return null;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.querySelector("[data-live]");
}

function swap(fresh) {
    if (region.contains(document.activeElement) && document.activeElement.matches("input, select, textarea")) {
        // Does not interrupt typing; refreshes when the user leaves the field.
        document.activeElement.addEventListener("blur", refresh, { once: true });
        return;
    }
    const focused = region.contains(document.activeElement) ? placeOf(document.activeElement) : null;
    const open = [...region.querySelectorAll("details[id][open]")].map(details => details.id);
    document.dispatchEvent(new CustomEvent("happiness:publishing", { detail: { region, fresh } }));
    region.replaceChildren(...document.importNode(fresh, true).childNodes);
    for (const { name, value } of fresh.attributes) region.setAttribute(name, value);
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    document.dispatchEvent(new CustomEvent("happiness:published", { detail: { region } }));
    if (focused) region.querySelector(focused)?.focus({ preventScroll: true });
    const status = document.querySelector("[data-live-status]");
    if (status) status.textContent = region.dataset.liveText ?? "";
}

function placeOf(element) {
    if (element.id) return `#${CSS.escape(element.id)}`;
    const address = element.getAttribute("href");
    return address ? `${element.localName}[href="${CSS.escape(address)}"]` : null;
}

if (region) {
    document.addEventListener("visibilitychange", () => {
        if (document.visibilityState === "hidden") hush();
        else listen();
    });
    addEventListener("pagehide", hush);
    addEventListener("pageshow", listen);
    addEventListener("online", listen);
    listen();
}
