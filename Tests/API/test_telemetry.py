"""Traces and metrics that API and worker send to an OpenTelemetry collector."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from installation import BINARIES, ROOT, START_LIMIT, Installation, Person, free_port, running
from telemetry_collector import Collector, attributes, collecting

# The patterns that may not be traced, as the API has them.
MIDDLEWARE = Path(ROOT, "Sources/HappinessAPI/Server/Middleware/RequestLogMiddleware.swift")


def ballot_routes() -> set[str]:
    patterns = re.search(r"patterns: Set<String> = \[(.*?)\n    \]", MIDDLEWARE.read_text(), re.DOTALL)
    assert patterns
    return set(re.findall(r'"(/[^"]*)"', patterns[1]))


def installation_for(collector: str) -> Installation:
    """An installation that exports to this address."""
    installation = Installation(demo=False)
    installation.servers[0].environment |= {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector, "OTEL_EXPORTER_OTLP_HEADERS": "api-key=the%20key",
    }  # fmt: skip
    return installation


def request(installation: Installation, path: str, **headers: str) -> int:
    """The status of a GET."""
    try:
        call = urllib.request.Request(f"{installation.url}{path}", headers=headers)
        with urllib.request.urlopen(call, timeout=START_LIMIT) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def vote(installation: Installation) -> tuple[Person, str]:
    """Somebody votes, and looks at the pages and routes around it. Returns them and their team."""
    person = installation.add_person("voter", installation.add_team(threshold="2"))
    team = installation.team_id(person)
    bearer = f"Bearer {installation.classic_token(person)}"
    # What a client or a proxy may add, also to a ballot's route.
    parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    installation.vote(person, 7.5, "words of a voter")
    for path in ["/", f"/teams/{team}/vote", f"/api/v1/teams/{team}/sprints/current", "/happiness/currentSprint"]:
        request(installation, path, Authorization=bearer, traceparent=parent, **{"User-Agent": "voters-browser"})
    assert request(installation, f"/api/v1/teams/{team}/sprints?year=2026", Authorization=bearer, traceparent=parent) == 200
    return person, team


def check_spans(collector: Collector) -> None:
    spans = collector.spans()
    names = {span["name"] for span in spans}
    assert {"POST /api/v1/auth/login", "GET /api/v1/teams", "GET /api/v1/teams/{team}/sprints"} <= names
    for span in spans:
        found = attributes(span)
        assert set(found) == {"http.request.method", "http.route", "http.response.status_code"}
        assert span["name"] == f"{found['http.request.method']} {found['http.route']}"
        assert span["kind"] == 2
        assert 0 < int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) <= time.time_ns()
        assert re.fullmatch(r"[0-9a-f]{32}", span["traceId"]) and re.fullmatch(r"[0-9a-f]{16}", span["spanId"])
    continued = [span for span in spans if span.get("parentSpanId") == "00f067aa0ba902b7"]
    # Beside it, the log-in page to which the pages of a vote lead.
    assert "GET /api/v1/teams/{team}/sprints" in {span["name"] for span in continued}
    assert {span["traceId"] for span in continued} == {"4bf92f3577b34da6a3ce929d0e0e4736"}
    assert len({span["spanId"] for span in spans}) == len(spans)


def check_metrics(collector: Collector) -> None:
    metrics = collector.metrics()
    requests = metrics["http_requests_total"]["sum"]
    assert requests["isMonotonic"] is True and requests["aggregationTemporality"] == 2
    # Each request is counted, and has one span.
    assert sum(point["asDouble"] for point in requests["dataPoints"]) == len(collector.spans())
    for point in metrics["http_request_duration_seconds"]["histogram"]["dataPoints"]:
        assert len(point["bucketCounts"]) == len(point["explicitBounds"]) + 1
        assert sum(map(int, point["bucketCounts"])) == int(point["count"]) > 0
    assert metrics["process_resident_memory_bytes"]["gauge"]["dataPoints"][0]["asDouble"] > 1e6


def test_the_collector_learns_nothing_of_a_vote() -> None:
    with collecting() as collector, running(installation_for(collector.address)) as installation:
        person, team = vote(installation)
        server = installation.servers[0]
        server.signal(signal.SIGTERM)
        assert server.wait() == 0

        assert {export.path for export in collector.exports} == {"/v1/traces", "/v1/metrics"}
        for export in collector.exports:
            assert export.headers["content-type"] == "application/json" and export.headers["api-key"] == "the key"
        assert collector.services() == {"happiness-api"}
        check_spans(collector)
        check_metrics(collector)

        forbidden = ballot_routes()
        assert len(forbidden) > 10
        points = [point for metric in collector.metrics().values() for kind in ("sum", "gauge", "histogram") if kind in metric
                  for point in metric[kind]["dataPoints"]]  # fmt: skip
        for item in collector.spans() + points:
            assert attributes(item).get("http.route", attributes(item).get("route")) not in forbidden
        everything = b"".join(
            export.path.encode() + repr(sorted(export.headers.items())).encode() + export.body for export in collector.exports)
        for text in [person.name, person.email, person.password, team, "words of a voter", "voters-browser", "year=",
                     "/ballots", "hasVoted", "currentSprint", "sprints/current", "/vote"]:  # fmt: skip
            assert text.encode() not in everything, text
        assert "the key" not in server.log()


@contextmanager
def collecting_nothing(is_listening: bool) -> Iterator[str]:
    """The address of a collector that is away, or that accepts connections and never answers."""
    if is_listening:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    else:
        yield f"http://127.0.0.1:{free_port()}"


@pytest.mark.parametrize("is_listening", [False, True])
def test_a_collector_that_is_away_delays_no_request_and_no_stop(is_listening: bool) -> None:
    with collecting_nothing(is_listening) as address, running(installation_for(address)) as installation:
        server = installation.servers[0]
        assert request(installation, "/api/v1/auth/providers") == 200
        begun = time.monotonic()
        server.signal(signal.SIGTERM)
        assert server.wait() == 0
        # Seconds: two for the last export, and what a busy machine takes.
        assert time.monotonic() - begun < 8


def test_the_worker_sends_its_jobs() -> None:
    with collecting() as collector, running(installation_for(collector.address)) as installation:
        # Stopped first, so that its own exports are complete.
        server = installation.servers[0]
        server.stop()
        subprocess.run(
            [str(BINARIES / "Worker"), "--once"], cwd=ROOT, env=server.environment, check=True,
            capture_output=True, timeout=START_LIMIT)  # fmt: skip
        assert "happiness-worker" in collector.services()
        jobs = [span for span in collector.spans() if span["kind"] == 1]
        assert {"closeSprints", "planReminders"} <= {span["name"] for span in jobs}
        for span in jobs:
            assert attributes(span) == {"job.kind": span["name"], "job.outcome": "done"}
        points = collector.metrics()["jobs_total"]["sum"]["dataPoints"]
        assert sum(point["asDouble"] for point in points) == len(jobs)
