/*
 * Checks the count of a sprint in this browser: whether the commitments to all votes add up to the published result,
 * whether the user's own is among them, and whether each sealed vote had a signed ballot paper. commitment.js and
 * count-list.js explain how.
 *
 * The list is fetched without the log-in, from an address that is the same for all members. Even so, a server could show
 * everybody another list; people notice that when they compare its code.
 */
import { sha256, toBase64, toHexadecimal } from "./ballot-paper.js";
import { send } from "./cast-ballot.js";
import { areOpened } from "./commitment.js";
import { codeOf, forgedPapers, readCount } from "./count-list.js";
import { ownVote } from "./own-commitments.js";
import { firstKeySeen, isPlace } from "./sealed-ballot.js";

const card = document.querySelector("#check-count");
const button = card.querySelector("button");
const results = card.querySelector("ul");
const listCode = card.querySelector(".list-code");
const words = results.dataset;
/** 16 bytes as Base64URL. */
const tokenForm = /^[A-Za-z0-9_-]{22}$/;

/** The sentences to show, each with whether it is good news (`null` if it is neither), and the code of the list. */
async function check() {
    const { team, sprint, votes, happiness, token } = card.dataset;
    // Any other address could tell the server who asks.
    if (!isPlace(team, sprint) || !tokenForm.test(token)) return { found: [[words.wrongList, false]] };
    const { answer, reason } = await send(`/api/v1/counts/${team}/${sprint}/${token}`, { withLogIn: false });
    if (!answer) return { found: [[reason === "count-not-checkable" ? words.notPossible : words.unreachable, null]] };
    const list = await readCount(answer, { team, sprint });
    if (!list) return { found: [[words.wrongList, false]] };
    const viewer = document.querySelector('meta[name="viewer"]').content;
    return {
        found: [
            await sum(list, { votes: Number(votes), happiness: Number(happiness) }),
            own(list, await ownVote(viewer, team, sprint)),
            ...await papers(list, await firstKeySeen(team, sprint)),
        ],
        code: await codeOf(list),
    };
}

/** Whether the commitments open to the result that the page shows. */
async function sum(list, shown) {
    const isAsShown = list.votes === shown.votes && Math.abs(list.sum / list.votes / 10 - shown.happiness) < 1e-9;
    if (!isAsShown || !await areOpened(list.commitments, list.sum, list.randomness)) return [words.wrongSum, false];
    return [list.votes === 1 ? words.sumOfOne : words.sum.replace("{votes}", list.votes), true];
}

/** Whether the viewer's vote is counted: its commitment, and its paper if the list has the papers. */
function own({ commitments, papers: told }, vote) {
    if (!vote) return [words.ownUnknown, null];
    const isThere = commitments.some((one) => toBase64(one) === vote.commitment)
        && (!told || !vote.spent || told.spent.some(({ hash }) => toBase64(hash) === vote.spent));
    return isThere ? [words.own, true] : [words.ownMissing, false];
}

/** Whether each sealed vote had a signed paper of its own. Members who have left may have had one, too. */
async function papers(list, firstKey) {
    const { key, papers: told, members } = list;
    if (firstKey && (!key || toHexadecimal(await sha256(key)) !== firstKey)) return [[words.otherKey, false]];
    if (!told || (told.issued === 0 && told.spent.length === 0)) return [];
    const { issued, spent } = told;
    if (spent.length > issued || new Set(spent.map(({ hash }) => toHexadecimal(hash))).size < spent.length) {
        return [[words.tooMany, false]];
    }
    if ((await forgedPapers(list)).length > 0) return [[words.wrongPapers, false]];
    const unsigned = spent.filter(({ signature }) => !signature).length;
    const numbers = filled(words.papers, { issued, counted: spent.length, members });
    return unsigned === 0 ? [[numbers, true]] : [[numbers, null], [filled(words.unsigned, { unsigned }), null]];
}

function filled(sentence, values) {
    return Object.entries(values).reduce((text, [name, value]) => text.replace(`{${name}}`, value), sentence);
}

function show({ found, code }) {
    results.replaceChildren(...found.map(([sentence, isGood]) => {
        const item = document.createElement("li");
        item.textContent = sentence;
        if (isGood !== null) item.className = isGood ? "right" : "wrong";
        return item;
    }));
    listCode.hidden = code === undefined;
    listCode.querySelector("code").textContent = code ?? "";
}

button.addEventListener("click", async () => {
    button.disabled = true;
    show(await check().catch(() => ({ found: [[words.unreachable, null]] })));
    button.disabled = false;
});
card.hidden = false;
