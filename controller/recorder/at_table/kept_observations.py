"""File of the signals of the hand in play, beside the table's journal.

After a restart the controller has them all again, so that the hand can be compared with its deal from the beginning. Lines have the form of
the journal's (``controller.ledger.journal_lines``), encrypted under its key if the journal is. Writes are not synced: what a power cut
takes is as if the camera had been silent. The next hand overwrites the file; it is deleted once the hand has been compared.
"""

from __future__ import annotations

import logging
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from controller.ledger.journal_lines import JournalChain
from controller.recorder.observation_file import line_of, signals
from controller.recorder.signals import Signal
from controller.state.sides import OpenDeal
from twinwall.game import typed_json
from twinwall.game.documents import DocumentError

if TYPE_CHECKING:
    from twinwall.wire.line_cipher import LineCipher

KEPT_OBSERVATIONS = "table.observations"
FORMAT = "twinwall-kept-observations-1"

log = logging.getLogger(__name__)


class _KeptHand(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag=FORMAT):
    """The first line: the hand of the observations that follow."""

    n: int
    digest: str


class KeptObservations:
    """The file of one table, safe for several threads. Disk errors are logged and stop nothing."""

    def __init__(self, path: Path, cipher: LineCipher | None) -> None:
        """Without ``cipher`` the lines are in clear, as the journal's are then."""
        self._path, self._cipher = path, cipher
        self._lock = threading.Lock()
        self._file: int | None = None
        self._chain = JournalChain(cipher, FORMAT)
        self._n: int | None = None

    def begin(self, deal: OpenDeal) -> None:
        """Begin a hand; the signals of another one are overwritten."""
        with self._lock:
            self._open(deal.n, JournalChain(self._cipher, FORMAT), 0)
            self._write(msgspec.json.encode(_KeptHand(deal.n, deal.digest)))

    def add(self, signal: Signal) -> None:
        with self._lock:
            self._write(line_of(signal))

    def resume(self, deal: OpenDeal) -> tuple[Signal, ...] | None:
        """Return the kept signals of a hand in order to continue it; None without any. A torn last line is cut off."""
        with self._lock:
            self._close()
            try:
                content = self._path.read_bytes()
            except FileNotFoundError:
                return None
            whole, chain = content[: content.rfind(b"\n") + 1], JournalChain(self._cipher, FORMAT)
            try:
                lines = [chain.read(line) for line in whole.splitlines(keepends=True)]
                found = typed_json.decode(lines[0] if lines else b"", _KeptHand)
                if (found.n, found.digest) != (deal.n, deal.digest):
                    raise ValueError(f"it is of deal {found.n}")
                kept = tuple(signals(lines[1:]))
            except (ValueError, msgspec.DecodeError, DocumentError) as error:
                log.warning("deal %d: %s tells nothing of its hand (after line %d: %s)", deal.n, self._path, len(chain.digests), error)
                return None
            self._open(deal.n, chain, len(whole))
            return kept

    def forget(self, n: int) -> None:
        """Delete the file after the hand of deal ``n`` was compared, unless another hand has begun."""
        with self._lock:
            if self._n == n:
                self._close()
                self._path.unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            self._close()

    def _open(self, n: int, chain: JournalChain, size: int) -> None:
        """Continue after this many bytes of the file."""
        self._close()
        self._n, self._chain = n, chain
        try:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.ftruncate(self._file, size)
        except OSError as error:
            self._give_up(error)

    def _write(self, content: bytes) -> None:
        if self._file is None:
            return
        line = self._chain.write(content)
        try:
            if os.write(self._file, line) != len(line):
                raise OSError("the disk has not taken the whole line")
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """Delete the file: one with a gap would describe another hand."""
        log.warning("deal %s: what the camera sees of its hand is not kept: %s", self._n, error)
        self._close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
