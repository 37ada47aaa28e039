#!/usr/bin/env bash
# Installs OpenStack Swift with its S3 interface, which the tests use as object store, from Debian's packages. Can be
# run repeatedly.
#
# The tests start an instance of their own, so Debian's services are neither started nor enabled.
set -euo pipefail

packages=(swift-account swift-container swift-object swift-proxy)
installed() {
    [[ "$(dpkg-query --show --showformat '${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

if /usr/bin/python3 -c 'import swift.common.middleware.s3api' 2>/dev/null; then
    echo "object store: OpenStack Swift is installed"
    exit 0
fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "install-object-store: OpenStack Swift is missing, and this is not Debian. Please install it for" \
        "/usr/bin/python3, with accounts, containers, objects and proxy." >&2
    exit 1
fi
missing=()
for package in "${packages[@]}"; do
    installed "$package" || missing+=("$package")
done

as_root=()
if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
        echo "install-object-store: please run as root: apt-get install --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

# Debian's packages run this script before they start a service (see invoke-rc.d(8)); status 101 forbids the start. An
# existing script is kept, because it states its owner's wishes.
policy=/usr/sbin/policy-rc.d
if [[ ! -e "$policy" ]]; then
    trap '"${as_root[@]}" rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
    "${as_root[@]}" chmod 0755 "$policy"
fi
enabled_services() {
    find /etc/systemd/system -name '*.service' -type l -printf '%f\n' 2>/dev/null | sort -u
}

before="$(enabled_services)"
echo "object store: installing ${missing[*]}"
"${as_root[@]}" apt-get update --quiet
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --quiet --yes --no-install-recommends "${missing[@]}"

# The services, including those of dependencies, must not start with the machine either. `systemctl disable` would do
# the same, but is not available everywhere.
comm -13 <(echo "$before") <(enabled_services) | while read -r service; do
    "${as_root[@]}" find /etc/systemd/system -name "$service" -type l -delete
done
/usr/bin/python3 -c 'import swift.common.middleware.s3api'
echo "object store: OpenStack Swift is installed"
