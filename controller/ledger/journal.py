"""The private journal: one JSON line per event, from which a table's state is folded again.

Only this file decides how a line gets on disk. ``append`` hands lines to the operating system, so they survive a killed process; ``sync``
makes them survive a power cut, signs what others act on, and is called before any effect that players rely on leaves the table. The events
of one decision stand together: a line says how many of its decision are ``left``. An incomplete last decision is what a power cut leaves
behind; it is cut off. Damage anywhere else is refused, naming the line. ``controller.ledger.journal_lines`` has the form of a line.

Signed heads of a table's journal: the number and the chain hash of a line, under the table's keys.

The chain alone does not stop a forger who computes it again. A head is signed after each event that others act on, once that event is on
the disk, and lies beside the journal; the latest lies in the table's memory too. At start the journal has to agree with all of them:
an edit, a cut and an older copy are named by line. The boot signing key proves that the running table signed; the identity
key is there for the time after a power cut, when that key is another. A thief of the whole disk has the identity key too: an older
copy of everything is found by the vault (``PublicLedger.compare``).

First lines of a table's journal: the start of its event, and where the journal goes on for a lost one, what that one had reached.

A controller that was lost with its disk is replaced by the order of the staff. The deals that the table had finished stay finished, and
the hand that was in play is annulled: its concealed tiles stood in the lost journal alone.
"""

import fcntl
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from controller.ledger.journal_events import Events, JournalEvent, event_from_json, event_to_json
from controller.ledger.journal_lines import JournalChain, is_encrypted, unusable
from twinwall.game.deals import Start, words_of_code
from twinwall.game.documents import DocumentError, Reading, parse_object
from twinwall.game.play_events import EndReason, HandEnded
from twinwall.game.tiles import SEATS
from twinwall.game.typed_json import Digest, read_as
from twinwall.values import frozen
from twinwall.wire.durable_file import sync_folder, write_whole
from twinwall.wire.events.hand_events import DealReleased, HandClosed, HandStarted
from twinwall.wire.events.wall_events import ControllerStarted, DealOpened, StartFixed, WallRaised, WallReady
from twinwall.wire.messages.head import SignedPosition
from twinwall.wire.messages.ruling import Ruling
from twinwall.wire.messages.signing import Signer, is_signed, open_signed
from twinwall.wire.messages.staff_orders import ReplacementOrder

FORMAT = "twinwall-journal-head-1"
UNDER_BOOT_KEY = "twinwall-journal-head-1-boot"
"""What the signature under the boot signing key is for."""
SIGNED_AT: tuple[type[JournalEvent], ...] = (
    ControllerStarted,
    DealOpened,
    WallReady,
    WallRaised,
    HandStarted,
    HandEnded,
    HandClosed,
    DealReleased,
    Ruling,
)
"""Events after which a head is signed before anything leaves the table."""


class JournalHead(SignedPosition, tag_field="format", tag=FORMAT):
    """The head of a private journal: ``journal`` is the chain hash of its first line."""

    journal: Digest
    signing_key: Digest


@frozen
class HeadKeys:
    """Whose heads they are: event, table, the table's identity key and its boot signing key."""

    event: str
    table: str
    identity: Signer
    boot: Signer

    def write(self, digests: Sequence[str]) -> bytes:
        """The head of a journal whose lines have these chain hashes, as one line."""
        head = JournalHead(digests[0], len(digests), digests[-1], self.boot.public.hex())
        document: dict[str, object] = msgspec.to_builtins(head)
        boot = self.boot.signature(UNDER_BOOT_KEY, self.event, self.table, document)
        return self.identity.sign(FORMAT, self.event, self.table, {**document, "boot": boot})

    def read(self, line: bytes) -> JournalHead:
        """Read a head of this table, of this boot or an earlier one; raises DocumentError."""
        with Reading("is no head of this table's journal"):
            document = open_signed(FORMAT, self.event, self.table, line, {self.table: self.identity.public})
            del document["by"]
            boot = document.pop("boot", None)
            head = read_as(document, JournalHead)
        if not is_signed(bytes.fromhex(head.signing_key), UNDER_BOOT_KEY, self.event, self.table, document, signature=boot):
            raise DocumentError("is not signed under the boot key that it names")
        return head


