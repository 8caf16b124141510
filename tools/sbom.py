"""Writes the list of parts that run at a table: ``python -m tools.sbom [--out FILE]``, CycloneDX 1.6 in JSON.

Python packages and their hashes come from uv.lock, through uv; their licences from what is installed in .venv. Packages of Debian are
named without a version, since the machine's own apt chooses and checks it. The same commit gives the same list.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import time
import tomllib
from importlib import metadata
from pathlib import Path
from typing import TypeAlias

import msgspec

TOP = Path(__file__).parents[1]
UV = ".build/uv/bin/uv"
OWN = "Apache-2.0"
FOR_A_TABLE = re.compile(r"(-none-any\.whl|(?<!musl)linux[^/]*_(x86_64|aarch64)\.whl|\.tar\.gz|\.zip)$")
"""Files that scripts/setup may take on a machine that it does not refuse."""
FIRMWARE = (("core/*.c", "core/*/*.c"), ("core/*.h", "core/*/*.h", "hal_memory/*.h", "emulation/*.h"), ("hal_avr/*.c",))
FIRMWARE_LAST = ("hal_host/main.c", "emulation/physics.c", "emulation/port.c")
# Packages whose metadata name no licence, or not by its SPDX name: as their licence files say.
NAMED_HERE = {
    "cssselect2": "BSD-3-Clause",
    "itsdangerous": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "lgpio": "Unlicense",
    "protobuf": "BSD-3-Clause",
    "pydyf": "BSD-3-Clause",
    "pymahjonggb": "MIT",
    "pyphen": "GPL-2.0-or-later OR LGPL-2.1-or-later OR MPL-1.1",
    "pyserial": "BSD-3-Clause",
    "segno": "BSD-3-Clause",
    "tinycss2": "BSD-3-Clause",
    "weasyprint": "BSD-3-Clause",
    "webencodings": "BSD-3-Clause",
}
_CLASSIFIED = {"MIT License": "MIT", "Apache Software License": "Apache-2.0", "ISC License (ISCL)": "ISC"}
_CLASSIFIED |= {"Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0"}
_OF_OUTLINES = {"SIL Open Font License 1.1": {"id": "OFL-1.1"}, "public domain": {"name": "public domain"}}
ELSEWHERE = ("win32", "platform_python_implementation != 'CPython'")
"""Markers of packages that no table has."""


class SbomError(Exception):
    """The list cannot be made; the message says why, and what to do."""


Part: TypeAlias = dict[str, object]
"""A component of the list."""


class _Locked(msgspec.Struct):
    """A package as ``uv export`` writes it."""

    name: str
    version: str
    purl: str
    references: list[dict[str, object]] = msgspec.field(name="externalReferences", default_factory=list)
    properties: list[dict[str, str]] = msgspec.field(default_factory=list)


class _Exported(msgspec.Struct):
    components: list[_Locked] = msgspec.field(default_factory=list)


def bill_of_materials(top: Path, made_at: int) -> dict[str, object]:
    """The list of parts of a clone that scripts/setup has made ready; ``made_at`` is in seconds since 1970. Raises SbomError."""
    version = str(tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])
    parts = [
        *python_parts(top, "required", "--no-default-groups"),
        *python_parts(top, "excluded", "--only-group", "build"),
        *debian_parts(top),
        firmware_part(top, version),
        *file_parts(top, version),
    ]
    known: dict[str, Part] = {}
    for part in parts:  # what a table runs goes before what only builds it
        known.setdefault(str(part["bom-ref"]), part)
    purl = f"pkg:generic/twinwall@{version}"
    itself = _part("application", "twinwall", purl, version=version, licenses=[{"expression": OWN}])
    timestamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(made_at))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"timestamp": timestamp, "component": itself},
        "components": [known[reference] for reference in sorted(known)],
        "dependencies": [{"ref": purl, "dependsOn": sorted(known)}],
    }


def _part(kind: str, name: str, purl: str, **more: object) -> Part:
    return {"type": kind, "bom-ref": purl, "name": name, "purl": purl, **more}


def written(bill: dict[str, object]) -> bytes:
    """The list as a file."""
    return msgspec.json.format(msgspec.json.encode(bill), indent=1) + b"\n"


def python_parts(top: Path, scope: str, *groups: str) -> list[Part]:
    """The packages of uv.lock for these groups, without those of other systems."""
    command = [str(top / UV), "--quiet", "--offline", "export", "--frozen", "--no-emit-project", *groups]
    command += ["--format", "cyclonedx1.5", "--preview-features", "sbom-export"]
    try:
        done = subprocess.run(command, cwd=top, check=False, capture_output=True, text=True)  # words of our own
    except OSError:
        raise SbomError(f"there is no {top / UV}: make this clone ready with make setup") from None
    if done.returncode != 0:
        raise SbomError(f"uv cannot read uv.lock: {done.stderr.strip()}")
    packages = msgspec.json.decode(done.stdout, type=_Exported).components
    return [_python_part(package, scope) for package in packages if not _is_for_elsewhere(package)]


def _is_for_elsewhere(package: _Locked) -> bool:
    """Whether the lock has a package for Windows or for another Python than CPython alone."""
    return any(marker in each.get("value", "") for each in package.properties for marker in ELSEWHERE)


def _python_part(package: _Locked, scope: str) -> Part:
    files = [file for file in package.references if FOR_A_TABLE.search(str(file["url"]))]
    if not files:
        raise SbomError(f"uv.lock has no file of {package.name} {package.version} for a table")
    more = {"licenses": [{"expression": licence_of(package.name)}], "externalReferences": sorted(files, key=lambda file: str(file["url"]))}
    return _part("library", package.name, package.purl, version=package.version, scope=scope, **more)


def licence_of(package: str) -> str:
    """The SPDX expression of an installed package's licence; raises SbomError where nobody has written it down."""
    if package in NAMED_HERE:
        return NAMED_HERE[package]
    try:
        about = metadata.metadata(package)
    except metadata.PackageNotFoundError:
        raise SbomError(f"{package} of uv.lock is not installed: make this clone ready with make setup") from None
    classified = [line.rpartition(" :: ")[2] for line in about.get_all("Classifier", []) if line.startswith("License :: OSI")]
    short = next(iter(about.get_all("License", [])), "")
    known = next(iter(about.get_all("License-Expression", [])), None) or next(
        (_CLASSIFIED[name] for name in classified if name in _CLASSIFIED), None
    )
    known = known or (short if re.fullmatch(r"[A-Z][\w.-]+", short) else None)
    if known is None:
        raise SbomError(f"{package} does not name its licence: read it in its files, and name it in tools/sbom.py")
    return known


