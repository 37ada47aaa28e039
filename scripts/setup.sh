#!/usr/bin/env bash
# Makes sure that everything a command needs is installed: Swift, system packages, a mongod. Installs only what is
# missing, so it can be run repeatedly.
#
#   scripts/setup.sh run|full|test|bench|release
set -euo pipefail

purpose="${1:-run}"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}

# The libraries that Package.swift links, and pkg-config to find their flags; the wheel with mongod needs libcurl4 from
# the system. Default pictures use the font. Swift does not start without libncurses6.
packages=(fonts-dejavu-core libcrypt-dev libcurl4-openssl-dev libmongoc-dev libncurses6 libsqlite3-dev libssl-dev
    libvips-dev pkg-config zlib1g-dev)
libraries=(libcrypt libcrypto libcurl libmongoc-1.0 pangoft2 sqlite3 vips zlib)
programs=(git)
case "$purpose" in
    run) packages+=(curl git) programs+=(curl) ;;
    full)
        packages+=(git libcurl4 openssl python3 python3-pip)
        programs+=(openssl python3)
        ;;
    # Fonts, so that text in a browser has the same width on every machine.
    test)
        packages+=(caddy chromium chromium-headless-shell curl fonts-liberation gcc git libcurl4 nginx openssl python3
            python3-pip python3-venv shellcheck)
        programs+=(caddy cc chromium curl nginx openssl python3 shellcheck)
        ;;
    bench)
        # Node and its libraries for the Express service that votes are compared with.
        packages+=(chromium fonts-liberation git libcurl4 libvips-tools node-express node-mongodb nodejs python3
            python3-pip python3-venv wrk)
        programs+=(chromium node python3 vips wrk)
        ;;
    release)
        # The last ones are for trying what was built: scripts/test-deb.sh and scripts/test-image.sh.
        packages+=(binutils buildah debhelper dpkg-dev fakeroot git lintian python3 zstd crun curl mmdebstrap podman)
        programs+=(buildah dh dpkg-buildpackage python3 strip zstd)
        ;;
    *) fail "unknown purpose $purpose; one of run, full, test, bench, release" ;;
esac

require_swift() {
    command -v swift >/dev/null || fail "Swift is missing. Install 6.3 or later: https://www.swift.org/install/linux/"
}

check_swift() {
    local found output
    # Status 127 without a word of ours would say nothing: the loader's message names the missing library.
    if ! output="$(swift --version 2>&1)"; then
        fail "Swift does not start:" "$output" \
            "Install the packages that it needs: https://www.swift.org/install/linux/ (such as libncurses6)"
    fi
    found="$(sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' <<<"$output" | head -n 1)"
    # Sorted by version: the lower of the two must be 6.3.
    if [[ "$(printf '%s\n' 6.3 "${found:-0}" | sort -V | head -n 1)" != 6.3 ]]; then
        fail "Swift ${found:-of unknown version} is too old. Install 6.3 or later: https://www.swift.org/install/linux/"
    fi
}

missing_packages() {
    local package
    for package in "${packages[@]}"; do
        if [[ "$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
            echo "$package"
        fi
    done
}

# The tests start proxies of their own. Debian would start those that it installs as services, which take the ports of
# the web: so they are masked meanwhile, and disabled afterwards. Prints them.
new_services() {
    local unit
    if [[ "$purpose" != test || ! -d /run/systemd/system ]]; then return 0; fi
    for unit in caddy nginx; do
        if [[ "$(dpkg-query --show --showformat '${db:Status-Status}' "$unit" 2>/dev/null)" != installed ]]; then
            echo "$unit"
        fi
    done
}

install_packages() {
    local missing=() as_root=() services=()
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]} > 0)) || return 0
    echo "setup: installing ${missing[*]}"
    if ((EUID != 0)); then
        command -v sudo >/dev/null || fail "Please run as root: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update --quiet
    mapfile -t services < <(new_services)
    ((${#services[@]} == 0)) || "${as_root[@]}" systemctl mask --quiet "${services[@]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install --quiet --yes --no-install-recommends "${missing[@]}"
    if ((${#services[@]} > 0)); then
        "${as_root[@]}" systemctl unmask --quiet "${services[@]}"
        "${as_root[@]}" systemctl disable --quiet "${services[@]}"
    fi
}

# On other systems it cannot install anything and only lists the missing packages.
check_foreign_system() {
    local name
    for name in "${programs[@]}" pkg-config; do
        command -v "$name" >/dev/null || fail "$name is missing, and this is not Debian, so please install it yourself."
    done
    for name in "${libraries[@]}"; do
        pkg-config --exists "$name" \
            || fail "The library $name is missing, and this is not Debian, so please install its development files."
    done
}

require_swift
if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    install_packages
else
    check_foreign_system
fi
check_swift
if [[ "$purpose" == full || "$purpose" == test || "$purpose" == bench ]]; then
    scripts/install-mongod.sh
fi
if [[ "$purpose" == test || "$purpose" == bench ]]; then
    scripts/setup-venv.sh
fi
if [[ "$purpose" == full || "$purpose" == test ]]; then
    scripts/install-object-store.sh
fi