class JournalHeads:
    """The file of the heads beside a journal, and the latest head in the table's folder in memory."""

    def __init__(self, path: Path, latest: Path, keys: HeadKeys, *, fsync: Callable[[int], None] = os.fsync) -> None:
        """``path`` is on the disk, one head a line; ``latest`` is in memory."""
        self.path, self._latest, self._keys, self._fsync = path, latest, keys, fsync
        self._end: int | None = None

    def check(self, digests: Sequence[str], *, signed: bool) -> None:
        """Compare a journal, whose lines have these chain hashes, with all that was signed; raises DocumentError.

        ``signed``: it tells of what others may not act on before a head is signed. A new journal begins without any head.
        """
        lines = self._lines()
        if not digests and not lines:
            self._latest.unlink(missing_ok=True)
            return
        good = 0
        for number, line in enumerate(lines, 1):
            good = self._agrees(digests, good, line, f"{self.path} line {number}")
        if signed and not lines:
            raise DocumentError(f"cannot be compared with what was signed: {self.path} is missing or empty")
        if self._latest.exists():
            self._agrees(digests, good, self._latest.read_bytes(), str(self._latest))

    def sign(self, digests: Sequence[str]) -> None:
        """Sign where the journal stands; on the disk when this returns. Raises OSError when the disk does not take it."""
        head = self._keys.write(digests)
        if self._end is None:
            self._end = sum(map(len, self._lines()))
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.ftruncate(file, self._end)
            os.lseek(file, self._end, os.SEEK_SET)
            if os.write(file, head) != len(head):
                raise OSError(f"{self.path}: the disk has not taken the whole head")
            self._fsync(file)
        finally:
            os.close(file)
        self._end += len(head)
        write_whole(self._latest, head, 0o600)

    def _lines(self) -> list[bytes]:
        """The whole lines; what follows the last line feed was torn by a power cut, and nothing had left the table for it."""
        if not self.path.exists():
            return []
        return [line + b"\n" for line in self.path.read_bytes().split(b"\n")[:-1]]

    def _agrees(self, digests: Sequence[str], good: int, line: bytes, name: str) -> int:
        """The line that the head covers, when the journal agrees; the lines up to ``good`` agree with an earlier head."""
        try:
            head = self._keys.read(line)
        except DocumentError as error:
            raise DocumentError(f"cannot be compared with what was signed: {name} {error}") from None
        if head.seq > len(digests):
            raise DocumentError(
                f"ends with line {len(digests)}, but {name} says that line {head.seq} was signed: the end was cut off, or an older copy "
                "was put back"
            )
        if digests[head.seq - 1] != head.digest:
            where = f"line {head.seq}" if head.seq == good + 1 else f"a line from {good + 1} to {head.seq}"
            raise DocumentError(f"is not what was signed: {where} was changed, says {name}")
        return max(good, head.seq)


if TYPE_CHECKING:
    from twinwall.wire.line_cipher import LineCipher

_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class JournalError(Exception):
    """A journal on which no table can be run; the message names the file and what to do."""


@frozen
class JournalEntry:
    """One journal line: its number from 1, when it was written (ISO 8601, UTC) and what happened, also as JSON: the ledgers show parts
    of the very text that the journal has."""

    seq: int
    at: str
    event: JournalEvent
    written: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.written:
            object.__setattr__(self, "written", event_to_json(self.event))


