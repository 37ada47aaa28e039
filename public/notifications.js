// Push messages to this browser. It does not ask on a first visit: a card asks once, after a vote is confirmed, and the
// settings have a switch for it.

const root = document.documentElement.dataset.root ?? "";
const ASKED = `notifications-asked${root}`;
const REFRESHED = `notifications-refreshed${root}`;

// Milliseconds. The server deletes a device that was not refreshed for 270 days.
const REFRESH_AFTER = 30 * 86_400_000;

const isPossible =
    "serviceWorker" in navigator && "PushManager" in window && "Notification" in window && window.isSecureContext;

const alive = new WeakSet();

/** Enables a card or a switch; it stays hidden if notifications are not possible. */
export async function showNotifications(place) {
    if (!isPossible || alive.has(place)) return;
    alive.add(place);
    if (place.hasAttribute("data-ask-notifications")) return ask(place);
    await showSwitch(place);
}

/** Refreshes this browser's registration from time to time, and after a new log-in. */
export async function refreshRegistration() {
    if (!isPossible || Notification.permission !== "granted" || !formToken()) return;
    const subscription = await currentSubscription();
    if (!subscription) return;
    const [day, token] = (localStorage.getItem(REFRESHED) ?? "").split(" ");
    if (token === tokenMark() && Date.now() - Number(day) < REFRESH_AFTER) return;
    await register(subscription);
}

function ask(card) {
    if (Notification.permission !== "default" || localStorage.getItem(ASKED)) return;
    const buttons = card.querySelector(".actions");
    card.querySelector("[data-push-on]").addEventListener("click", async () => {
        localStorage.setItem(ASKED, "yes");
        say(card, await turnOn());
        buttons.hidden = true;
    });
    card.querySelector("[data-push-never]").addEventListener("click", () => {
        localStorage.setItem(ASKED, "no");
        card.hidden = true;
        document.querySelector("main").focus({ preventScroll: true });
    });
    card.hidden = false;
}

async function showSwitch(place) {
    const on = place.querySelector("[data-push-on]");
    const off = place.querySelector("[data-push-off]");
    const show = (state) => {
        say(place, state);
        on.hidden = state !== "off" && state !== "failed";
        off.hidden = state !== "on";
    };
    on.addEventListener("click", async () => {
        show(await turnOn());
        (off.hidden ? on : off).focus();
    });
    off.addEventListener("click", async () => {
        show(await turnOff());
        on.focus();
    });
    if (Notification.permission === "denied") show("denied");
    else show(Notification.permission === "granted" && (await currentSubscription()) ? "on" : "off");
    place.hidden = false;
}

function say(place, state) {
    const line = place.querySelector("[data-push-state]");
    line.textContent = line.dataset[state] ?? "";
}

/** The result: on, off, denied or failed. */
async function turnOn() {
    try {
        const permission = await Notification.requestPermission();
        if (permission !== "granted") return permission === "denied" ? "denied" : "off";
        await register(await subscribe());
        return "on";
    } catch {
        return "failed";
    }
}

/** Ends notifications in this browser. */
export async function turnOff() {
    try {
        // Where nobody is logged in, the server has deleted the device with the session or the account.
        const { devices } = formToken() ? await call("/api/v1/me/devices") : { devices: [] };
        const own = devices.filter((device) => device.current && device.service === "webpush");
        for (const device of own) await call(`/api/v1/me/devices/${device.id}`, "DELETE");
        await (await currentSubscription())?.unsubscribe();
        localStorage.removeItem(REFRESHED);
        return "off";
    } catch {
        return "failed";
    }
}

async function currentSubscription() {
    const registration = await navigator.serviceWorker.getRegistration();
    return registration?.pushManager.getSubscription();
}

async function subscribe() {
    const { applicationServerKey } = await call("/api/v1/push/web-key");
    const key = bytes(applicationServerKey);
    const { pushManager } = await navigator.serviceWorker.ready;
    const present = await pushManager.getSubscription();
    if (present && sameBytes(new Uint8Array(present.options.applicationServerKey), key)) return present;
    // It belongs to another key, with which the server can no longer send.
    await present?.unsubscribe();
    return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

async function register(subscription) {
    const { endpoint, keys } = subscription.toJSON();
    await call("/api/v1/me/devices", "POST", {
        service: "webpush",
        platform: "web",
        locale: document.documentElement.lang,
        subscription: { endpoint, keys },
    });
    localStorage.setItem(REFRESHED, `${Date.now()} ${tokenMark()}`);
}

async function call(path, method = "GET", body = undefined) {
    const headers = { "X-Form-Token": formToken() ?? "" };
    if (body) headers["Content-Type"] = "application/json";
    const answer = await fetch(root + path, { method, headers, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}.`);
    return answer.status === 204 ? null : answer.json();
}

function formToken() {
    return document.querySelector('meta[name="form-token"]')?.content;
}

/** Distinguishes log-ins; it cannot be used as a token. */
function tokenMark() {
    return formToken().slice(0, 6);
}

function bytes(text) {
    const base64 = text.replaceAll("-", "+").replaceAll("_", "/");
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function sameBytes(one, other) {
    return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
