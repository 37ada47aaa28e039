/* The API reference: filters routes, and sends requests. Nothing is stored: a token stays in this page's memory. Requests
   with the log-in of this browser carry its cookie and the page's form token. */

/** The path of this server, if it is not at the root of its host. */
const root = document.documentElement.dataset.root ?? "";
/** Milliseconds after which a request is given up. */
const patience = 20_000;
/** Characters of an answer that are shown. */
const longest = 50_000;
/** Headers of an answer that are shown. */
const shownHeaders = ["content-type", "etag", "location", "retry-after", "allow", "cache-control", "www-authenticate"];

// Filter

const filter = document.querySelector("[data-filter]");
const routes = [...document.querySelectorAll("[data-operation]")];

const textOf = route => (route.querySelector("summary") ?? route).textContent.replace(/\s+/g, " ").toLowerCase();

function showMatches(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    for (const route of routes) {
        const own = textOf(route);
        route.hidden = !words.every(word => own.includes(word));
    }
    for (const group of document.querySelectorAll(".group")) {
        group.hidden = !group.querySelector("[data-operation]:not([hidden])");
    }
    const notice = filter.querySelector("[role=status]");
    notice.hidden = routes.some(route => !route.hidden);
    notice.textContent = notice.hidden ? "" : notice.dataset.none;
}

filter.hidden = false;
filter.querySelector("input").addEventListener("input", ({ target }) => showMatches(target.value));

/** Opens the part that the address names; not every browser does. */
function openNamed() {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const part = named?.closest("details");
    if (!part) return;
    part.open = true;
    part.scrollIntoView();
}

addEventListener("hashchange", openNamed);
openNamed();

// Access

const access = document.querySelector("[data-access]");
const tokenField = document.querySelector("#token");
const chosen = () => access.querySelector("[name=access]:checked")?.value ?? "none";

if (access) {
    access.hidden = false;
    const tokenPart = access.querySelector("[data-token]");
    const show = () => { tokenPart.hidden = chosen() !== "token"; };
    access.addEventListener("change", show);
    // A browser may restore what was chosen before.
    show();
    access.querySelector("[data-log-in]").addEventListener("submit", getToken);
}

async function getToken(event) {
    event.preventDefault();
    const [user, password] = event.target.querySelectorAll("input");
    const state = access.querySelector("[data-log-in-state]");
    state.textContent = "";
    try {
        const answer = await fetch(`${root}/api/v1/auth/login`, {
            method: "POST", credentials: "omit", headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ username: user.value, password: password.value }),
            signal: AbortSignal.timeout?.(patience),
        });
        const found = await answer.json();
        password.value = "";
        if (answer.ok) tokenField.value = found.accessToken;
        state.textContent = answer.ok ? state.dataset.good : `${state.dataset.bad} ${found.detail}`;
    } catch {
        state.textContent = state.dataset.away;
    }
}

// Trying

const page = document.querySelector("[data-page]");
let count = 0;

/** Adds the form of a route when it is first opened. */
function addForm(route) {
    if (route.querySelector("form.try")) return;
    const form = document.querySelector("#try").content.cloneNode(true).querySelector("form");
    const fields = form.querySelector("[data-fields]");
    for (const parameter of route.querySelectorAll(".fields > [data-place]")) fields.append(fieldFor(parameter));
    const body = route.querySelector("[data-body]");
    const [text, file] = [form.querySelector("[data-body-field]"), form.querySelector("[data-file-field]")];
    const takesText = ["json", "text"].includes(body?.dataset.body);
    if (takesText) {
        text.querySelector("textarea").value = route.querySelector("[data-example]")?.textContent ?? "";
        file.remove();
    } else {
        text.remove();
        if (!body) file.remove();
    }
    route.querySelector(".inside").append(form);
    form.addEventListener("submit", event => {
        event.preventDefault();
        if (!form.reportValidity()) return;
        if ("changes" in route.dataset) ask(form); else send(route, form);
    });
    form.querySelector("[data-sure]").addEventListener("click", () => {
        ask(form, false);
        send(route, form);
    });
    form.querySelector("[data-cancel]").addEventListener("click", () => ask(form, false));
    form.querySelector("[data-copy]").addEventListener("click", () => copy(route, form));
}

/** A field for a parameter, with its choices or an example. */
function fieldFor(parameter) {
    const line = document.createElement("p");
    line.className = "field";
    const label = document.createElement("label");
    label.htmlFor = `try-${++count}`;
    const { name, choices, hint, place } = parameter.dataset;
    label.textContent = name;
    const input = document.createElement(choices ? "select" : "input");
    const isRequired = "required" in parameter.dataset;
    if (choices) {
        for (const choice of [...(isRequired ? [] : [""]), ...choices.split(" ")]) input.add(new Option(choice));
    } else {
        input.autocomplete = "off";
        input.spellcheck = false;
        input.placeholder = hint ?? "";
        if (place === "path" && name === "team") input.value = page.dataset.team ?? "";
    }
    Object.assign(input, { id: label.htmlFor, required: isRequired });
    input.dataset.name = name;
    input.dataset.in = place;
    line.append(label, input);
    return line;
}

