// Moves cards on the board of actions: with a mouse by the whole card, with a finger by its handle, and with the
// keyboard from the handle.
//
// Keys on a handle: space bar or Enter lifts the card and puts it down; arrow keys move it up and down and to the
// neighbouring columns; Home and End to the ends of its column; Escape, or leaving the handle, puts it back. Every step
// is announced in `data-board-status`. A card is moved immediately; if the server rejects the move, it returns, and
// `data-board-problem` says why. Without this module each card has a form.

/** Milliseconds after which a request is given up. */
const patience = 15_000;
/** Pixels a mouse must move to start dragging; less may happen during a click. */
const threshold = 6;
/** Pixels from an edge within which a dragged card scrolls the page, and how far per frame. */
const edge = 56;
const stride = 12;

const board = document.querySelector("[data-board]");
const status = document.querySelector("[data-board-status]");
const problem = document.querySelector("[data-board-problem]");

/** The lifted card and its original place; one at a time. */
let lifted = null;

const columns = () => [...board.querySelectorAll("[data-column]")];
const cardsOf = column => [...column.querySelectorAll(".action")];
const columnOf = card => card.closest("[data-column]");

function say(text, card) {
    const column = columnOf(card);
    const cards = cardsOf(column);
    status.textContent = filled(text, {
        title: card.dataset.title, column: column.dataset.title, place: cards.indexOf(card) + 1, count: cards.length,
    });
}

/** In one pass, and without the patterns of `replace`: a title may contain `{count}` or `$&`. */
function filled(sentence, values) {
    return sentence.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}

function lift(card) {
    if (lifted || card.classList.contains("saving")) return false;
    lifted = { card, column: columnOf(card), next: card.nextElementSibling };
    card.classList.add("lifted");
    board.classList.add("lifting");
    return true;
}

/** Puts the card before another one in a column, or at the column's end. */
function place(card, column, next) {
    if (columnOf(card) === column && card.nextElementSibling === next) return;
    column.querySelector(".cards").insertBefore(card, next);
    count();
}

function count() {
    for (const column of columns()) {
        for (const shown of document.querySelectorAll(`[data-count="${column.dataset.column}"]`)) {
            shown.textContent = cardsOf(column).length;
        }
    }
}

function settle() {
    const { card } = lifted;
    card.classList.remove("lifted");
    board.classList.remove("lifting", "pointing");
    const from = lifted;
    lifted = null;
    return from;
}

function cancel() {
    const from = settle();
    place(from.card, from.column, from.next);
    say(board.dataset.cancelled, from.card);
}

function drop() {
    const from = settle();
    const { card } = from;
    if (columnOf(card) === from.column && card.nextElementSibling === from.next) {
        say(board.dataset.cancelled, card);
        return;
    }
    say(board.dataset.dropped, card);
    save(card, from);
}

async function save(card, from) {
    problem.hidden = true;
    card.classList.add("saving");
    const outcome = await send(card);
    card.classList.remove("saving");
    if (outcome.version) {
        card.dataset.version = outcome.version;
        for (const field of card.querySelectorAll('input[name="version"]')) field.value = outcome.version;
        if (outcome.state !== from.column.dataset.column) refresh(card);
        return;
    }
    place(card, from.column, from.next?.isConnected && columnOf(from.next) === from.column ? from.next : null);
    const text = outcome.isStale ? board.dataset.stale : board.dataset.failed;
    problem.querySelector("span").textContent = filled(text, { title: card.dataset.title });
    problem.hidden = false;
    problem.scrollIntoView({ block: "nearest" });
}

/** The server's result: a version and a state, or that another user was faster. */
async function send(card) {
    try {
        const response = await fetch(`${board.dataset.board}/${card.dataset.action}`, {
            method: "PATCH",
            headers: {
                "Content-Type": "application/json",
                "X-Form-Token": document.querySelector('meta[name="form-token"]')?.content ?? "",
            },
            body: JSON.stringify({
                version: Number(card.dataset.version),
                state: columnOf(card).dataset.column,
                before: card.nextElementSibling?.dataset.action ?? null,
            }),
            signal: AbortSignal.timeout?.(patience),
        });
        if (response.ok) return await response.json();
        return { isStale: response.status === 409 || response.status === 404 };
    } catch {
        return {};
    }
}

/** A card's text depends on its column: when it began, and whether it is overdue. The text comes from the page. */
async function refresh(card) {
    try {
        const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
        if (!answer.ok || answer.redirected) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById(card.id);
        if (!fresh || lifted?.card === card || card.querySelector(".moves[open]")) return;
        for (const part of [".marks", ".moves form"]) {
            const old = card.querySelector(part);
            const now = fresh.querySelector(part);
            if (old && now) old.replaceWith(document.importNode(now, true));
        }
        card.dataset.version = fresh.dataset.version;
    } catch {
        // The card is in the right place; the next page load shows the rest.
    }
}

// Keyboard

