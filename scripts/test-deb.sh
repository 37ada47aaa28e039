#!/usr/bin/env bash
# Installs the Debian packages in a fresh minimal Debian 12 that systemd starts, and uses them: first vote, picture,
# backup, upgrade, removal. Measures the time from `apt install` to the first vote.
#
#   scripts/test-deb.sh PACKAGES_FOLDER
#
# Needs root, mmdebstrap, curl and a Debian mirror. The environment may set PORT (8080), which must be free, because the
# new system shares this one's network; and BASE, a tar file of the minimal Debian, which is made if it is missing.
set -euo pipefail

script="$(realpath "${BASH_SOURCE[0]}")"
# Seconds.
start_limit=60
vote_limit=120
# The worst rating of `systemd-analyze security`, in tenths.
worst_rating=19
# MiB of API and worker at rest, together.
memory_limit=90

fail() {
    printf 'test-deb: %s\n' "$@" >&2
    exit 1
}

say() {
    printf '%6.1f s  %s\n' "$(since "$beginning")" "$1"
}

# Seconds from $1, a value of EPOCHREALTIME, until now.
since() {
    awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }'
}

# Turns this process, the first of its namespaces, into the init of the system in the folder $1.
boot() {
    local root="$1" device
    mount --bind "$root" "$root"
    cd "$root"
    mount -t proc proc proc
    # systemd must not set the kernel's parameters of this machine.
    mount --bind proc/sys proc/sys
    mount -o remount,bind,ro proc/sys
    mount -t sysfs -o ro sysfs sys
    mount -t cgroup2 cgroup2 sys/fs/cgroup
    mount -t tmpfs -o mode=755 tmpfs dev
    for device in full null random tty urandom zero; do
        touch "dev/$device"
        mount --bind "/dev/$device" "dev/$device"
    done
    mkdir dev/pts dev/shm
    mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts dev/pts
    ln -s pts/ptmx dev/ptmx
    ln -s /proc/self/fd dev/fd
    mount -t tmpfs -o mode=755 tmpfs run
    mount -t tmpfs tmpfs tmp
    pivot_root . mnt
    umount -l /mnt
    # systemd(1): this name tells it that it runs in a container.
    exec env -i container=test-deb PATH=/usr/sbin:/usr/bin:/sbin:/bin /sbin/init
}

if [[ "${1:-}" == --boot ]]; then
    boot "$2"
fi

