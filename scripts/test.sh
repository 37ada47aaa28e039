#!/usr/bin/env bash
# Runs every test, and prints how long each kind took. With `fast` only those that need no mongod, no browser and no S3
# server. Needs `scripts/setup.sh test` before (make does that).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# A few at a time: each store test waits for a server, and machines with two cores run this.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4
durations=()

measure() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name"
    "$@"
    durations+=("$(printf '%6d s  %s' $((SECONDS - start)) "$name")")
}

show_durations() {
    ((${#durations[@]})) || return 0
    echo "== duration"
    printf '%s\n' "${durations[@]}"
}
trap show_durations EXIT

if [[ "${1:-}" == fast ]]; then
    export TEST_STORES=sqlite,file SIMULATED_BALLOTS=50000
    measure "build" swift build --build-tests
    measure "Swift tests, the fast ones" swift test --skip-build --skip \
        '^(AttackTests|EndToEndTests|MailTests|ObjectStorageTests|OpenIDConnectTests|PictureToolTests|PushTests)\.'
else
    measure "format" scripts/lint.sh
    measure "build" swift build --build-tests
    measure "Swift tests" swift test --skip-build
    measure "browser tests" scripts/test-browser.sh
    measure "generated requests" scripts/test-api.sh
    measure "attacks" .venv/bin/python3 -m pytest Tests/Attack --numprocesses auto
fi
