#!/usr/bin/env bash
# Makes the container image: an OCI archive, which `podman load`, `docker load` and `skopeo copy` read. Needs no daemon
# and no root. The layers are compressed with zstd: for Docker 23, containerd 1.5 or podman 4, and later ones.
#
#   scripts/build-image.sh VERSION PROGRAMS_FOLDER OUTPUT_FILE
#
# PROGRAMS_FOLDER has HappinessAPI and PictureTool, built by scripts/build-release.sh. OUTPUT_FILE should be
# called happiness-metric-VERSION-ARCHITECTURE.oci.tar (`dpkg --print-architecture`). The image is for the kind of
# machine the script runs on: for arm64, run it on Debian for arm64.
#
# SOURCE_DATE_EPOCH is the time of everything in the image; by default that of the checked-out commit. CHECKOUTS is the
# folder with the sources of the Swift packages; their licences go into the image. By default it is .build/checkouts.
#
# Two builds from the same programs and the same Debian packages are the same bytes. The packages are the newest of the
# Debian release this machine runs, with its security updates. When Debian updates one, the lower layer changes.
#
# The image has no shell, no package manager and no whole packages: only the libraries that the programs load, and a few
# files beside them. Whole packages with all their dependencies take twice the space, and the rest is never opened.
# The image says which packages the files are from (/var/lib/dpkg/status.d, which scanners read) and has their copyright
# files. Left out on purpose, though a program would load them if they were there:
#   - modules of libvips, for formats that PictureTool refuses
#   - modules of SASL: libmongoc needs them for Kerberos only
#   - modules of gconv, for character sets other than UTF-8
set -euo pipefail

fail() {
    printf 'build-image: %s\n' "$@" >&2
    exit 1
}

