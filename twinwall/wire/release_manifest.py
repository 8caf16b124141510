"""Manifests of releases: which files a release has, which release it is, and who has signed that.

``release.json`` is signed like any file, by ``release.json.sig`` beside it. Releases are in the order of their versions, and those
of one version in the order of their numbers; a machine keeps the manifest of the highest that it has accepted.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from twinwall.game.documents import DocumentError, canonical_json, digest, parse_object
from twinwall.game.typed_json import Count, Digest, plain, read_as
from twinwall.values import Shape
from twinwall.wire.messages.file_signature import SUFFIX, signer_of

FORMAT = "twinwall-release-1"
MANIFEST = "release.json"
FileName = Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Za-z][0-9A-Za-z._-]*\Z")]
"""A file of the release's own folder, and of no other."""


class OlderReleaseError(ValueError):
    """A release that this machine would take a step back for; the message names both."""


class ProgramRelease(Shape, tag_field="format", tag=FORMAT):
    """A release: its version, its number (how many commits the project had), its commit, and the SHA-256 of each file by name."""

    version: Annotated[str, msgspec.Meta(pattern=r"^(0|[1-9][0-9]{0,5})(\.(0|[1-9][0-9]{0,5})){2}\Z")]
    number: Count
    commit: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{40}\Z")]
    files: dict[FileName, Digest]

    @property
    def order(self) -> tuple[int, ...]:
        """What rises from one release to the next."""
        return (*map(int, self.version.split(".")), self.number)

    def __str__(self) -> str:
        return f"version {self.version}, number {self.number}"


def write_release(release: ProgramRelease) -> bytes:
    """The manifest, as it is signed."""
    return canonical_json(plain(release))


def read_release(manifest: bytes) -> ProgramRelease:
    """Read a manifest, signed or not; raises DocumentError."""
    return read_as(parse_object(manifest), ProgramRelease)


def checked_release(files: Mapping[str, bytes], trusted: Mapping[str, bytes]) -> tuple[str, ProgramRelease]:
    """Who signed the release, and the release, from all files of its folder.

    Raises DocumentError for a file that is missing, changed or not named, DocumentError as ``signer_of``.
    """
    if missing := [name for name in (MANIFEST, MANIFEST + SUFFIX) if name not in files]:
        raise DocumentError(f"there is no {' and no '.join(missing)}: this is not the folder of a release, or not all of it")
    signer = signer_of(files[MANIFEST], files[MANIFEST + SUFFIX], trusted)
    release = read_release(files[MANIFEST])
    there = {name: content for name, content in files.items() if name not in (MANIFEST, MANIFEST + SUFFIX)}
    found = [f"{name} is missing" for name in sorted(release.files.keys() - there.keys())]
    found += [f"{name} is not part of the release" for name in sorted(there.keys() - release.files.keys())]
    both = sorted(release.files.keys() & there.keys())
    found += [f"{name} is not the file that {signer} signed" for name in both if digest(there[name]) != release.files[name]]
    if found:
        raise DocumentError("; ".join(found))
    return signer, release


def refuse_older(release: ProgramRelease, highest: ProgramRelease) -> None:
    """Raise OlderReleaseError for a release below the highest that was accepted, or another one in its place."""
    if release.order < highest.order:
        raise OlderReleaseError(f"{release} is older than {highest}, which was accepted here before")
    if release.order == highest.order and release != highest:
        raise OlderReleaseError(f"{release} was accepted here before with other files: two releases have the same number")
