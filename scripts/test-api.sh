#!/usr/bin/env bash
# Sends generated requests to the API of the debug build, on both stores, and compares every response with
# openapi/openapi.yaml; arguments are passed to pytest. Needs `scripts/setup.sh test` and `swift build` before (make
# test does).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec .venv/bin/python3 -m pytest Tests/API --numprocesses "$(($(nproc) + 1))" --dist worksteal "$@"
