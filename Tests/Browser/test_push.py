"""Push messages to a browser: the page asks for permission after the first vote, the service worker shows messages, and
a tap opens the right page.

Two steps cannot be tested. A browser without a network cannot register with a push service, so the subscription is made
up, with keys like real ones, and the browser's tools pass the message to the service worker as after decryption (which
PushTests tests). And a test cannot tap on a system notification: the service worker gets the event that would follow.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from installation import Installation, Person, wait_until
from playwright.sync_api import CDPSession, Locator, expect
from test_log_in import log_out
from visitor import Profile, Visitor

# Replaces the browser's own, which would contact its vendor's service.
SUBSCRIPTION = """
    {
        // The next page has it too.
        const KEPT = "test-subscription";
        let present = null;
        const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
            .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
        const subscription = ({ endpoint, keys, key }) => ({
            endpoint, options: { applicationServerKey: new Uint8Array(key).buffer }, toJSON: () => ({ endpoint, keys }),
            unsubscribe: async () => { localStorage.removeItem(KEPT); return true; },
        });
        PushManager.prototype.getSubscription = async () => {
            const kept = JSON.parse(localStorage.getItem(KEPT));
            if (present?.endpoint !== kept?.endpoint) present = kept && subscription(kept);
            return present;
        };
        PushManager.prototype.subscribe = async function ({ applicationServerKey }) {
            const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
            const p256dh = base64(await crypto.subtle.exportKey("raw", pair.publicKey));
            const auth = base64(crypto.getRandomValues(new Uint8Array(16)));
            const endpoint = `https://updates.push.services.mozilla.com/wpush/v2/${crypto.randomUUID()}`;
            const key = [...new Uint8Array(applicationServerKey)];
            localStorage.setItem(KEPT, JSON.stringify({ endpoint, keys: { p256dh, auth }, key }));
            return this.getSubscription();
        };
    }
"""

# The browser replaces its subscription, without asking a page.
REPLACE = """
    async () => {
        const { pushManager } = await navigator.serviceWorker.ready;
        await pushManager.subscribe((await pushManager.getSubscription()).options);
    }
"""

# The browser ends its subscription, without asking a page.
END = """
    async () => (await (await navigator.serviceWorker.ready).pushManager.getSubscription()).unsubscribe()
"""

# The browser ends its subscription and wakes the service worker, which gets another one.
CHANGE = """
    async () => {
        const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
            .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
        const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
        const p256dh = base64(await crypto.subtle.exportKey("raw", pair.publicKey));
        const auth = base64(crypto.getRandomValues(new Uint8Array(16)));
        const endpoint = `https://updates.push.services.mozilla.com/wpush/v2/${crypto.randomUUID()}`;
        PushManager.prototype.subscribe = async () => ({ toJSON: () => ({ endpoint, keys: { p256dh, auth } }) });
        self.dispatchEvent(new ExtendableEvent("pushsubscriptionchange"));
    }
"""

# A real tap allows a page to take the focus; a simulated one does not, so that step is skipped.
TAP = """
    async (action) => {
        WindowClient.prototype.focus = async function () { return this; };
        const [notification] = await self.registration.getNotifications();
        self.dispatchEvent(new NotificationEvent("notificationclick", { notification, action }));
    }
"""


# Notes the end of the subscription where it outlives the page.
NOTE_END = """
    async () => {
        const { pushManager } = await navigator.serviceWorker.ready;
        const subscription = await pushManager.getSubscription();
        subscription.unsubscribe = async () => {
            localStorage.setItem("has-ended", "yes");
            return true;
        };
    }
"""


@pytest.fixture
def browser(browsers: Any, chromium_with_windows: str) -> Any:
    """The one that can show notifications."""
    return browsers.get(chromium_with_windows)


class Browser:
    """The browser's own tools for a visitor."""

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor
        self._registration: str | None = None
        self._session: CDPSession = visitor.context.new_cdp_session(visitor.page)
        self._session.on("ServiceWorker.workerRegistrationUpdated", self._note)

    def permit(self, setting: str) -> None:
        """Sets the browser's answer when a page asks for notifications: granted, denied, or prompt (none yet)."""
        self._session.send("Browser.setPermission", {
            "permission": {"name": "notifications"}, "setting": setting, "origin": self._visitor.url,
            "browserContextId": self._session.send("Target.getTargetInfo")["targetInfo"]["browserContextId"],
        })

    def deliver(self, message: dict[str, str]) -> None:
        """Passes a message to the service worker."""
        self._visitor.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self._session.send("ServiceWorker.enable")
        while self._registration is None:
            # Processes pending events.
            self._visitor.page.evaluate("true")
        self._session.send("ServiceWorker.deliverPushMessage", {
            "origin": self._visitor.url, "registrationId": self._registration, "data": json.dumps(message),
        })

    def _note(self, event: dict[str, Any]) -> None:
        for registration in event["registrations"]:
            if not registration["isDeleted"]:
                self._registration = registration["registrationId"]


