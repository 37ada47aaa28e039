"""A slow phone: Chromium with a small window, and with network and CPU throttled."""

import contextlib
import os
import re
import shutil
import subprocess
import time

from playwright.sync_api import expect, sync_playwright

from .api import BIN
from .processes import ROOT

# Names of the program in different distributions.
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WINDOW = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
# "Slow 4G" of Lighthouse and WebPageTest (https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md):
# round trip in milliseconds, bytes per second.
SLOW_4G = {
    "offline": False, "latency": 150, "downloadThroughput": 1_600_000 / 8, "uploadThroughput": 750_000 / 8,
}  # fmt: skip
# CPU slowdown relative to this machine, from the same source.
SLOWER = 4
# Milliseconds from the start of a visit to the first text or picture (https://w3c.github.io/paint-timing/).
FIRST_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
# Milliseconds for what a sealed ballot takes besides the requests: reading the key, blinding, and unblinding with the
# check of the signature. What is unblinded here is no signature, which takes as long to find out.
PAPER = """
    async () => {
        const module = (name) => import(document.querySelector('script[src$="/vote.js"]').src.replace("vote.js", name));
        const [{ blind, fromBase64, newPaper, readKey, unblind }, { ballotKey }] =
            await Promise.all(["ballot-paper.js", "sealed-ballot.js"].map(module));
        const { key } = await ballotKey(document.querySelector("#ballot").dataset);
        const started = performance.now();
        const paper = newPaper();
        const publicKey = await readKey(fromBase64(key.publicKey));
        const { blinded, inverse } = await blind(paper, publicKey);
        const signature = await unblind(blinded, paper, publicKey, inverse);
        if (signature !== null) throw new Error("This is no signature.");
        return performance.now() - started;
    }
"""
# Milliseconds; time limit of every wait.
PATIENCE = 60_000
TEAM = "Demo Team"
PASSWORD = "gentle harbour"


class SlowPhone:
    """Visits the demo team, each time as a new logged-in user."""

    def __init__(self, browser, installation):
        self.browser = browser
        self.installation = installation
        self.count = 0

    def first_paints(self):
        """Milliseconds until something of the live view is visible: on a first visit, and with cached files."""
        with self.page() as page:
            return self.paint(page), self.paint(page)

    def paint(self, page):
        page.goto("/", wait_until="load")
        return page.wait_for_function(FIRST_PAINT).json_value()

    def vote(self):
        """Seconds from the tap on a reminder to the page that confirms the vote, on a phone without cached files, for a
        user who votes without hesitating: the waiting time around the two taps of a vote."""
        team = self.team()
        with self.page() as page:
            started = time.perf_counter()
            page.goto(f"{team}/vote", wait_until="commit")
            page.locator(".stops label").nth(7).tap()
            page.get_by_role("button", name="Send my vote").tap()
            expect(page.locator("#voted")).to_be_visible(timeout=PATIENCE)
            return time.perf_counter() - started

    def paper(self):
        """Milliseconds that the phone computes for a ballot paper."""
        team = self.team()
        with self.page() as page:
            page.goto(f"{team}/vote", wait_until="networkidle")
            return page.evaluate(PAPER)

    def team(self):
        """The address of the demo team."""
        with self.page() as page:
            page.goto("/", wait_until="commit")
            page.wait_for_url(re.compile(r"/teams/\w+$"))
            return page.url

    @contextlib.contextmanager
    def page(self):
        """A phone with an empty cache and a logged-in user. Without service worker, since the browser's tools do not
        throttle what it fetches."""
        person = self.add_person()
        context = self.browser.new_context(
            base_url=self.installation.url, locale="en-GB", service_workers="block", **WINDOW)  # fmt: skip
        context.set_default_timeout(PATIENCE)
        try:
            answer = context.request.post(
                "/login", form={"username": person, "password": PASSWORD},
                headers={"Origin": self.installation.url}, max_redirects=0,
            )  # fmt: skip
            if answer.status != 303:
                raise SystemExit(f"bench: the log-in was answered with {answer.status}")
            page = context.new_page()
            tools = context.new_cdp_session(page)
            tools.send("Network.enable")
            tools.send("Network.emulateNetworkConditions", SLOW_4G)
            tools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
            yield page
        finally:
            context.close()

    def add_person(self):
        self.count += 1
        name = f"phone{self.count}"
        subprocess.run(
            [str(BIN / "HappinessAPI"), "user", "add", name, f"{name}@example.org", "--team", TEAM],
            env=self.installation.environment, cwd=ROOT, input=f"{PASSWORD}\n", text=True, stdout=subprocess.DEVNULL,
            check=True,
        )  # fmt: skip
        return name


@contextlib.contextmanager
def slow_phone(installation):
    """Yields a phone while the API runs. `CHROMIUM` selects another browser."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise SystemExit("bench: no Chromium; scripts/setup.sh bench gets one")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        try:
            yield SlowPhone(browser, installation)
        finally:
            browser.close()
