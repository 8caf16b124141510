"""The public ledgers: a pure function of the journal, checked against the disk at every start."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.ledger.journal import JournalEntry
from controller.ledger.journal_events import JournalEvent, TileRead
from controller.ledger.public import LedgerDamagedError, PublicLedger, open_ledger, table_ledger
from tests.support.controller.rigs import opened
from tests.support.game.tables import random_walls
from twinwall.game.play_events import TileDiscarded, TileDrawn
from twinwall.game.tiles import Seat, Tile
from twinwall.wire.events.trouble_events import TableFault
from twinwall.wire.events.wall_events import ControllerStarted, DealOpened, DealRefused, WallReady
from twinwall.wire.ledger import parse, verify_chain

DEAL = opened(random_walls(1))
EVENTS: tuple[JournalEvent, ...] = (
    ControllerStarted("j", "0.1.0", False, 1),
    DealOpened(1, 1, 1, "mcr-duplicate", DEAL.check, DEAL.walls, DEAL.digest),
    TileRead(Tile.M1, 0.99, ""),
    WallReady(1, DEAL.check, DEAL.digest),
    TileDrawn(Seat.EAST),
    TileDiscarded(Seat.EAST, Tile.P9),
    TableFault("lid", "drum", "The lid is open: close it"),
    TableFault("extra-tile", "reject cell", "A fifth 7p lies in the reject cell", (Tile.P7,)),
    DealRefused(2, "seal", "Deal 2 from the vault must not be played"),
)
ENTRIES = tuple(JournalEntry(number, f"2026-11-20T10:00:{number + 10}.123Z", event) for number, event in enumerate(EVENTS, 1))


@pytest.fixture(params=[table_ledger, open_ledger], ids=["table", "open"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PublicLedger]:
    ledger: PublicLedger = request.param(tmp_path, "1", "j")
    ledger.catch_up(ENTRIES)
    yield ledger
    ledger.close()


def again(ledger: PublicLedger) -> PublicLedger:
    """The same ledger opened by the next controller."""
    make = table_ledger if ledger.path.name == "events.jsonl" else open_ledger
    later = make(ledger.path.parent, "1", "j")
    later.catch_up(ENTRIES)
    later.close()
    return later


def test_its_lines_chain_and_stand_on_disk_as_they_are(ledger: PublicLedger) -> None:
    assert verify_chain(ledger.lines) is None
    assert ledger.path.read_bytes() == b"".join(ledger.lines)


def test_growing_line_by_line_gives_what_a_fresh_start_gives(tmp_path: Path) -> None:
    (tmp_path / "slow").mkdir()
    slow, quick = table_ledger(tmp_path / "slow", "1", "j"), table_ledger(tmp_path, "1", "j")
    slow.catch_up(())
    for entry in ENTRIES:
        slow.append((entry,))
    quick.catch_up(ENTRIES)
    slow.close()
    quick.close()
    assert slow.lines == quick.lines
    assert slow.path.read_bytes() == quick.path.read_bytes()


def test_no_concealed_field_and_no_private_event_is_in_it(ledger: PublicLedger) -> None:
    text = b"".join(ledger.lines)
    assert DEAL.digest.encode() not in text
    assert b"walls" not in text
    assert b"tile-read" not in text


def test_the_open_ledger_has_no_play_and_times_to_ten_seconds(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path, "1", "j")
    ledger.catch_up(ENTRIES)
    ledger.close()
    events = [parse(line) for line in ledger.lines]
    assert [event.type for event in events] == ["controller-started", "deal-opened", "wall-ready", "deal-refused"]
    assert [event.seq for event in events] == [1, 2, 3, 4]
    assert all(event.at.second % 10 == 0 and event.at.microsecond == 0 for event in events)
    assert "sentence" not in events[-1].fields


def test_missing_and_torn_lines_at_the_end_are_written_again(ledger: PublicLedger) -> None:
    whole = ledger.path.read_bytes()
    for kept in range(0, len(whole), 97):
        ledger.path.write_bytes(whole[:kept])
        assert again(ledger).lines == ledger.lines
        assert ledger.path.read_bytes() == whole


def test_a_lost_file_is_written_again(ledger: PublicLedger) -> None:
    whole = ledger.path.read_bytes()
    ledger.path.unlink()
    again(ledger)
    assert ledger.path.read_bytes() == whole


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_line_that_differs_from_the_journal_is_refused_by_number_and_left_as_it_is(ledger: PublicLedger, number: int) -> None:
    lines = list(ledger.lines)
    lines[number - 1] = lines[number - 1].replace(b'"table":"1"', b'"table":"2"')
    ledger.path.write_bytes(b"".join(lines))
    with pytest.raises(LedgerDamagedError, match=rf"{ledger.path.name} line {number} is not what the journal says"):
        again(ledger)
    assert ledger.path.read_bytes() == b"".join(lines)


def test_a_line_too_many_is_refused(ledger: PublicLedger) -> None:
    with ledger.path.open("ab") as file:
        file.write(ledger.lines[-1])
    with pytest.raises(LedgerDamagedError, match=f"has {len(ledger.lines) + 1} lines, but the journal tells of {len(ledger.lines)}"):
        again(ledger)
