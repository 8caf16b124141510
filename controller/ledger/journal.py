"""The private journal: one JSON line per event, read again after a crash (``Journal._read``), from which a table's state is folded.

Only this file decides how a line gets on disk. ``append`` gives lines to the operating system, so they survive a killed process. ``sync``
makes them survive a power cut and signs what others act on; it is called before any effect that players rely on leaves the table. The
events of a decision are together: each line says how many are ``left``. A power cut can leave an incomplete last decision, which is cut
off. Any other damage is refused, naming the line. ``controller.ledger.journal_lines`` has the form of a line.
"""

import fcntl
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from controller.ledger.journal_events import JournalEvent, event_from_json, event_to_json
from controller.ledger.journal_heads import SIGNED_AT, JournalHeads
from controller.ledger.journal_lines import JournalChain, is_encrypted, unusable, whole_lines
from twinwall.game.documents import DocumentError, parse_object
from twinwall.values import frozen
from twinwall.wire.durable_file import sync_folder
from twinwall.wire.events.wall_events import ControllerStarted

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
