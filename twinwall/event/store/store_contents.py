"""What a store holds: lines of ledgers, slips, what people did, and what was refused.

Signed records of a store: what staff did, and how far each ledger had come when others began to act on it.

A record is a canonical JSON object with its number, the hash of the record before it, and the server's signature (Ed25519). The kinds and
their keys: ``begun`` (the programme's hash, the server's key, the hash of notes older than records), ``lines`` (the ledger of a table up to
a line with this hash), ``look``, ``acknowledgement``, ``ruling``, ``withdrawal`` and ``replacement`` (who, by the account's name),
``staff`` (whose account was changed, how, and by whom), ``management`` (which change of the event a director made), ``deals`` (which step
was made towards the event's deals, and by whom), and ``restored`` (which director goes on without records that an earlier state of the
store lacks). In a rehearsal without a signing key records are chained and not signed.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from twinwall.event.deal_state import DealStep
from twinwall.event.management.changes import EventChange
from twinwall.event.store.programme import Programme
from twinwall.game.documents import DocumentError, Reading, canonical_json, digest, parse_object, read_time, write_time
from twinwall.game.typed_json import read_as
from twinwall.values import FrozenStruct, frozen
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.signing import KEY_SIZE, Signer, open_signed

RECORD = "twinwall-record-1"
"""What a signature under a record is for."""
SERVER = "server"
NO_RECORD = digest(b"")
"""Stands for the record before the first."""
BEGUN, LINES, RESTORED = "begun", "lines", "restored"
_COVERED = (b'"type":"hand-closed"', b'"type":"ruling"')


def is_covered(line: bytes) -> bool:
    """Whether others act on the line: each such line is covered by a ``lines`` record."""
    return any(kind in line for kind in _COVERED)


@frozen
class Record:
    """One record as it reads."""

    seq: int
    kind: str
    fields: Mapping[str, object]

    def text(self, key: str) -> str:
        """A field that is a text; empty where it is none."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else ""

    def number(self, key: str) -> int:
        """A field that is a whole number; 0 where it is none."""
        value = self.fields.get(key)
        return value if isinstance(value, int) else 0

    def __str__(self) -> str:
        who = self.text("staff")
        of = f" of {who}" if who else ""
        at = f" at table {self.text('table')}" if self.text("table") else ""
        return f"record {self.seq} ({self.kind}{of}{at})"


class RecordWriter:
    """Writes the next records of a store."""

    def __init__(self, event: str, signer: Signer | None, stored: Sequence[bytes]) -> None:
        """``stored`` are the records that are there."""
        self._event, self._signer = event, signer
        self.after = (len(stored), digest(stored[-1]) if stored else NO_RECORD)
        """Number and hash of the last record."""

    @property
    def key(self) -> str:
        """The public key (hex) that checks what is written now; empty where records are unsigned."""
        return "" if self._signer is None else self._signer.public.hex()

    def write(self, kind: str, at: datetime, fields: Mapping[str, object]) -> tuple[int, bytes]:
        """The next record's number and bytes; the one after it follows it."""
        seq, previous = self.after[0] + 1, self.after[1]
        document = {**fields, "kind": kind, "seq": seq, "at": write_time(at), "previous": previous}
        signer = self._signer
        record = canonical_json(document) if signer is None else signer.sign(RECORD, self._event, "", document)
        self.after = (seq, digest(record))
        return seq, record


def read_records(stored: Iterable[bytes]) -> Iterator[Record]:
    """The records as they read; one that does not read is left out, ``record_problems`` names it."""
    for seq, content in enumerate(stored, 1):
        try:
            fields = parse_object(content)
        except DocumentError:
            continue
        yield Record(seq, str(fields.get("kind")), fields)


def keys_named(stored: Sequence[bytes]) -> tuple[str, ...]:
    """The keys (hex) that the records themselves name, each once."""
    return tuple(dict.fromkeys(record.text("key") for record in read_records(stored) if record.kind == BEGUN and record.text("key")))


