"""Uploads phone pictures of many users at once."""

import concurrent.futures
import contextlib
import http.client
import pathlib
import statistics
import subprocess
import time

from .api import BIN
from .processes import highest

CLIENTS = 16
# Number of pictures that the server creates at once.
MAKERS = 2
# Size of the picture in pixels: twelve megapixels.
WIDTH, HEIGHT = 4032, 3024
# Seconds between two memory readings: a picture takes a few hundred milliseconds.
LOOK_INTERVAL = 0.01


class Uploads:
    """Uploads one picture repeatedly, each time for another user."""

    def __init__(self, installation, tokens):
        self.installation = installation
        self.picture = photograph(installation.folder)
        with open(tokens, encoding="ascii") as lines:
            self.tokens = iter(lines.read().split())

    def load(self, process, count):
        """Uploads `count` pictures, `CLIENTS` at a time.

        Returns pictures per second, the 99th percentile of the response times in milliseconds, and the peak memory in
        MiB of the server and its picture processes together."""
        chosen = [next(self.tokens) for _ in range(count)]
        picture = self.picture.read_bytes()
        with peak_memory(process) as peak:
            started = time.perf_counter()
            with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
                times = list(pool.map(lambda token: self.upload(token, picture), chosen))
            seconds = time.perf_counter() - started
        return count / seconds, statistics.quantiles(times, n=100)[-1], peak()

    def upload(self, token, picture):
        """Milliseconds of one upload."""
        started = time.perf_counter()
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.installation.port, timeout=60)) as one:
            one.request("PUT", "/api/v1/me/picture", picture, {"Authorization": f"Bearer {token}"})
            response = one.getresponse()
            answer = response.read()
        if response.status != 200:
            raise SystemExit(f"bench: an upload was answered with {response.status}: {answer.decode()}")
        return (time.perf_counter() - started) * 1000

    def make(self, count):
        """Pictures per second that the tool alone creates, with as many processes as the server allows."""
        command = [str(BIN / "PictureTool"), "make", str(self.picture), "56", "512", "96"]
        started = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(MAKERS) as pool:
            runs = pool.map(
                lambda _: subprocess.run(command, stdout=subprocess.DEVNULL, check=True), range(count)
            )
            list(runs)
        return count / (time.perf_counter() - started)


def photograph(folder: pathlib.Path) -> pathlib.Path:
    """A generated JPEG with smooth parts and noise, like a photograph."""
    channels = []
    for seed in range(3):
        smooth, noise, mixed, channel = (folder / f"{name}-{seed}.v" for name in ("smooth", "noise", "mixed", "channel"))
        vips("perlin", smooth, WIDTH, HEIGHT, "--cell-size", 512, "--seed", seed, "--uchar")
        vips("gaussnoise", noise, WIDTH, HEIGHT, "--mean", 0, "--sigma", 4, "--seed", seed)
        vips("add", smooth, noise, mixed)
        vips("cast", mixed, channel, "uchar")
        channels.append(str(channel))
    joined, colored, picture = folder / "joined.v", folder / "colored.v", folder / "picture.jpg"
    vips("bandjoin", " ".join(channels), joined)
    vips("copy", joined, colored, "--interpretation", "srgb")
    vips("jpegsave", colored, picture, "--Q", 90)
    for file in folder.glob("*.v"):
        file.unlink()
    return picture


def vips(*arguments):
    subprocess.run(["vips", *map(str, arguments)], check=True)


def peak_memory(process):
    """Yields a function that returns the peak memory in MiB of a process and its children. Pages shared by several of
    them are counted once for each, so the true value is lower."""
    return highest(lambda: sum(resident(each) for each in [process.pid, *children(process.pid)]), LOOK_INTERVAL)


def children(process_id):
    """Children of all threads of the process (proc(5))."""
    found = []
    for task in pathlib.Path(f"/proc/{process_id}/task").iterdir():
        with contextlib.suppress(OSError):
            found += map(int, (task / "children").read_text(encoding="ascii").split())
    return found


def resident(process_id):
    """MiB; 0 for a process that has just ended."""
    with contextlib.suppress(OSError):
        for line in pathlib.Path(f"/proc/{process_id}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0.0
