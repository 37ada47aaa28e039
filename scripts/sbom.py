#!/usr/bin/env python3
"""Writes what a release consists of (SBOM) as SPDX 2.3: Swift packages, C code, Swift's own libraries, and every Debian
package of which the container image has files.

    scripts/sbom.py VERSION BUILD_FOLDER IMAGE_ARCHIVE OUTPUT_FILE

BUILD_FOLDER is `.build` of the release build; IMAGE_ARCHIVE is the output of scripts/build-image.sh. Needs zstd. The
same inputs result in the same bytes. The specification: https://spdx.github.io/spdx-spec/v2.3/
"""

import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import urllib.parse
from typing import Any

PROGRAMS = ["HappinessAPI", "PictureTool"]

# C code that Swift packages bring along: the project it is from, its licence, and where its version is.
COPIES: dict[str, tuple[str, str, str, str]] = {
    "CCryptoBoringSSL": ("BoringSSL", "NOASSERTION", "hash.txt", r"revision ([0-9a-f]{40})"),
    "CNIOBoringSSL": ("BoringSSL", "NOASSERTION", "hash.txt", r"revision ([0-9a-f]{40})"),
    "CNIOLLHTTP": ("llhttp", "MIT", "include/c_nio_llhttp.h", r"LLHTTP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)"),
    "CNIOSHA1": ("SHA-1 of the KAME project", "BSD-3-Clause", "", ""),
    "CXKCP": ("XKCP", "CC0-1.0", "", ""),
}

# Swift's own libraries, which are linked into the programs.
SWIFT_LIBRARIES = ["Swift standard library and runtime", "Foundation", "libdispatch"]

# Short names of Debian's copyright format that SPDX calls differently.
# https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/#license-short-name
LICENCES = {
    "Apache-2": "Apache-2.0", "Apache-2.0": "Apache-2.0", "BSD-2-clause": "BSD-2-Clause",
    "BSD-3-clause": "BSD-3-Clause", "BSD-3-Clause": "BSD-3-Clause", "BSL-1.0": "BSL-1.0", "CC0-1.0": "CC0-1.0",
    "Expat": "MIT", "FTL": "FTL", "GPL-1+": "GPL-1.0-or-later", "GPL-2": "GPL-2.0-only",
    "GPL-2+": "GPL-2.0-or-later", "GPL-3": "GPL-3.0-only", "GPL-3+": "GPL-3.0-or-later", "IJG": "IJG", "ISC": "ISC",
    "LGPL-2": "LGPL-2.0-only", "LGPL-2+": "LGPL-2.0-or-later", "LGPL-2.0+": "LGPL-2.0-or-later",
    "LGPL-2.1": "LGPL-2.1-only", "LGPL-2.1+": "LGPL-2.1-or-later", "LGPL-3": "LGPL-3.0-only",
    "LGPL-3+": "LGPL-3.0-or-later", "MPL-1.1": "MPL-1.1", "MPL-2.0": "MPL-2.0", "Zlib": "Zlib", "curl": "curl",
    "zlib": "Zlib",
}  # fmt: skip

Package = dict[str, Any]


class Image:
    """The files of an OCI archive."""

    def __init__(self, archive: pathlib.Path) -> None:
        with tarfile.open(archive) as outer:

            def blob(entry: dict[str, Any]) -> bytes:
                return self._read(outer, "./blobs/" + entry["digest"].replace(":", "/"))

            index = json.loads(self._read(outer, "./index.json"))
            manifest = json.loads(blob(index["manifests"][0]))
            config = json.loads(blob(manifest["config"]))
            self.created: str = config["created"]
            self.architecture: str = config["architecture"]
            self.files: dict[str, bytes] = {}
            for layer in manifest["layers"]:
                unpacked = subprocess.run(
                    ["zstd", "--quiet", "--decompress", "--long=27", "--stdout"],
                    input=blob(layer), stdout=subprocess.PIPE, check=True,
                )  # fmt: skip
                self._add(unpacked.stdout)

    def _read(self, archive: tarfile.TarFile, name: str) -> bytes:
        file = archive.extractfile(name)
        if file is None:
            sys.exit(f"sbom: {name} is not a file.")
        return file.read()

    def _add(self, layer: bytes) -> None:
        with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
            for member in archive:
                if member.isfile() and (member.name.startswith(("var/lib/dpkg/", "usr/share/doc/", "usr/lib/os-"))):
                    self.files[member.name] = self._read(archive, member.name)


