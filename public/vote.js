/*
 * Turns the ballot's options into a slider that moves the face, except on a touch screen, where eleven buttons are
 * easier to hit; and sends the ballot, sealed, even if the connection is lost. Nothing else on the page can send it, so
 * without this module, or one that it imports, there is no vote. A browser that cannot seal gets a link instead.
 */
import { root } from "./cast-ballot.js";
import { MovingFace } from "./face.js";
import { justVotedKey } from "./own-votes.js";
import { ballotKey, canSeal, digitsOf, normalized } from "./sealed-ballot.js";
import { castVote } from "./unsent-vote.js";

const ballotFields = document.querySelector("#ballot");
// A page of version 0.1.0, whose server was replaced before it loaded this script, has a form here.
ballotFields.addEventListener("submit", (event) => event.preventDefault());
const radios = [...ballotFields.querySelectorAll('input[type="radio"]')];
const slider = ballotFields.querySelector('input[type="range"]');
const handle = ballotFields.querySelector(".handle");
const chosen = ballotFields.querySelector("#chosen");
const feedback = ballotFields.querySelector("#feedback");
const counter = ballotFields.querySelector("#counter");
const names = ballotFields.querySelector("#names");
const choose = ballotFields.querySelector("#choose");
const send = ballotFields.querySelector("#send");
const undecided = ballotFields.querySelector("#undecided");
const notSent = ballotFields.querySelector("#not-sent");
const protection = ballotFields.querySelector("#protection");

// The choice

let happiness = null;
const face = new MovingFace(ballotFields.querySelector(".face"), null);

function select(value) {
    happiness = value;
    const radio = radios[value];
    radio.checked = true;
    slider.value = value;
    const { mood } = radio.dataset;
    slider.setAttribute("aria-valuetext", slider.dataset.text.replace("{value}", value).replace("{mood}", () => mood));
    slider.classList.remove("untouched");
    handle.value = value;
    handle.style.setProperty("--share", value / 10);
    chosen.querySelector(".figure").textContent = value;
    chosen.querySelector(".mood-word").textContent = mood;
    choose.hidden = true;
    face.show(value);
}

const isTouch = matchMedia("(pointer: coarse)").matches;
ballotFields.querySelector(".stops").hidden = !isTouch;
ballotFields.querySelector(".slider").hidden = isTouch;
slider.classList.add("untouched");
for (const radio of radios) radio.addEventListener("change", () => select(Number(radio.value)));
slider.setAttribute("aria-valuetext", slider.dataset.none);
slider.addEventListener("input", () => select(slider.valueAsNumber));
// A tap in the middle, where the thumb is already, selects the middle value.
slider.addEventListener("pointerup", () => select(slider.valueAsNumber));
const before = radios.findIndex((radio) => radio.checked);
if (before >= 0) select(before);

/** A 1 that becomes 10 if a 0 follows immediately. */
let lastDigit = { key: "", time: 0 };
slider.addEventListener("keydown", (event) => {
    if (!/^\d$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const isTen = event.key === "0" && lastDigit.key === "1" && event.timeStamp - lastDigit.time < 1_000;
    lastDigit = { key: event.key, time: event.timeStamp };
    select(isTen ? 10 : Number(event.key));
});

// The text

/** Phrases that identify the writer, in English and German. */
const self = /\b(my name is|i am the only|i'm the only|as the only|as the lead|ich hei(ß|ss)e|mein name|ich bin de[rs]|ich als|als einzige[rs]?)\b/i;
/** Another person's name: after an @, or a capitalised word where English only capitalises names. */
const mention = /(^|\s)@[\p{L}\p{N}_]+|\w+@[\w.]+/u;
const englishName = /[a-z,;] (?!I\b)[A-Z][a-z]{2,}/;

/** Parts of names that are also common words. */
const common = /^(and|das|dem|den|der|des|del|die|dos|the|und|van|vom|von|zum|zur)$/i;

/** Letters without accents; the text keeps its length. */
function withoutAccents(text) {
    return [...text.normalize()].map((letter) => {
        const plain = letter.normalize("NFD").replace(/\p{M}/gu, "");
        return plain.length === letter.length ? plain : letter;
    }).join("");
}

/** The spellings of a name with and without umlauts. */
function spellings(name) {
    const letters = { ä: "ae", ö: "oe", ü: "ue", Ä: "Ae", Ö: "Oe", Ü: "Ue" };
    return [name, name.normalize().replace(/[äöüÄÖÜ]/g, (letter) => letters[letter])];
}

/** Matches these words, also in the genitive. It uses no lookbehind, which browsers of 2022 do not support. */
function anyOf(words, flags) {
    const escaped = words.map((word) => withoutAccents(word).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
    // Without any word it matches nothing.
    return new RegExp(`(^|[^\\p{L}\\p{N}])(${escaped.join("|") || "(?!)"})(['’]?s)?(?![\\p{L}\\p{N}])`, flags);
}

/** Finds full names and their parts as separate words; parts of two letters only with a capital. */
function finder(text) {
    const words = text.split("\n").flatMap(spellings)
        .flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)])
        .filter((word) => !common.test(word));
    const letters = (word) => word.replace(/\P{L}/gu, "").length;
    const long = anyOf(words.filter((word) => letters(word) > 2), "iu");
    const short = anyOf(words.filter((word) => letters(word) === 2 && /^\p{L}{2}$/u.test(word))
        .map((word) => word[0].toUpperCase() + word[1].toLowerCase()), "u");
    return (text) => {
        const folded = withoutAccents(text);
        const found = folded.match(long) ?? folded.match(short);
        if (!found) return undefined;
        const start = found.index + found[1].length;
        return text.normalize().slice(start, start + found[2].length);
    };
}

