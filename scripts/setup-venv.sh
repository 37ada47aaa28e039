#!/usr/bin/env bash
# Creates .venv with the Python packages of Tests/requirements.txt, unless it exists and is up to date. Can be run
# repeatedly.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
requirements=Tests/requirements.txt
# A copy of what was installed; written last, so that a failed installation is repeated.
installed=.venv/requirements.txt

if [[ -x .venv/bin/python3 ]] && cmp --silent "$requirements" "$installed"; then
    exit 0
fi
python3 -m venv .venv
.venv/bin/python3 -m pip install --quiet --disable-pip-version-check --requirement "$requirements"
cp "$requirements" "$installed"
