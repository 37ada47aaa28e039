/*
 * After a vote: the thanks fill the screen of a phone, the chosen face settles, and the page says that the text has
 * arrived. The server does not know the value: the tab remembers it for this page only, and a reload no longer shows it.
 */
import { MovingFace } from "./face.js";
import { justVotedKey, offer } from "./own-votes.js";

const vote = justVoted();

/** The vote that this page confirms; `null` if it was another user's, another team's, or cast in another tab. */
function justVoted() {
    const root = document.documentElement.dataset.root ?? "";
    const viewer = document.querySelector('meta[name="viewer"]').content;
    try {
        const kept = JSON.parse(sessionStorage.getItem(justVotedKey));
        sessionStorage.removeItem(justVotedKey);
        return kept?.viewer === viewer && location.pathname === `${root}/teams/${kept.team}` ? kept : null;
    } catch {
        return null;
    }
}

/** Shows the vote in the card, which live.js replaces when a result appears. */
function show(isFirst) {
    const card = document.querySelector("#voted");
    if (!card) return;
    const face = new MovingFace(card.querySelector(".face"), null);
    // From the middle to the value, as if it thought about it.
    if (isFirst) face.show(5);
    face.show(vote.happiness);
    card.classList.add("settled");
    // Until a result appears, which is then the next thing to see.
    card.classList.toggle("moment", isFirst);
    card.classList.toggle("settling", isFirst);
    card.querySelector("[data-text-arrived]").hidden = !vote.hasText;
    const heading = card.querySelector("h2");
    // Of a closed sprint the server does not know who voted; this tab does.
    heading.textContent = card.dataset.thanks;
    heading.tabIndex = -1;
    if (!isFirst) return;
    scrollTo(0, 0);
    heading.focus({ preventScroll: true });
}

if (vote) {
    show(true);
    document.addEventListener("happiness:published", () => show(false));
    offer(vote);
}