const ownName = finder(feedback.dataset.ownNames);
const otherName = finder(feedback.dataset.names);

/** The sentence about what identifies someone in the text, and the word or phrase that does. */
function hint() {
    const text = feedback.value.normalize();
    const own = ownName(text);
    if (own) return [names.dataset.own, own];
    const phrase = text.match(self)?.[0];
    if (phrase) return [names.dataset.self, phrase];
    const isEnglish = document.documentElement.lang === "en";
    const other = otherName(text) ?? text.match(mention)?.[0]
        ?? (isEnglish ? text.match(englishName)?.[0].slice(2) : undefined);
    return other ? [names.dataset.other, other.trim()] : ["", ""];
}

feedback.addEventListener("input", () => {
    const left = feedback.maxLength - feedback.value.length;
    counter.hidden = feedback.value === "";
    const pattern = left === 1 ? counter.dataset.one : counter.dataset.text;
    counter.textContent = pattern.replace("{left}", left.toLocaleString(document.documentElement.lang));
    const [sentence, word] = hint();
    const text = sentence === "" ? "" : `${sentence} ${word}`;
    if (names.textContent === text) return;
    const mark = document.createElement("mark");
    mark.textContent = word;
    names.replaceChildren(...(text === "" ? [] : [sentence, " ", mark]));
    names.hidden = text === "";
    if (text === "") return;
    // The warning has pushed the field down; on a phone only its end may be visible.
    for (const one of [feedback, names]) one.scrollIntoView({ block: "nearest" });
});

// The ballot key, looked at before anything is sent

const sprint = { team: ballotFields.dataset.team, sprint: ballotFields.dataset.sprint };
let key;

async function showKey() {
    const found = await ballotKey(sprint);
    if (found.key) protection.querySelector("code").textContent = digitsOf(found.key);
    // After any other result there is a second attempt when the ballot is sent.
    if (found.outcome === "keyDiffers") refuse(found.outcome);
    else key = found.key;
}

// Sending

send.addEventListener("click", sendBallot);
// As in a form.
for (const control of [slider, ...radios]) {
    control.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && !event.repeat && !send.disabled) sendBallot();
    });
}

async function sendBallot() {
    if (happiness === null) {
        choose.hidden = false;
        (isTouch ? radios[0] : slider).focus();
        return;
    }
    send.disabled = true;
    const ballot = { ...sprint, dates: ballotFields.dataset.dates, happiness, feedback: normalized(feedback.value) };
    let result;
    try {
        result = await castVote({ ballot, key, closes: ballotFields.dataset.closes });
    } catch (error) {
        // Another attempt resumes with what is stored.
        refuse("unreachable");
        throw error;
    }
    const { outcome, isKept } = result;
    if (outcome === "counted") {
        keepForThanks(ballot);
        location.replace(ballotFields.dataset.back);
    } else if (outcome === "unreachable" && isKept) {
        document.dispatchEvent(new CustomEvent("vote-kept"));
        ballotFields.hidden = true;
        const waits = document.querySelector("#waits");
        waits.hidden = false;
        const heading = waits.querySelector("h2");
        heading.tabIndex = -1;
        heading.focus();
    } else if (outcome === "loggedOut" && isKept) {
        // The log-in adds the root by itself.
        location.assign(`${root}/login?next=${encodeURIComponent(ballotFields.dataset.back.slice(root.length))}`);
    } else {
        refuse(outcome);
    }
}

/** Says why the ballot was not sent. What was chosen and written stays on the page. */
function refuse(outcome) {
    notSent.textContent = notSent.dataset[outcome];
    notSent.hidden = false;
    notSent.scrollIntoView({ block: "nearest" });
    // The digits, which people should compare now.
    for (const details of protection.querySelectorAll("details")) details.open ||= outcome === "keyDiffers";
    // Another attempt may succeed if the server could not be reached, or with another text.
    send.disabled = !["unreachable", "earlierWaits", "loggedOut", "refused"].includes(outcome);
    // Browsers take the focus away from a button that is disabled.
    if (!send.disabled && document.activeElement === document.body) send.focus({ preventScroll: true });
    if (outcome === "earlierWaits") document.dispatchEvent(new CustomEvent("vote-kept"));
}

/** For the next page only: `thanks.js` shows the face that was chosen, and forgets it. */
function keepForThanks({ team, sprint, dates, happiness, feedback: text }) {
    try {
        const viewer = document.querySelector('meta[name="viewer"]').content;
        const vote = { viewer, team, sprint, dates, happiness, hasText: text !== null };
        sessionStorage.setItem(justVotedKey, JSON.stringify(vote));
    } catch {
        // Without storage the next page thanks without a face.
    }
}

// Left for a log-in, and shown again as it was.
addEventListener("pageshow", ({ persisted }) => {
    if (persisted) location.reload();
});
document.addEventListener("vote-sent", () => location.replace(ballotFields.dataset.back));

// The decision, when everything above is ready

if (canSeal) {
    protection.classList.add("sealed");
    undecided?.remove();
    send.removeAttribute("aria-describedby");
    send.disabled = false;
    showKey();
    if (!isTouch) slider.focus({ preventScroll: true });
} else {
    ballotFields.hidden = true;
    document.querySelector("#unsealable").hidden = false;
}