(($# == 3)) || fail "usage: scripts/build-image.sh VERSION PROGRAMS_FOLDER OUTPUT_FILE"
version="$1"
programs="$(realpath "$2")"
output="$(realpath --canonicalize-missing "$3")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
checkouts="$(realpath --canonicalize-missing "${CHECKOUTS:-.build/checkouts}")"

# Files have the rights they should have in the image.
umask 022
# Sorted the same everywhere.
export LC_ALL=C
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
[[ "$SOURCE_DATE_EPOCH" =~ ^[0-9]+$ ]] || fail "SOURCE_DATE_EPOCH is not a number of seconds."
architecture="$(dpkg --print-architecture)"

# What the image has: programs, the files they read, and the user who runs them.
names=(HappinessAPI PictureTool)
declare -A commands=([api]=HappinessAPI [worker]=HappinessAPI [Worker]=HappinessAPI)
shared=(openapi public templates)
# Nobody on the machine outside should have this number.
user=65532
# Packages of which the image has files that no program is linked with.
data_packages=(base-files ca-certificates fontconfig-config fonts-dejavu-core tzdata)

for tool in apt-get buildah dpkg-deb ldd python3 readelf strip zstd; do
    command -v "$tool" >/dev/null || fail "$tool is missing; scripts/setup.sh release installs it."
done
for name in "${names[@]}"; do
    [[ -x "$programs/$name" ]] || fail "$programs has no $name."
done
[[ -d "$checkouts" ]] || fail "$checkouts is missing; build the programs here, or set CHECKOUTS."

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
packages="$work/packages" unpacked="$work/unpacked" lower="$work/lower" upper="$work/upper"
mkdir -p "$packages" "$unpacked" "$lower" "$upper"
apt=()
# Otherwise apt downloads as a user of its own, who may not write here.
if ((EUID == 0)); then apt=(-o APT::Sandbox::User=root); fi

# MARK: Libraries

# The libraries of all programs, as paths on this machine, without the links /lib and /lib64.
libraries() {
    local found path
    found="$(ldd "${names[@]/#/$programs/}")"
    if missing="$(grep 'not found' <<<"$found")"; then fail "Libraries are missing:" "$missing"; fi
    while read -r path; do
        echo "$(realpath "$(dirname "$path")")/$(basename "$path")"
    done < <(awk '$2 == "=>" { print $3 } $1 ~ "^/" && NF == 2 && $1 !~ ":$" { print $1 }' <<<"$found" | sort -u) \
        | sort -u
}

# The packages that these files belong to. dpkg knows a file under the path in its package, which may lack /usr.
owners() {
    local path owner
    for path in "$@"; do
        owner="$(dpkg-query --search "$path" "${path#/usr}" 2>/dev/null | grep -v '^diversion ' | head -n 1)" || true
        [[ -n "$owner" ]] || fail "$path belongs to no Debian package. Was the program built by" \
            "scripts/build-release.sh?"
        echo "${owner%%:*}"
    done
}

# Packages that have their copyright file in another package, and that package.
documented_in() {
    local name
    for name in "$@"; do
        if [[ -L "/usr/share/doc/$name" ]]; then basename "$(readlink "/usr/share/doc/$name")"; fi
    done
}

mapfile -t paths < <(libraries)
owned="$(owners "${paths[@]}")"
mapfile -t owning < <(sort -u <<<"$owned")
mapfile -t all_packages < <(printf '%s\n' "${owning[@]}" "${data_packages[@]}" "$(documented_in "${owning[@]}")" \
    | sed '/^$/d' | sort -u)
echo "image: ${#paths[@]} libraries from ${#owning[@]} packages; downloading ${#all_packages[@]} packages"
(cd "$packages" && apt-get "${apt[@]}" --quiet --quiet download "${all_packages[@]}") \
    || fail "apt-get could not download a package. If its lists are old: apt-get update"

# MARK: Lower layer

# Debian's root has these links; tar keeps them where a package has a folder of that name.
for folder in "$unpacked" "$lower"; do
    mkdir -p "$folder/usr/lib"
    ln -s usr/lib "$folder/lib"
done
mkdir "$unpacked/usr/lib64"
ln -s usr/lib64 "$unpacked/lib64"
status="$lower/var/lib/dpkg/status.d"
mkdir -p "$status"
for file in "$packages"/*.deb; do
    dpkg-deb --fsys-tarfile "$file" | tar --extract --keep-directory-symlink --directory "$unpacked"
    dpkg-deb --field "$file" | sed '/^Package:/a Status: install ok installed' \
        >"$status/$(dpkg-deb --field "$file" Package)"
done

# Copies a file or a folder to the same place in the lower layer, and what a link leads to.
add() {
    local path="$1" target
    [[ -e "$unpacked$path" || -L "$unpacked$path" ]] \
        || fail "The packages have no $path. Does this machine have all updates?"
    mkdir -p "$lower$(dirname "$path")"
    cp --recursive --no-dereference --preserve=mode,timestamps "$unpacked$path" "$lower$(dirname "$path")"
    if [[ -L "$unpacked$path" ]]; then
        target="$(readlink "$unpacked$path")"
        [[ "$target" == /* ]] || target="$(dirname "$path")/$target"
        target="$(realpath --canonicalize-missing --no-symlinks "$target")"
        [[ "$target" != /lib/* ]] || target="/usr$target"
        add "$target"
    fi
}

for path in "${paths[@]}"; do add "$path"; done
if [[ -d "$lower/usr/lib64" ]]; then ln -s usr/lib64 "$lower/lib64"; fi

# An updated library may need another one than the library of this machine.
while read -r needed; do
    [[ -n "$(find "$lower/usr/lib" "$lower"/usr/lib64 -name "$needed" -print -quit 2>/dev/null)" ]] \
        || fail "A library needs $needed, which is not in the image. Does this machine have all updates?"
done < <({ find "$lower" -name '*.so*' -type f -print0 && printf '%s\0' "${names[@]/#/$programs/}"; } \
    | xargs -0 readelf --dynamic | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u)

for name in "${all_packages[@]}"; do
    if [[ -L "$unpacked/usr/share/doc/$name" ]]; then
        add "/usr/share/doc/$name"
    else
        add "/usr/share/doc/$name/copyright"
    fi
done
# `add` follows links to folders, which then have more than the copyright.
find "$lower/usr/share/doc" -mindepth 2 ! -name copyright -delete
# The copyright files name these texts.
add /usr/share/common-licenses
add /etc/debian_version
add /etc/os-release
# Time zones, without their copies that count leap seconds or say that they do not.
add /usr/share/zoneinfo
rm -rf "$lower/usr/share/zoneinfo/right" "$lower/usr/share/zoneinfo/posix"
# The font of default pictures. Without a cache fontconfig reads its few files each time, which takes milliseconds.
add /etc/fonts
add /usr/share/fontconfig
add /usr/share/fonts
# The certificate authorities of the package, not those that were added to this machine.
mkdir -p "$lower/etc/ssl/certs" "$lower/usr/lib/ssl"
find "$unpacked/usr/share/ca-certificates/mozilla" -name '*.crt' -print0 | sort -z | xargs -0 cat \
    >"$lower/etc/ssl/certs/ca-certificates.crt"
# Where OpenSSL looks.
ln -s /etc/ssl/certs/ca-certificates.crt "$lower/usr/lib/ssl/cert.pem"

cat >"$lower/etc/passwd" <<PASSWD
root:x:0:0:root:/nonexistent:/nonexistent
happiness:x:$user:$user:Happiness Metric:/data:/nonexistent
PASSWD
cat >"$lower/etc/group" <<GROUP
root:x:0:
happiness:x:$user:
GROUP
printf 'passwd: files\ngroup: files\nhosts: files dns\n' >"$lower/etc/nsswitch.conf"
# A place to mount a folder in memory on; the programs do not need one.
mkdir -m 1777 "$lower/tmp"

# The time of the lower layer is that of its newest file. So it is the same layer until Debian updates a package, and
# a new version of the programs is a smaller download.
lower_epoch="$(find "$lower" -type f -newermt '@0' ! -path "$status/*" ! -path "$lower/etc/passwd" \
    ! -path "$lower/etc/group" ! -path "$lower/etc/nsswitch.conf" ! -path "$lower/etc/ssl/certs/*" -printf '%T@\n' \
    | sort -n | tail -n 1)"
lower_epoch="${lower_epoch%%.*}"

# MARK: Upper layer

mkdir -p "$upper/app/bin" "$upper/app/share/happiness-metric" "$upper/usr/share/doc/happiness-metric/licenses"
for name in "${names[@]}"; do
    # The names of functions are more than half of their size, and serve debuggers only.
    strip --strip-all -o "$upper/app/bin/$name" "$programs/$name"
    chmod 0755 "$upper/app/bin/$name"
done
for command in "${!commands[@]}"; do ln -s "${commands[$command]}" "$upper/app/bin/$command"; done
for folder in "${shared[@]}"; do
    cp --recursive "$folder" "$upper/app/share/happiness-metric"
done
chmod -R u=rwX,go=rX "$upper/app/share"
cp LICENSE "$upper/usr/share/doc/happiness-metric/copyright"
for folder in "$checkouts"/*/; do
    name="$(basename "$folder")"
    mkdir "$upper/usr/share/doc/happiness-metric/licenses/$name"
    find "$folder" -maxdepth 1 -type f \( -iname 'licen[sc]e*' -o -iname 'notice*' \) \
        -exec cp -t "$upper/usr/share/doc/happiness-metric/licenses/$name" {} +
done
chmod -R u=rwX,go=rX "$upper/usr"

# MARK: Image

# A store of its own, so that nothing is left behind. Nothing runs in the image, so it needs no isolation.
buildah() {
    command buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"
}

arguments=(--os linux --arch "$architecture")
base="$(buildah from scratch)"
buildah copy --quiet "$base" "$lower" / >/dev/null
mkdir "$work/volume"
mkdir -m 0750 "$work/volume/data"
buildah copy --quiet --chown "$user:$user" "$base" "$work/volume" / >/dev/null
buildah config "${arguments[@]}" --created-by "files of Debian packages" "$base"
buildah commit --quiet --rm --format oci --timestamp "$lower_epoch" "$base" lower >/dev/null

container="$(buildah from --pull-never localhost/lower)"
buildah copy --quiet "$container" "$upper" / >/dev/null
# DATA_DIR is also the working folder, so that a file that a command is told to write lands in the volume. SQLite
# writes temporary files where the disk is, not into memory.
buildah config "${arguments[@]}" --created-by "programs of Happiness Metric $version" \
    --user "$user:$user" --workingdir /data --volume /data --port 8080/tcp \
    --env PATH=/app/bin --env HOST=0.0.0.0 --env DATA_DIR=/data --env SQLITE_TMPDIR=/data \
    --cmd '["api"]' --stop-signal SIGTERM \
    --label "org.opencontainers.image.title=Happiness Metric" \
    --label "org.opencontainers.image.description=Happiness votes of teams: api, worker" \
    --label "org.opencontainers.image.version=$version" \
    --label "org.opencontainers.image.licenses=Apache-2.0" \
    --label "org.opencontainers.image.created=$(date --utc --date "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" \
    "$container"
buildah commit --quiet --rm --format oci --timestamp "$SOURCE_DATE_EPOCH" "$container" image >/dev/null
buildah push --quiet --format oci --disable-compression image "dir:$work/image"

# The programs have much in common: Swift's libraries are linked into each. So a compressor that remembers 128 MB packs
# them to little more than half of what gzip does. buildah's own does not.
echo "image: compressing"
python3 - "$work/image" "$work/oci" "happiness-metric:$version" <<'PYTHON'
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
from typing import Any

source, target, name = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
blobs = target / "blobs" / "sha256"
blobs.mkdir(parents=True)


def add(file: pathlib.Path, entry: dict[str, Any]) -> None:
    """Moves a file to the blobs, and lets an entry of a manifest or an index name it."""
    with file.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    entry |= {"digest": "sha256:" + digest, "size": file.stat().st_size}
    shutil.move(file, blobs / digest)


def write(value: Any, file: pathlib.Path) -> pathlib.Path:
    file.write_text(json.dumps(value, separators=(",", ":")))
    return file


manifest = json.loads((source / "manifest.json").read_text())
add(source / manifest["config"]["digest"].removeprefix("sha256:"), manifest["config"])
for layer in manifest["layers"]:
    file = source / layer["digest"].removeprefix("sha256:")
    subprocess.run(["zstd", "--quiet", "-12", "--long=27", "-T2", file], check=True)
    layer["mediaType"] = "application/vnd.oci.image.layer.v1.tar+zstd"
    add(file.with_name(file.name + ".zst"), layer)
entry = {"mediaType": manifest["mediaType"], "annotations": {"org.opencontainers.image.ref.name": name}}
add(write(manifest, source / "new"), entry)
write({"schemaVersion": 2, "manifests": [entry]}, target / "index.json")
write({"imageLayoutVersion": "1.0.0"}, target / "oci-layout")

# Not part of the format: `docker load` reads it where Docker does not use containerd's store of images.
paths = ["blobs/" + part["digest"].replace(":", "/") for part in [manifest["config"], *manifest["layers"]]]
write([{"Config": paths[0], "RepoTags": [name], "Layers": paths[1:]}], target / "manifest.json")
print("image:", entry["digest"])
PYTHON
tar --create --file "$output.part" --directory "$work/oci" --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" \
    --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX .
mv "$output.part" "$output"
echo "image: $output, $(($(stat --format %s "$output") / 1000000)) MB to pull," \
    "$(($(du --summarize --apparent-size --block-size=1 "$lower" "$upper" | awk '{ n += $1 } END { print n }') \
        / 1000000)) MB unpacked"
