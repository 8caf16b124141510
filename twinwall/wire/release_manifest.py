"""Manifests of releases: version, files and signer. ``release.json.sig`` signs ``release.json``. Releases are ordered by version, then by
number; a machine stores the manifest of the highest one that it has accepted."""

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
"""A file in the release's own folder."""


class OlderReleaseError(ValueError):
    """A release is older than an accepted one; the message names both."""


class ProgramRelease(Shape, tag_field="format", tag=FORMAT):
    """A release: its version, number (of commits), commit, and the SHA-256 of each file by name."""

    version: Annotated[str, msgspec.Meta(pattern=r"^(0|[1-9][0-9]{0,5})(\.(0|[1-9][0-9]{0,5})){2}\Z")]
    number: Count
    commit: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{40}\Z")]
    files: dict[FileName, Digest]

    @property
    def order(self) -> tuple[int, ...]:
        """Rises with each release."""
        return (*map(int, self.version.split(".")), self.number)

    def __str__(self) -> str:
        return f"version {self.version}, number {self.number}"


def write_release(release: ProgramRelease) -> bytes:
    return canonical_json(plain(release))


def read_release(manifest: bytes) -> ProgramRelease:
    return read_as(parse_object(manifest), ProgramRelease)


def checked_release(files: Mapping[str, bytes], trusted: Mapping[str, bytes]) -> tuple[str, ProgramRelease]:
    """The signer and the release, from all files of its folder; raises DocumentError as ``signer_of`` does, and for missing, changed or
    unnamed files."""
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
    """Raise OlderReleaseError for a release below the highest accepted one, or a different one of equal number."""
    if release.order < highest.order:
        raise OlderReleaseError(f"{release} is older than {highest}, which was accepted here before")
    if release.order == highest.order and release != highest:
        raise OlderReleaseError(f"{release} was accepted here before with other files: two releases have the same number")
