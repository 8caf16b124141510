"""The public ledger: one event a line, numbered without gaps and chained by hash.

``envelope`` makes the next line, ``parse`` reads one line strictly, ``verify_chain`` names the first bad line of a ledger. The controller
writes ledgers to disk, ``twinwall.wire.mqtt`` carries lines, ``twinwall.wire.receiver`` puts a stream back in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from twinwall.game.documents import DocumentError, canonical_json, digest, parse_object, read_time, write_time
from twinwall.wire.events.catalogue import PublishedEvent
from twinwall.wire.events.definitions import AT_THE_TABLE, FieldDefinition, Secrecy
from twinwall.wire.events.projection import problem, read_event
from twinwall.wire.events.value_kinds import SALT

VERSION = 1
HEADER_KEYS = ("v", "table", "journal", "seq", "prev", "at", "type")
"""The keys of the envelope; the fields of the event stand beside them in the same object."""
LINE_SALT = FieldDefinition(
    Secrecy.TABLE,
    "bytes that cannot be guessed, so that the line's hash does not tell what the line says",
    SALT,
    optional=True,
    name="salt",
)
"""A field of every line of a table that has a vault; as every field it stands only where its class may be seen."""

FIRST_PREV = "0" * 64
"""``prev`` of the first line of a ledger, which has no line before it."""


@dataclass(frozen=True, slots=True)
class LedgerPosition:
    """Where a ledger stands: its journal id, the number of its last line and that line's hash."""

    journal: str
    seq: int = 0
    digest: str = FIRST_PREV


@dataclass(frozen=True, slots=True)
class PublicEvent:
    """One line of a public ledger, read. ``line`` is its exact bytes, ``fields`` are its plain JSON, ``body`` is the event that they are:
    None where this program does not know it."""

    table: str
    journal: str
    seq: int
    prev: str
    at: datetime
    type: str
    fields: Mapping[str, object]
    line: bytes
    body: PublishedEvent | None = field(repr=False, compare=False)

    @property
    def position(self) -> LedgerPosition:
        """Where the ledger stands after this line."""
        return LedgerPosition(self.journal, self.seq, digest(self.line))


@dataclass(frozen=True, slots=True)
class UnknownEvent(PublicEvent):
    """A well-formed line whose type (or a field of it) this program does not know: stored and shown, never acted upon."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class BadLine:
    """The first line of a ledger that does not hold; ``number`` counts from 1."""

    number: int
    reason: str


def envelope(
    table: str,
    after: LedgerPosition,
    at: datetime,
    event_type: str,
    fields: Mapping[str, object],
    *,
    classes: frozenset[Secrecy] = AT_THE_TABLE,
    salt: str | None = None,
) -> bytes:
    """Make the line that follows ``after``, from fields already projected to the classes that this ledger shows.

    ``salt`` (``LINE_SALT``) is left out of a ledger that does not show its class.

    Raises DocumentError when the fields are not exactly those that the classes leave of this type.
    """
    sentence = problem(event_type, fields, classes)
    if sentence is not None:
        raise DocumentError(sentence)
    header = (VERSION, table, after.journal, after.seq + 1, after.digest, write_time(at), event_type)
    salted = {LINE_SALT.name: salt} if salt is not None and LINE_SALT.secrecy in classes else {}
    return canonical_json({**fields, **salted, **dict(zip(HEADER_KEYS, header, strict=True))})


def next_position(after: LedgerPosition, line: bytes) -> LedgerPosition:
    """Where the ledger stands once ``line`` has been added."""
    return LedgerPosition(after.journal, after.seq + 1, digest(line))


def parse(line: bytes, *, classes: frozenset[Secrecy] = AT_THE_TABLE) -> PublicEvent:
    """Read one line of a ledger that shows these classes; a type or field that is not known gives an UnknownEvent.

    Raises DocumentError when the envelope itself does not hold (it cannot be put in order then).
    """
    read = parse_object(line)
    if canonical_json(read) != line:
        raise DocumentError("the line is not in canonical form (sorted keys, no spaces, one line feed)")
    if read.get("v") != VERSION:
        raise DocumentError(f"version {read.get('v')!r} of the envelope is not known, only {VERSION}")
    at = read_time(_text(read, "at"))
    seq = read.get("seq")
    if not isinstance(seq, int) or isinstance(seq, bool) or seq < 1:
        raise DocumentError(f"seq {seq!r} is not a number from 1")
    table, journal, prev, event_type = (_text(read, key) for key in ("table", "journal", "prev", "type"))
    fields = {key: value for key, value in read.items() if key not in HEADER_KEYS}
    try:
        _without_salt(fields, classes)
        return PublicEvent(table, journal, seq, prev, at, event_type, fields, line, read_event(event_type, fields, classes))
    except ValueError as error:
        return UnknownEvent(table, journal, seq, prev, at, event_type, fields, line, None, str(error))


def follows(event: PublicEvent, after: LedgerPosition) -> str | None:
    """Why the line cannot stand directly after ``after``, in one sentence; None when it does."""
    if event.journal != after.journal:
        return f"journal {event.journal!r} where {after.journal!r} was expected"
    if event.seq != after.seq + 1:
        return f"seq {event.seq} where {after.seq + 1} was expected"
    if event.prev != after.digest:
        return f"prev does not match the hash of line {after.seq}"
    return None


def verify_chain(lines: Iterable[bytes]) -> BadLine | None:
    """Check a whole ledger of one journal, given with line feeds; None when every line holds."""
    table: str | None = None
    after: LedgerPosition | None = None
    for number, line in enumerate(lines, start=1):
        try:
            event = parse(line)
        except DocumentError as error:
            return BadLine(number, str(error))
        reason = follows(event, after or LedgerPosition(event.journal))
        if reason is None and table not in (None, event.table):
            reason = f"table {event.table!r} in the ledger of table {table!r}"
        if reason is not None:
            return BadLine(number, reason)
        table, after = event.table, event.position
    return None


def _without_salt(fields: dict[str, object], classes: frozenset[Secrecy]) -> None:
    """Take the salt out of the fields, where the classes show it; raises ValueError where it is none."""
    if LINE_SALT.name in fields and LINE_SALT.secrecy in classes:
        LINE_SALT.read(fields.pop(LINE_SALT.name))


def _text(read: Mapping[str, object], key: str) -> str:
    value = read.get(key)
    if not isinstance(value, str) or not value:
        raise DocumentError(f"{key} {value!r} is not a text")
    return value
