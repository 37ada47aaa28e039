/*
 * Deletes what this browser stores for the user: at a log-out, and on the page after the deletion of an account. Caches
 * hold nothing of a user. The browser is not asked to clear its storage (`Clear-Site-Data`): ballot keys that it saw
 * (sealed-ballot.js) and sealed votes that wait must stay, and so must what other services of the host store.
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

// Only the page after the deletion of an account loads this module by itself.
if (document.querySelector("[data-forget-user]")) import("./unsent-vote.js").catch(() => null).then(forgetUser);
