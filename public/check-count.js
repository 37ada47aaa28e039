/*
 * Checks the count of a sprint in this browser: whether the commitments to all votes add up to the published result, and
 * whether the user's own is among them. commitment.js explains how.
 */
import { fromBase64 } from "./ballot-paper.js";
import { send } from "./cast-ballot.js";
import { areOpened } from "./commitment.js";
import { ownVote } from "./own-commitments.js";

const card = document.querySelector("#check-count");
const button = card.querySelector("button");
const results = card.querySelector("ul");
const words = results.dataset;

async function check() {
    const { team, sprint, votes, happiness } = card.dataset;
    const { answer, reason } = await send(`/api/v1/teams/${team}/sprints/${sprint}/count`);
    if (!answer) return [[reason === "count-not-checkable" ? words.notPossible : words.unreachable, null]];
    return [
        await sum(answer, { votes: Number(votes), happiness: Number(happiness) }),
        own(answer, await ownVote(document.querySelector('meta[name="viewer"]').content, team, sprint)),
        papers(answer),
    ].filter(Boolean);
}

/** Whether the commitments open to the result that the page shows. */
async function sum(count, shown) {
    const commitments = count.commitments.map(fromBase64);
    const isAsShown = count.votes === shown.votes && Math.abs(count.sum / count.votes / 10 - shown.happiness) < 1e-9;
    const isRight = isAsShown && commitments.length === count.votes
        && await areOpened(commitments, count.sum, fromBase64(count.randomness));
    if (!isRight) return [words.wrongSum, false];
    return [count.votes === 1 ? words.sumOfOne : words.sum.replace("{votes}", count.votes), true];
}

/** Whether the viewer's vote is counted: its commitment, and its paper if the count tells the papers. */
function own({ commitments, papers: told }, vote) {
    if (!vote) return [words.ownUnknown, null];
    const isThere = commitments.includes(vote.commitment) && (!told || !vote.spent || told.spent.includes(vote.spent));
    return isThere ? [words.own, true] : [words.ownMissing, false];
}

/** Whether each sealed vote had a paper of its own. Members who have left may have had one, too. */
function papers({ papers: told, members }) {
    if (!told || told.issued === 0) return null;
    const isPossible = told.counted <= told.issued && new Set(told.spent).size === told.counted;
    if (!isPossible) return [words.tooMany, false];
    const { issued, counted } = told;
    return [Object.entries({ issued, counted, members }).reduce(
        (sentence, [name, value]) => sentence.replace(`{${name}}`, value), words.papers), true];
}

/** Shows sentences, each with whether it is good news; `null` if it is neither. */
function show(found) {
    results.replaceChildren(...found.map(([sentence, isGood]) => {
        const item = document.createElement("li");
        item.textContent = sentence;
        if (isGood !== null) item.className = isGood ? "right" : "wrong";
        return item;
    }));
}

button.addEventListener("click", async () => {
    button.disabled = true;
    show(await check().catch(() => [[words.unreachable, null]]));
    button.disabled = false;
});
card.hidden = false;
