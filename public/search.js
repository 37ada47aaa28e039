// Searches while the user types: fetches the page again and swaps the matches. Arrow keys move through them, and Enter
// opens the first one. Without this module the search is an ordinary form.

const field = document.getElementById("search");
const form = field.form;
const place = document.querySelector("[data-matches]");
const status = document.querySelector("[data-found]");

// Milliseconds after the last key: long enough for a fast typist, too short to be noticed.
const pause = 120;

let timer = null;
let request = null;
/** The input that the matches belong to. */
let shown = field.value.trim();

const links = () => [...place.querySelectorAll("a")];

async function search() {
    const typed = field.value.trim();
    if (typed === shown) return;
    request?.abort();
    request = new AbortController();
    const address = typed ? `${form.action}?${new URLSearchParams({ search: typed })}` : form.action;
    try {
        const answer = await fetch(address, { headers: { Accept: "text/html" }, signal: request.signal });
        // Logged out, for example: the form leads to a page that says so.
        if (!answer.ok || answer.redirected) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        place.replaceChildren(...page.querySelector("[data-matches]").childNodes);
        // The element stays, so that screen readers announce its new text.
        const found = page.querySelector("[data-found]");
        status.textContent = found.textContent;
        status.className = found.className;
        shown = typed;
        // Returning from a match shows the matches again.
        history.replaceState(null, "", address);
    } catch (error) {
        if (error.name !== "AbortError" && navigator.onLine) throw error;
    }
}

field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, pause);
});

form.addEventListener("submit", async event => {
    event.preventDefault();
    clearTimeout(timer);
    await search();
    if (field.value.trim() !== shown) form.submit();
    else links()[0]?.click();
});

addEventListener("keydown", event => {
    const all = links();
    const at = all.indexOf(document.activeElement);
    if (at < 0 && document.activeElement !== field) return;
    if (event.key === "ArrowDown" && at + 1 < all.length) all[at + 1].focus();
    else if (event.key === "ArrowUp" && at === 0) field.focus();
    else if (event.key === "ArrowUp" && at > 0) all[at - 1].focus();
    else if (event.key === "Escape" && at >= 0) field.focus();
    else return;
    event.preventDefault();
});

document.querySelector("[data-keys]").hidden = !matchMedia("(hover: hover) and (pointer: fine)").matches;
