#!/usr/bin/env bash
# Runs every test, and says how long each kind took and which Swift suites were slowest. With `fast` only those that need
# neither a mongod nor a browser nor a running program. Needs `scripts/setup.sh test` before (make test does).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# A few at a time: each store test waits for a server, and machines with two cores run this.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4
artefacts=.test-artefacts
durations=()
mkdir -p "$artefacts"

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
    python3 scripts/slowest-suites.py "$artefacts"/swift*.xml
}
trap show_durations EXIT

swift_tests() {
    rm -f "$artefacts"/swift*.xml
    swift test --skip-build --xunit-output "$artefacts/swift.xml" "$@"
}

if [[ "${1:-}" == fast ]]; then
    export TEST_STORES=sqlite
    measure "build" swift build --build-tests
    measure "Swift tests on SQLite" swift_tests --skip '^(AttackTests|EndToEndTests|PictureToolTests)\.'
else
    measure "format" scripts/lint.sh
    measure "build" swift build --build-tests
    measure "Swift tests" swift_tests
    measure "browser tests" scripts/test-browser.sh
    measure "generated requests" scripts/test-api.sh
fi
