/* Turns the ballot's options into a slider that moves the face, and sends the ballot even if the connection is lost. */
import { MovingFace } from "./face.js";
import { castBallot } from "./cast-ballot.js";
import { keep } from "./unsent-vote.js";

const form = document.querySelector("#ballot");
const radios = [...form.querySelectorAll('input[type="radio"]')];
const slider = form.querySelector('input[type="range"]');
const chosen = form.querySelector("#chosen");
const feedback = form.querySelector("#feedback");
const counter = form.querySelector("#counter");
const names = form.querySelector("#names");
const choose = form.querySelector("#choose");
const send = form.querySelector("#send");

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
    chosen.querySelector(".figure").textContent = value;
    chosen.querySelector(".mood-word").textContent = mood;
    choose.hidden = true;
    face.show(value);
}

// The form still sends the radio buttons; they are only hidden.
form.noValidate = true;
form.querySelector(".stops").hidden = true;
form.querySelector(".slider").hidden = false;
slider.classList.add("untouched");
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
const mention = /(^|\s)@\w|\w@\w/;
const englishName = /[a-z,;] (?!I\b)[A-Z][a-z]{2,}/;

/** Parts of names that are also common words. */
const common = /^(and|das|dem|den|der|des|del|die|dos|the|und|van|vom|von|zum|zur)$/i;

/** Finds full names, and their parts of three letters or more as separate words, also in the genitive. */
function finder(names) {
    const words = names.flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)])
        .filter((word) => word.replace(/\P{L}/gu, "").length > 2 && !common.test(word))
        .map((word) => word.normalize().replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
    // Without any word it matches nothing. It uses no lookbehind, which browsers of 2022 do not support.
    return new RegExp(`(^|[^\\p{L}\\p{N}])(${words.join("|") || "(?!)"})(['’]?s)?(?![\\p{L}\\p{N}])`, "iu");
}

const ownName = finder([feedback.dataset.ownName]);
const otherNames = finder(feedback.dataset.names.split("\n"));

function hint() {
    const text = feedback.value.normalize();
    if (ownName.test(text)) return names.dataset.own;
    if (self.test(text)) return names.dataset.self;
    const isEnglish = document.documentElement.lang === "en";
    const isOther = otherNames.test(text) || mention.test(text) || (isEnglish && englishName.test(text));
    return isOther ? names.dataset.other : "";
}

feedback.addEventListener("input", () => {
    const left = feedback.maxLength - feedback.value.length;
    counter.hidden = feedback.value === "";
    const pattern = left === 1 ? counter.dataset.one : counter.dataset.text;
    counter.textContent = pattern.replace("{left}", left.toLocaleString(document.documentElement.lang));
    const text = hint();
    if (names.textContent === text) return;
    names.textContent = text;
    names.hidden = text === "";
    if (text === "") return;
    // The warning has pushed the field down; on a phone only its end may be visible.
    for (const one of [feedback, names]) one.scrollIntoView({ block: "nearest" });
});

// Sending

form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (happiness === null) {
        choose.hidden = false;
        slider.focus();
        return;
    }
    send.disabled = true;
    const ballot = {
        team: form.dataset.team, sprint: form.dataset.sprint, happiness,
        feedback: feedback.value.trim() === "" ? null : feedback.value,
    };
    const outcome = await castBallot(ballot);
    if (outcome === "counted") {
        location.replace(form.dataset.back);
    } else if (outcome === "unreachable" && keep(ballot, form.dataset.closes)) {
        document.dispatchEvent(new CustomEvent("vote-kept"));
        form.hidden = true;
        document.querySelector("#waits").hidden = false;
    } else if (outcome === "loggedOut" && keep(ballot, form.dataset.closes)) {
        location.assign(`/login?next=${encodeURIComponent(form.dataset.back)}`);
    } else {
        // The server gives the reason in the page's language, and returns the text.
        send.disabled = false;
        form.submit();
    }
});

document.addEventListener("vote-sent", () => location.replace(form.dataset.back));
slider.focus({ preventScroll: true });
