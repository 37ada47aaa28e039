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
# The list of addresses that are set at each start takes 4 MB of a program, and is read as a whole. Packed it takes
# 60 KB. That needs glibc 2.36, and a linker that can pack: lld, which comes with Swift.
flags+=(-Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs)

for program in "$@"; do swift build -c release --product "$program" "${flags[@]}"; done
