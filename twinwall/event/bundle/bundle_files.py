"""The files of a bundle: names, heading, zip, and how they are made from a store (``make_bundle``).

Anybody may send a bundle, so names, numbers and sizes are checked before a byte is unpacked. A bundle has all that the check needs and
nothing of an unreleased deal. Hand records, results and standings follow from the other files. They are written for people and other
programs; the check computes them again by the same functions and compares the bytes.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Annotated

import msgspec

from twinwall.event.deal_state import DealsCommitted
from twinwall.event.field import results_of
from twinwall.event.hand_records import record_of
from twinwall.event.hands import left_deals
from twinwall.event.points import Points, rank_points
from twinwall.event.points import to_json as points_json
from twinwall.event.record_versions import differences, hand_key
from twinwall.event.results_csv import write_results
from twinwall.event.store.hall import Hall
from twinwall.event.store.store_contents import Contents, DealStepTaken, StoredJournal, acts_of
from twinwall.game.documents import DocumentError, canonical_json, digest, parse_object
from twinwall.game.record import HandRecord
from twinwall.game.typed_json import Digest, Text, plain, read_as
from twinwall.values import Shape
from twinwall.wire.events.hand_events import HandClosed, HandStarted
from twinwall.wire.events.wall_events import DealOpened
from twinwall.wire.ledger import parse

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
MOST_LINES = 1 << 20
_WRITTEN = (1980, 1, 1, 0, 0, 0)
"""A fixed time, so that the same files always give the same zip."""
_NOT_OURS = re.compile(r"(__MACOSX/.*|(.*/)?\.DS_Store|(.*/)?\._[^/]*|.*/)")
"""What archive programs add: folders, and a Mac's notes."""


class BundleError(ValueError):
    """Bytes that are no bundle; the message says what they are and what to do."""


class Heading(Shape, tag_field="format", tag=FORMAT):
    """``bundle.json``: the event, the vault's public key, and the SHA-256 of every other file."""

    event: Text
    vault_key: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{64})?\Z")]
    files: dict[str, Digest]


def ledger_name(number: int) -> str:
    return f"ledgers/{number:03d}.jsonl"


def slip_name(n: int) -> str:
    return f"slips/{n:04d}.json"


def write_heading(event: str, vault_key: str, files: Mapping[str, bytes]) -> bytes:
    digests = {name: digest(content) for name, content in sorted(files.items())}
    return canonical_json(plain(Heading(event, vault_key, digests)))


def read_heading(content: bytes) -> Heading:
    """Read ``bundle.json``; raises DocumentError."""
    heading = read_as(parse_object(content, HEADING), Heading)
    if canonical_json(plain(heading)) != content:
        raise DocumentError("it is not in canonical form (sorted keys, no spaces, one line feed)")
    return heading


