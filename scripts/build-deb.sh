#!/usr/bin/env bash
# Packs built programs into Debian packages, by the files in debian/. Needs dpkg-dev and debhelper.
#
#   scripts/build-deb.sh VERSION PROGRAMS_FOLDER OUTPUT_FOLDER
#
# VERSION is the product's. PROGRAMS_FOLDER holds HappinessAPI, PictureTool and happiness, built by
# scripts/build-release.sh and stripped as scripts/release.sh does. The same programs always result in the same
# packages, byte for byte. CHECKOUTS is the folder with the Swift packages that they contain (.build/checkouts): their
# licences go into the packages.
set -euo pipefail

fail() {
    printf 'build-deb: %s\n' "$@" >&2
    exit 1
}

(($# == 3)) || fail "usage: scripts/build-deb.sh VERSION PROGRAMS_FOLDER OUTPUT_FOLDER"
version="$1"
programs="$(realpath -e "$2")"
mkdir -p "$3"
output="$(realpath -e "$3")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
checkouts="${CHECKOUTS:-.build/checkouts}"

command -v dh >/dev/null || fail "debhelper is missing: apt-get install dpkg-dev debhelper"
# Debian sorts 0.2.0~rc.1 before 0.2.0, as Semantic Versioning does 0.2.0-rc.1.
packaged="$(dpkg-parsechangelog --show-field Version)"
[[ "$packaged" == "${version/-/"~"}" ]] \
    || fail "The version is $version, but debian/changelog begins with $packaged. Add an entry for ${version/-/"~"}."

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# dpkg-buildpackage writes into the parent folder, and debhelper would run the Makefile: so only what is packed is
# copied, into a folder of its own.
umask 022
mkdir -p "$work/source/programs" "$work/source/docs"
cp -R .env.example debian deploy openapi public templates "$work/source"
cp docs/*.md "$work/source/docs"
# debhelper would take a file CHANGELOG.md for one in Debian's format.
cp CHANGELOG.md "$work/source/docs/release-notes.md"
shopt -s nullglob
export LC_ALL=C
for file in "$checkouts"/*/{LICENSE,NOTICE}*; do
    printf '=== %s\n\n' "${file#"$checkouts/"}"
    cat "$file"
    printf '\n'
done >"$work/source/third-party.txt"
[[ -s "$work/source/third-party.txt" ]] || fail "There are no Swift packages in $checkouts."
for program in HappinessAPI PictureTool happiness; do
    [[ -x "$programs/$program" ]] || fail "$programs/$program is missing."
    ! ldd "$programs/$program" | grep libswiftCore >/dev/null \
        || fail "$program needs Swift's libraries. Build it with scripts/build-release.sh."
    cp "$programs/$program" "$work/source/programs"
done

# The environment may change what is built: options of debhelper, and a time that takes the place of the changelog's.
cd "$work/source"
env -u DEB_BUILD_OPTIONS -u DEB_BUILD_PROFILES -u SOURCE_DATE_EPOCH LC_ALL=C \
    dpkg-buildpackage --build=binary --unsigned-changes --unsigned-source >"$work/log" 2>&1 \
    || { cat "$work/log" >&2; fail "dpkg-buildpackage failed."; }
mv "$work"/*.deb "$output"
for package in "$output"/*_"${packaged}"_*.deb; do
    printf '%s  %s\n' "$(du -h --apparent-size "$package" | cut -f 1)" "$package"
done
