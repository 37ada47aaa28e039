#!/usr/bin/env bash
# Runs every test, and prints how long each kind took. With `fast`, it leaves out what needs a mongod, a browser
# or an S3 server, or takes long. Needs `scripts/setup.sh test` before (make does that).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# A few at a time: each store test waits for a server, and machines with two cores run this.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6
durations=()
failures=
repeated=
work=$(mktemp --directory)
swift_events=$work/swift-events.jsonl
log=$work/log

measure() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name"
    "$@"
    durations+=("$(printf '%6d s  %s' $((SECONDS - start)) "$name")")
}

# Tests kill processes but not the machine, so a folder in memory tells as much as one on a disk, and is quicker. Not
# for builds: SwiftPM keeps its locks there too.
keep_files_in_memory() {
    local gibibytes
    # Nothing, where there is no such folder.
    gibibytes=$(df --output=avail --block-size=1G /dev/shm 2>/dev/null | tail -1) || true
    # Some tests start programs from there.
    if findmnt --noheadings --output OPTIONS /dev/shm | grep --quiet --word-regexp noexec; then return 0; fi
    if [[ -z "${TMPDIR:-}" && ${gibibytes:-0} -ge 8 ]]; then export TMPDIR=/dev/shm; fi
}

# Keeps the failures to repeat them at the end: they are hard to find in thousands of lines. What may fail on a busy
# machine is repeated once, and named at the end if it passes then.
swift_tests() {
    local status=0 suites
    swift test --skip-build --event-stream-output-path "$swift_events" --event-stream-version 0 "$@" 2>&1 \
        | tee "$log" || status=$?
    echo "== slowest Swift tests"
    scripts/swift-test-report.py slowest "$swift_events"
    if ((status == 0)); then return 0; fi
    failures=$(grep --text --extended-regexp --after-context 2 \
        ' recorded an issue|Fatal error|unexpected signal|^error:' "$log" || tail -n 20 "$log")
    if suites=$(scripts/swift-test-report.py repeat "$swift_events") && swift test --skip-build --filter "$suites"; then
        repeated+=$failures$'\n'
        failures=
        return 0
    fi
    return "$status"
}

# pytest repeats by itself (Tests/Browser/repeats.py).
python_tests() {
    local status=0
    "$@" 2>&1 | tee "$log" || status=$?
    repeated+=$(grep --text '^RERUN ' "$log" || true)
    return "$status"
}

finish() {
    rm --recursive --force "$work"
    if ((${#durations[@]})); then printf '%s\n' "== duration" "${durations[@]}"; fi
    if [[ -n "$repeated" ]]; then printf '%s\n' "== passed only when repeated" "$repeated"; fi
    if [[ -n "$failures" ]]; then printf '%s\n' "== failed" "$failures"; fi
}
trap finish EXIT

if [[ "${1:-}" == fast ]]; then
    export TEST_STORES=sqlite,file TEST_THOROUGH=no SIMULATED_BALLOTS=10000
    measure "build" scripts/build-debug.sh --build-tests
    keep_files_in_memory
    # The worker, the pages, and the ways out have tests enough for a `swift test --filter` of their own.
    measure "Swift tests, the fast ones" swift_tests \
        --skip '^(Attack|EndToEnd|Mail|ObjectStorage|OpenIDConnect|PictureTool|Push|Telemetry|Worker)Tests\.' \
        --skip '^HappinessAPITests\.\w*(Page|Picture|SignOn)'
else
    measure "format" scripts/lint.sh
    measure "build" scripts/build-debug.sh --build-tests
    keep_files_in_memory
    measure "Swift tests" swift_tests
    measure "browser tests" python_tests scripts/test-browser.sh
    measure "generated requests" python_tests scripts/test-api.sh
    measure "attacks" python_tests .venv/bin/python3 -m pytest Tests/Attack --numprocesses auto
fi