def record_problems(stored: Sequence[bytes], event: str, trusted: Collection[str] | None = None) -> Iterator[str]:
    """Each record that does not hold, in a sentence, as ``bad_records`` finds them."""
    return (sentence for _seq, sentence in bad_records(stored, event, trusted))


def bad_records(stored: Sequence[bytes], event: str, trusted: Collection[str] | None = None) -> Iterator[tuple[int, str]]:
    """Each record that does not hold (changed, cut out, swapped, or written without the server's key), by its place from 1.

    Args:
        stored: the records in their order.
        event: the event they are of.
        trusted: public keys (hex) of the server; None to take those that the records name themselves, which proves nothing
            against somebody who wrote all of them again.
    """
    previous, key = NO_RECORD, ""
    by_seq = {record.seq: record for record in read_records(stored)}
    for seq, content in enumerate(stored, 1):
        record = by_seq.get(seq)
        if record is None:
            yield (seq, f"record {seq} cannot be read: it was changed")
            previous = digest(content)
            continue
        if record.kind == BEGUN:
            key = record.text("key")
        if record.number("seq") != seq:
            yield (seq, f"record {seq}: record {record.number('seq')} stands in its place: records were cut out or swapped")
        elif record.text("previous") != previous:
            yield (seq, f"{record} does not follow the record before it: that one was changed, cut out or swapped")
        sentence = _signature_problem(content, event, key, trusted)
        if sentence is not None:
            yield (seq, f"{record} {sentence}")
        previous = digest(content)


def _signature_problem(content: bytes, event: str, key: str, trusted: Collection[str] | None) -> str | None:
    """What is wrong with a record's signature, after its name; ``key`` is the one that the records name for it."""
    if trusted is None and not key:
        return None
    if trusted is not None and key not in trusted:
        return "is not signed" if not key else "is signed by another key than the server's"
    try:
        public = bytes.fromhex(key)
        if len(public) != KEY_SIZE:
            return "names a key that is none"
        open_signed(RECORD, event, "", content, {SERVER: public})
    except (DocumentError, ValueError):
        return "was changed: the server's signature does not fit it"
    return None


@frozen
class SignedHead:
    """A head of a table's ledger, byte for byte as it was received and checked; ``seq`` counts from 1."""

    table: str
    journal: str
    seq: int
    head: bytes


@frozen
class StoredAnnouncement:
    """The vault's announcement of the tables' boot signing keys, byte for byte, and the vault's key that it was checked with."""

    announcement: bytes
    vault_key: bytes
    at: datetime


StoredLine = tuple[bytes, str]
"""A line with the hash (hex) that was noted when it was stored."""


@frozen
class StoredJournal:
    """One journal of a table, its lines from the first; a table's journals are in the order in which they were followed."""

    table: str
    journal: str
    lines: tuple[StoredLine, ...]

    @property
    def position(self) -> LedgerPosition:
        """Where it stands."""
        return LedgerPosition(self.journal, len(self.lines), self.lines[-1][1]) if self.lines else LedgerPosition(self.journal)


@frozen
class StoredSlip:
    """A slip's exact bytes, and when it was first received."""

    n: int
    slip: bytes
    at: datetime


class _Act(FrozenStruct, omit_defaults=True, tag_field="kind", rename={"by": "staff", "seq": "line", "count": "records"}):
    """What the account ``by`` did, as its record has it: the tag is the record's kind, and what is empty is left out."""


class Acknowledgement(_Act, tag="acknowledgement"):
    """Somebody has taken up the call that a line of a ledger is."""

    table: str
    journal: str
    seq: int
    by: str
    at: datetime


class _DealAct(_Act):
    """What somebody did about a table with deal ``n``."""

    table: str
    n: int


class RefereeLook(_DealAct, tag="look"):
    """Somebody opened the page of a table whose deal was not released."""

    by: str
    at: datetime


