/* For every page behind the log-in: menus that close, a face that follows a publication, a vote that waits for a
   connection, and the installable app. One module, since each additional one costs a phone a request. */

const root = document.documentElement.dataset.root ?? "";
/** As in unsent-vote.js, which is loaded only if there is something to send. */
const unsentDatabase = `happiness.unsent-votes${root}`;
/** Milliseconds until the next attempt if there is a connection but no response. */
const pause = 30_000;

/** Reports an error. Loaded on demand, so that pages without errors do not pay for it. */
async function report(error, address) {
    const { reportError } = await import("./errors.js");
    reportError(error, address, (await unsentVotes()) !== null);
}

/** The module, if a vote waits in this browser or that cannot be found out. */
async function unsentVotes() {
    const databases = await indexedDB.databases?.().catch(() => undefined);
    return databases?.every(({ name }) => name !== unsentDatabase) ? null : import("./unsent-vote.js");
}

addEventListener("error", ({ error, filename }) => report(error, filename).catch(() => {}));
addEventListener("unhandledrejection", ({ reason }) => report(reason).catch(() => {}));

document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
        if (!menu.contains(event.target)) menu.open = false;
    }
});

document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details.menu[open]")) {
        menu.open = false;
        menu.querySelector("summary").focus();
    }
});

// A single letter would be a shortcut that speech input triggers by accident (WCAG 2.2, 2.1.4).
document.addEventListener("keydown", (event) => {
    const search = document.querySelector("a.to-search");
    if (!search || event.key.toLowerCase() !== "k" || event.ctrlKey === event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    search.click();
});

/* Cancelling leads to where the user came from; the link's address is for those who came from elsewhere. Each page notes
   its path, since browsers hide the addresses of pages that send no referrer. The same path is the form, shown again. */
globalThis.navigation?.updateCurrentEntry({ state: location.pathname });

document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-back]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const entries = globalThis.navigation?.entries().slice(0, navigation.currentEntry.index) ?? [];
    const before = entries.findLast((entry) => entry.getState() && entry.getState() !== location.pathname);
    if (!before) return;
    event.preventDefault();
    navigation.traverseTo(before.key);
});

/** The value of the face before live.js refreshed the page. */
let shown = null;

document.addEventListener("happiness:publishing", ({ detail }) => {
    shown = detail.region.querySelector(".face")?.dataset.happiness ?? null;
});

document.addEventListener("happiness:published", async ({ detail }) => {
    const drawing = detail.region.querySelector(".face");
    if (!drawing?.dataset.happiness || shown === null || shown === drawing.dataset.happiness) return;
    const { MovingFace } = await import("./face.js");
    new MovingFace(drawing, Number(shown)).show(Number(drawing.dataset.happiness));
});

// An account may have to be deleted in two attempts, so the page after that loads forget-user.js by itself.
for (const form of document.querySelectorAll("form[data-log-out]")) {
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        try {
            // Also if a module does not come.
            for (const name of ["own-votes", "commitments"]) localStorage.removeItem(`happiness.${name}${root}`);
            const module = await import("./forget-user.js").catch(() => null);
            await module?.forgetUser(await unsentVotes().catch(() => null));
        } finally {
            form.submit();
        }
    });
}

// The question before a log-out mentions an unsent vote only if there is one. `toggle` does not bubble.
document.addEventListener("toggle", async () => {
    const own = await (await unsentVotes())?.ownUnsent();
    for (const hint of document.querySelectorAll("[data-log-out-unsent]")) hint.hidden = !own?.[hint.dataset.logOutUnsent];
}, true);

async function sendUnsentVotes() {
    const votes = await unsentVotes().catch(() => {
        // The module did not load. A vote may wait in this browser.
        setTimeout(sendUnsentVotes, pause);
        return null;
    });
    const outcome = await votes?.sendUnsent() ?? "none";
    if (outcome === "none") return;
    const notice = document.querySelector("#unsent-vote");
    notice.textContent = notice.dataset[outcome];
    notice.dataset.isCounted = outcome === "sent";
    notice.classList.toggle("warning", ["keyDiffers", "waitsForOwner"].includes(outcome));
    notice.hidden = false;
    if (outcome === "waiting") setTimeout(sendUnsentVotes, pause);
    if (outcome === "waitsForOwner") notice.append(sendAgainButton(notice.dataset.sendAgain));
    if (outcome !== "sent") return;
    document.dispatchEvent(new CustomEvent("vote-sent"));
    // The live view still asks for a vote: it was rendered before this one was sent.
    if (document.querySelector(".invite")) location.reload();
}

function sendAgainButton(label) {
    const button = document.createElement("button");
    button.className = "secondary small";
    button.textContent = label;
    button.addEventListener("click", async () => {
        button.disabled = true;
        await (await unsentVotes())?.sendAgain();
        await sendUnsentVotes();
    });
    return button;
}

addEventListener("online", sendUnsentVotes);
document.addEventListener("vote-kept", () => setTimeout(sendUnsentVotes, pause));
sendUnsentVotes();

// Private windows and insecure origins have no service worker; the pages work without it.
navigator.serviceWorker?.register(`${root}/service-worker.js`, { updateViaCache: "none" }).catch(() => {});

/** Elements about notifications. */
const notificationPlaces = "[data-ask-notifications], [data-notifications]";

async function bringNotifications() {
    const { showNotifications, refreshRegistration } = await import("./notifications.js");
    // First, so that the settings show its result.
    await refreshRegistration().finally(async () => {
        for (const place of document.querySelectorAll(notificationPlaces)) await showNotifications(place);
    });
}

const mayNotify = "Notification" in window && Notification.permission === "granted";
if (mayNotify || document.querySelector(notificationPlaces)) bringNotifications();

// The card appears with the confirmation of a vote, which may be shown without loading a page.
new MutationObserver(() => {
    if (document.querySelector(notificationPlaces)) bringNotifications();
}).observe(document.querySelector("main"), { childList: true, subtree: true });
