#!/usr/bin/env bash
# Prints the SHA-256 of every file of the web app, for `happiness verify-site`. The list belongs to a release.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
(cd public && sha256sum -- *)
# The server puts one line in front of it.
sha256sum templates/service-worker.js | sed 's:templates/::'