/** Asks whether data may be changed, or withdraws the question. */
function ask(form, isAsked = true) {
    const question = form.querySelector("[data-confirm]");
    question.hidden = !isAsked;
    (isAsked ? question.querySelector("[data-sure]") : form.querySelector("[data-send]")).focus();
}

/** Address, method, headers and body, without a token or cookie. */
function requestOf(route, form) {
    let path = route.dataset.path;
    const query = new URLSearchParams();
    const headers = {};
    for (const input of form.querySelectorAll("[data-in]")) {
        const { name, in: place } = input.dataset;
        if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(input.value.trim()));
        else if (!input.value) continue;
        else if (place === "query") query.set(name, input.value);
        else headers[name] = input.value;
    }
    const request = { address: root + path + (query.size ? `?${query}` : ""), method: route.dataset.method, headers };
    const body = route.querySelector("[data-body]");
    const text = form.querySelector("textarea")?.value;
    const file = form.querySelector("[type=file]")?.files[0];
    if (text) {
        headers["Content-Type"] = body.dataset.type;
        request.body = text;
    } else if (file && body.dataset.part) {
        request.body = new FormData();
        request.body.append(body.dataset.part, file);
    } else if (file) {
        headers["Content-Type"] = file.type;
        request.body = file;
    }
    return request;
}

async function send(route, form) {
    const state = form.querySelector("[data-state]");
    const button = form.querySelector("[data-send]");
    form.querySelector("[data-received]").hidden = true;
    state.textContent = state.dataset.sending;
    button.disabled = true;
    const stop = new AbortController();
    const alarm = setTimeout(() => stop.abort(), patience);
    try {
        const { address, method, headers, body } = requestOf(route, form);
        const options = { method, headers, body, credentials: "omit", cache: "no-store", signal: stop.signal };
        if (chosen() === "session") {
            options.credentials = "same-origin";
            headers["X-Form-Token"] = document.querySelector('meta[name="form-token"]')?.content ?? "";
        } else if (chosen() === "token") {
            headers.Authorization = `Bearer ${tokenField.value.trim()}`;
        }
        const answer = await fetch(address, options);
        await show(answer, form);
        state.textContent = "";
    } catch {
        state.textContent = state.dataset.away;
    } finally {
        clearTimeout(alarm);
        stop.abort();
        button.disabled = false;
    }
}

async function show(answer, form) {
    const part = form.querySelector("[data-received]");
    const status = part.querySelector("[data-status]");
    status.textContent = `${answer.status} ${answer.statusText}`.trim();
    status.classList.toggle("bad", !answer.ok && answer.status !== 304);
    part.querySelector("[data-headers]").replaceChildren(...shownHeaders.filter(name => answer.headers.has(name)).flatMap(name => {
        const [term, value] = [document.createElement("dt"), document.createElement("dd")];
        term.textContent = name;
        value.textContent = answer.headers.get(name);
        return [term, value];
    }));
    part.querySelector("[data-text]").textContent = await textIn(answer, part);
    part.hidden = false;
}

async function textIn(answer, part) {
    const type = answer.headers.get("content-type") ?? "";
    // A stream of events does not end: its first piece is enough.
    if (type.startsWith("text/event-stream")) {
        const piece = await answer.body.getReader().read();
        return new TextDecoder().decode(piece.value);
    }
    if (type && !/json|text|xml|csv/.test(type)) return `${part.dataset.file} ${(await answer.arrayBuffer()).byteLength}`;
    const text = await answer.text();
    if (!text) return part.dataset.empty;
    const isLong = text.length > longest;
    if (isLong || !type.includes("json")) return text.slice(0, longest) + (isLong ? " …" : "");
    return JSON.stringify(JSON.parse(text), null, 2);
}

/** The command for a shell. It names the token's variable, not the token: commands are kept and shown to others. */
function curl(route, form) {
    const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;
    const { address, method, headers, body } = requestOf(route, form);
    const parts = ["curl", ...(method === "GET" ? [] : ["-X", method])];
    if (chosen() !== "none") parts.push("-H", '"Authorization: Bearer $TOKEN"');
    for (const [name, value] of Object.entries(headers)) parts.push("-H", quoted(`${name}: ${value}`));
    if (typeof body === "string") parts.push("--data-binary", quoted(body));
    else if (body instanceof FormData) {
        for (const [name, file] of body) parts.push("-F", quoted(`${name}=@${file.name}`));
    } else if (body) parts.push("--data-binary", quoted(`@${body.name}`));
    return [...parts, quoted(location.origin + address)].join(" ");
}

async function copy(route, form) {
    const button = form.querySelector("[data-copy]");
    const state = form.querySelector("[data-state]");
    const command = curl(route, form);
    try {
        await navigator.clipboard.writeText(command);
        state.textContent = button.dataset.copied;
    } catch {
        // Without permission, or without TLS: it can be copied by hand.
        state.textContent = command;
    }
}

for (const route of document.querySelectorAll("details.operation")) {
    if (route.open) addForm(route);
    route.addEventListener("toggle", () => { if (route.open) addForm(route); });
}
