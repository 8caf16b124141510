"""The private journal: one JSON line per event, read again after a crash (``Journal._read``), from which a table's state is folded.

Only this file decides how a line gets on disk. ``append`` gives lines to the operating system, so they survive a killed process. ``sync``
makes them survive a power cut and signs what others act on; it is called before any effect that players rely on leaves the table. The
events of a decision are together: each line says how many are ``left``. A power cut can leave an incomplete last decision, which is cut
off. Any other damage is refused, naming the line. ``controller.ledger.journal_lines`` has the form of a line.

A head is the signed number and chain hash of a line, since the chain alone does not stop a forger who recomputes it. The heads are beside
the journal, the latest also in the table's memory; at start the journal must agree with all of them. The boot signing key proves that the
running table signed; the identity key is for the time after a power cut, with a new boot key. A thief of the whole disk has the identity
key too: the vault finds an older copy of everything (``PublicLedger.compare``).
"""

import fcntl
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from controller.ledger.journal_events import JournalEvent, event_from_json, event_to_json
from controller.ledger.journal_lines import JournalChain, is_encrypted, unusable, whole_lines
from twinwall.game.documents import DocumentError, Reading, parse_object
from twinwall.game.play_events import HandEnded
from twinwall.game.typed_json import Digest, read_as
from twinwall.values import frozen
from twinwall.wire.durable_file import sync_folder, write_whole
from twinwall.wire.events.hand_events import DealReleased, HandClosed, HandStarted
from twinwall.wire.events.wall_events import ControllerStarted, DealOpened, WallRaised, WallReady
from twinwall.wire.messages.boot_keys import SignedPosition
from twinwall.wire.messages.ruling import Ruling
from twinwall.wire.messages.signing import Signer, is_signed, open_signed

HEAD_FORMAT = "twinwall-journal-head-1"
UNDER_BOOT_KEY = "twinwall-journal-head-1-boot"
"""The purpose that the signature under the boot signing key covers."""
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


class JournalHead(SignedPosition, tag_field="format", tag=HEAD_FORMAT):
    """The head of a private journal: ``journal`` is the chain hash of its first line."""

    journal: Digest
    signing_key: Digest


@frozen
class HeadKeys:
    """Signs and reads heads: event, table, the table's identity key and its boot signing key."""

    event: str
    table: str
    identity: Signer
    boot: Signer

    def write(self, digests: Sequence[str]) -> bytes:
        head = JournalHead(digests[0], len(digests), digests[-1], self.boot.public.hex())
        document: dict[str, object] = msgspec.to_builtins(head)
        boot = self.boot.signature(UNDER_BOOT_KEY, self.event, self.table, document)
        return self.identity.sign(HEAD_FORMAT, self.event, self.table, {**document, "boot": boot})

    def read(self, line: bytes) -> JournalHead:
        """Read a head of this table, of this boot or an earlier one; raises DocumentError."""
        with Reading("is no head of this table's journal"):
            document = open_signed(HEAD_FORMAT, self.event, self.table, line, {self.table: self.identity.public})
            del document["by"]
            boot = document.pop("boot", None)
            head = read_as(document, JournalHead)
        if not is_signed(bytes.fromhex(head.signing_key), UNDER_BOOT_KEY, self.event, self.table, document, signature=boot):
            raise DocumentError("is not signed under the boot key that it names")
        return head


class JournalHeads:
    """The file of the heads beside a journal, and the latest head in the table's folder in memory."""

    def __init__(self, path: Path, latest: Path, keys: HeadKeys, *, fsync: Callable[[int], None] = os.fsync) -> None:
        """``path`` is on disk, with one head per line; ``latest`` is in memory."""
        self.path, self._latest, self._keys, self._fsync = path, latest, keys, fsync
        self._end: int | None = None

    def check(self, digests: Sequence[str], *, signed: bool) -> None:
        """Compare a journal with these chain hashes with all signed heads; raises DocumentError.

        ``signed``: it has events that others act on, so there must be a head. A new journal has none.
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
        """Sign the journal's end; on disk on return. Raises OSError if the disk refuses."""
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
        """The whole lines; a power cut tore what follows the last line feed, and nothing had left the table for it."""
        return whole_lines(self.path.read_bytes()) if self.path.exists() else []

    def _agrees(self, digests: Sequence[str], good: int, line: bytes, name: str) -> int:
        """The line that the head covers, if the journal agrees; the lines up to ``good`` agree with an earlier head."""
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
    """An unusable journal, or a public ledger that differs from it; the message names the file and says what to do."""


@frozen
class JournalEntry:
    """One journal line: its number from 1, when it was written (ISO 8601, UTC) and its event, also as JSON, because the ledgers show parts
    of the journal's text."""

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
        """Open or create the journal at ``path`` and read its entries. Without ``cipher`` it is in clear text, without ``heads`` unsigned.

        Raises JournalError if another controller has it, if it cannot be read at all (another version or program, or a missing key), and
        for a complete line that cannot be read.
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
        """Write the events of one decision as the next lines; only ``sync`` makes them durable."""
        entries = tuple(JournalEntry(self._seq + number, at, event) for number, event in enumerate(events, 1))
        if entries:
            lines = [self._chain.write(_content(entry, len(entries) - number)) for number, entry in enumerate(entries, 1)]
            self._write_all(b"".join(lines))
            self._seq = entries[-1].seq
            self._dirty = True
            self._head_due = self._head_due or any(isinstance(event, SIGNED_AT) for event in events)
        return entries

    def sync(self) -> None:
        """Wait until everything appended is on disk; sign the end after what others act on. Free if nothing is outstanding."""
        if self._dirty:
            self._fsync(self._file)
            self._dirty = False
        if self._head_due:
            self._sign()

    def close(self) -> None:
        self._head_due = self._head_due or self._dirty
        self.sync()
        os.close(self._file)
        self._file = -1

    def _write_all(self, content: bytes) -> None:
        """Write all bytes: os.write may write fewer, and a journal line must be complete."""
        while content:
            content = content[self._write(self._file, content) :]

    def _sign(self) -> None:
        if self._heads is not None:
            self._heads.sign(self._chain.digests)
        self._head_due = False

    def _read(self) -> list[JournalEntry]:
        """All whole decisions; the rest is cut off the file, unless a head covers it."""
        content = self.path.read_bytes()
        if (why := unusable(content)) is not None:
            raise JournalError(f"{self.path} {why}")
        if is_encrypted(content) and not self._encrypted:
            raise JournalError(
                f"{self.path} is encrypted: its key is in the folder that the table's settings name under [custody] memory, and this "
                "program was not given it"
            )
        entries: list[JournalEntry] = []
        whole = size = decided = 0
        for line in whole_lines(content):
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

    def _entry(self, number: int, line: bytes) -> tuple[JournalEntry, int]:
        """A line's entry, and the number of further lines of its decision."""
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


def _lock(file: int, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise JournalError(f"{path} is in use by another controller: stop that one first, or give this table a folder of its own") from None


def _content(entry: JournalEntry, left: int) -> bytes:
    written = {"seq": entry.seq, "at": entry.at} | ({"left": left} if left else {}) | dict(entry.written)
    return _WRITER.encode(written).encode()
