"""Signed heads of a table's journal: the number and the chain hash of a line, under the table's keys.

The chain alone does not stop a forger who recomputes it. A head is signed after each event that others act on, once that event is on disk.
The heads are beside the journal, the latest also in the table's memory. At start the journal must agree with all of them: an edit, a cut
and an older copy are reported by line. The boot signing key proves that the running table signed; the identity key is for the time after a
power cut, with a new boot key. A thief of the whole disk has the identity key too: the vault finds an older copy of everything
(``PublicLedger.compare``).
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from controller.ledger.journal_events import JournalEvent
from controller.ledger.journal_lines import whole_lines
from twinwall.game.documents import DocumentError, Reading
from twinwall.game.play_events import HandEnded
from twinwall.game.typed_json import Digest, read_as
from twinwall.values import frozen
from twinwall.wire.durable_file import write_whole
from twinwall.wire.events.hand_events import DealReleased, HandClosed, HandStarted
from twinwall.wire.events.wall_events import ControllerStarted, DealOpened, WallRaised, WallReady
from twinwall.wire.messages.boot_keys import SignedPosition
from twinwall.wire.messages.ruling import Ruling
from twinwall.wire.messages.signing import Signer, is_signed, open_signed

FORMAT = "twinwall-journal-head-1"
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


class JournalHead(SignedPosition, tag_field="format", tag=FORMAT):
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
