/*
 * Keeps a wallboard up to date: fetches the page every minute and swaps its content. While the server cannot be
 * reached, the last content stays and a line says so; a reload by the browser would show an error page.
 */

/** Milliseconds. */
const interval = 60_000;
const stale = document.querySelector("[data-stale]");

async function refresh() {
    let response;
    try {
        response = await fetch(location.href, { signal: AbortSignal.timeout?.(30_000) });
    } catch {
        stale.hidden = false;
        return;
    }
    // The link was revoked: the page says so.
    if (response.status === 404) location.reload();
    stale.hidden = response.ok;
    if (!response.ok) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    const [now, next] = [document, fresh].map((one) => one.querySelector("[data-wallboard]"));
    if (next && now.innerHTML !== next.innerHTML) now.replaceWith(next);
}

setInterval(refresh, interval);
addEventListener("online", refresh);
