#!/usr/bin/env bash
# Draws the icons that must be PNG from the SVG files next to them in public/. The results are in the repository, so
# this is only needed when a drawing changes. Needs rsvg-convert (Debian: librsvg2-bin).
#
# icon.svg has round corners and is shown unchanged; of icon-maskable.svg a phone may cut off everything outside a
# circle of 80 % (https://www.w3.org/TR/appmanifest/#icon-masks); of icon-badge.svg Android uses the shape only.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../public"

draw() {
    local drawing="$1" side="$2" file="$3"
    rsvg-convert --width "$side" --height "$side" --output "$file" "$drawing"
}

draw icon.svg 192 icon-192.png
draw icon.svg 512 icon-512.png
draw icon-maskable.svg 512 icon-maskable-512.png
draw icon-maskable.svg 180 icon-apple.png
draw icon-badge.svg 96 icon-badge.png