def fields(paragraph: str) -> dict[str, str]:
    """The fields of a paragraph in Debian's format, without what follows on further lines."""
    lines = [line.partition(":") for line in paragraph.splitlines() if line[:1].strip()]
    return {name: value.strip() for name, _, value in lines}


def identifier(*parts: str) -> str:
    """A name for use within the document."""
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(parts))


def package(name: str, version: str, licence: str, place: str, address: str | None = None) -> Package:
    """An entry of the document. An address is a package URL (https://github.com/package-url/purl-spec)."""
    entry: Package = {
        "SPDXID": identifier("Package", name, version),
        "name": name,
        "downloadLocation": place,
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
    }
    if version:
        entry["versionInfo"] = version
    if address is not None:
        entry["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": address}
        ]
    return entry


def licence_of_checkout(folder: pathlib.Path) -> str:
    """The licence of a Swift package, by the words of its text."""
    text = "\n".join(path.read_text() for path in sorted(folder.glob("LICEN[CS]E*")))
    if "Apache License" in text:
        return "Apache-2.0 WITH Swift-exception" if "Runtime Library Exception" in text else "Apache-2.0"
    return "MIT" if "Permission is hereby granted, free of charge" in text else "NOASSERTION"


def debian_licences(copyright_text: str) -> list[str]:
    """What a copyright file calls the licences of a package; nothing if it is not in Debian's format."""
    paragraphs = [fields(paragraph) for paragraph in re.split(r"\n\s*\n", copyright_text)]
    if "copyright-format/1.0" not in paragraphs[0].get("Format", ""):
        return []
    return sorted({paragraph["License"] for paragraph in paragraphs if paragraph.keys() >= {"Files", "License"}})


def spdx_licence(names: list[str]) -> str:
    """All of Debian's names as an expression, or NOASSERTION if SPDX has no name for one of them."""
    if not names or not all(name in LICENCES for name in names):
        return "NOASSERTION"
    return " AND ".join(sorted({LICENCES[name] for name in names}))


def linked_c_code(build: pathlib.Path) -> set[str]:
    """Names of the targets in C, C++ or assembler of which a program has object files."""
    found: set[str] = set()
    for program in PROGRAMS:
        objects = (build / "release" / f"{program}.product" / "Objects.LinkFileList").read_text()
        found |= set(re.findall(r"/([^/\n]+)\.build/[^\n]*\.(?:c|cc|cpp|S)\.o", objects))
    return found


def swift_packages(build: pathlib.Path) -> list[tuple[Package, list[Package]]]:
    """Every Swift package, each with the C code of it that is linked."""
    state = json.loads((build / "workspace-state.json").read_text())
    linked = linked_c_code(build)
    result = []
    for dependency in state["object"]["dependencies"]:
        reference, checkout = dependency["packageRef"], dependency["state"]["checkoutState"]
        location = reference["location"].removesuffix(".git")
        folder = build / "checkouts" / dependency["subpath"]
        licence = licence_of_checkout(folder)
        version = checkout["version"]
        entry = package(
            reference["name"], version, licence, f"git+{location}@{checkout['revision']}",
            "pkg:swift/" + location.removeprefix("https://") + "@" + version,
        )  # fmt: skip
        parts = []
        for target in sorted(path.name for path in folder.glob("Sources/*") if path.name in linked):
            parts.append(c_code(target, folder / "Sources" / target, licence, entry))
        result.append((entry, parts))
    return sorted(result, key=lambda pair: str(pair[0]["name"]))


def c_code(target: str, folder: pathlib.Path, licence: str, owner: Package) -> Package:
    """The C code of a target: a copy of another project, or the package's own."""
    name, version, place = target, owner["versionInfo"], owner["downloadLocation"]
    if target in COPIES:
        project, licence, file, pattern = COPIES[target]
        name, place = f"{project} ({target})", "NOASSERTION"
        # Where the copy does not say which version it is, only the package's version tells.
        version = ".".join(re.findall(pattern, (folder / file).read_text())) if file else ""
    entry = package(name, version, licence, place)
    entry["SPDXID"] = identifier("C", target)
    entry["comment"] = f"C code that {owner['name']} {owner['versionInfo']} brings along."
    return entry


