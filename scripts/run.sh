#!/usr/bin/env bash
# Builds API and worker for debugging, starts both, and stops both on a signal, or when one of them ends.
#
# Exits with 0 after Ctrl-C or SIGTERM, otherwise with the status of the process that ended (1 if that was 0).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The API takes longest at its very first start, when it creates demo data.
start_limit_seconds=60

fail() {
    printf 'run: %s\n' "$@" >&2
    exit 1
}

host="$(scripts/setting.sh HOST 127.0.0.1)"
port="$(scripts/setting.sh PORT 8080)"
[[ "$port" =~ ^[1-9][0-9]*$ ]] || fail "PORT is $port; make run needs a port from 1 to 65535."
# An API that listens on all addresses is checked through the loopback address.
case "$host" in
    127.0.0.1 | 0.0.0.0 | ::) shown=localhost ;;
    *:*) shown="[$host]" ;;
    *) shown="$host" ;;
esac
url="http://$shown:$port"
# localhost may resolve to ::1 first, where the API does not listen.
ready_url="${url/localhost/127.0.0.1}/health/ready"

# 7: connection refused (curl(1), EXIT CODES). Any other status means that the port is in use.
probe=0
curl --silent --output /dev/null --max-time 2 --noproxy '*' "$ready_url" || probe=$?
if ((probe != 7)); then
    fail "Port $port is already in use (another make run?). Stop that, or choose another port: PORT=8081 make run"
fi

scripts/build-debug.sh --product HappinessAPI
# The API expects it in its own folder.
scripts/build-debug.sh --product PictureTool
bin=.build/debug

api=""
worker=""
is_stopping=false

stop() {
    # A second signal means that the user does not want to wait any longer.
    local signal=TERM
    if $is_stopping; then signal=KILL; fi
    is_stopping=true
    # shellcheck disable=SC2086 # two words or fewer, each a process id
    kill -s "$signal" $api $worker 2>/dev/null || true
}
trap stop INT TERM HUP

is_running() {
    kill -0 "$1" 2>/dev/null
}

await_ready() {
    local deadline=$((SECONDS + start_limit_seconds))
    until curl --silent --fail --output /dev/null --max-time 2 --noproxy '*' "$ready_url"; do
        is_running "$api" || return 1
        $is_stopping && return 1
        if ((SECONDS > deadline)); then
            echo "run: the API did not answer within $start_limit_seconds s, stopping it" >&2
            kill -s TERM "$api"
            return 1
        fi
        sleep 0.1
    done
}

# Demo data for the default store only; the API creates it when that store is new.
demo=()
if [[ -z "$(scripts/setting.sh DATABASE_URL)" ]]; then
    demo=(--demo)
    hints="                  Log in as demo, or by program: curl -H 'Content-Type: application/json' \\
                      -d '{\"username\":\"demo\",\"password\":\"PASSWORD\"}' $url/api/v1/auth/login
                  Forgot the demo password? .build/debug/HappinessAPI user set-password demo
  New user        .build/debug/HappinessAPI user add NAME EMAIL --team \"Demo Team\""
else
    hints="  New password    .build/debug/HappinessAPI user set-password NAME
  New user        .build/debug/HappinessAPI user add NAME EMAIL --team TEAM"
fi
"$bin/HappinessAPI" serve "${demo[@]}" &
api=$!
if await_ready; then
    # After the API, so that the API creates a new store.
    # By its name, as in an installation: a program of its own would take as long to link again.
    (exec -a Worker "$bin/HappinessAPI") &
    worker=$!
    cat <<TEXT

Happiness Metric is running on $url (Ctrl-C stops it).

  Web app         $url
$hints

TEXT
fi

ended=0
if ! $is_stopping; then
    # shellcheck disable=SC2086 # as above
    wait -n $api $worker || ended=$?
fi
if $is_stopping; then
    ended=0
else
    echo "run: one of the two has ended (status $ended), stopping the other" >&2
    ((ended != 0)) || ended=1
    stop
fi
for process in $api $worker; do
    # `wait` returns early when a signal was handled, so repeat it while the process exists.
    while is_running "$process"; do wait "$process" || true; done
done
exit "$ended"
