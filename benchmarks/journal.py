"""Cost of a journal line: ``python -m benchmarks.journal [--lines N] [--json]``.

Processor time of appending decisions of two lines, as builds and play write them, without waiting for the disk: in clear and chained, and
encrypted. Then that of signing a head, and of a start on the journal of a table that has played (reading, and folding into its state), for
2,000 events. A hand has about 1,460 lines and seven heads (``twinwall demo
--fast --headless --tables 1 --hands 1 --seed 1 --json``, counted in its journal).
"""

import secrets
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.support.measuring import run_measure
from controller.core.apply import apply
from controller.ledger.journal import HeadKeys, Journal, JournalHeads
from controller.ledger.journal_events import FeederEventTaken, JournalEvent, OperationDone, TileArrived, TileRead
from controller.state.table_state import TableState
from tests.support.controller.kept_journals import rig_of, write_table
from twinwall.game.tiles import Tile
from twinwall.wire.line_cipher import LINE_KEY_SIZE, LineCipher
from twinwall.wire.messages.signing import Signer
from vision.reading import Candidate

AT = "2026-11-20T10:00:00.000Z"
LINES_OF_A_HAND, HEADS_OF_A_HAND = 1460, 7
STARTED_EVENTS = 2000
OTHERS = tuple(Candidate(tile, 0.0003) for tile in (Tile.M5, Tile.P5, Tile.S5))
DECISIONS: tuple[tuple[JournalEvent, ...], ...] = (
    (TileArrived(17, 0), FeederEventTaken(17)),
    (TileRead(Tile.M4, 0.9975, "", OTHERS, OTHERS), OperationDone(4711, "ok")),
)
HEADS = 200
ROUNDS = 5
"""The least of these rounds counts: other work of the computer only adds."""


def measure(lines: int = 8_000) -> dict[str, float]:
    """Return the least of some rounds over ``lines`` lines."""
    rounds = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory(prefix="twinwall-journal-") as made:
            rounds.append(measured(Path(made), lines))
    report = {part: round(min(one[part] for one in rounds), 1) for part in rounds[0]}
    report["start_on_2000_events_ms"] = round(report.pop("start_us") * STARTED_EVENTS / 1000, 1)
    added_us = (report["append_encrypted_us"] - report["append_clear_us"]) * LINES_OF_A_HAND + report["sign_head_us"] * HEADS_OF_A_HAND
    report["added_ms_a_hand"] = round(added_us / 1000, 1)
    return report


def measured(folder: Path, lines: int) -> dict[str, float]:
    """Return microseconds of processor time for each part."""
    cipher = LineCipher(secrets.token_bytes(LINE_KEY_SIZE), secrets.token_bytes)
    keys = HeadKeys("Benchmark", "1", Signer("1", secrets.token_bytes(32)), Signer("1", secrets.token_bytes(32)))
    clear_us = appended_us(Journal(folder / "clear", fsync=_no_wait), lines)
    encrypted_us = appended_us(Journal(folder / "encrypted", cipher, fsync=_no_wait), lines)
    heads = JournalHeads(folder / "heads", folder / "head", keys, fsync=_no_wait)
    digests = ["ab" * 32]

    def sign() -> None:
        for _ in range(HEADS):
            heads.sign(digests)

    return {
        "append_clear_us": clear_us,
        "append_encrypted_us": encrypted_us,
        "sign_head_us": processor_us(sign) / HEADS,
        "start_us": start_us(folder / "table"),
    }


def appended_us(journal: Journal, lines: int) -> float:
    """Return processor time a line of appending."""

    def append() -> None:
        for number in range(lines // 2):
            journal.append(AT, DECISIONS[number % len(DECISIONS)])

    spent_us = processor_us(append)
    journal.close()
    return spent_us / lines


def start_us(folder: Path) -> float:
    """Return processor time an event of a start, on the journal of a table that has played one hand and part of the next."""
    folder.mkdir()
    write_table(folder)
    rig = rig_of(folder)
    rig.stop()
    folded: list[TableState] = []

    def start() -> None:
        journal, state = Journal(folder / "table.journal", fsync=_no_wait), TableState()
        for entry in journal.entries:
            state = apply(rig.setup, state, entry.event)
        folded.append(state)
        journal.close()

    spent_us = processor_us(start)
    assert folded[0].playing == rig.state.playing
    return spent_us / len(Journal(folder / "table.journal", fsync=_no_wait).entries)


def processor_us(work: Callable[[], object]) -> float:
    """Return this process's processor time for ``work``."""
    before_ns = time.process_time_ns()
    work()
    return (time.process_time_ns() - before_ns) / 1000


def _no_wait(file: int) -> None:
    """The disk's time is not the processor's."""


if __name__ == "__main__":
    run_measure(measure)