def swift_libraries(build: pathlib.Path) -> list[Package]:
    """Swift's own libraries, and the copy of ICU in its Foundation."""
    described = "".join(sorted(path.read_text() for path in (build / "release").glob("swift-version-*.txt")))
    version = re.search(r"Swift version (\S+)", described)
    if version is None:
        sys.exit("sbom: the build folder does not say which version of Swift built it.")
    licence = "Apache-2.0 WITH Swift-exception"
    libraries = [
        package(name, version[1], licence, f"https://github.com/swiftlang/swift/tree/swift-{version[1]}-RELEASE")
        for name in SWIFT_LIBRARIES
    ]
    icu = re.search(rb"icudt(\d+)l", (build / "release" / "HappinessAPI").read_bytes())
    libraries.append(
        package("ICU (FoundationICU)", icu[1].decode() if icu else "", "Unicode-3.0", "NOASSERTION")
    )  # fmt: skip
    return libraries


def debian_packages(image: Image) -> list[Package]:
    """Every Debian package of which the image has files."""
    release = image.files["usr/lib/os-release"].decode()
    distribution = re.search(r'^VERSION_ID="?([\d.]+)', release, re.MULTILINE)
    result = []
    for path in sorted(image.files):
        if not path.startswith("var/lib/dpkg/status.d/"):
            continue
        control = fields(image.files[path].decode())
        name, version, architecture = control["Package"], control["Version"], control["Architecture"]
        source = control.get("Source", name).partition(" ")[0]
        qualifiers = {"arch": architecture, "distro": f"debian-{distribution[1] if distribution else ''}"}
        if source != name:
            qualifiers["upstream"] = source
        # Libraries of one source may share a copyright file, which is then a link.
        text = image.files.get(f"usr/share/doc/{name}/copyright", b"").decode(errors="replace")
        licences = debian_licences(text)
        entry = package(
            name, version, spdx_licence(licences), "NOASSERTION",
            f"pkg:deb/debian/{urllib.parse.quote(name, safe='')}@{urllib.parse.quote(version, safe='')}"
            f"?{urllib.parse.urlencode(qualifiers)}",
        )  # fmt: skip
        entry["SPDXID"] = identifier("Debian", name)
        if licences:
            entry["licenseComments"] = "In Debian's words: " + "; ".join(licences)
        entry["supplier"] = "Organization: Debian"
        result.append(entry)
    return result


def document(version: str, build: pathlib.Path, archive: pathlib.Path) -> dict[str, Any]:
    """The whole document."""
    image = Image(archive)
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    product = package("Happiness Metric", version, "Apache-2.0", "NOASSERTION")
    product |= {
        "packageFileName": archive.name,
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
        "primaryPackagePurpose": "CONTAINER",
        "comment": f"Container image for {image.architecture}: api, worker.",
    }
    packages = [product]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", product["SPDXID"])]
    for entry, parts in swift_packages(build):
        packages += [entry, *parts]
        relations.append((product["SPDXID"], "STATIC_LINK", entry["SPDXID"]))
        relations += [(entry["SPDXID"], "CONTAINS", part["SPDXID"]) for part in parts]
    for entry in swift_libraries(build):
        packages.append(entry)
        relations.append((product["SPDXID"], "STATIC_LINK", entry["SPDXID"]))
    for entry in debian_packages(image):
        packages.append(entry)
        relations.append((product["SPDXID"], "CONTAINS", entry["SPDXID"]))
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"happiness-metric-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/happiness-metric-{version}-{digest}",
        "creationInfo": {"created": image.created, "creators": ["Tool: happiness-metric scripts/sbom.py"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
            for one, kind, other in relations
        ],
    }


def main() -> None:
    if len(sys.argv) != 5:
        sys.exit("usage: scripts/sbom.py VERSION BUILD_FOLDER IMAGE_ARCHIVE OUTPUT_FILE")
    version, build, archive, output = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    bill = document(version, build, archive)
    output.write_text(json.dumps(bill, indent=2, ensure_ascii=False) + "\n")
    debian = sum(entry["SPDXID"].startswith("SPDXRef-Debian-") for entry in bill["packages"])
    print(f"sbom: {output}, {len(bill['packages'])} packages, {debian} of them Debian's")


if __name__ == "__main__":
    main()