(($# == 1)) || fail "usage: scripts/test-deb.sh PACKAGES_FOLDER"
((EUID == 0)) || fail "Please run as root: only root can start a system in namespaces."
packages="$(realpath -e "$1")"
port="${PORT:-8080}"
url="http://127.0.0.1:$port"
cgroups="$(findmnt --noheadings --first-only --types cgroup2 --output TARGET)" || fail "cgroup2 is not mounted."
! curl --silent --output /dev/null --noproxy '*' "$url" || fail "Port $port is in use. Choose another one: PORT=8081"

work="$(mktemp -d)"
root="$work/root"
cgroup="$cgroups/test-deb-$$"
init=""

clean_up() {
    local status=$?
    if ((status != 0)) && [[ -n "$init" ]]; then
        inside journalctl --no-pager --lines 60 >&2 || true
    fi
    # Ends all processes of the system.
    if [[ -n "$init" ]]; then kill -s KILL "$init" 2>/dev/null || true; fi
    for _ in {1..50}; do
        # systemd has made groups of its own below it.
        find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null || true
        [[ -d "$cgroup" ]] || break
        sleep 0.1
    done
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT

# Runs a command in the new system.
inside() {
    nsenter --target "$init" --mount --uts --ipc --pid --cgroup --wdns=/root \
        env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}

request() {
    curl --silent --show-error --fail-with-body --noproxy '*' --max-time 60 "$@"
}

# The value of the key $1 in the JSON on standard input; see docs/tour.md.
value() {
    sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"
}

await() {
    local deadline=$((SECONDS + start_limit))
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || fail "still not true after $start_limit s: $*"
        sleep 0.1
    done
}

# Prints when a service was started, in microseconds.
started() {
    inside systemctl show --value --property ExecMainStartTimestampMonotonic "$1"
}

log_in() {
    request -H 'Content-Type: application/json' -d '{"username":"maria","password":"correct-horse-battery"}' \
        "$url/api/v1/auth/login" | value accessToken
}

beginning="$EPOCHREALTIME"
base="${BASE:-$work/base.tar}"
if [[ ! -e "$base" ]]; then
    mmdebstrap --quiet --variant=minbase --include=systemd-sysv bookworm "$base"
fi
mkdir "$root"
tar -xf "$base" -C "$root" --exclude './dev/*'
cp --dereference /etc/resolv.conf "$root/etc/resolv.conf"
cp "$packages"/happiness-metric*.deb "$root/root"
if [[ "$port" != 8080 ]]; then
    # The environment takes precedence over the settings.
    drop_ins="$root/etc/systemd/system/happiness-metric-api.service.d"
    mkdir -p "$drop_ins"
    printf '[Service]\nEnvironment=PORT=%s\n' "$port" >"$drop_ins/port.conf"
fi

mkdir "$cgroup"
# shellcheck disable=SC2016 # The inner shell expands it.
bash -c 'echo $$ >"$1/cgroup.procs" && exec unshare --fork --pid --mount --uts --ipc --cgroup bash "$2" --boot "$3"' \
    - "$cgroup" "$script" "$root" </dev/null >"$work/boot.log" 2>&1 &
unshared=$!
await pgrep --parent "$unshared"
init="$(pgrep --parent "$unshared")"
await inside systemctl is-system-running --wait
inside apt-get update --quiet=2
say "Debian $(<"$root/etc/debian_version") runs, with $(inside systemctl --version | head -n 1)"

# Version 0.1.0 had a package for a relay, which must not stay.
mkdir -p "$work/relay/DEBIAN"
printf '%s\n' 'Package: happiness-metric-relay' 'Version: 0.1.0' 'Architecture: all' \
    'Maintainer: Happiness Metric <maintainers@happiness-metric.invalid>' 'Description: relay for ballots' \
    >"$work/relay/DEBIAN/control"
dpkg-deb --root-owner-group --build "$work/relay" "$root/root/relay.deb" >/dev/null
inside dpkg --install relay.deb >/dev/null

# MARK: From the installation to the first vote

installing="$EPOCHREALTIME"
inside sh -c 'apt-get install --quiet=2 --yes ./happiness-metric_*.deb' >"$work/install.log" 2>&1 \
    || { cat "$work/install.log" >&2; fail "The installation failed."; }
say "installed, in $(since "$installing") s"
! inside dpkg-query --status happiness-metric-relay 2>/dev/null | grep 'install ok installed' >/dev/null \
    || fail "The relay is still installed."
await request --output /dev/null "$url/health/ready"
inside systemctl --quiet is-active happiness-metric-worker || fail "The worker does not run."
say "the server answers"
printed_link() {
    inside journalctl --unit happiness-metric-api --output cat --no-pager | grep -o '/setup?token=[^ ]*'
}
await printed_link
token="$(printed_link | tail -n 1)"
request --output /dev/null --data-urlencode "token=${token#*token=}" -d username=maria -d email=maria@example.org \
    -d password=correct-horse-battery -d repeat=correct-horse-battery -d team=Blue -d timeZone=Europe/Vienna \
    "$url/setup"
access="Authorization: Bearer $(log_in)"
team="$(request -H "$access" "$url/api/v1/me" | value defaultTeam)"
sprint="$(request -H "$access" "$url/api/v1/teams/$team/sprints/current" | value label)"
ballots="$url/api/v1/teams/$team/sprints/$sprint/ballots"
vote() {
    curl --silent --noproxy '*' --output /dev/null --write-out '%{http_code}' -H "$access" \
        -H 'Content-Type: application/json' -d '{"happiness":7.5}' "$ballots"
}
answer="$(vote)"
[[ "$answer" == 201 ]] || fail "The vote was answered with $answer."
seconds="$(since "$installing")"
say "the first vote is counted, $seconds s after apt began"
((${seconds%.*} < vote_limit)) || fail "That is more than $vote_limit s."

# MARK: Pictures, which a program of its own makes within the service's limits

picture="$(request -T public/default-picture.png -H "$access" "$url/api/v1/me/picture" | value jpeg)"
[[ "$picture" == http*/pictures/* ]] || fail "No picture: $picture"
request "${picture/#http:\/\/localhost:8080/$url}" | head -c 3 | od -An -tx1 | grep --quiet 'ff d8 ff' \
    || fail "The picture is no JPEG."
request -X DELETE -H "$access" "$url/api/v1/me/picture" >/dev/null
initials="$(request -H "$access" "$url/api/v1/me" | value png)"
request "${initials/#http:\/\/localhost:8080/$url}" | head -c 4 | grep --quiet PNG || fail "No initials: $initials"
say "a picture was uploaded, and initials were drawn"

# MARK: The administrator's command

[[ "$(inside happiness-metric setup 2>&1)" == *already\ an\ admin* ]] \
    || fail "setup does not say that there is an admin."
inside sh -c 'echo correct-horse-battery | happiness-metric user add paul paul@example.org --team Blue' >/dev/null
inside happiness-metric user list | grep --quiet paul || fail "user add added nobody."
inside happiness-metric backup backup-1 | grep --quiet --line-regexp 'Wrote backup-1.' || fail "No backup."
[[ "$(stat --format '%U %a' "$root/root/backup-1")" == "root 600" ]] || fail "Others can read the backup."
! inside happiness-metric backup backup-1 2>/dev/null || fail "The backup was overwritten."
[[ -s "$root/root/backup-1" ]] || fail "The backup was removed."
! inside happiness-metric restore backup-1 2>/dev/null || fail "restore replaces a store that is in use."
inside systemctl stop happiness-metric-api happiness-metric-worker
inside happiness-metric restore backup-1 >/dev/null
inside systemctl start happiness-metric-worker happiness-metric-api
await request --output /dev/null "$url/health/ready"
! compgen -G "$root/var/lib/happiness-metric/*.*" >/dev/null || fail "Temporary files are left."
! inside setpriv --reuid nobody happiness-metric user list >/dev/null 2>&1 || fail "Everyone may use the command."

# The commands do not see the environment of the services, and the doctor asks the API.
printf 'BACKUP_DIR=backups\nPORT=%s\n' "$port" >>"$root/etc/happiness-metric/settings.env"
inside sh -c 'happiness-metric backup-key | grep -o "[A-Za-z0-9_-]\{43\}" >keys'
printf 'BACKUP_PUBLIC_KEY=%s\n' "$(head -n 1 "$root/root/keys")" >>"$root/etc/happiness-metric/settings.env"
tail -n 1 "$root/root/keys" >"$root/root/private-key"
chmod 600 "$root/root/private-key"
inside happiness-metric config check >/dev/null || fail "The settings are not valid."
inside systemctl restart happiness-metric-worker
encrypted() {
    compgen -G "$root/var/lib/happiness-metric/backups/*.encrypted"
}
await encrypted
newest="$(encrypted | tail -n 1)"
inside happiness-metric backup backup-2 | grep --quiet 'encrypted to BACKUP_PUBLIC_KEY' || fail "backup encrypts nothing."
inside happiness-metric backups verify backup-2 --key private-key >/dev/null || fail "That backup cannot be restored."
inside happiness-metric backups restore-pictures --key private-key >/dev/null || fail "The key was not handed over."
inside happiness-metric export export.json >/dev/null
[[ "$(stat --format '%U %a' "$root/root/export.json")" == "root 600" ]] || fail "Others can read the export."
inside sh -c 'echo "start,end,happiness,votes,eligible" >history.csv && echo 2025-12-08,2025-12-21,7,6,9 >>history.csv'
inside chmod 600 history.csv
inside happiness-metric team import Blue history.csv | grep --quiet 'Imported 1 result' || fail "Nothing was imported."
[[ -z "$(find "$root/var/lib/happiness-metric/data/temporary" -mindepth 1)" ]] || fail "Temporary files are left."
inside happiness-metric backups verify "${newest#"$root"}" --key private-key | grep --quiet 'can be restored' \
    || fail "The daily backup cannot be restored."
inside happiness-metric doctor >"$work/doctor.log" || { cat "$work/doctor.log" >&2; fail "The doctor found a fault."; }
say "commands work: user add, backup, restore, backups verify, export, team import, doctor"

# MARK: Rights

for file in \
    "happiness-metric happiness-metric 750 /var/lib/happiness-metric" \
    "happiness-metric happiness-metric 700 /var/lib/happiness-metric/data" \
    "root happiness-metric 640 /etc/happiness-metric/settings.env"; do
    found="$(inside stat --format '%U %G %a %n' "${file##* }")"
    [[ "$found" == "$file" ]] || fail "Rights: $found instead of $file"
done
inside sh -c 'apt-get install --quiet=2 --yes ./happiness-metric-client_*.deb' >/dev/null 2>&1
for unit in happiness-metric-api happiness-metric-worker; do
    inside systemd-analyze --man=no verify "$unit.service" || fail "systemd-analyze verify: $unit"
    rating="$(inside systemd-analyze security "$unit" --no-pager \
        | sed -n 's/.*exposure level[^:]*: \([0-9.]*\) .*/\1/p')"
    say "systemd-analyze security: $rating for $unit"
    ((${rating/./} <= worst_rating)) || fail "That is too much."
done

# MARK: The command for members

member() {
    inside setpriv --reuid nobody --regid nogroup --clear-groups env HAPPINESS_HOME=/tmp/paul happiness "$@"
}
echo correct-horse-battery | member log-in "$url" --user paul --allow-http >/dev/null
member paper >/dev/null
member vote 8 | grep 'was counted' >/dev/null || fail "The vote of the command was not counted."
say "a member voted with the command"

# MARK: Restart, upgrade, removal

inside systemctl restart happiness-metric-worker happiness-metric-api
await request --output /dev/null "$url/health/ready"
access="Authorization: Bearer $(log_in)"
[[ "$(vote)" == 409 ]] || fail "After a restart, a member can vote twice."
# KiB of a service in memory; pages that it shares with others are divided among them.
share() {
    local id
    id="$(inside systemctl show --property MainPID --value "$1")"
    inside sed -n 's/^Pss: *\([0-9]*\) kB/\1/p' "/proc/$id/smaps_rollup"
}
sleep 10
total=$((($(share happiness-metric-api) + $(share happiness-metric-worker)) / 1024))
say "API and worker together take $total MiB at rest"
((total < memory_limit)) || fail "That is more than $memory_limit MiB."
before="$(started happiness-metric-worker)"
inside sh -c 'apt-get install --quiet=2 --yes --reinstall ./happiness-metric*.deb' >/dev/null 2>&1
await request --output /dev/null "$url/health/ready"
worker="$(started happiness-metric-worker)"
((before < worker && worker < $(started happiness-metric-api))) || fail "The upgrade did not restart worker, then API."
say "restart and upgrade keep the vote"
inside sh -c 'apt-get remove --quiet=2 --yes happiness-metric' >/dev/null 2>&1
[[ -z "$(find "$cgroup" -path '*happiness-metric*' -name cgroup.procs -exec cat {} +)" ]] || fail "Processes are left."
inside sh -c 'apt-get purge --quiet=2 --yes happiness-metric' >"$work/purge.log" 2>&1
grep --quiet 'are kept in /var/lib/happiness-metric' "$work/purge.log" || fail "purge does not say where the data is."
[[ ! -e "$root/etc/happiness-metric" ]] || fail "purge leaves settings."
[[ -s "$root/var/lib/happiness-metric/data/happiness.sqlite" ]] || fail "purge removed the votes."
inside sh -c 'apt-get install --quiet=2 --yes ./happiness-metric_*.deb' >/dev/null 2>&1
await request --output /dev/null "$url/health/ready"
access="Authorization: Bearer $(log_in)"
[[ "$(vote)" == 409 ]] || fail "After purge and installation, a member can vote twice."
say "purge keeps the votes, and a new installation finds them"
[[ -z "$(inside systemctl --failed --plain --no-legend)" ]] || fail "Failed: $(inside systemctl --failed --plain)"
