#!/usr/bin/env bash
# Builds what a release consists of, from this repository alone, into the folder dist: Debian packages, the container
# image, the bill of materials, the hashes of the web app, and checksums. Needs `scripts/setup.sh release` before (make does that).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    printf 'release: %s\n' "$@" >&2
    exit 1
}

version="$(sed -n 's/.*static let current = "\(.*\)"/\1/p' Sources/Product/ProductVersion.swift)"
[[ -n "$version" ]] || fail "Sources/Product/ProductVersion.swift names no version."
grep --quiet --fixed-strings "## [$version] - " CHANGELOG.md || fail "CHANGELOG.md has no entry for $version."
if [[ -n "$(git status --porcelain)" ]]; then
    echo "release: This is not exactly what is committed: there are changes." >&2
fi
# The time of every file in the packages and the image, so that two builds are the same.
SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"
export SOURCE_DATE_EPOCH
architecture="$(dpkg --print-architecture)"
image="dist/happiness-metric-$version-$architecture.oci.tar"

names=(HappinessAPI PictureTool happiness)
scripts/build-release.sh "${names[@]}"
objcopy="$(dirname "$(realpath "$(command -v swift)")")/llvm-objcopy"
[[ -x "$objcopy" ]] || fail "$objcopy is missing, which belongs to Swift."
programs="$(mktemp -d)"
trap 'rm -rf "$programs"' EXIT
for program in "${names[@]}"; do
    # The two sections are hashes that depend on the folder. Nothing reads them at run time. If binutils' strip takes
    # out sections of a program of lld, it loses the mark by which addresses become read-only after the start (RELRO).
    "$objcopy" --strip-all -R .swift_modhash -R .note.gnu.build-id ".build/release/$program" "$programs/$program"
done

rm -rf dist
mkdir dist
scripts/build-deb.sh "$version" "$programs" dist
scripts/build-image.sh "$version" "$programs" "$image"
scripts/sbom.py "$version" .build "$image" "dist/happiness-metric-$version.spdx.json"
# What members compare with the web app that a server sends: happiness verify-site.
scripts/site-hashes.sh >"dist/happiness-metric-$version.site-hashes"
lintian --fail-on error,warning --pedantic dist/*.deb
(cd dist && sha256sum -- * >SHA256SUMS)
ls -l dist
