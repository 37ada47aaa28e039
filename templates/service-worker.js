// The service worker. The server puts `SHELL` in front: the version and the addresses of what is kept, and a new version
// makes browsers install this anew. Kept is what is the same for everybody: style sheets, modules, the page without a
// connection in each language. Pages and answers of the API are never kept: they belong to one user.

// Other apps on the same host may have caches of their own, also other installations of this one.
const CACHES = `shell-${self.registration.scope}-`;
const CACHE = CACHES + SHELL.version;

/** Where the language of the last page is kept: a worker may be stopped and started again at any time. */
const LANGUAGE = "/last-language";

// Milliseconds after which a page that has not begun to arrive is given up. A slow phone's connection takes 2 s at most.
const TIME_LIMIT = 15_000;

self.addEventListener("install", (event) => {
    event.waitUntil(install());
});

async function install() {
    const cache = await caches.open(CACHE);
    // Not as the one who is logged in, and not what the browser keeps of an earlier version.
    const requests = [...Object.values(SHELL.offline), ...SHELL.assets].map(
        (address) => new Request(address, { cache: "reload", credentials: "omit" }));
    await cache.addAll(requests);
    // Pages name the files of their own version, so a page that is open misses nothing.
    await self.skipWaiting();
}

self.addEventListener("activate", (event) => {
    event.waitUntil(activate());
});

async function activate() {
    for (const name of await caches.keys()) {
        if (name.startsWith(CACHES) && name !== CACHE) await caches.delete(name);
    }
    // The page is asked for while this worker still starts.
    await self.registration.navigationPreload?.enable();
    await self.clients.claim();
}

self.addEventListener("fetch", (event) => {
    const { request } = event;
    const address = new URL(request.url);
    if (request.method !== "GET" || address.origin !== self.location.origin) return;
    if (request.mode === "navigate" && !address.pathname.startsWith(`${SHELL.root}/api/`)) {
        event.respondWith(page(event));
    } else if (SHELL.assets.includes(address.pathname)) {
        event.respondWith(asset(request));
    }
});

async function asset(request) {
    return (await caches.match(request, { cacheName: CACHE })) ?? fetch(request);
}

async function page(event) {
    let timer;
    const tooLate = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error("The page did not come in time.")), TIME_LIMIT);
    });
    try {
        return await Promise.race([load(event), tooLate]);
    } catch {
        const address = SHELL.offline[await language()];
        return (await caches.match(address, { cacheName: CACHE })) ?? Response.error();
    } finally {
        clearTimeout(timer);
    }
}

async function load(event) {
    const response = (await event.preloadResponse) ?? (await fetch(event.request));
    const language = response.headers.get("Content-Language");
    if (SHELL.offline[language]) event.waitUntil(keep(language));
    return response;
}

async function keep(language) {
    const cache = await caches.open(CACHE);
    await cache.put(LANGUAGE, new Response(language));
}

/** The language of the last page; before there was one, the browser's. */
async function language() {
    const kept = await caches.match(LANGUAGE, { cacheName: CACHE });
    const wanted = [await kept?.text(), ...navigator.languages.map((language) => language.split("-")[0])];
    return wanted.find((language) => SHELL.offline[language]) ?? "en";
}

// The message as the server writes it: title, body, link, team, sprint, and perhaps a second button.
self.addEventListener("push", (event) => {
    const message = event.data?.json();
    if (!message) return;
    event.waitUntil(show(message));
});

async function show(message) {
    await self.registration.showNotification(message.title, {
        body: message.body,
        // A second reminder of a sprint takes the place of the first.
        tag: `${message.team} ${message.sprint}`,
        icon: SHELL.icon,
        badge: SHELL.badge,
        lang: await language(),
        // Browsers without buttons ignore them.
        actions: message.laterLink ? [{ action: "later", title: message.laterLabel }] : [],
        data: { link: message.link, later: message.laterLink },
    });
}

self.addEventListener("notificationclick", (event) => {
    event.notification.close();
    const { link, later } = event.notification.data ?? {};
    event.waitUntil(open(event.action === "later" ? later : link));
});

async function open(link) {
    const address = new URL(link ?? `${SHELL.root}/`, self.location.origin);
    // Ours may be reached under several names; another site is never opened.
    const target = new URL(address.pathname + address.search, self.location.origin).href;
    // A page on which the user may be writing stays.
    const [page] = (await self.clients.matchAll({ type: "window" }))
        .filter(({ url }) => url === target || !/\/vote(\/plain)?$/.test(new URL(url).pathname));
    if (!page) return self.clients.openWindow(target);
    await page.focus();
    return page.url === target ? page : page.navigate(target);
}

// The browser has replaced or ended its subscription, perhaps while no page is open. If this fails, the next page does it
// (notifications.js).
self.addEventListener("pushsubscriptionchange", (event) => {
    event.waitUntil(subscribeAgain());
});

async function subscribeAgain() {
    // Any page with a log-in: a change needs its form token.
    const page = await fetch(`${SHELL.root}/settings/notifications`);
    const formToken = (await page.text()).match(/<meta name="form-token" content="([^"]+)"/)?.[1];
    // Nobody is logged in.
    if (!formToken) return;
    const key = await fetch(`${SHELL.root}/api/v1/push/web-key`);
    if (!key.ok) return;
    const { applicationServerKey } = await key.json();
    const subscription = await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
    const { endpoint, keys } = subscription.toJSON();
    await fetch(`${SHELL.root}/api/v1/me/devices`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Form-Token": formToken },
        body: JSON.stringify({
            service: "webpush", platform: "web", locale: page.headers.get("Content-Language"),
            subscription: { endpoint, keys },
        }),
    });
}
