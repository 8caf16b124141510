"""A table's disk and memory for tests of its journal, and what somebody can do to a copy of the disk."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from controller.ledger.journal import Journal
from controller.ledger.journal_events import JournalEvent
from controller.ledger.journal_heads import HeadKeys, JournalHeads
from controller.ledger.journal_lines import FORMAT
from tests.support.custody.hall import EVENT, PLAN, PUBLIC, ROOT, SEEDS
from twinwall.game.deals import Deal, make_deal
from twinwall.wire.events.hand_events import HandClosed
from twinwall.wire.events.wall_events import ControllerStarted, DealOpened, WallReady
from twinwall.wire.line_cipher import LineCipher
from twinwall.wire.messages.signing import Signer

AT = "2026-11-20T10:00:00.000Z"
IDENTITY = Signer("1", b"\x11" * 32)


def deal(n: int) -> Deal:
    """A deal of the tests' event."""
    return make_deal(PLAN, SEEDS, n, PUBLIC, ROOT)


def decisions(n: int) -> tuple[tuple[JournalEvent, ...], ...]:
    """What a journal says of one deal, in short: its walls, that they stand, and that the hand is over."""
    one = deal(n)
    opened = DealOpened(one.n, one.session, one.hand, "mcr-duplicate", one.check.hex(), one.walls, one.digest.hex())
    return (opened,), (WallReady(n, one.check.hex(), one.digest.hex()),), (HandClosed(n),)


class TableDisk:
    """``disk`` outlasts a power cut, ``memory`` does not; ``encrypted`` and ``signed`` False take a defence away."""

    def __init__(self, folder: Path, *, encrypted: bool = True, signed: bool = True) -> None:
        self.disk, self.memory = folder / "disk", folder / "memory"
        self.disk.mkdir()
        self.memory.mkdir()
        self.encrypted, self.signed = encrypted, signed
        self.boot = 1
        self._random = 0

    @property
    def path(self) -> Path:
        """The journal."""
        return self.disk / "table.journal"

    @property
    def heads(self) -> Path:
        """Its signed heads."""
        return self.disk / "table.journal.heads"

    @property
    def lines(self) -> list[bytes]:
        """The journal's lines."""
        return self.path.read_bytes().splitlines(keepends=True)

    def fresh(self, size: int) -> bytes:
        self._random += 1
        return self._random.to_bytes(size)

    def journal(self) -> Journal:
        """Open it, as the table does at start."""
        keys = HeadKeys(EVENT, "1", IDENTITY, Signer("1", bytes([self.boot]) * 32))
        heads = JournalHeads(self.heads, self.memory / "journal.head", keys, fsync=_no_wait) if self.signed else None
        return Journal(self.path, LineCipher(b"\x07" * 32, self.fresh) if self.encrypted else None, heads, fsync=_no_wait)

    def play(self, *deals: int) -> None:
        """Start, play these deals, and be killed."""
        journal = self.journal()
        started = ControllerStarted("j", "0.1.0", bool(journal.entries), 1)
        for events in ((started,), *(events for n in deals for events in decisions(n))):
            journal.append(AT, events)
            journal.sync()
        journal.close()

    def cut_power(self) -> None:
        """What was in memory is gone; the next start has other boot keys."""
        shutil.rmtree(self.memory)
        self.memory.mkdir()
        self.boot += 1

    def copy(self, to: Path) -> Path:
        """A copy of the disk."""
        shutil.copytree(self.disk, to)
        return to

    def put_back(self, copy: Path) -> None:
        """The disk as it was when it was copied."""
        shutil.rmtree(self.disk)
        shutil.copytree(copy, self.disk)


def chained_again(bodies: Iterable[bytes]) -> bytes:
    """Lines with these bodies, each with the hash that whoever knows the form computes."""
    last, written = hashlib.sha256(FORMAT.encode()).digest(), b""
    for body in bodies:
        last = hashlib.sha256(last + body).digest()
        written += body[:-1] + b',"chain":"' + last.hex().encode() + b'"}\n'
    return written


def bodies(lines: Sequence[bytes]) -> list[bytes]:
    """The lines without their hashes."""
    return [line[: line.rindex(b',"chain":')] + b"}" for line in lines]


def said(line: bytes) -> dict[str, object]:
    """A line in clear, read."""
    read: dict[str, object] = json.loads(line)
    return read


def _no_wait(file: int) -> None:
    """A disk that is as quick as a test."""
