"""The public ledger: one event a line, numbered without gaps and chained by hash. ``project`` keeps what readers may see of an event,
``envelope`` makes the next line, ``parse`` reads a line strictly, ``verify_chain`` finds the first bad line; ``messages.boot_keys`` checks
signatures. The controller stores ledgers, ``twinwall.wire.mqtt`` carries lines, ``twinwall.wire.receiver`` orders them."""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, field
from dataclasses import fields as dataclass_fields
from datetime import datetime
from functools import cache

from twinwall.game.documents import DocumentError, canonical_json, digest, parse_object, read_time, write_time
from twinwall.game.play_events import Claimed, KongDeclared, WinDeclared
from twinwall.game.play_json import from_json
from twinwall.values import frozen
from twinwall.wire.events.catalogue import EVENT_TYPES, PublishedEvent
from twinwall.wire.events.definitions import AT_THE_TABLE, DEFINED, OPTIONS, SALT, FieldDefinition, Secrecy
from twinwall.wire.messages.ruling import Ruling, read_ruling

VERSION = 1
HEADER_KEYS = ("v", "table", "journal", "seq", "prev", "at", "type")
"""Keys of the envelope; the event's fields are beside them."""
LINE_SALT = FieldDefinition(
    Secrecy.TABLE,
    "bytes that cannot be guessed, so that the line's hash does not tell what the line says",
    SALT,
    optional=True,
    name="salt",
)
"""In every line of a table with a vault, if its class may be seen."""

FIRST_PREV = "0" * 64
"""``prev`` of a ledger's first line."""


@frozen
class LedgerPosition:
    """A ledger's end: its journal id, the number of its last line and that line's hash."""

    journal: str
    seq: int = 0
    digest: str = FIRST_PREV


@frozen
class PublicEvent:
    """One line. ``line`` is its bytes, ``fields`` its plain JSON, ``body`` its event: None if this program does not know it."""

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
        return LedgerPosition(self.journal, self.seq, digest(self.line))


@frozen
class UnknownEvent(PublicEvent):
    """A well-formed line with a type or field that this program does not know: stored and shown, never acted upon."""

    why: str = ""


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
    """Make the line after ``after`` from fields already projected to the ledger's classes. ``salt`` (``LINE_SALT``) is omitted in a ledger
    without its class. Raises DocumentError unless the fields are exactly the visible ones of the type."""
    read_event(event_type, fields, classes)
    header = (VERSION, table, after.journal, after.seq + 1, after.digest, write_time(at), event_type)
    salted = {LINE_SALT.name: salt} if salt is not None and LINE_SALT.secrecy in classes else {}
    return canonical_json({**fields, **salted, **dict(zip(HEADER_KEYS, header, strict=True))})


def next_position(after: LedgerPosition, line: bytes) -> LedgerPosition:
    return LedgerPosition(after.journal, after.seq + 1, digest(line))


def parse(line: bytes, *, classes: frozenset[Secrecy] = AT_THE_TABLE) -> PublicEvent:
    """Read one line of a ledger with these classes; an unknown type or field gives an UnknownEvent. Raises DocumentError for a wrong
    envelope, which cannot be ordered."""
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
    """Why the line cannot follow ``after``, in one sentence; None when it does."""
    if event.journal != after.journal:
        return f"journal {event.journal!r} where {after.journal!r} was expected"
    if event.seq != after.seq + 1:
        return f"seq {event.seq} where {after.seq + 1} was expected"
    if event.prev != after.digest:
        return f"prev does not match the hash of line {after.seq}"
    return None


def verify_chain(lines: Iterable[bytes]) -> tuple[int, str] | None:
    """The number, from 1, of the first wrong line of one journal's ledger, given with line feeds, and the reason; None if there is none."""
    table: str | None = None
    after: LedgerPosition | None = None
    for number, line in enumerate(lines, start=1):
        try:
            event = parse(line)
        except DocumentError as error:
            return number, str(error)
        reason = follows(event, after or LedgerPosition(event.journal))
        if reason is None and table not in (None, event.table):
            reason = f"table {event.table!r} in the ledger of table {table!r}"
        if reason is not None:
            return number, reason
        table, after = event.table, event.position
    return None


def _without_salt(fields: dict[str, object], classes: frozenset[Secrecy]) -> None:
    """Remove the salt if the classes show it; raises ValueError if it is malformed."""
    if LINE_SALT.name in fields and LINE_SALT.secrecy in classes:
        LINE_SALT.read(fields.pop(LINE_SALT.name))


def _text(read: Mapping[str, object], key: str) -> str:
    value = read.get(key)
    if not isinstance(value, str) or not value:
        raise DocumentError(f"{key} {value!r} is not a text")
    return value


def project(event_type: str, fields: Mapping[str, object], classes: frozenset[Secrecy] = AT_THE_TABLE) -> dict[str, object] | None:
    """What readers of these classes may see of an event; None if they may not know of it."""
    known = EVENT_TYPES.get(event_type)
    if known is None or known.secrecy not in classes:
        return None
    return {field.name: fields[field.name] for field in known.visible(classes) if field.name in fields}


def read_event(event_type: str, fields: Mapping[str, object], classes: frozenset[Secrecy] = AT_THE_TABLE) -> PublishedEvent:
    """The event of a line with these classes; reading a hidden field raises AttributeError. Raises DocumentError unless the fields are
    exactly the visible ones of the type."""
    if event_type not in EVENT_TYPES:
        raise DocumentError(f"event type {event_type!r} is not known")
    visible, cls, defaults, partial = _form(event_type, classes)
    if not fields.keys() <= visible.keys():
        raise DocumentError(f"{event_type} has no public field {min(fields.keys() - visible.keys())!r}")
    values = _values(event_type, visible.values(), fields)
    if cls in _OTHER_ON_LINE and len(visible) == len(EVENT_TYPES[event_type].fields):
        try:
            return read_ruling(fields) if cls is Ruling else from_json({**fields, "type": event_type})
        except ValueError as error:
            raise DocumentError(f"{event_type}: {error}") from None
    made: PublishedEvent = object.__new__(cls) if partial else cls(**(defaults | values))
    if partial:
        for name, value in (defaults | values).items():
            object.__setattr__(made, name, value)
    return made


_OTHER_ON_LINE = frozenset({Claimed, KongDeclared, WinDeclared, Ruling})
"""Events whose keys on the line differ from their fields."""


@cache
def _form(event_type: str, classes: frozenset[Secrecy]) -> tuple[dict[str, FieldDefinition], type, dict[str, object], bool]:
    """A type's visible fields by name, its class, default values, and whether fields are hidden."""
    visible = {field.name: field for field in EVENT_TYPES[event_type].visible(classes)}
    cls = next(cls for cls, defined in DEFINED.items() if defined.name == event_type)
    defaults = {field.name: field.default for field in dataclass_fields(cls) if field.default is not MISSING}
    left_out: dict[str, object] = {name: {} for name, field in visible.items() if field.kind is OPTIONS}
    hides = any(field.name not in visible and field.name not in defaults for field in dataclass_fields(cls))
    return visible, cls, left_out | defaults, hides


def _values(event_type: str, visible: Iterable[FieldDefinition], fields: Mapping[str, object]) -> dict[str, object]:
    values = {}
    for each in visible:
        if each.name in fields:
            try:
                values[each.name] = each.read(fields[each.name])
            except ValueError as error:
                raise DocumentError(f"{event_type} {error}") from None
        elif not each.optional:
            raise DocumentError(f"{event_type} lacks the field {each.name!r}")
    return values
