// Push messages to this browser. It does not ask on a first visit: a card asks once, after a vote is confirmed, and the
// settings have a switch for it.

const root = document.documentElement.dataset.root ?? "";
const ASKED = `notifications-asked${root}`;
const REFRESHED = `notifications-refreshed${root}`;

// Milliseconds. The server deletes a device that was not refreshed for 270 days.
const REFRESH_AFTER = 30 * 86_400_000;

// Milliseconds after which a request is given up.
const patience = 15_000;

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

/**
 * Refreshes this browser's registration: from time to time, after a new log-in, and if the browser has replaced or ended
 * its subscription, which it does without asking.
 */
export async function refreshRegistration() {
    if (!isPossible || Notification.permission !== "granted" || !formToken()) return;
    refreshing ??= refresh().finally(() => { refreshing = null; });
    await refreshing;
}

/** A page may ask several times at once. */
let refreshing = null;

async function refresh() {
    const worker = await navigator.serviceWorker.getRegistration();
    // The next page does it.
    if (!worker?.active) return;
    const record = localStorage.getItem(REFRESHED);
    const present = await worker.pushManager.getSubscription();
    // Without both, notifications are off here.
    if (!present && !record) return;
    const [day, token, hash] = (record ?? "").split(" ");
    const isNew = token !== tokenMark() || hash !== (present && (await hashOf(present)));
    if (isNew || Date.now() - Number(day) >= REFRESH_AFTER) await register(await subscribe());
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
    show(await presentState());
    place.hidden = false;
}

/** The result: on, off, denied or unknown. On means that the server has this browser's subscription. */
async function presentState() {
    if (Notification.permission === "denied") return "denied";
    try {
        const subscription = Notification.permission === "granted" && (await currentSubscription());
        return subscription && (await isRegistered(subscription)) ? "on" : "off";
    } catch {
        return "unknown";
    }
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
        const present = await currentSubscription();
        // The server deletes a subscription that its push service has ended. The browser may still have it.
        if (present && !(await isRegistered(present))) await present.unsubscribe();
        await register(await subscribe());
        return "on";
    } catch {
        return "failed";
    }
}

/** Ends notifications in this browser. */
export async function turnOff() {
    try {
        // First: with it, the next page would subscribe again.
        localStorage.removeItem(REFRESHED);
        try {
            // Where nobody is logged in, the server has deleted the device with the session or the account.
            const { devices } = formToken() ? await call("/api/v1/me/devices") : { devices: [] };
            const own = devices.filter((device) => device.current && device.service === "webpush");
            for (const device of own) await call(`/api/v1/me/devices/${device.id}`, "DELETE");
        } finally {
            await (await currentSubscription())?.unsubscribe();
        }
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
    localStorage.setItem(REFRESHED, `${Date.now()} ${tokenMark()} ${await hashOf(subscription)}`);
}

async function isRegistered(subscription) {
    const { devices } = await call("/api/v1/me/devices");
    const hash = await hashOf(subscription);
    return devices.some(({ subscriptionHash }) => subscriptionHash === hash);
}

/** As the server computes `subscriptionHash`. The subscription itself is a secret and is not stored. */
async function hashOf(subscription) {
    const { endpoint, keys } = subscription.toJSON();
    const text = new TextEncoder().encode(`${endpoint} ${keys.p256dh} ${keys.auth}`);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
    return btoa(String.fromCharCode(...hash)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function call(path, method = "GET", body = undefined) {
    const headers = { "X-Form-Token": formToken() ?? "" };
    if (body) headers["Content-Type"] = "application/json";
    const answer = await fetch(root + path, {
        // A log-out waits for it.
        method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout?.(patience),
    });
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
