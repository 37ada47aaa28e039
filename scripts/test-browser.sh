#!/usr/bin/env bash
# Runs the tests in a real browser against the debug build; arguments go to pytest, such as -k vote. Needs
# `scripts/setup.sh test` and `swift build` before (make test does both).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec .venv/bin/python3 -m pytest Tests/Browser "$@"
