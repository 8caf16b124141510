"""Hands at a table whose controller is killed (SIGKILL) at a write of its journal, and of which another controller plays the rest.

A hand is played once undisturbed, and once more with a fork at each write. The fork has a copy of the table's folder, and the world:
feeder, mat, players. From it a second process is forked, the controller that dies: it writes nothing of the decision, half of one of
its lines, some of its lines or all of them, and sends itself SIGKILL. Then a new controller starts on the journal in the copy, the
players go on, and what is recorded in the end is compared with the undisturbed hand. The disk is a real one; nothing waits for it,
since a killed process loses nothing that the operating system has.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from controller.core.apply import apply
from controller.ledger.journal import Journal, JournalEntry
from controller.state.sides import Playing, PlayStage
from controller.state.table_state import TableState
from tests.support.controller.rigs import Rig
from twinwall.game.record import HandRecord
from twinwall.wire.ledger import HEADER_KEYS

MakeTable = Callable[[Path], Rig]
"""Makes a table in a folder, with people who will play its hand."""
OF_RESTARTS = frozenset({"controller-started"})
"""Public events that tell of a start and of nothing in the hand."""
OF_A_LINE = frozenset(HEADER_KEYS) - {"type"}
"""What differs from line to line, whatever happened."""
NOT_OF_THE_HAND = frozenset({"surveyed"})
"""What the fold says of the link to the feeder: whether the magazines have been compared since it was last lost."""
_OF_THE_HAND = tuple(name for name in Playing.__struct_fields__ if name not in NOT_OF_THE_HAND)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What there is of a hand in the end: its record, the table's public events, and the fold of the journal."""

    record: HandRecord
    public: tuple[Mapping[str, object], ...]
    playing: Playing

    def differs_from(self, due: Recorded) -> str:
        """What is not as it is due; nothing when all is."""
        for mine, other in zip(self.record.events, due.record.events, strict=False):
            if mine != other:
                return f"{mine} is recorded where {other} is due"
        if self.record != due.record:
            return "the record differs"
        for line, due_line in zip(self.public, due.public, strict=False):
            if line != due_line:
                return f"{line} is public where {due_line} is due"
        if self.public != due.public:
            return f"{len(self.public)} public events where {len(due.public)} are due"
        folds = [name for name in _OF_THE_HAND if getattr(self.playing, name) != getattr(due.playing, name)]
        return f"the journal's fold differs in {', '.join(folds)}" if folds else ""


@dataclass(frozen=True, slots=True)
class Kill:
    """One death: at which write of the hand, from 1, after how many of its bytes, whether that tore a line, and what was different in
    the end."""

    write: int
    written: int
    of: int
    torn: bool
    difference: str


@dataclass(slots=True)
class KilledHand:
    """A hand that was played with such deaths."""

    writes: int = 0
    kills: list[Kill] = field(default_factory=list)

    @property
    def different(self) -> list[Kill]:
        return [kill for kill in self.kills if kill.difference]


def undisturbed(make_table: MakeTable, folder: Path) -> tuple[Recorded, int]:
    """A hand played in a new folder, and how many writes its journal took."""
    rig, writes = _table(make_table, folder), 0

    def write(file: int, content: bytes) -> int:
        nonlocal writes
        writes += 1
        return os.write(file, content)

    rig.write = write
    _start_again(rig)
    return _played(rig), writes


def killed(
    make_table: MakeTable, folder: Path, due: Recorded, writes: Container[int], meanwhile: Callable[[Path], None] = lambda _: None
) -> KilledHand:
    """The same hand in another new folder, killed at every cut of each of these writes; ``due`` is what has to be recorded.

    ``meanwhile`` may change the killed controller's folder before the new one starts.
    """
    rig, hand = _table(make_table, folder), KilledHand()

    def write(file: int, content: bytes) -> int:
        hand.writes += 1
        for cut in _cuts(content) if hand.writes in writes else ():
            death = _Death(rig, folder.with_name(f"{folder.name}-killed"), file, content, cut, meanwhile)
            torn = cut > 0 and not content[:cut].endswith(b"\n")
            hand.kills.append(Kill(hand.writes, cut, len(content), torn, _in_fork(partial(death.happens, due))))
        return os.write(file, content)

    rig.write = write
    _start_again(rig)
    difference = _played(rig).differs_from(due)
    assert not difference, f"the hand is not played twice alike: {difference}"
    return hand


