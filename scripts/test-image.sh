#!/usr/bin/env bash
# Tries a container image with podman, as strictly confined as deploy/compose.yaml does: starts it, adds a member, casts
# a ballot, uploads a picture, does the worker's jobs, and stops all. Prints how long that took and
# how much memory the programs use.
#
#   scripts/test-image.sh IMAGE_ARCHIVE
#
# Needs curl, podman and python3 (scripts/setup.sh release). Ports that the test uses: PORT (8480) and the one after it.
set -euo pipefail

fail() {
    printf 'test-image: %s\n' "$@" >&2
    exit 1
}

(($# == 1)) || fail "usage: scripts/test-image.sh IMAGE_ARCHIVE"
# crun does not start where both versions of control groups are in use. Then a second view of the file system, in which
# there is only the second version, is enough, because the test uses none.
if [[ -d /sys/fs/cgroup/unified && -z "${TEST_IMAGE_INSIDE:-}" ]]; then
    # shellcheck disable=SC2016 # The inner shell expands them.
    TEST_IMAGE_INSIDE=yes exec unshare --mount bash -c \
        'umount --recursive /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup && exec bash "$@"' bash "$0" "$1"
fi

archive="$(realpath "$1")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
api_port="${PORT:-8480}" worker_port=$((${PORT:-8480} + 1))
api="http://127.0.0.1:$api_port"

# Limits of the project: bytes to pull, and seconds from the archive to the first vote.
size_limit=150000000 vote_limit=120

work="$(mktemp -d)"
# A store of its own, so that nothing is left behind, and no image of the same name is in the way.
podman() {
    command podman --root "$work/store" --runroot "$work/run" --storage-driver vfs --cgroup-manager cgroupfs \
        --log-level error "$@"
}
clean_up() {
    local status=$?
    if ((status != 0)); then
        for name in api worker; do podman logs "$name" 2>&1 | sed "s/^/$name: /" | tail -n 20; done || true
    fi
    podman rm --all --force --time 5 >/dev/null 2>&1 || true
    podman volume rm --all --force >/dev/null 2>&1 || true
    rm -rf "$work" 2>/dev/null || podman unshare rm -rf "$work"
}
trap clean_up EXIT

# The test also runs within another container, where podman may neither raise limits nor make control groups.
modest=(--cgroups disabled --ulimit "nofile=$(ulimit -Hn)" --ulimit nproc=4096)
# As in deploy/compose.yaml. Without --read-only-tmpfs podman would add folders to write in, which Docker does not.
confined=(--read-only --read-only-tmpfs=false --cap-drop ALL --security-opt no-new-privileges --network host
    --pull never "${modest[@]}")
with_data=("${confined[@]}" --volume data:/data)

# The value at a path of keys in the JSON on standard input.
value() {
    python3 -c 'import functools, json, sys; print(functools.reduce(dict.get, sys.argv[1:], json.load(sys.stdin)))' "$@"
}

request() {
    curl --silent --show-error --noproxy '*' --max-time 30 "$@"
}

# Waits until a port answers with 200.
wait_for() {
    local url="$1" tries=0
    until request --fail --output /dev/null "$url" 2>/dev/null; do
        ((tries += 1))
        ((tries < 150)) || fail "$url does not answer."
        sleep 0.2
    done
}

# A container must have ended with 0 within the 45 seconds that the programs ask for.
stop() {
    podman stop --time 45 "$1" >/dev/null
    local status
    status="$(podman inspect --format '{{.State.ExitCode}}' "$1")"
    ((status == 0)) || fail "$1 ended with $status after SIGTERM."
}

# KiB of a container's program: VmRSS is what is in memory, RssAnon what the kernel cannot drop and read again.
memory() {
    sed -n "s/^$2:[^0-9]*\([0-9]*\) kB/\1/p" "/proc/$(podman inspect --format '{{.State.Pid}}' "$1")/status"
}

size="$(stat --format %s "$archive")"
begin="$(date +%s%N)"
image="$(podman load --input "$archive" | sed -n 's/^Loaded image: //p')"
[[ -n "$image" ]] || fail "podman does not load $archive."
echo "image: $image, $((size / 1000000)) MB to pull"

# `api` is what the image runs by default.
podman run --detach --name api "${with_data[@]}" --env PORT="$api_port" --env PUBLIC_URL="$api" "$image" >/dev/null
wait_for "$api/health/ready"
podman logs api 2>&1 | grep "$api/setup?token=" >/dev/null || fail "The log has no link for the first admin."
podman exec api api health >/dev/null
podman exec api api team add 'Team Blue' --time-zone Europe/Vienna >/dev/null
password="correct-horse-$RANDOM-battery"
podman exec --interactive api api user add maria maria@example.org --team 'Team Blue' --lead <<<"$password" >/dev/null

token="$(request --json "{\"username\":\"maria\",\"password\":\"$password\"}" "$api/api/v1/auth/login" \
    | value accessToken)"
log_in=(--header "Authorization: Bearer $token")
team="$(request "${log_in[@]}" "$api/api/v1/me" | value defaultTeam)"
sprint="$(request "${log_in[@]}" "$api/api/v1/teams/$team/sprints/current" | value sprint label)"
status="$(request "${log_in[@]}" --output /dev/null --write-out '%{http_code}' --json '{"happiness":7.5}' \
    "$api/api/v1/teams/$team/sprints/$sprint/ballots")"
[[ "$status" == 201 ]] || fail "The ballot of sprint $sprint of $team was answered with $status."
milliseconds=$((($(date +%s%N) - begin) / 1000000))
echo "image: $((milliseconds / 1000)).$(printf '%03d' $((milliseconds % 1000))) s from the archive to the first vote"

# A default picture needs the font; an uploaded one the decoders and the folder for uploads.
check_picture() {
    local kind
    kind="$(request --fail --output /dev/null --write-out '%{content_type}' "$1")"
    [[ "$kind" == "$2" ]] || fail "A picture is of type $kind instead of $2."
}
check_picture "$(request "${log_in[@]}" "$api/api/v1/me" | value picture small png)" image/png
check_picture "$(request --fail "${log_in[@]}" --upload-file public/default-picture.png "$api/api/v1/me/picture" \
    | value large webp)" image/webp
echo "image: default and uploaded pictures are served"

podman run --rm "${confined[@]}" "$image" Worker --version >/dev/null || fail "The image has no link Worker."
podman run --rm "${with_data[@]}" "$image" worker --once >/dev/null 2>&1 || fail "worker --once ended with $?."
podman run --detach --name worker "${with_data[@]}" --env WORKER_METRICS_PORT="$worker_port" "$image" worker \
    >/dev/null
wait_for "http://127.0.0.1:$worker_port/health/ready"

# Nothing in the image can run a script.
if podman run --rm "${confined[@]}" "$image" sh -c true >/dev/null 2>&1; then fail "The image has a shell."; fi

# At rest.
sleep 10
for name in api worker; do
    echo "image: $name: $(($(memory "$name" VmRSS) / 1024)) MiB in memory," \
        "of which $(($(memory "$name" RssAnon) / 1024)) MiB its own and the rest pages of files"
done
for name in worker api; do stop "$name"; done
echo "image: both ended with 0 after SIGTERM"

((size < size_limit)) || fail "The image has $size bytes; the limit is $size_limit."
((milliseconds < vote_limit * 1000)) || fail "The first vote took longer than $vote_limit s."
