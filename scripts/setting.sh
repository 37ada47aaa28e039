#!/usr/bin/env bash
# Prints a setting as the programs read it: from the environment, then .env in the working directory, then the default.
# The programs refuse the lines of .env that this would read in another way (SettingsFile.swift).
#
#   scripts/setting.sh KEY [DEFAULT]
set -euo pipefail

key="$1"

# .env in UTF-8, with LF at the end of each line.
plain_file() {
    [[ -e .env ]] || return 0
    case "$(head -c 2 .env | od -An -tx1 | tr -d ' \n')" in
        # The byte order marks of UTF-16, which iconv reads and removes.
        fffe | feff) iconv --from-code UTF-16 --to-code UTF-8 .env ;;
        *) cat .env ;;
    esac | LC_ALL=C sed $'1s/^\xef\xbb\xbf//' | tr '\r' '\n'
}

if [[ -n "${!key+set}" ]]; then
    value="${!key}"
else
    # The last line with the key, without spaces around the value, then without quotes around it.
    value="$(plain_file | sed -nE "s/^[[:space:]]*(export[[:space:]]+)?${key}[[:space:]]*=//p" | tail -n 1 \
        | sed -E "s/^[[:space:]]+//; s/[[:space:]]+\$//" | sed -E "s/^\"(.*)\"\$/\1/; t; s/^'(.*)'\$/\1/")"
fi
printf '%s\n' "${value:-${2:-}}"
