"""Load through wrk with Benchmarks/wrk/load.lua."""

import json
import subprocess

from .processes import ROOT

SCRIPT = ROOT / "Benchmarks/wrk/load.lua"


class Load:
    """What one run of wrk did."""

    def __init__(self, text):
        result = json.loads(text)
        self.requests = result["requests"]
        self.refused = result["refused"]
        self.broken = result["broken"]
        self.rate = result["requests"] / result["seconds"]
        self.p50 = result["p50"]
        self.p99 = result["p99"]

    def require_clean(self, what):
        """A measurement with refusals in it measures something else."""
        if self.refused or self.broken:
            raise SystemExit(
                f"bench: {what}: of {self.requests} requests {self.refused} were refused and {self.broken} broke"
            )
        return self


def load(url, *, connections, seconds, **options) -> Load:
    """Runs load.lua with its options against a server. One thread, since threads share no tokens and a small machine
    needs its cores for the server."""
    command = [
        "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "10s", "-s", str(SCRIPT), url,
        "--", *(f"{key}={value}" for key, value in options.items()),
    ]  # fmt: skip
    result = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True, text=True)
    last = result.stdout.strip().splitlines()[-1]
    return Load(last).require_clean(options["path"])
