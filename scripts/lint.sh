#!/usr/bin/env bash
# Checks the format of all Swift files by .swift-format, or with --fix corrects it where possible. Also checks the line
# length of documents by .editorconfig, the API reference by openapi.yaml where .venv is (make test installs it), and all
# scripts with shellcheck where it is installed.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
sources=(Package.swift Sources Tests Benchmarks)

if [[ "${1:-}" == --fix ]]; then
    swift format format --in-place --recursive --parallel "${sources[@]}"
else
    swift format lint --strict --recursive --parallel "${sources[@]}"
    # Tables and indented code cannot be wrapped.
    wide='^(?!\||    ).{121,}'
    if long="$(LC_ALL=C.UTF-8 grep -rnP "$wide" ./*.md docs --include='*.md')"; then
        printf 'lint: longer than 120 characters:\n%s\n' "$long" >&2
        exit 1
    fi
    if [[ -x .venv/bin/python3 ]]; then .venv/bin/python3 scripts/api-reference.py --check; fi
    if command -v shellcheck >/dev/null; then
        shellcheck scripts/*.sh debian/bin/* debian/*.postinst debian/*.postrm
    fi
fi