function step(card, key) {
    const column = columnOf(card);
    const all = columns();
    const cards = cardsOf(column);
    const index = cards.indexOf(card);
    const beside = all[all.indexOf(column) + { ArrowLeft: -1, ArrowRight: 1 }[key]];
    switch (key) {
    case "ArrowUp": if (index > 0) place(card, column, cards[index - 1]); break;
    case "ArrowDown": if (index < cards.length - 1) place(card, column, cards[index + 2] ?? null); break;
    case "Home": place(card, column, cards[0] === card ? card.nextElementSibling : cards[0]); break;
    case "End": place(card, column, null); break;
    default: if (beside) place(card, beside, cardsOf(beside)[index] ?? null);
    }
}

const steps = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"]);
/** While a card is moved in the document, its handle briefly loses the focus. */
let isStepping = false;

board?.addEventListener("keydown", event => {
    const handle = event.target.closest(".handle");
    if (!handle || event.altKey || event.ctrlKey || event.metaKey) return;
    const card = handle.closest(".action");
    if (event.key === " " || event.key === "Enter") {
        event.preventDefault();
        if (lifted?.card === card) drop();
        else if (lift(card)) say(board.dataset.lifted, card);
    } else if (lifted?.card === card && event.key === "Escape") {
        event.preventDefault();
        isStepping = true;
        cancel();
        handle.focus();
        isStepping = false;
    } else if (lifted?.card === card && steps.has(event.key)) {
        event.preventDefault();
        isStepping = true;
        step(card, event.key);
        handle.focus({ preventScroll: true });
        isStepping = false;
        card.scrollIntoView({ block: "nearest", inline: "nearest" });
        say(board.dataset.over, card);
    }
});

// The space bar would press the button on key-up.
board?.addEventListener("keyup", event => {
    if (event.key === " " && event.target.closest(".handle")) event.preventDefault();
});

board?.addEventListener("focusout", event => {
    if (lifted && !lifted.flying && !isStepping && event.target.closest(".action") === lifted.card) cancel();
});

// Mouse, finger, pen

board?.addEventListener("pointerdown", event => {
    const card = event.target.closest(".movable");
    const handle = event.target.closest(".handle");
    if (!card || event.button !== 0 || lifted) return;
    const isMouse = event.pointerType === "mouse";
    if (!handle && (!isMouse || event.target.closest("summary, button, input, form"))) return;
    drag(card, event, handle ? 0 : threshold);
});

// Otherwise the browser itself drags a link.
board?.addEventListener("dragstart", event => event.preventDefault());

function drag(card, start, distance) {
    const box = card.getBoundingClientRect();
    const offset = { x: start.clientX - box.left, y: start.clientY - box.top };
    const ends = new AbortController();
    let pointer = start;
    let flying = null;

    function fly() {
        if (!lift(card)) return false;
        flying = card.cloneNode(true);
        flying.removeAttribute("id");
        flying.classList.remove("lifted");
        flying.classList.add("flying");
        flying.inert = true;
        flying.style.width = `${box.width}px`;
        lifted.flying = flying;
        board.classList.add("pointing");
        getSelection()?.removeAllRanges();
        document.body.append(flying);
        requestAnimationFrame(scroll);
        return true;
    }

    function follow() {
        flying.style.translate = `${pointer.clientX - offset.x}px ${pointer.clientY - offset.y}px`;
        const column = nearestColumn(pointer.clientX);
        const others = cardsOf(column).filter(other => other !== card);
        // Uses the card's centre, not the pointer: a card can be grabbed anywhere.
        const middle = pointer.clientY - offset.y + box.height / 2;
        const next = others.find(other => {
            const at = other.getBoundingClientRect();
            return middle < at.top + at.height / 2;
        });
        place(card, column, next ?? null);
    }

    function scroll() {
        if (!flying?.isConnected) return;
        const area = board.getBoundingClientRect();
        if (pointer.clientX > Math.min(area.right, innerWidth) - edge) board.scrollLeft += stride;
        if (pointer.clientX < Math.max(area.left, 0) + edge) board.scrollLeft -= stride;
        if (pointer.clientY > innerHeight - edge) scrollBy(0, stride);
        if (pointer.clientY < edge) scrollBy(0, -stride);
        follow();
        requestAnimationFrame(scroll);
    }

    function move(event) {
        if (event.pointerId !== start.pointerId) return;
        pointer = event;
        if (!flying) {
            const far = Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY);
            if (far < Math.max(distance, 1) || !fly()) return;
        }
        event.preventDefault();
        follow();
    }

    function end(event, isGood) {
        if (event.pointerId !== undefined && event.pointerId !== start.pointerId) return;
        ends.abort();
        if (!flying) return;
        flying.remove();
        if (isGood) drop();
        else cancel();
        // Dropping a card must not click the title below.
        const swallow = click => click.preventDefault();
        addEventListener("click", swallow, { capture: true, once: true });
        setTimeout(() => removeEventListener("click", swallow, { capture: true }));
    }

    const { signal } = ends;
    addEventListener("pointermove", move, { signal });
    addEventListener("pointerup", event => end(event, true), { signal });
    addEventListener("pointercancel", event => end(event, false), { signal });
    addEventListener("keydown", event => {
        if (event.key === "Escape" && flying) end({}, false);
    }, { signal });
}

function nearestColumn(x) {
    const distance = column => {
        const at = column.getBoundingClientRect();
        return x < at.left ? at.left - x : Math.max(0, x - at.right);
    };
    return columns().reduce((best, column) => distance(column) < distance(best) ? column : best);
}