@pytest.fixture
def visitor(browse: Callable[..., Visitor], request: pytest.FixtureRequest) -> Visitor:
    visitor = browse(getattr(request, "param", Profile("phone", "en")))
    visitor.context.add_init_script(SUBSCRIPTION)
    return visitor


@pytest.fixture
def tools(visitor: Visitor) -> Browser:
    tools = Browser(visitor)
    tools.permit("prompt")
    return tools


@pytest.fixture
def person(visitor: Visitor, installation: Installation) -> Person:
    return visitor.log_in_new(installation.add_team())


def card(visitor: Visitor) -> Locator:
    """The card that asks whether the browser may show reminders."""
    return visitor.page.locator("[data-ask-notifications]")


def see_the_thanks(visitor: Visitor, person: Person, installation: Installation) -> None:
    """Opens the page after a vote."""
    installation.vote(person, 7)
    visitor.open("/")


@pytest.mark.parametrize("visitor", [Profile("phone", "en"), Profile("desktop", "de")], indirect=True, ids=str)
def test_the_question_comes_once_after_the_first_vote(
    visitor: Visitor, tools: Browser, person: Person, installation: Installation
) -> None:
    visitor.open("/")
    expect(visitor.link("live.vote")).to_be_visible()
    expect(card(visitor)).to_have_count(0)
    see_the_thanks(visitor, person, installation)
    expect(card(visitor)).to_be_visible()
    # Messages from leads arrive the same way.
    expect(card(visitor)).to_contain_text({"en": "team lead", "de": "Teamleitung"}[visitor.profile.language])
    visitor.look("live-asks-for-notifications")
    visitor.button("push.askNo").click()
    expect(card(visitor)).to_be_hidden()
    visitor.page.reload()
    expect(visitor.page.get_by_role("heading", name=visitor.words["live.thanks"])).to_be_visible()
    visitor.page.wait_for_load_state("networkidle")
    expect(card(visitor)).to_be_hidden()


def test_an_allowed_browser_is_a_device_until_it_is_turned_off(
    visitor: Visitor, tools: Browser, person: Person, installation: Installation
) -> None:
    see_the_thanks(visitor, person, installation)
    expect(card(visitor)).to_be_visible()
    tools.permit("granted")
    visitor.button("push.askYes").click()
    expect(visitor.page.get_by_text(visitor.words["push.on"])).to_be_visible()
    (device,) = installation.api(person, "GET", "/me/devices")["devices"]
    assert (device["service"], device["platform"]) == ("webpush", "web")
    # Its endpoint is a secret: anyone who has it can send.
    assert "mozilla" not in json.dumps(device)

    visitor.open("/settings/notifications")
    expect(visitor.button("push.turnOff")).to_be_visible()
    visitor.look("settings-notifications-on")
    visitor.button("push.turnOff").click()
    expect(visitor.page.get_by_text(visitor.words["push.off"])).to_be_visible()
    assert installation.api(person, "GET", "/me/devices")["devices"] == []


def turn_on(visitor: Visitor, tools: Browser) -> None:
    tools.permit("granted")
    visitor.open("/settings/notifications")
    visitor.button("push.turnOn").click()
    expect(visitor.button("push.turnOff")).to_be_visible()


def only_device(installation: Installation, person: Person) -> dict[str, Any]:
    """What the server has."""
    (device,) = installation.api(person, "GET", "/me/devices")["devices"]
    return device


@pytest.mark.parametrize("change", [REPLACE, END], ids=["replaced", "ended"])
def test_the_next_page_registers_the_subscription_that_the_browser_has_now(
    visitor: Visitor, tools: Browser, person: Person, installation: Installation, change: str
) -> None:
    turn_on(visitor, tools)
    before = only_device(installation, person)
    visitor.page.evaluate(change)
    visitor.open("/settings/notifications")
    # Which means that the server has it.
    expect(visitor.button("push.turnOff")).to_be_visible()
    after = only_device(installation, person)
    assert after["id"] == before["id"]
    assert after["subscriptionHash"] != before["subscriptionHash"]


def test_the_service_worker_registers_the_subscription_that_the_browser_has_now(
    visitor: Visitor, tools: Browser, person: Person, installation: Installation
) -> None:
    turn_on(visitor, tools)
    before = only_device(installation, person)
    (worker,) = visitor.context.service_workers
    worker.evaluate(CHANGE)
    wait_until(lambda: only_device(installation, person)["subscriptionHash"] != before["subscriptionHash"])
    after = only_device(installation, person)
    assert (after["id"], after["locale"]) == (before["id"], before["locale"])


