/* On every page behind the log-in: menus that close, a face that follows a publication, a vote that waits for a
   connection, and what makes the pages an app. One module, since each costs a phone a request. */

/** As in unsent-vote.js, which is loaded only when there is something to send. */
const unsentKey = "happiness.unsent-vote";
/** Milliseconds until the next attempt where the connection is there, but no answer. */
const pause = 30_000;

/** Reports what went wrong. Loaded when it is needed, for a page without errors must not pay for it. */
async function report(error, address) {
    const { reportError } = await import("./errors.js");
    reportError(error, address);
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

/** The value the face showed before the page was refreshed by live.js. */
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

// The answer to the log-out clears what is stored too, but only where the page came over TLS.
for (const form of document.querySelectorAll("form[data-log-out]")) {
    form.addEventListener("submit", () => localStorage.removeItem(unsentKey));
}

async function sendUnsentVote() {
    if (!localStorage.getItem(unsentKey)) return;
    const { sendUnsent } = await import("./unsent-vote.js");
    const outcome = await sendUnsent();
    const text = { waiting: "waiting", sent: "sent", over: "over", refused: "refused" }[outcome];
    if (!text) return;
    const notice = document.querySelector("#unsent-vote");
    notice.textContent = notice.dataset[text];
    notice.hidden = false;
    if (outcome === "waiting") setTimeout(sendUnsentVote, pause);
    if (outcome !== "sent") return;
    document.dispatchEvent(new CustomEvent("vote-sent"));
    // The live view still asks for the vote: it was made before this one was sent.
    if (document.querySelector(".invite")) location.reload();
}

addEventListener("online", sendUnsentVote);
document.addEventListener("vote-kept", () => setTimeout(sendUnsentVote, pause));
sendUnsentVote();

// The language is that of the page without a connection. Private windows and unsafe origins allow no worker; the pages do
// without.
navigator.serviceWorker
    ?.register(`/service-worker.js?language=${document.documentElement.lang}`, { updateViaCache: "none" })
    .catch(() => {});

/** Where notifications are spoken of. */
const notificationPlaces = "[data-ask-notifications], [data-notifications]";

async function bringNotifications() {
    const { showNotifications, refreshRegistration } = await import("./notifications.js");
    for (const place of document.querySelectorAll(notificationPlaces)) await showNotifications(place);
    await refreshRegistration();
}

const mayNotify = "Notification" in window && Notification.permission === "granted";
if (mayNotify || document.querySelector(notificationPlaces)) bringNotifications();

// The card comes with the thanks for a vote, which may be shown without a new page.
new MutationObserver(() => {
    if (document.querySelector(notificationPlaces)) bringNotifications();
}).observe(document.querySelector("main"), { childList: true, subtree: true });
