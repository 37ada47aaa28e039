#!/usr/bin/env bash
# Prints the SHA-256 of every file of the web app, for `happiness verify-site`. The list belongs to a release.
set -euo pipefail

# The server makes the same list and shows its hash, so the order must not depend on the machine.
export LC_ALL=C

cd "$(dirname "${BASH_SOURCE[0]}")/.."
(cd public && sha256sum -- *)
# The server puts one line in front of it.
sha256sum templates/service-worker.js | sed 's:templates/::'