def test_the_settings_show_what_the_server_has(
    visitor: Visitor, tools: Browser, person: Person, installation: Installation
) -> None:
    turn_on(visitor, tools)
    before = only_device(installation, person)
    # As it does if the push service has ended the subscription. The browser still has it.
    installation.api(person, "DELETE", f"/me/devices/{before['id']}")
    visitor.open("/settings/notifications")
    expect(visitor.page.get_by_text(visitor.words["push.off"])).to_be_visible()
    visitor.button("push.turnOn").click()
    expect(visitor.button("push.turnOff")).to_be_visible()
    assert only_device(installation, person)["subscriptionHash"] != before["subscriptionHash"]


def test_who_turned_notifications_off_is_not_subscribed_again(
    visitor: Visitor, tools: Browser, person: Person, installation: Installation
) -> None:
    turn_on(visitor, tools)
    visitor.button("push.turnOff").click()
    expect(visitor.page.get_by_text(visitor.words["push.off"])).to_be_visible()
    visitor.open("/settings/notifications")
    expect(visitor.button("push.turnOn")).to_be_visible()
    assert installation.api(person, "GET", "/me/devices")["devices"] == []


def test_a_log_out_ends_the_subscription(
    visitor: Visitor, tools: Browser, person: Person, installation: Installation
) -> None:
    # The browser's storage stays, and the next user's log-in would register it.
    tools.permit("granted")
    visitor.open("/settings/notifications")
    visitor.button("push.turnOn").click()
    expect(visitor.button("push.turnOff")).to_be_visible()
    visitor.page.evaluate(NOTE_END)
    log_out(visitor)
    assert visitor.page.evaluate("localStorage.getItem('has-ended')") == "yes"
    assert installation.api(person, "GET", "/me/devices")["devices"] == []


def test_blocked_notifications_show_where_to_allow_them(
    visitor: Visitor, tools: Browser, person: Person, installation: Installation
) -> None:
    tools.permit("denied")
    see_the_thanks(visitor, person, installation)
    expect(visitor.page.get_by_role("heading", name=visitor.words["live.thanks"])).to_be_visible()
    visitor.page.wait_for_load_state("networkidle")
    expect(card(visitor)).to_be_hidden()
    visitor.open("/settings/notifications")
    expect(visitor.page.get_by_text(visitor.words["push.denied"])).to_be_visible()
    visitor.look("settings-notifications-blocked")


def test_a_reminder_is_shown_as_it_was_written_and_opens_the_vote(
    visitor: Visitor, tools: Browser, person: Person, installation: Installation
) -> None:
    tools.permit("granted")
    team = installation.team_id(person)
    visitor.open("/settings")
    message = {
        "title": "How was sprint 2026/24?", "body": "One minute for Team Blue: “Grüße” & <b>thanks</b>.",
        "link": f"https://elsewhere.example/teams/{team}/vote", "team": team, "sprint": "2026/24",
    }
    tools.deliver(message)
    # A second one in the same sprint replaces the first.
    tools.deliver(message | {"title": "Last day of sprint 2026/24"})
    shown = visitor.wait_for_value("""
        async () => {
            const all = await (await navigator.serviceWorker.ready).getNotifications();
            return all.some((one) => one.title.startsWith("Last")) && all.map(({ title, body, lang }) => [title, body, lang]);
        }
    """)
    assert shown == [["Last day of sprint 2026/24", message["body"], "en"]]

    (worker,) = visitor.context.service_workers
    worker.evaluate(TAP, "")
    # On this server, whatever host the link names.
    visitor.page.wait_for_url(f"{visitor.url}/teams/{team}/vote")
    visitor.expect_heading("vote.title")


def test_the_second_button_of_a_reminder_leads_to_a_later_one(
    visitor: Visitor, tools: Browser, installation: Installation
) -> None:
    person = visitor.log_in_new(installation.add_reminded_team())
    tools.permit("granted")
    team = installation.team_id(person)
    visitor.open("/settings")
    tools.deliver({
        "title": "How was this sprint?", "body": "One minute.", "link": f"{visitor.url}/teams/{team}/vote", "team": team,
        "sprint": "2026/24", "laterLabel": "Remind me later", "laterLink": f"{visitor.url}/teams/{team}/vote/later",
    })
    actions = visitor.wait_for_value("""
        async () => {
            const [shown] = await (await navigator.serviceWorker.ready).getNotifications();
            return shown && shown.actions.map(({ action, title }) => [action, title]);
        }
    """)
    assert actions == [["later", "Remind me later"]]
    (worker,) = visitor.context.service_workers
    worker.evaluate(TAP, "later")
    visitor.page.wait_for_url(f"**/teams/{team}/vote/later")
    visitor.expect_heading("vote.laterTitle")
