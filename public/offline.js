// The offline page: applies the chosen theme, and reloads as soon as the server responds again. The page is not drawn
// before this has run (`blocking`), so that the wrong theme is never visible.

const theme = document.cookie.match(/(?:^|;\s*)theme=(light|dark)(?:;|$)/)?.[1];
if (theme) document.documentElement.dataset.theme = theme;

const root = document.documentElement.dataset.root ?? "";

// Milliseconds until the next attempt, doubled after each. The `online` event alone is not enough: it may come before
// this script, and it never comes if it was the server that was unavailable.
const firstPause = 1_000;
const longestPause = 30_000;

// What an earlier failure has left is too old after a minute.
let pause = Date.now() - history.state?.reloaded < 2 * longestPause ? history.state.pause : firstPause;
let timer;

/** Whether the server responds, and not just a proxy without it. */
async function isThere() {
    const response = await fetch(`${root}/health/ready`, { cache: "no-store", signal: AbortSignal.timeout?.(10_000) });
    return response.status < 500;
}

async function reloadIfThere() {
    if (await isThere().catch(() => false)) {
        // If the page fails all the same, this script starts again, and must not reload it without a pause.
        history.replaceState({ pause, reloaded: Date.now() }, "");
        location.reload();
    } else {
        wait();
    }
}

function wait() {
    clearTimeout(timer);
    timer = setTimeout(reloadIfThere, pause);
    pause = Math.min(pause * 2, longestPause);
}

addEventListener("online", reloadIfThere);
wait();
