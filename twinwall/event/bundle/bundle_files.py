"""The files of a bundle: their names, their heading, and the zip that carries them.

Reading holds limits, since a bundle may come from anybody: names, numbers and sizes are checked before a byte is unpacked.
"""

import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Mapping
from typing import Annotated

import msgspec

from twinwall.game.documents import DocumentError, canonical_json, parse_object
from twinwall.game.typed_json import Digest, Text, read_as
from twinwall.values import Shape

FORMAT = "twinwall-bundle-1"
HEADING = "bundle.json"
PLAN = "plan.json"
START = "start.json"
COMMITMENTS = "commitments.json"
PROGRAMME = "programme.json"
KEYS = "keys.jsonl"
HEADS = "heads.jsonl"
STAFF = "staff.jsonl"
RECORDS = "records.jsonl"
RESULTS = "results.csv"
STANDINGS = "standings.json"
SINGLE = (HEADING, PLAN, START, COMMITMENTS, PROGRAMME, KEYS, HEADS, STAFF, RECORDS, RESULTS, STANDINGS)
NUMBERED = re.compile(r"ledgers/\d{3,4}\.jsonl|slips/\d{4}\.json", re.ASCII)

LARGEST_FILE = 64 << 20
LARGEST_BUNDLE = 256 << 20
MOST_FILES = 4096
_WRITTEN = (1980, 1, 1, 0, 0, 0)
"""The same files give the same zip, whenever it is written."""
_NOT_OURS = re.compile(r"(__MACOSX/.*|(.*/)?\.DS_Store|(.*/)?\._[^/]*|.*/)")
"""What programs for archives add: folders, and a Mac's notes."""


class BundleError(ValueError):
    """Bytes that are no bundle; the message says what they are instead, and what to do."""


class Heading(Shape, tag_field="format", tag=FORMAT):
    """``bundle.json``: the event, the vault's public key, and the SHA-256 of every other file."""

    event: Text
    vault_key: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{64})?\Z")]
    files: dict[str, Digest]


def ledger_name(number: int) -> str:
    """The file of a journal's ledger, counted from 1."""
    return f"ledgers/{number:03d}.jsonl"


def slip_name(n: int) -> str:
    """The file of a deal's slip."""
    return f"slips/{n:04d}.json"


def write_heading(event: str, vault_key: str, files: Mapping[str, bytes]) -> bytes:
    """The heading over all other files."""
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    heading: dict[str, object] = msgspec.to_builtins(Heading(event, vault_key, digests))
    return canonical_json(heading)


def read_heading(content: bytes) -> Heading:
    """Read ``bundle.json``; raises DocumentError."""
    heading = read_as(parse_object(content, HEADING), Heading)
    written: dict[str, object] = msgspec.to_builtins(heading)
    if canonical_json(written) != content:
        raise DocumentError("it is not in canonical form (sorted keys, no spaces, one line feed)")
    return heading


def write_zip(files: Mapping[str, bytes]) -> bytes:
    """The files as one zip."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in sorted(files.items()):
            written.writestr(zipfile.ZipInfo(name, _WRITTEN), content, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def read_zip(content: bytes) -> dict[str, bytes | None]:
    """The files of a zip by name; None for one that is damaged.

    Raises:
        BundleError: when it is no zip, or one that is too large or holds a file twice.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [member for member in archive.infolist() if not _NOT_OURS.fullmatch(member.filename)]
            check_sizes({member.filename: member.file_size for member in members}, len(members))
            read = {member.filename: _member(archive, member) for member in members}
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        if isinstance(error, BundleError):
            raise
        raise BundleError("it is no zip, or only a part of one: fetch the bundle again") from None
    tops = {name.partition("/")[0] for name in read}
    packed = len(tops) == 1 and all("/" in name for name in read)  # as a folder, in which all of them lie
    return {name.partition("/")[2] if packed else name: found for name, found in read.items()}


def check_sizes(sizes: Mapping[str, int], number: int) -> None:
    """Refuse what is too much for a bundle; raises BundleError."""
    if number != len(sizes):
        raise BundleError("it holds two files of one name, so it is undecided which one counts: ask for another copy")
    if number > MOST_FILES:
        raise BundleError(f"it holds {number} files, and a bundle has {MOST_FILES} at most: this is no bundle")
    for name, size in sizes.items():
        if size > LARGEST_FILE:
            raise BundleError(f"{name[:100]!r} has {size} bytes, and no file of a bundle has more than {LARGEST_FILE}: it is not read")
    if sum(sizes.values()) > LARGEST_BUNDLE:
        raise BundleError(f"its files have {sum(sizes.values())} bytes, and a bundle has {LARGEST_BUNDLE} at most: it is not read")


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes | None:
    """A file's bytes; None where they are damaged. It is never more than its entry says."""
    try:
        with archive.open(member) as opened:
            return opened.read(LARGEST_FILE)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError, ValueError):
        return None
