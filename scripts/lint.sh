#!/usr/bin/env bash
# Checks the format of all Swift files by .swift-format, or with --fix mends what can be mended.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
sources=(Package.swift Sources Tests Benchmarks)

if [[ "${1:-}" == --fix ]]; then
    swift format format --in-place --recursive --parallel "${sources[@]}"
else
    swift format lint --strict --recursive --parallel "${sources[@]}"
fi
