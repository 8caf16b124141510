"""Signed records of a store: what staff did, and how far each ledger was when others acted on it; and their second copy.

A record is a canonical JSON object with its number, the hash of the record before it, and the server's signature (Ed25519). In a rehearsal
without a signing key, records are chained but not signed. The kinds:

- ``begun``: the programme's hash, the server's key, the hash of notes older than records.
- ``lines``: a table's ledger up to a line with this hash.
- ``look``, ``acknowledgement``, ``ruling``, ``withdrawal``, ``replacement``: what an account did.
- ``staff``: whose account was changed, how, and by whom.
- ``management``: which change of the event a director made.
- ``deals``: a step towards the event's deals, and by whom.
- ``restored``: which director continues without records that an earlier state of the store lacks.

Tables send their lines again, and the vault its slips. Staff actions are nowhere else, so a copy in a file outside the store shows one that
was put back to an earlier state. The copy is written after the store: it may lack the last records after a power cut, but never has one
that the store does not.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from twinwall.event.store.databases.port import StoreError
from twinwall.game.documents import DocumentError, canonical_json, digest, parse_object, write_time
from twinwall.values import frozen
from twinwall.wire.durable_file import write_durably
from twinwall.wire.messages.signing import KEY_SIZE, Signer, open_signed

RECORD = "twinwall-record-1"
"""The purpose that a record's signature covers."""
SERVER = "server"
NO_RECORD = digest(b"")
"""Stands for the record before the first."""
BEGUN, LINES, RESTORED = "begun", "lines", "restored"
_COVERED = (b'"type":"hand-closed"', b'"type":"ruling"')


def is_covered(line: bytes) -> bool:
    """Whether others act on the line, so that a ``lines`` record covers it."""
    return any(kind in line for kind in _COVERED)


@frozen
class Record:
    seq: int
    kind: str
    fields: Mapping[str, object]

    def text(self, key: str) -> str:
        """A text field; empty if it is no text."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else ""

    def number(self, key: str) -> int:
        """A whole-number field; 0 if it is none."""
        value = self.fields.get(key)
        return value if isinstance(value, int) else 0

    def __str__(self) -> str:
        who = self.text("staff")
        of = f" of {who}" if who else ""
        at = f" at table {self.text('table')}" if self.text("table") else ""
        return f"record {self.seq} ({self.kind}{of}{at})"


class RecordWriter:
    def __init__(self, event: str, signer: Signer | None, stored: Sequence[bytes]) -> None:
        self._event, self._signer = event, signer
        self.after = (len(stored), digest(stored[-1]) if stored else NO_RECORD)
        """Number and hash of the last record."""

    @property
    def key(self) -> str:
        """The public key (hex) for what is written now; empty if records are unsigned."""
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
    """Yield the readable records; ``bad_records`` names the others."""
    for seq, content in enumerate(stored, 1):
        try:
            fields = parse_object(content)
        except DocumentError:
            continue
        yield Record(seq, str(fields.get("kind")), fields)


def keys_named(stored: Sequence[bytes]) -> tuple[str, ...]:
    """The keys (hex) that the records name, each once."""
    return tuple(dict.fromkeys(record.text("key") for record in read_records(stored) if record.kind == BEGUN and record.text("key")))


def bad_records(stored: Sequence[bytes], event: str, trusted: Collection[str] | None = None) -> Iterator[tuple[int, str]]:
    """Yield each bad record (changed, cut out, swapped, or written without the server's key), by its place from 1. ``stored``: the records
    in order. ``event``: their event. ``trusted``: public keys (hex) of the server; None to take those that the records name, which proves
    nothing against a person who wrote all of them again."""
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
    """What is wrong with a record's signature, to follow the record's name; ``key`` is the one that the records name."""
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


_LOG = logging.getLogger(__name__)


class RecordsCopy:
    """The copy beside one store."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._follows = False
        """Whether the file ends where the store's records did, so that new ones may be added."""

    def lost(self, stored: Sequence[bytes], at: datetime) -> tuple[Record, ...]:
        """The staff actions that the copy has and the store lacks; if there are none, the copy continues. Raises StoreError."""
        copied = self._read()
        common = next((seq for seq, (one, other) in enumerate(zip(copied, stored, strict=False)) if one != other), None)
        if common is None:
            common = min(len(copied), len(stored))
        if common == len(copied):
            self._follow(stored[common:])
            return ()
        numbered = {record.seq: record for record in read_records(copied)}
        lost = tuple(record for seq, record in numbered.items() if seq > common and record.kind not in (BEGUN, LINES))
        if not lost or _accepted(stored, copied[-1]):
            self.begin_again(stored, at)
            return ()
        return lost

    def add(self, records: Sequence[bytes]) -> None:
        """Add records that the store has; if the disk refuses them, log it, and add them at the next start."""
        if self._follows:
            try:
                self._follow(records)
            except StoreError as error:
                self._follows = False
                _LOG.error("%s", error)

    def begin_again(self, stored: Sequence[bytes], at: datetime) -> None:
        """Rename the copy, with this time in its name, and copy the store's records again; raises StoreError."""
        try:
            if self._path.exists():
                self._path.replace(self._path.with_name(f"{self._path.name}.{at:%Y%m%dT%H%M%SZ}"))
            write_durably(self._path, b"".join(stored), 0o600)
        except OSError as error:
            raise self._unwritten(error) from error
        self._follows = True

    def last(self) -> str:
        copied = self._read()
        return digest(copied[-1]) if copied else ""

    def _read(self) -> tuple[bytes, ...]:
        """The records; one without its end was not written completely, and is left out."""
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise StoreError(f"{self._path} cannot be read ({error.strerror}): is the folder this user's?") from error
        return tuple(content[: content.rfind(b"\n") + 1].splitlines(keepends=True))

    def _follow(self, records: Sequence[bytes]) -> None:
        try:
            if not self._follows:
                write_durably(self._path, b"".join((*self._read(), *records)), 0o600)
            elif records:
                with self._path.open("ab") as file:
                    file.write(b"".join(records))
        except OSError as error:
            raise self._unwritten(error) from error
        self._follows = True

    def _unwritten(self, error: OSError) -> StoreError:
        return StoreError(f"{self._path} cannot be written ({error.strerror}): make room, or look after the folder")


def _accepted(stored: Sequence[bytes], last: bytes) -> bool:
    """Whether a director has accepted the loss of the records up to this one, and a power cut kept the copy from being renamed."""
    return any(record.kind == RESTORED and record.text("last") == digest(last) for record in read_records(stored))
