"""What the centre's store holds of a venue, and what is added to it in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from twinwall.values import frozen
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.receiver import KnownJournal

JournalName = tuple[str, str]
"""A table and one of its journals."""
ResultName = tuple[str, int]
"""A table and the number of a deal."""
STATEMENT, KEYS = "statement", "keys"
"""The kinds of documents of which a venue's last is kept."""


@frozen
class WaitingMessage:
    """A message that could not be used yet: a line that no head covers, or a head whose lines or key are missing."""

    topic: str
    payload: bytes


@frozen
class ContradictingLine:
    """A line that contradicts the stored one of its number, whose hash (hex) is ``stored``."""

    table: str
    line: bytes
    stored: str


@frozen
class StoredHead:
    """The last signed head that covers stored lines of a journal."""

    table: str
    journal: str
    seq: int
    head: bytes


@frozen
class VenueProgress:
    """How far the store is with a venue.

    Attributes:
        tables: number of its tables that have been heard.
        stored: number of stored lines of their present journals.
        missing: for each table that is behind, the number of lines it has by its signed heads and last heartbeat that are not stored.
        at: when the venue sent its last heartbeat, by its own clock, but not later than it came; None before the first.
    """

    tables: int
    stored: int
    missing: Mapping[str, int]
    at: datetime | None


@frozen
class KnownVenue:
    """All that a consumer needs to continue with a venue.

    Attributes:
        journals: of each table, in the order in which they were followed; each with its last hash only.
        telling: the stored lines that say who sat where and what was scored, journal by journal.
        waiting: what was received and not used yet.
        results: the last change of each result.
        documents: the last document of each kind.
        progress: how far the store was when that was last recorded; None before.
    """

    journals: Mapping[str, tuple[KnownJournal, ...]] = field(default_factory=dict)
    telling: tuple[bytes, ...] = ()
    waiting: Mapping[str, WaitingMessage] = field(default_factory=dict)
    results: Mapping[ResultName, bytes] = field(default_factory=dict)
    documents: Mapping[str, bytes] = field(default_factory=dict)
    progress: VenueProgress | None = None


@dataclass(slots=True)
class VenueBatch:
    """What messages of a venue contained; stored in one transaction, all or nothing.

    Attributes:
        lines: accepted, in order; ``telling`` are those that affect a result.
        repeated: lines of numbers that are stored; only the store can say whether they are the same.
        waiting: by the hash of the message; ``used`` are hashes of messages that wait no longer.
    """

    lines: list[PublicEvent] = field(default_factory=list)
    telling: set[tuple[str, str, int]] = field(default_factory=set)
    repeated: list[PublicEvent] = field(default_factory=list)
    evidence: list[ContradictingLine] = field(default_factory=list)
    waiting: dict[str, WaitingMessage] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    heads: dict[JournalName, StoredHead] = field(default_factory=dict)
    results: list[tuple[str, int, bytes]] = field(default_factory=list)
    documents: dict[str, bytes] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    progress: VenueProgress | None = None
