#!/usr/bin/env bash
# Runs the tests in a real browser against the debug build, in parallel on all processors; arguments are passed to
# pytest, such as -k vote. If a file is named, only its tests run, one after another. Needs `scripts/setup.sh test` and
# `swift build` before (make test does both).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# A worker that has nothing left takes over from the other: tests differ much in length.
places=(Tests/Browser --numprocesses auto --dist worksteal)
for argument in "$@"; do
    # FILE::TEST names a test.
    if [[ -e "${argument%%::*}" ]]; then places=(); fi
done
exec .venv/bin/python3 -m pytest "${places[@]}" "$@"
