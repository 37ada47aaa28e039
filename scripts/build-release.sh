#!/usr/bin/env bash
# Builds programs for installation, optimised, into .build/release. The worker is not among them: installations have a
# link Worker or worker to HappinessAPI.
#
#   scripts/build-release.sh PROGRAM...
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The names of C files, which are in the programs, begin at this folder, wherever it is.
here="$PWD"
flags=(-Xcc "-ffile-prefix-map=$here=." -Xcxx "-ffile-prefix-map=$here=." -Xswiftc -file-prefix-map -Xswiftc "$here=.")
# With Swift's libraries inside, a program runs without Swift installed, starts faster and uses less memory.
flags+=(--static-swift-stdlib)
# The list of addresses that are set at each start takes 4 MB of a program, and all of it is read. Packed it takes 60 KB.
# That needs glibc 2.36, and a linker that can pack: lld, which comes with Swift.
flags+=(-Xswiftc -use-ld=lld)
glibc="$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)"
if [[ "$(printf '%s\n' 2.36 "$glibc" | sort --version-sort | head -n 1)" == 2.36 ]]; then
    flags+=(-Xlinker -z -Xlinker pack-relative-relocs)
fi

for program in "$@"; do swift build -c release --product "$program" "${flags[@]}"; done
