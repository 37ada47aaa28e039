/*
 * The user's own votes, which this browser remembers only if they want it: of one user at a time, until they log out.
 * They are never sent.
 */

const root = document.documentElement.dataset.root ?? "";
/** As in forget-user.js, which deletes them at the log-out. */
const storageKey = `happiness.own-votes${root}`;
/** Where the vote page leaves a vote for the page that confirms it. */
export const justVotedKey = `happiness.just-voted${root}`;
const viewer = document.querySelector('meta[name="viewer"]')?.content;

/** A vote that is not remembered yet and could be. */
let offered = null;

/** Values and days by team and sprint; `null` if the user does not want them to be remembered. */
function read() {
    try {
        const kept = JSON.parse(localStorage.getItem(storageKey));
        if (kept?.viewer === viewer) return kept.votes;
        // Another user's, who did not log out.
        localStorage.removeItem(storageKey);
    } catch {
        // Without storage nothing is remembered.
    }
    return null;
}

function write(votes) {
    try {
        localStorage.setItem(storageKey, JSON.stringify({ viewer, votes }));
    } catch {
        // It is full or disabled: the vote is not remembered.
    }
}

function withVote(votes, { team, sprint, dates, happiness }) {
    return { ...votes, [team]: { ...votes[team], [sprint]: { dates, happiness } } };
}

/** Remembers a ballot that was counted, if the user wants that. */
export function rememberIfWanted(ballot) {
    const votes = read();
    if (votes) write(withVote(votes, ballot));
}

/** Offers on this page to remember this vote and all later ones. */
export function offer(vote) {
    offered = vote;
    show();
}

/** Fills in the card, on the page after a vote and on the history. Without votes it stays hidden. */
function show() {
    const card = document.querySelector("[data-own-votes]");
    if (!card) return;
    const votes = read();
    const path = location.pathname.slice(root.length);
    const mine = Object.values(votes?.[path.split("/")[2]] ?? {}).reverse();
    const [list, keep, forget] = ["ul", "[data-keep]", "[data-forget]"].map((place) => card.querySelector(place));
    list.replaceChildren(...mine.map(({ dates, happiness }) => {
        const item = document.createElement("li");
        item.textContent = `${dates}: ${happiness}`;
        return item;
    }));
    list.hidden = mine.length === 0;
    forget.hidden = mine.length === 0;
    keep.hidden = votes !== null;
    card.hidden = mine.length === 0 && !offered;
    const heading = card.querySelector("h2");
    heading.tabIndex = -1;
    keep.onclick = () => {
        write(withVote({}, offered));
        show();
        heading.focus();
    };
    forget.onclick = () => {
        localStorage.removeItem(storageKey);
        show();
        (card.hidden ? document.querySelector("main") : heading).focus({ preventScroll: true });
    };
}

document.addEventListener("happiness:published", show);
show();
