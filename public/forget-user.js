/*
 * Deletes what this browser stores for the user: at a log-out, and on the page after the deletion of an account. Caches
 * hold nothing of a user. The response asks the browser for the same, but not every browser does it, not if sealed ballots
 * wait, and not below a path: it would delete what other services on the host store.
 */

/** All names are per installation, as in cast-ballot.js. */
const root = document.documentElement.dataset.root ?? "";
/** As in own-votes.js, own-commitments.js, sealed-ballot.js and notifications.js. */
const stored = [
    "happiness.own-votes", "happiness.commitments", "happiness.ballot-keys", "notifications-asked", "notifications-refreshed",
];
/** As in own-votes.js and kept-form.js. */
const storedInTab = ["happiness.just-voted", "happiness.kept-form"];

/**
 * Deletes all of it except sealed votes that wait, and ends push messages.
 * @param unsentVotes the module unsent-vote.js; `null` if no vote waits
 * @returns {Promise<boolean>} whether sealed votes stay
 */
export async function forgetUser(unsentVotes) {
    for (const name of stored) localStorage.removeItem(name + root);
    for (const name of storedInTab) sessionStorage.removeItem(name + root);
    const areKept = await unsentVotes?.logOut() ?? false;
    // Where the storage stays, so does the subscription, and the next user's log-in would register it.
    if ((areKept || root) && "Notification" in window && Notification.permission === "granted") {
        const { turnOff } = await import("./notifications.js");
        await turnOff();
    }
    return areKept;
}

// Only the page after the deletion of an account loads this module by itself.
if (document.querySelector("[data-forget-user]")) import("./unsent-vote.js").catch(() => null).then(forgetUser);