class Journal:
    """An append-only file of entries, owned by one controller (mode 0600, locked against a second one)."""

    def __init__(
        self,
        path: Path,
        cipher: "LineCipher | None" = None,
        heads: JournalHeads | None = None,
        *,
        fsync: Callable[[int], None] = os.fsync,
        write: Callable[[int, bytes], int] = os.write,
    ) -> None:
        """Open or make the journal at ``path``; read its entries through ``entries``. Without ``cipher`` it lies in clear, without
        ``heads`` nothing signs it.

        Raises JournalError when another controller has it, when nothing of it can be read (of another version or program, or without
        its key), and when a line that was complete cannot.
        """
        self.path = path
        self._chain = JournalChain(cipher)
        self._encrypted = cipher is not None
        self._heads = heads
        self._fsync, self._write = fsync, write
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            _lock(self._file, path)
            self.entries: tuple[JournalEntry, ...] = tuple(self._read())
        except JournalError:
            os.close(self._file)
            raise
        self._seq = self.entries[-1].seq if self.entries else 0
        os.fchmod(self._file, 0o600)
        self._dirty = self._head_due = False
        fsync(self._file)
        sync_folder(path.parent)

    def append(self, at: str, events: Sequence[JournalEvent]) -> tuple[JournalEntry, ...]:
        """Write the events of one decision as the next lines; they are on disk for certain only after ``sync``."""
        entries = tuple(JournalEntry(self._seq + number, at, event) for number, event in enumerate(events, 1))
        if entries:
            lines = [self._chain.write(_content(entry, len(entries) - number)) for number, entry in enumerate(entries, 1)]
            self._write_all(b"".join(lines))
            self._seq = entries[-1].seq
            self._dirty = True
            self._head_due = self._head_due or any(isinstance(event, SIGNED_AT) for event in events)
        return entries

    def sync(self) -> None:
        """Wait until everything appended is on disk, and sign where the journal stands after what others act on; costs nothing when
        nothing is outstanding."""
        if self._dirty:
            self._fsync(self._file)
            self._dirty = False
        if self._head_due:
            self._sign()

    def close(self) -> None:
        """Sync, sign the end and let go of the file."""
        self._head_due = self._head_due or self._dirty
        self.sync()
        os.close(self._file)

    def _write_all(self, content: bytes) -> None:
        """os.write may write less than it was given; a journal line must not stop half-way."""
        while content:
            content = content[self._write(self._file, content) :]

    def _sign(self) -> None:
        if self._heads is not None:
            self._heads.sign(self._chain.digests)
        self._head_due = False

    def _read(self) -> list[JournalEntry]:
        """All whole decisions; what follows the last one is cut off the file, unless a head covers it."""
        content = self.path.read_bytes()
        self._refuse_unusable(content)
        entries: list[JournalEntry] = []
        whole = size = decided = 0
        for line in _whole_lines(content):
            entry, left = self._entry(len(entries) + 1, line)
            entries.append(entry)
            size += len(line)
            if not left:
                whole, decided = size, len(entries)
        self._compare_with_heads([entry.event for entry in entries[:decided]])
        if whole < len(content):
            os.ftruncate(self._file, whole)
            self._chain.back_to(decided)
        return entries[:decided]

    def _compare_with_heads(self, events: Sequence[JournalEvent]) -> None:
        if self._heads is None:
            return
        try:
            acted_upon = any(isinstance(event, SIGNED_AT) and not isinstance(event, ControllerStarted) for event in events)
            self._heads.check(self._chain.digests[: len(events)], signed=acted_upon)
        except DocumentError as error:
            raise JournalError(
                f"{self.path} {error}; keep this folder for the referee and put the whole journal back, or start the table with an "
                "empty one"
            ) from error

    def _refuse_unusable(self, content: bytes) -> None:
        if (why := unusable(content)) is not None:
            raise JournalError(f"{self.path} {why}")
        if is_encrypted(content) and not self._encrypted:
            raise JournalError(
                f"{self.path} is encrypted: its key is in the folder that the table's settings name under [custody] memory, and this "
                "program was not given it"
            )

    def _entry(self, number: int, line: bytes) -> tuple[JournalEntry, int]:
        """A line's entry, and how many lines of its decision follow."""
        try:
            written = parse_object(self._chain.read(line))
            seq, at, left = written.pop("seq"), written.pop("at"), written.pop("left", 0)
            if seq != number or not isinstance(at, str) or not isinstance(left, int):
                raise ValueError(f"number {seq} stands where {number} is due")
            return JournalEntry(number, at, event_from_json(written), written), left
        except (ValueError, KeyError, TypeError) as error:
            raise JournalError(
                f"{self.path} line {number} is damaged ({error}); put back a good copy, or start the table with an empty ledger folder"
            ) from error


def _whole_lines(content: bytes) -> list[bytes]:
    """The lines that end with a line feed."""
    return [line + b"\n" for line in content.split(b"\n")[:-1]]


def _lock(file: int, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise JournalError(f"{path} is in use by another controller: stop that one first, or give this table a folder of its own") from None


def _content(entry: JournalEntry, left: int) -> bytes:
    written = {"seq": entry.seq, "at": entry.at} | ({"left": left} if left else {}) | dict(entry.written)
    return _WRITER.encode(written).encode()


MOST_FIRST_LINES = 4
"""A controller's first start stands within this many lines of its journal."""


@frozen
class LostJournal:
    """The journal of a controller that was lost with its disk, as the staff's order says; ``signed`` is that order as it came."""

    order: ReplacementOrder
    signed: bytes


def journal_id(journal: Journal, fresh: str) -> str:
    """The id under which a journal is published: its own from the first start of a controller, or ``fresh`` for a new one."""
    started = (entry.event for entry in journal.entries[:MOST_FIRST_LINES] if isinstance(entry.event, ControllerStarted))
    return next((event.journal for event in started), fresh)


def first_lines(journal: Journal, start: Start, lost: LostJournal | None = None) -> Events:
    """What a new journal begins with, nothing for one that has begun. The hand that a ``lost`` journal had in play is annulled.

    Raises JournalError for a journal of another start: an event has one, or a holder of the seeds could choose its deals.
    """
    if not journal.entries:
        if lost is None:
            return (StartFixed(start.code.hex()),)
        order = lost.order
        goes_on = StartFixed(start.code.hex(), lost.signed.decode(), order.finished)
        return (goes_on, HandEnded(EndReason.ANNULLED, dict.fromkeys(SEATS, 0)), HandClosed(order.n)) if order.n else (goes_on,)
    first = journal.entries[0].event
    if not isinstance(first, StartFixed):
        raise JournalError(f"{journal.path} does not begin with the start of its event: start the table with an empty ledger folder")
    if first.code != start.code.hex():
        raise JournalError(
            f"{journal.path} is of the start {words_of_code(bytes.fromhex(first.code))}, the settings name the start {start.words}: "
            "an event has one start; name the first one, or an empty ledger folder for another event"
        )
    return ()
