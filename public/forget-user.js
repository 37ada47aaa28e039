/*
 * Deletes what this browser stores for the user: at a log-out, on the page after it, and on the page after the deletion
 * of an account. Caches hold nothing of a user. The browser is not asked to clear its storage (`Clear-Site-Data`): ballot
 * keys that it saw (sealed-ballot.js) and sealed votes that wait must stay, and so must what other services of the host
 * store.
 */

/** All names are per installation, as in cast-ballot.js. */
const root = document.documentElement.dataset.root ?? "";
/** As in own-votes.js, own-commitments.js and notifications.js. */
const stored = ["happiness.own-votes", "happiness.commitments", "notifications-asked", "notifications-refreshed"];
/** As in own-votes.js and kept-form.js. */
const storedInTab = ["happiness.just-voted", "happiness.kept-form"];

/**
 * Deletes all of it except sealed votes that wait, and ends push messages.
 * @param unsentVotes the module unsent-vote.js; `null` if no vote waits
 */
export async function forgetUser(unsentVotes) {
    for (const name of stored) localStorage.removeItem(name + root);
    for (const name of storedInTab) sessionStorage.removeItem(name + root);
    await unsentVotes?.logOut();
    // The next user's log-in would register the subscription.
    if ("Notification" in window && Notification.permission === "granted") {
        const { turnOff } = await import("./notifications.js");
        await turnOff();
    }
}

/** As in app.js: the module, if a vote waits in this browser or that cannot be found out. */
async function unsentVotes() {
    try {
        const databases = await indexedDB.databases?.().catch(() => undefined);
        const isEmpty = databases?.every(({ name }) => name !== `happiness.unsent-votes${root}`);
        return isEmpty ? null : await import("./unsent-vote.js");
    } catch {
        return null;
    }
}

// The pages after a log-out and after the deletion of an account load this module by themselves. A log-out may have been
// sent before app.js was there.
if (document.querySelector("[data-forget-user]")) unsentVotes().then(forgetUser);