class RulingGiven(_Act, tag="ruling"):
    """Somebody ruled: the ruling as it was sent to the table."""

    table: str
    by: str
    at: datetime
    ruling: dict[str, object]


class WithdrawalStep(_DealAct, tag="withdrawal"):
    """Somebody ordered that a table is withdrawn while it plays deal ``n``, or confirmed what another, ``ordered``, had ordered."""

    by: str
    at: datetime
    ordered: str = ""


class ReplacementStep(_Act, tag="replacement"):
    """Somebody ordered that another controller goes on after this line of a table's ledger, or confirmed what another, ``ordered``, had
    ordered; ``n`` is the deal whose hand was in play, 0 for none."""

    table: str
    journal: str
    seq: int
    n: int
    reason: str
    by: str
    at: datetime
    ordered: str = ""


class StaffChange(_Act, tag="staff"):
    """An account of the staff was changed: ``change`` says how, ``roles`` is what it has afterwards.

    ``number`` tells the changes of one staff file apart; ``by`` is empty for the command; ``token`` is the label of an API token that was
    made or withdrawn.
    """

    account: str
    change: str
    roles: tuple[str, ...]
    at: datetime
    number: int
    by: str = ""
    token: str = ""


class ManagementStep(_Act, tag="management"):
    """A director changed the event."""

    change: EventChange
    by: str
    at: datetime


class DealStepTaken(_Act, tag="deals"):
    """A step towards the event's deals; no name where it follows from the vaults' answers."""

    step: DealStep
    at: datetime
    by: str = ""


class RecordsGivenUp(_Act, tag=RESTORED):
    """A director goes on with a store that was put back to an earlier state and lacks ``count`` records of the staff; ``last`` is the
    hash of the last record that was there."""

    count: int
    last: str
    by: str
    at: datetime


@frozen
class Complaint:
    """Something of a table was refused, and why."""

    table: str
    reason: str
    at: datetime


@frozen
class Evidence:
    """A line that contradicts a stored one: its bytes, the hash of the line that the table has signed, and the table's last signed
    head, which with the stored lines proves that."""

    table: str
    line: bytes
    signed: str
    head: bytes
    at: datetime


StaffAct = (
    Acknowledgement
    | RefereeLook
    | RulingGiven
    | WithdrawalStep
    | ReplacementStep
    | StaffChange
    | ManagementStep
    | DealStepTaken
    | RecordsGivenUp
)
"""What somebody did."""
Note = StaffAct | Complaint | Evidence
"""What somebody did, or what was refused."""
_A = TypeVar("_A", bound=StaffAct)


def acts_of(records: Iterable[bytes], kind: type[_A]) -> Iterator[_A]:
    """What staff did of one kind by the stored records; raises DocumentError, which names the record."""
    for record in read_records(records):
        if record.kind == kind.__struct_config__.tag:
            with Reading(f"{record}"):
                yield read_as({**record.fields, "at": read_time(record.text("at"))}, kind)


Contradiction = tuple[str, str]
"""A table of which something cannot stand beside what is stored, and why."""


@frozen
class Contents:
    """All that a store holds; the last programme is the one in force."""

    programmes: tuple[Programme, ...]
    journals: tuple[StoredJournal, ...]
    slips: tuple[StoredSlip, ...]
    acknowledgements: tuple[Acknowledgement, ...]
    looks: tuple[RefereeLook, ...]
    complaints: tuple[Complaint, ...]
    evidence: tuple[Evidence, ...]
    heads: tuple[SignedHead, ...] = ()
    announcements: tuple[StoredAnnouncement, ...] = ()
    records: tuple[bytes, ...] = ()
    """Signed and chained, in their order."""
    notes_before_records: str = ""
    """Hash of the acknowledgements and looks that are older than records."""

    @property
    def programme(self) -> Programme:
        """The programme in force."""
        return self.programmes[-1]
