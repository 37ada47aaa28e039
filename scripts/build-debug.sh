#!/usr/bin/env bash
# Builds for debugging, with the arguments of `swift build`. What is built is the same as with `swift build` alone, but
# without debug information in C files: half of a first build's files are BoringSSL's, twice.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Clang's driver reads it, and removes -g. SwiftPM compares only commands, so a later `swift build` builds nothing again.
export CCC_OVERRIDE_OPTIONS='# x-g'
exec swift build "$@"