def write_zip(files: Mapping[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in sorted(files.items()):
            written.writestr(zipfile.ZipInfo(name, _WRITTEN), content, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def read_zip(content: bytes) -> dict[str, bytes | None]:
    """The files of a zip by name; None for a damaged one.

    Raises BundleError for bytes that are no zip, for a zip that is too large, and for a file that is there twice.
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
    """Raise BundleError for files that are too large or too many for a bundle."""
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
    """A file's bytes, never more than its entry says; None if they are damaged."""
    try:
        with archive.open(member) as opened:
            return opened.read(LARGEST_FILE)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError, ValueError):
        return None


def derived_files(hall: Hall) -> dict[str, bytes]:
    """The hall's hand records, results and standings, by file name."""
    hands = tuple(hand for hand in hall.hands() if hand.closed)
    programme = hall.programme
    sessions = {n: hall.session_of(n) for n in hall.released_deals()}
    return {
        RECORDS: b"".join(
            canonical_json(record_of(hand, hall_deal.deal).to_json()) for hand in hands if (hall_deal := hall.released(hand.n))
        ),
        RESULTS: write_results(results_of(hands, programme.field, sessions), programme.field.kind),
        STANDINGS: canonical_json(_standings(hall)),
    }


def _standings(hall: Hall) -> Mapping[str, object]:
    compared = hall.comparison()
    points = {"rank_points": points_json(rank_points(compared.comparison))} if hall.programme.points is Points.RANK else {}
    whole = hall.standings()
    standings = {"standings": whole.to_json(hall.programme.rules)} if len(whole.sessions) > 1 else {}
    return {**compared.comparison.to_json(), **points, **standings, "left_out": [out.reason for out in compared.left_out]}


def differing_record(name: str, found: bytes, computed: bytes, line: int) -> str:
    """How the record in the file differs from the computed one, as the end of a sentence; empty if they are of different hands."""
    try:
        ours, theirs = (HandRecord.from_json(content.splitlines()[line - 1]) for content in (computed, found))
    except (DocumentError, IndexError):
        return ""
    if name != RECORDS or hand_key(ours) != hand_key(theirs):
        return ""
    differing = (f"{what} is {first} there and {second} in this file" for what, first, second in differences(ours, theirs))
    return f": deal {ours.n} at table {ours.table}: {'; '.join(differing)}"


def first_difference(found: bytes, computed: bytes) -> int:
    """The first line, from 1, in which a file differs from the computed one."""
    ours, theirs = found.splitlines(), computed.splitlines()
    differing = (number for number, pair in enumerate(zip(ours, theirs, strict=False), 1) if pair[0] != pair[1])
    return next(differing, min(len(ours), len(theirs)) + 1)


class NotReleasedError(Exception):
    """A deal named in the ledgers is not released, so the ledgers must stay in the store."""


class NoStartError(Exception):
    """An event without plan and start, so nothing of it can be proved."""


def make_bundle(contents: Contents, hall: Hall, commitments: bytes | None = None) -> dict[str, bytes]:
    """The files of a bundle by name.

    ``hall`` is the state that the contents give; ``commitments`` is the published file, which the store has when vaults made the deals by
    order.

    Raises NotReleasedError while a deal that a table has opened is not released; NoStartError for a rehearsal without plan and start.
    """
    custody = hall.programme.custody
    if custody is None:
        raise NoStartError("this event has no plan and no start: nothing of it can be proved, so there is no bundle")
    for journal in contents.journals:
        _check_released(journal, hall)
    vault_key = contents.announcements[-1].vault_key.hex() if contents.announcements else ""
    files = {
        PLAN: custody.plan.canonical,
        START: custody.start.canonical,
        PROGRAMME: hall.programme.document,
        KEYS: b"".join(each.announcement for each in contents.announcements),
        HEADS: b"".join(_heads(contents)),
        STAFF: b"".join(contents.records),
        **{ledger_name(number): b"".join(line for line, _digest in journal.lines) for number, journal in enumerate(contents.journals, 1)},
        **{slip_name(stored.n): stored.slip for stored in contents.slips},
        **derived_files(hall),
    }
    if (published := commitments or _committed(contents)) is not None:
        files[COMMITMENTS] = published
    return {HEADING: write_heading(hall.programme.event, vault_key, files), **files}


def _committed(contents: Contents) -> bytes | None:
    """The commitments that the vaults answered last; None if they were made by command."""
    steps = (taken.step for taken in acts_of(contents.records, DealStepTaken))
    texts = [step.commitments for step in steps if isinstance(step, DealsCommitted)]
    return texts[-1].encode() if texts else None


def _check_released(journal: StoredJournal, hall: Hall) -> None:
    events = [parse(line) for line, _digest in journal.lines]
    left = left_deals(events)
    for event in events:
        n = event.fields.get("n")
        if isinstance(event.body, DealOpened) and n in left:
            continue
        if isinstance(event.body, DealOpened | HandStarted | None) and isinstance(n, int) and hall.released(n) is None:
            raise NotReleasedError(
                f"deal {n} is not released, and table {journal.table} has opened it: what its ledger tells is secret until every table "
                "has finished it or is withdrawn (twinwall vault withdraw); export the bundle then"
            )


def _heads(contents: Contents) -> Iterator[bytes]:
    """Yield each journal's last covered head and those that cover the end of a hand, so that a changed line is easy to find."""
    for journal in contents.journals:
        heads = {
            head.seq: head
            for head in contents.heads
            if (head.table, head.journal) == (journal.table, journal.journal) and head.seq <= len(journal.lines)
        }
        ends = {seq for seq in heads if isinstance(parse(journal.lines[seq - 1][0]).body, HandClosed)}
        yield from (heads[seq].head for seq in sorted(ends | ({max(heads)} if heads else set())))
