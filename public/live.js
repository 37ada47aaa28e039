// Keeps a page's results fresh: on every publication of the team it fetches the page again and swaps the marked part.
//
//   <section data-live="/api/v1/teams/ID/events" data-live-number="41" data-live-text="7.4 from 6 answers">…</section>
//   <p class="unseen" role="status" data-live-status></p>
//
// `data-live` is where the events come from, `data-live-number` the publication number the page was made at, and
// `data-live-text` what is said to those who do not see the change. Before the swap `document` gets the event
// `happiness:publishing` with `{region, fresh}`, after it `happiness:published` with `{region}`. Without this module the
// page shows what was published when it was loaded.

const region = document.querySelector("[data-live]");

// Milliseconds. Whatever a page is made from is a second old at most, so what is asked for after that is new; and not
// everybody asks at once.
const patience = () => 1100 + Math.random() * 400;

// Milliseconds until a refused stream is asked for again, twice as long after each refusal: a proxy says 502 while its
// server is replaced. Broken connections the browser takes up again by itself.
const firstPause = 5_000;
const longestPause = 600_000;

let source = null;
let pause = firstPause;
let isFetching = false;
let wanted = 0;

function number() {
    return Number(region.dataset.liveNumber ?? 0);
}

// A hidden page listens to nothing: browsers give a site six connections for all of its tabs.
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
        // Refused, perhaps for good: logged out, or out of the team.
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
    } catch {
        // Offline: the next event, or the next look at the page, tries again.
    } finally {
        isFetching = false;
    }
}

async function freshRegion() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
    if (!answer.ok || answer.redirected) return null;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.querySelector("[data-live]");
}

function swap(fresh) {
    if (region.contains(document.activeElement) && document.activeElement.matches("input, select, textarea")) {
        // Nobody's typing is taken away; what they are about to leave is refreshed then.
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
    listen();
}