@dataclass(frozen=True, slots=True)
class _Death:
    """The end of the controller of a rig at a write; all of it happens in a fork of the process that goes on."""

    rig: Rig
    folder: Path
    file: int
    content: bytes
    cut: int
    meanwhile: Callable[[Path], None]

    def happens(self, due: Recorded) -> str:
        """Die, start again, play the hand to its end, and say what is different from what is due."""
        before = self.rig.entries()
        shutil.copytree(self.rig.folder, self.folder)
        try:
            self.rig.move_to(self.folder)
            self._die()
            self.meanwhile(self.folder)
            self.rig.write = os.write
            self.rig.die(power_cut=False)
            return self._read_wrongly(before) or _played(self.rig).differs_from(due)
        finally:
            shutil.rmtree(self.folder)

    def _die(self) -> None:
        """Another process writes to the journal in the folder and kills itself there."""
        journal = os.open(self.folder / "table.journal", os.O_RDWR | os.O_APPEND)
        os.dup2(journal, self.file)
        os.close(journal)
        size = os.fstat(self.file).st_size
        victim = os.fork()
        if victim == 0:
            try:
                os.write(self.file, self.content[: self.cut])
                os.kill(os.getpid(), signal.SIGKILL)
            finally:
                os._exit(1)
        _, status = os.waitpid(victim, 0)
        assert os.WIFSIGNALED(status), "the controller was not killed"
        assert os.WTERMSIG(status) == signal.SIGKILL
        assert os.fstat(self.file).st_size == size + self.cut

    def _read_wrongly(self, before: tuple[JournalEntry, ...]) -> str:
        """A decision counts when all of it was written, and every one before it counts."""
        read = self.rig.journal.entries
        lines = len(before) + (self.content.count(b"\n") if self.cut == len(self.content) else 0)
        if len(read) != lines:
            return f"the new controller has read {len(read)} lines of the journal where {lines} were written"
        return "" if read[: len(before)] == before else "the new controller has read other lines than were written"


def _table(make_table: MakeTable, folder: Path) -> Rig:
    folder.mkdir()
    return make_table(folder)


def _start_again(rig: Rig) -> None:
    rig.stop()
    rig.start()


def _played(rig: Rig) -> Recorded:
    """Play the hand to its end, and put the controller away."""
    rig.run(lambda: rig.state.playing.stage is PlayStage.CLOSED)
    rig.confirm()
    rig.settle()
    rig.stop()
    journal, state = Journal(rig.folder / "table.journal", fsync=lambda _: None), TableState()
    for entry in journal.entries:
        state = apply(rig.setup, state, entry.event)
    journal.close()
    lines = (json.loads(line) for line in rig.ledgers[0].lines)
    public = tuple({key: line[key] for key in line.keys() - OF_A_LINE} for line in lines if line["type"] not in OF_RESTARTS)
    return Recorded(rig.record(rig.deal.hand), public, state.playing)


def _cuts(content: bytes) -> Iterator[int]:
    """How many bytes are written before each death: none, half of each line, each line whole."""
    at = 0
    yield at
    for line in content.splitlines(keepends=True):
        yield at + len(line) // 2
        at += len(line)
        yield at


def _in_fork(work: Callable[[], str]) -> str:
    """What the work says in a process of its own, which ends with it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            gc.disable()  # it would touch, and so copy, every page that the processes share
            outcome = _outcome(work)
            os.write(writing, outcome.encode()[:4000])
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        outcome = pipe.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    return outcome[1:] if outcome.startswith("=") else f"the process ended with status {status}: {outcome}"


def _outcome(work: Callable[[], str]) -> str:
    try:
        return "=" + work()
    except Exception as error:
        return f"={type(error).__name__}: {error}"
