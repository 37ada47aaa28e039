"""The files for Prometheus and Grafana in deploy/ name metrics that API and worker have."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from harness.processes import free_port
from installation import BINARIES, ROOT, START_LIMIT, Installation, running, wait_until

# Prometheus' own.
OWN = {"up"}
# What stands where a metric could, in the expressions of our files.
WORDS = {"sum", "max", "time", "by", "rate", "histogram_quantile", "le", "route", "status", "kind", "outcome", "job"}


@pytest.fixture(scope="module")
def metrics() -> Iterator[set[str]]:
    """The names of all metrics, after a request and a job."""
    with running(Installation(demo=False)) as installation:
        server = installation.servers[0]
        server.stop()
        ports = [free_port(), free_port()]
        server.environment |= {"METRICS_PORT": str(ports[0])}
        server.start()
        worker = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", str(BINARIES / "Worker")], cwd=ROOT,
            env=server.environment | {
                "WORKER_METRICS_PORT": str(ports[1]),
                "BACKUP_DIR": str(Path(server.environment["DATA_DIR"], "backups")),
            },
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        try:
            assert "providers" in read(int(server.address.split(":")[-1]), "/api/v1/auth/providers")
            wait_until(lambda: "jobs_total" in read(ports[1], "/metrics"))
            text = "".join(read(port, "/metrics") for port in ports)
            yield set(re.findall(r"^([a-z_]+)[ {]", text, re.MULTILINE))
        finally:
            worker.kill()
            worker.wait()


def read(port: int, path: str) -> str:
    """The text at a path; empty while nothing answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_LIMIT)
    try:
        connection.request("GET", path)
        return connection.getresponse().read().decode()
    except OSError:
        return ""
    finally:
        connection.close()


def expressions(file: str) -> list[str]:
    """The expressions of a file in deploy/."""
    text = Path(ROOT, "deploy", file).read_text()
    if file.endswith(".json"):
        return [target["expr"] for panel in json.loads(text)["panels"] for target in panel["targets"]]
    return [rule["expr"] for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]


@pytest.mark.parametrize("file", ["grafana.json", "alerts.yaml"])
def test_every_expression_names_metrics_that_exist(file: str, metrics: set[str]) -> None:
    found = expressions(file)
    assert len(found) > 3
    for expression in found:
        # Without the texts and ranges of selectors.
        bare = re.sub(r'"[^"]*"|\[\w+\]', "", expression)
        names = set(re.findall(r"[a-z_]+", bare)) - WORDS
        assert names and names <= metrics | OWN, expression
