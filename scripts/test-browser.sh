#!/usr/bin/env bash
# Runs the tests in a real browser against the debug build, as many at once as there are processors; arguments go to
# pytest, such as -k vote. Those of a file that is named run one after another, and no other. Needs
# `scripts/setup.sh test` and `swift build` before (make test does both).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
places=(Tests/Browser --numprocesses auto)
for argument in "$@"; do
    # FILE::TEST names a test.
    if [[ -e "${argument%%::*}" ]]; then places=(); fi
done
exec .venv/bin/python3 -m pytest "${places[@]}" "$@"
