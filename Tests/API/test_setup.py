"""What scripts/setup.sh says if Swift does not start. It finds everything else installed: the tests need it too."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from installation import ROOT


def test_a_swift_that_does_not_start_is_explained(tmp_path: Path) -> None:
    swift = tmp_path / "swift"
    reason = "swift: error while loading shared libraries: libncurses.so.6: cannot open shared object file"
    swift.write_text(f"#!/bin/sh\necho '{reason}' >&2\nexit 127\n")
    swift.chmod(0o755)
    ended = subprocess.run(
        [str(ROOT / "scripts/setup.sh"), "run"], env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert "setup: Swift does not start:" in ended.stderr and reason in ended.stderr and "libncurses6" in ended.stderr
