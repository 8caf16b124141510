"""Makes a signed release of HEAD: ``python -m tools.release --key KEY --out FOLDER``.

The folder gets the sources as git has them, the list of parts, and the manifest with its signature. The same commit gives the same
bytes, so that anybody can make the archive again and compare. ``twinwall admin check-release`` is the other end.
"""

import argparse
import hashlib
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from tools.sbom import TOP, SbomError, bill_of_materials, written
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.file_signature import SUFFIX, sign_file
from twinwall.wire.messages.signing import Signer, read_signer
from twinwall.wire.release_manifest import MANIFEST, ProgramRelease, write_release

# What a person's or a system's git may say otherwise, and what would then be in the archive.
PLAIN = ("-c", "tar.umask=0022", "-c", "core.autocrlf=false", "-c", "core.attributesFile=/dev/null")


class ReleaseError(Exception):
    """No release can be made; the message says why, and what to do."""


def git(top: Path, *words: str) -> bytes:
    """What git answers; raises ReleaseError with its last words."""
    done = subprocess.run(["git", *PLAIN, *words], cwd=top, check=False, capture_output=True)  # words of our own
    if done.returncode != 0:
        raise ReleaseError(f"git {words[0]} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def archive(top: Path, version: str) -> bytes:
    """HEAD as a tar: git sorts the files and gives each the time of the commit."""
    return git(top, "archive", "--format=tar", f"--prefix=twinwall-{version}/", "HEAD")


def refuse_uncommitted(top: Path) -> None:
    """Raise ReleaseError where a file differs from HEAD: the archive would lack what the list of parts was made from."""
    if changed := git(top, "status", "--porcelain").decode().splitlines():
        raise ReleaseError(f"{len(changed)} files are not as in HEAD, such as {changed[0][3:]}: commit them, or put them aside")


def release_files(parts: Mapping[str, bytes], *, version: str, number: int, commit: str, signer: Signer) -> dict[str, bytes]:
    """All files of a release: its parts, the manifest and its signature."""
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in parts.items()}
    manifest = write_release(ProgramRelease(version, number, commit, digests))
    return {**parts, MANIFEST: manifest, MANIFEST + SUFFIX: sign_file(manifest, signer)}


def make_release(top: Path, signer: Signer) -> dict[str, bytes]:
    """The release of HEAD; raises ReleaseError and SbomError."""
    refuse_uncommitted(top)
    version = str(tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])
    commit, time = git(top, "show", "--no-patch", "--format=%H %ct", "HEAD").decode().split()
    number = int(git(top, "rev-list", "--count", "HEAD"))
    parts = {
        f"twinwall-{version}-{number}.tar": archive(top, version),
        f"twinwall-{version}-{number}.cdx.json": written(bill_of_materials(top, int(time))),
    }
    return release_files(parts, version=version, number=number, commit=commit, signer=signer)


def main(arguments: list[str]) -> int:
    """Make the release into a new folder."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("--key", type=Path, required=True, metavar="KEY", help="the file of your signing key (twinwall admin sign key KEY)")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the folder to make; one that exists is not touched")
    asked = parser.parse_args(arguments)
    try:
        signer = read_signer("", asked.key)
        files = make_release(TOP, signer)
        asked.out.mkdir()
        for name, content in files.items():
            (asked.out / name).write_bytes(content)
    except (ReleaseError, SbomError, DocumentError, OSError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 2
    for name in files:
        print(asked.out / name)
    print(f"release: signed with the key {signer.public.hex()}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
