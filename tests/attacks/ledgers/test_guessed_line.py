"""Attack: whoever knows the hash of a ledger's line, and that of the line before, tries what the line may say.

Hashes of lines leave the table before the deal is released: the vault's files name lines, and a table's page quotes hashes of lines that
contradict each other. A discard is one of 34 kinds and happened within some seconds.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from controller.ledger.journal import JournalEntry
from controller.ledger.public import PublicLedger, open_ledger, table_ledger
from twinwall.game.documents import digest, write_time
from twinwall.game.play_events import TileDiscarded, TileDrawn
from twinwall.game.tiles import ALL_TILES, Seat, Tile
from twinwall.wire.events.definitions import EVERYWHERE
from twinwall.wire.events.wall_events import ControllerStarted
from twinwall.wire.ledger import LINE_SALT, LedgerPosition, UnknownEvent, envelope, parse
from twinwall.wire.line_cipher import LINE_KEY_SIZE, LineSalts

DRAWN_AT = datetime(2026, 11, 20, 10, 0, 5, 250_000, UTC)
DISCARDED_AT = DRAWN_AT + timedelta(milliseconds=180)
KEY = b"\x09" * LINE_KEY_SIZE


def played(ledger: PublicLedger) -> PublicLedger:
    ledger.catch_up(())
    ledger.append([JournalEntry(1, write_time(DRAWN_AT), TileDrawn(Seat.EAST))])
    ledger.append([JournalEntry(2, write_time(DISCARDED_AT), TileDiscarded(Seat.EAST, Tile.P5))])
    ledger.close()
    return ledger


def guessed(before: bytes, wanted: str) -> str | None:
    """The discard of East within half a second after the line before, whose line has this hash."""
    after = LedgerPosition("j", 1, digest(before))
    like = parse(envelope("1", after, DRAWN_AT, "tile-discarded", {"seat": "E", "tile": "1m"}))
    for late_ms in range(500):
        at = write_time(DRAWN_AT + timedelta(milliseconds=late_ms)).encode()
        line = like.line.replace(write_time(DRAWN_AT).encode(), at)
        for tile in ALL_TILES:
            if digest(line.replace(b'"1m"', f'"{tile.text}"'.encode())) == wanted:
                return tile.text
    return None


def test_the_hash_of_a_salted_line_tells_nothing_of_its_discard(tmp_path: Path) -> None:
    before, line = played(table_ledger(tmp_path, "1", "j", salt=LineSalts(KEY))).lines
    assert guessed(before, digest(line)) is None


def test_control_without_salts_the_hash_of_a_line_gives_its_discard_away(tmp_path: Path) -> None:
    before, line = played(table_ledger(tmp_path, "1", "j")).lines
    assert guessed(before, digest(line)) == "5p"


def test_each_line_and_each_journal_has_a_salt_of_its_own() -> None:
    salts = {LineSalts(bytes([key]) * LINE_KEY_SIZE)(journal, seq) for key in (1, 2) for journal in ("j", "k") for seq in (1, 2)}
    assert len(salts) == 8


def test_salts_of_a_journal_that_is_public_tell_nothing_of_the_next_journal_of_the_same_boot(tmp_path: Path) -> None:
    """The next session begins a new journal under the key that is still in memory."""
    salts = []
    for journal in ("session-1", "session-2"):
        folder = tmp_path / journal
        folder.mkdir()
        lines = played(table_ledger(folder, "1", journal, salt=LineSalts(KEY))).lines
        salts.append({json.loads(line)[LINE_SALT.name] for line in lines})
    assert not salts[0] & salts[1]


def test_a_ledger_that_is_lost_is_computed_again_to_the_same_bytes(tmp_path: Path) -> None:
    one, other = (tmp_path / name for name in ("one", "other"))
    for folder in (one, other):
        folder.mkdir()
    assert (
        played(table_ledger(one, "1", "j", salt=LineSalts(KEY))).lines == played(table_ledger(other, "1", "j", salt=LineSalts(KEY))).lines
    )


def test_the_open_ledger_has_no_salts_since_everybody_may_read_its_lines(tmp_path: Path) -> None:
    entries = [JournalEntry(1, write_time(DRAWN_AT), ControllerStarted("j", "1", resumed=False, first_operation=1))]
    ledger = open_ledger(tmp_path, "1", "j")
    ledger.catch_up(entries)
    ledger.close()
    assert [LINE_SALT.name.encode() in line for line in ledger.lines] == [False]
    salted = envelope(
        "1", LedgerPosition("j"), DRAWN_AT, "controller-started", {"version": "1", "resumed": False}, salt=LineSalts(KEY)("j", 1)
    )
    assert isinstance(parse(salted, classes=EVERYWHERE), UnknownEvent), "a salt is of class T"


def test_a_salt_of_another_length_makes_a_line_that_is_not_acted_upon() -> None:
    assert isinstance(parse(envelope("1", LedgerPosition("j"), DRAWN_AT, "hand-closed", {"n": 1}, salt="00")), UnknownEvent)
