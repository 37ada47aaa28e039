/*
 * Turns the ballot's options into a slider that moves the face, except on a touch screen, where eleven buttons are
 * easier to hit; and sends the ballot, sealed if this browser can do that, even if the connection is lost.
 */
import { root } from "./cast-ballot.js";
import { MovingFace } from "./face.js";
import { justVotedKey } from "./own-votes.js";
import { ballotKey, canSeal, digitsOf } from "./sealed-ballot.js";
import { castVote } from "./unsent-vote.js";

const form = document.querySelector("#ballot");
const radios = [...form.querySelectorAll('input[type="radio"]')];
const slider = form.querySelector('input[type="range"]');
const handle = form.querySelector(".handle");
const chosen = form.querySelector("#chosen");
const feedback = form.querySelector("#feedback");
const counter = form.querySelector("#counter");
const names = form.querySelector("#names");
const choose = form.querySelector("#choose");
const send = form.querySelector("#send");
const notSent = form.querySelector("#not-sent");
const protection = form.querySelector("#protection");

// The choice

let happiness = null;
const face = new MovingFace(form.querySelector(".face"), null);

function select(value) {
    happiness = value;
    const radio = radios[value];
    radio.checked = true;
    slider.value = value;
    const mood = radio.parentElement.querySelector(".mood-word").textContent;
    slider.setAttribute("aria-valuetext", slider.dataset.text.replace("{value}", value).replace("{mood}", mood));
    slider.classList.remove("untouched");
    handle.value = value;
    handle.style.setProperty("--share", value / 10);
    chosen.querySelector(".figure").textContent = value;
    chosen.querySelector(".mood-word").textContent = mood;
    choose.hidden = true;
    face.show(value);
}

// The form always sends the radio buttons; beside the slider they are only hidden.
const isTouch = matchMedia("(pointer: coarse)").matches;
form.noValidate = true;
form.querySelector(".stops").hidden = !isTouch;
form.querySelector(".slider").hidden = isTouch;
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

/** Invisible characters that the server refuses, and halves of characters. A paste may contain them. */
const unsendable = /(?![\n\r\t])[\p{Cc}\p{Cs}]/gu;

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

const sprint = { team: form.dataset.team, sprint: form.dataset.sprint };
let key;

protection.dataset.kind = canSeal ? "sealed" : "plain";
if (canSeal) showKey();

async function showKey() {
    const found = await ballotKey(sprint);
    if (found.key) protection.querySelector("code").textContent = digitsOf(found.key);
    // After any other result there is a second attempt when the ballot is sent.
    if (found.outcome === "keyDiffers") refuse(found.outcome);
    else key = found.key;
}

// Sending

form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (happiness === null) {
        choose.hidden = false;
        (isTouch ? radios[0] : slider).focus();
        return;
    }
    send.disabled = true;
    const text = feedback.value.replace(unsendable, "");
    const ballot = { ...sprint, dates: form.dataset.dates, happiness, feedback: text.trim() === "" ? null : text };
    const { outcome, isKept } = await castVote({ ballot, key, closes: form.dataset.closes });
    if (outcome === "counted") {
        keepForThanks(ballot);
        location.replace(form.dataset.back);
    } else if (outcome === "unreachable" && isKept) {
        document.dispatchEvent(new CustomEvent("vote-kept"));
        form.hidden = true;
        document.querySelector("#waits").hidden = false;
    } else if (outcome === "loggedOut" && isKept) {
        // The log-in adds the root by itself.
        location.assign(`${root}/login?next=${encodeURIComponent(form.dataset.back.slice(root.length))}`);
    } else if (canSeal) {
        // Sending the form would tell the server whose ballot it is.
        refuse(outcome);
    } else {
        // The server gives the reason in the page's language, and returns the text.
        send.disabled = false;
        form.submit();
    }
});

/** Says why the ballot was not sent. What was chosen and written stays on the page. */
function refuse(outcome) {
    notSent.textContent = notSent.dataset[outcome];
    notSent.hidden = false;
    notSent.scrollIntoView({ block: "nearest" });
    // Another attempt may succeed if the server could not be reached, or with another text.
    send.disabled = !["unreachable", "loggedOut", "refused"].includes(outcome);
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

document.addEventListener("vote-sent", () => location.replace(form.dataset.back));
if (!isTouch) slider.focus({ preventScroll: true });
