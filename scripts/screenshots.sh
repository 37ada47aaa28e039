#!/usr/bin/env bash
# Takes the pictures of the README from the debug build with its demo team, in docs/screenshots. A picture without a
# visible difference is kept. Needs `scripts/setup.sh test` and `swift build` before.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec env PYTHONPATH=Tests/Browser PYTHONDONTWRITEBYTECODE=1 .venv/bin/python3 scripts/screenshots.py