def debian_parts(top: Path) -> list[Part]:
    """The apt packages that scripts/setup asks for where the program runs, Python itself and the broker of services.md."""
    script = (top / "scripts" / "setup").read_text(encoding="utf-8")
    asked = re.search(r"^look_for_run\(\) \{$(.+?)^\}$", script, re.MULTILINE | re.DOTALL)
    names = {"python3", "mosquitto", *re.findall(r"\bneed ([a-z0-9+-]+) ", asked[1] if asked else "")}
    by = "installed by the machine's own apt, which chooses the version and checks Debian's signature"
    return [_part("application", name, f"pkg:deb/debian/{name}", description=by) for name in sorted(names)]


def firmware_part(top: Path, version: str) -> Part:
    """The feeder's firmware; the first eight bytes of its hash are what a feeder tells as ``firmware_digest``."""
    folder = top / "firmware"
    sources = [path for group in FIRMWARE for path in sorted({path for form in group for path in folder.glob(form)}, key=str)]
    content = b"".join(path.read_bytes() for path in (*sources, *(folder / name for name in FIRMWARE_LAST)))
    return _part(
        "firmware",
        "twinwall-feeder",
        f"pkg:generic/twinwall-feeder@{version}",
        version=version,
        description="SHA-256 over the sources as firmware/Makefile joins them; a feeder tells its first eight bytes",
        licenses=[{"expression": OWN}],
        hashes=[_sha256(content)],
    )


def file_parts(top: Path, version: str) -> list[Part]:
    """The weights of the tile reader, and the outlines that were cut from fonts; raises SbomError for a licence that is not known."""
    found = [_file_part(top, path, version, "machine-learning-model", {"expression": OWN}) for path in sorted(top.glob("vision/**/*.onnx"))]
    for path in sorted(top.glob("twinwall/art/glyphs/*.json")):
        licence = json.loads(path.read_bytes())["licence"]
        if licence not in _OF_OUTLINES:
            raise SbomError(f"{path} is under {licence!r}: name that licence in tools/sbom.py")
        found.append(_file_part(top, path, version, "data", {"license": _OF_OUTLINES[licence]}))
    return found


def _file_part(top: Path, path: Path, version: str, kind: str, licence: Part) -> Part:
    digest = _sha256(path.read_bytes())
    purl = f"pkg:generic/twinwall/{path.name}@{version}?checksum=sha256:{digest['content']}"
    return _part(kind, path.relative_to(top).as_posix(), purl, version=version, licenses=[licence], hashes=[digest])


def _sha256(content: bytes) -> dict[str, str]:
    return {"alg": "SHA-256", "content": hashlib.sha256(content).hexdigest()}


def committed_at(top: Path) -> int:
    """When the commit of a clone was made, in seconds since 1970; raises SbomError."""
    done = subprocess.run(["git", "show", "--no-patch", "--format=%ct", "HEAD"], cwd=top, check=False, capture_output=True)
    if done.returncode != 0:
        raise SbomError(f"{top} is no clone with a commit: git says {done.stderr.decode(errors='replace').strip()!r}")
    return int(done.stdout)


def main(arguments: list[str]) -> int:
    """Write the list to a file, or to standard output."""
    parser = argparse.ArgumentParser(prog="python -m tools.sbom", description=__doc__)
    parser.add_argument("--out", type=Path, metavar="FILE", help="the file to write (default: standard output)")
    asked = parser.parse_args(arguments)
    try:
        content = written(bill_of_materials(TOP, committed_at(TOP)))
        if asked.out is not None:
            asked.out.write_bytes(content)
        else:
            sys.stdout.buffer.write(content)
    except (SbomError, OSError) as error:
        print(f"sbom: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
