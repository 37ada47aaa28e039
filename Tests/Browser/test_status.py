"""Administrators read errors from browsers and the status of the installation."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from installation import BINARIES, ROOT, Installation
from playwright.sync_api import Page, Route, expect
from visitor import PROFILES, Profile, Visitor

# Makes a module of ours throw.
BROKEN = """
    setTimeout(function breakOnPurpose() { throw new TypeError("Cannot read WORD of 7"); });
"""


@contextmanager
def running_worker(installation: Installation) -> Iterator[None]:
    """Runs a worker of the installation, and waits until it has ended."""
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", str(BINARIES / "Worker")], cwd=ROOT, env=installation.servers[0].environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)


def break_a_module(page: Page, name: str, word: str) -> None:
    """Makes one of our scripts throw an error whose message contains the word."""

    def add_fault(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text() + BROKEN.replace("WORD", word))

    page.route(re.compile(rf"/{name}\.js$"), add_fault)


def report_of(visitor: Visitor, address: str) -> dict[str, str]:
    """The report that a page with the error sends."""
    with visitor.complaints.expecting_script_error("Cannot read"), visitor.page.expect_request("**/api/v1/client-errors") as request:
        visitor.open(address)
    answer = request.value.response()
    assert answer is not None and answer.status == 204
    return request.value.post_data_json


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_page_error_is_listed_and_resolved(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    admin = installation.add_person("admin", team=installation.add_team(), role="admin", language=profile.language)
    visitor.log_in(admin)
    # Errors with different messages form different groups, so that the profiles do not interfere.
    word = f"of{profile.device}In{profile.language}"
    break_a_module(visitor.page, "live", word)
    report = report_of(visitor, "/")
    assert report["message"] == f"TypeError: Cannot read {word} of 7"
    assert report["stack"].startswith("at breakOnPurpose (live.js:")
    visitor.page.unroute_all()

    visitor.open("/admin/errors")
    visitor.expect_heading("clientErrors.title")
    visitor.check_layout_is_steady()
    visitor.look("admin-errors")
    visitor.page.get_by_role("link", name=f"TypeError: Cannot read {word} of #").click()
    expect(visitor.page.get_by_text("at breakOnPurpose (live.js:")).to_be_visible()
    visitor.look("admin-error")
    visitor.button("clientErrors.resolve").click()
    expect(visitor.page.get_by_text(visitor.words["clientErrors.resolvedDone"])).to_be_visible()
    visitor.link("clientErrors.resolved").click()
    visitor.page.get_by_role("link", name=f"TypeError: Cannot read {word} of #").click()
    expect(visitor.page.get_by_text(visitor.words["clientErrors.removeTomorrow"])).to_be_visible()
    visitor.button("clientErrors.reopen").click()
    expect(visitor.page.get_by_text(visitor.words["clientErrors.reopenedDone"])).to_be_visible()


def test_an_error_of_the_vote_page_is_reported_without_its_form(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "en"))
    team = installation.add_team()
    person = visitor.log_in_new(team)
    address = f"/teams/{installation.team_id(person)}/vote"
    visitor.open(address)
    visitor.page.get_by_role("textbox").fill("I am sad 3")
    with visitor.page.expect_request("**/api/v1/client-errors") as request:
        visitor.page.evaluate(
            """async () => {
                const { reportError } = await import(document.querySelector('script[src$="/app.js"]').src.replace("app.js", "errors.js"));
                const error = new TypeError(`Cannot read ${document.querySelector("textarea").value}`);
                error.stack = `${error}\\n    at send (${location.origin}/assets/v/1/vote.js:1:2)\\n    at I am sad 3`;
                reportError(error);
            }"""
        )
    assert request.value.post_data_json == {
        "level": "error", "app": "web", "message": "TypeError", "stack": "at send (vote.js:1:2)"}


def test_foreign_and_excess_errors_are_not_reported(
    browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(Profile("phone", "en"))
    visitor.log_in_new(installation.add_team())
    visitor.open("/")
    sent: list[str] = []
    visitor.page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/client-errors") else None)
    visitor.page.evaluate(
        """async () => {
                const { reportError } = await import(document.querySelector('script[src$="/app.js"]').src.replace("app.js", "errors.js"));
                for (const address of ["https://elsewhere.example/x.js", "chrome-extension://abc/x.js"]) {
                    const error = new Error("not ours");
                    error.stack = `Error: not ours\\n    at x (${address}:1:2)`;
                    reportError(error, address);
                }
                for (let line = 1; line < 20; line += 1) {
                    const error = new Error("ours");
                    error.stack = `Error: ours\\n    at x (${location.origin}/assets/v/1/x.js:${line}:2)`;
                    reportError(error);
                    reportError(error);
                }
            }"""
    )
    visitor.page.wait_for_load_state("networkidle")
    assert len(sent) == 5


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_the_status_shows_every_process_and_updates_itself(
    profile: Profile, browse: Callable[..., Visitor], installation: Installation
) -> None:
    visitor = browse(profile)
    admin = installation.add_person("admin", team=installation.add_team(), role="admin", language=profile.language)
    visitor.log_in(admin)
    visitor.page.clock.install()
    with running_worker(installation):
        visitor.open("/admin/status")
        visitor.expect_heading("status.title")
        # The page shows the worker in any case, whether or not it has started already.
        worker = visitor.page.get_by_role("rowheader", name=visitor.words["status.worker"])
        deadline = time.monotonic() + 30
        while not worker.count() and time.monotonic() < deadline:
            with visitor.page.expect_response("**/admin/status"):
                visitor.page.clock.run_for(15_000)
        expect(worker).to_be_visible()
        expect(visitor.page.get_by_role("rowheader", name=visitor.words["status.thisOne"])).to_be_visible()
        visitor.check_layout_is_steady()
        visitor.look("admin-status")


def test_the_status_is_complete_without_scripts(browse: Callable[..., Visitor], installation: Installation) -> None:
    visitor = browse(Profile("desktop", "en"), javascript=False)
    visitor.log_in(installation.add_person("admin", team=installation.add_team(), role="admin"))
    visitor.open("/admin/status")
    visitor.expect_heading("status.title")
    expect(visitor.page.get_by_role("img", name=re.compile("Memory in the last hour"))).to_be_visible()
    visitor.look("admin-status")
