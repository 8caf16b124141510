"""Attack: whoever rules the broker, or has a table's account there, repeats an order to read the drawn tiles, or a reading of another
time, or signs one himself.

An order counts once at the table for which the server has signed it; a reading counts for the order that it repeats, while that is waited
for, under the identity key of the table that is heard.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Barrier, BrokenBarrierError, Thread
from typing import Any

import pytest
from msgspec.structs import replace

import dashboard.assignments
from controller.adapters.hall_member import TileOrders
from controller.ledger.assignment_folder import AssignmentFolder
from controller.state.sides import Playing, PlayStage
from controller.state.table_state import TableState
from dashboard.assignments import TilesUnreadError
from tests.support.dashboard.joined_tile_table import NOW, JoinedTileTable, TileHall
from tests.support.patience import PATIENCE_S
from tests.support.wire.assignments import HALL_SERVER, an_assignment
from twinwall.wire.messages.assignment import HallStage, JoinedTable, write_joined_table
from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.messages.tile_reading import TileOrder, TileReading, write_tile_reading

EVENT, ROOT, OTHER_ROOT = "Autumn", "ab" * 32, "cd" * 32
DRAWN = "5p 3s E 7m"


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TileHall:
    monkeypatch.setattr(dashboard.assignments, "READING_S", PATIENCE_S)
    return TileHall(tmp_path)


@pytest.fixture
def nobody_waits(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From now on no reading is waited for: in this test none comes that counts."""
    return lambda: monkeypatch.setattr(dashboard.assignments, "READING_S", 0.1)


@pytest.fixture
def table(hall: TileHall) -> Iterator[JoinedTileTable]:
    made = hall.join(tiles=DRAWN)
    yield made
    made.member.stop()


def test_control_the_order_of_the_server_is_answered_under_the_tables_key(hall: TileHall, table: JoinedTileTable) -> None:
    signed = hall.tables.read_tiles("1", EVENT, ROOT)
    assert (signed.reading.tiles, signed.reading.refused, signed.key) == (DRAWN, "", table.identity.public.hex())
    assert signed.reading.order == TileOrder(EVENT, ROOT, signed.reading.order.number)
    assert signed.signed.encode() == table.readings[0]


def test_an_order_that_comes_again_is_not_answered_also_after_a_restart_of_the_table(
    hall: TileHall, table: JoinedTileTable, caplog: pytest.LogCaptureFixture
) -> None:
    hall.tables.read_tiles("1", EVENT, ROOT)
    (old,) = table.orders
    table.order(old)
    assert "it is old or came twice" in caplog.text
    caplog.clear()
    table.restart()
    table.order(old)
    assert "it is old or came twice" in caplog.text
    assert (table.looked, len(table.readings)) == (1, 1)


@pytest.mark.parametrize(
    ("by", "to", "said"),
    [(Signer("server", bytes(32)), "1", "altered, or meant for another"), (HALL_SERVER, "2", "not signed by 'server' for table '1'")],
)
def test_an_order_that_the_server_has_not_signed_for_this_table_is_not_answered(
    table: JoinedTileTable, caplog: pytest.LogCaptureFixture, by: Signer, to: str, said: str
) -> None:
    table.order(sign_document(by, TileOrder(EVENT, ROOT, 5_000), table=to))
    assert said in caplog.text
    assert (table.looked, table.readings) == (0, [])


def test_a_kept_order_that_was_changed_lets_nothing_be_read(hall: TileHall, table: JoinedTileTable) -> None:
    hall.tables.read_tiles("1", EVENT, ROOT)
    (kept,) = table.folder.glob("tile-order-*.json")
    kept.write_bytes(b"{}")
    signed = hall.tables.read_tiles("1", EVENT, ROOT)
    assert (table.looked, signed.reading.tiles) == (1, "")
    assert "put a good copy back, or remove it" in signed.reading.refused


def test_an_order_of_an_earlier_halls_server_does_not_block_those_of_a_new_one(tmp_path: Path) -> None:
    earlier, new = (AssignmentFolder(tmp_path, "1", Signer("server", bytes([first] * 32)).public) for first in (1, 2))
    earlier.take_tile_order(sign_document(Signer("server", bytes([1] * 32)), TileOrder("Spring", OTHER_ROOT, 5_000), table="1"))
    assert (earlier.last_tile_order(), new.last_tile_order()) == (5_000, 0)


class MeetingFolder(AssignmentFolder):
    """Lets two orders meet between the two steps in which one is taken, where both get there."""

    both, taken = Barrier(2), 0

    def last_tile_order(self) -> int:
        number = super().last_tile_order()
        with suppress(BrokenBarrierError):
            self.both.wait(0.5)
        return number

    def take_tile_order(self, payload: bytes) -> None:
        self.taken += 1
        super().take_tile_order(payload)


def test_an_order_that_comes_twice_at_once_is_taken_once(table: JoinedTileTable) -> None:
    payload = sign_document(HALL_SERVER, TileOrder(EVENT, ROOT, 5_000), table="1")
    key, folder = HALL_SERVER.public, MeetingFolder(table.folder, "1", HALL_SERVER.public)
    orders = TileOrders(table.identity, key, folder, hindrance=str, read=TileReading, publish=list[bytes]().append)
    takers = [Thread(target=orders.take, args=(payload,)) for _ in range(2)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    assert folder.taken == 1


def test_a_reader_that_fails_is_told_in_a_signed_refusal(hall: TileHall, table: JoinedTileTable, caplog: pytest.LogCaptureFixture) -> None:
    table.looking = lambda: 1 // 0
    signed = hall.tables.read_tiles("1", EVENT, ROOT)
    assert "reader failed (ZeroDivisionError): see its log" in signed.reading.refused
    assert "the drawn tiles were not read" in caplog.text


def test_a_table_that_could_not_play_its_assignment_reads(hall: TileHall, table: JoinedTileTable) -> None:
    table.member.message("twinwall-hall/1/assignment", sign_document(HALL_SERVER, an_assignment(1), table="1"))
    table.member.next()
    table.member.cannot_play("the deals do not lie here")
    assert hall.tables.read_tiles("1", EVENT, ROOT).reading.tiles == DRAWN


@pytest.mark.parametrize(
    ("signer", "changes", "said"),
    [
        (None, {"event": "Spring"}, "of 'Spring', and order"),
        (None, {"root": OTHER_ROOT}, "has no effect: it answers order"),
        (None, {"number": 1}, "of 'Autumn' is waited for"),
        (Signer("1", bytes(32)), {}, "altered, or meant for another"),
        (Signer("2", bytes(32)), {}, "who is not trusted here"),
    ],
)
def test_a_reading_of_something_else_has_no_effect_and_the_true_one_counts_after_it(
    hall: TileHall, table: JoinedTileTable, caplog: pytest.LogCaptureFixture, *, signer: Signer | None, changes: dict[str, Any], said: str
) -> None:
    def first_a_forged_one(payload: bytes) -> bytes:
        reading = TileReading(replace(hall.tables._awaited["1"].order, **changes), "9m 9m 9m 9m")
        hall.tables.hear("twinwall-hall/1/tiles", write_tile_reading(signer or table.identity, reading))
        return payload

    table.on_way = first_a_forged_one
    assert hall.tables.read_tiles("1", EVENT, ROOT).reading.tiles == DRAWN
    assert said in caplog.text


MINE = Signer("1", b"x" * 32)
"""The key of who has the table's broker account, and not its identity key."""


def beat_under(hall: TileHall, signer: Signer) -> None:
    heartbeat = JoinedTable("1", NOW, "0.9.0", signer.public.hex(), HallStage.WAITING)
    hall.tables.hear("twinwall-hall/1/waiting", write_joined_table(signer, heartbeat))


def test_a_heartbeat_under_another_key_while_an_order_is_open_gives_no_right_to_answer_it(
    hall: TileHall, table: JoinedTileTable, caplog: pytest.LogCaptureFixture
) -> None:
    def first_a_key_of_his_own(payload: bytes) -> bytes:
        beat_under(hall, MINE)
        forged = TileReading(hall.tables._awaited["1"].order, "9m 9m 9m 9m")
        hall.tables.hear("twinwall-hall/1/tiles", write_tile_reading(MINE, forged))
        return payload

    table.on_way = first_a_key_of_his_own
    signed = hall.tables.read_tiles("1", EVENT, ROOT)
    assert (signed.reading.tiles, signed.key) == (DRAWN, table.identity.public.hex())
    assert "altered, or meant for another" in caplog.text


def test_a_table_that_is_heard_under_another_key_than_it_joined_with_is_named_also_after_a_restart_of_the_server(
    hall: TileHall, table: JoinedTileTable
) -> None:
    for server in (hall, TileHall(hall.folder)):
        beat_under(server, MINE)
        with pytest.raises(TilesUnreadError, match="either somebody else has its broker account, or its key is new"):
            server.tables.read_tiles("1", EVENT, ROOT)
    assert table.orders == []


def test_control_a_key_that_a_person_has_written_down_counts(hall: TileHall, table: JoinedTileTable) -> None:
    (hall.folder / "assignments" / "table-1.key").write_text(f"{MINE.public.hex()}\n")
    with pytest.raises(TilesUnreadError, match=f"joined first under {MINE.public.hex()}"):
        hall.tables.read_tiles("1", EVENT, ROOT)
    table.identity = MINE
    table.restart()
    table.member.beat()
    assert hall.tables.read_tiles("1", EVENT, ROOT).key == MINE.public.hex()


def test_a_reading_that_comes_late_or_again_has_no_effect(
    hall: TileHall, table: JoinedTileTable, caplog: pytest.LogCaptureFixture, nobody_waits: Callable[[], None]
) -> None:
    hall.tables.read_tiles("1", EVENT, ROOT)
    hall.tables.hear("twinwall-hall/1/tiles", table.readings[0])
    assert "it is old, or came too late" in caplog.text
    table.on_way = lambda _payload: table.readings[0]
    nobody_waits()
    with pytest.raises(TilesUnreadError, match="has not answered within"):
        hall.tables.read_tiles("1", EVENT, ROOT)


def test_a_table_that_is_off_is_named_when_it_has_not_answered(
    hall: TileHall, table: JoinedTileTable, nobody_waits: Callable[[], None]
) -> None:
    hall.off.add(table.name)
    nobody_waits()
    with pytest.raises(TilesUnreadError, match="table 1 has not answered within 0 s: look at it"):
        hall.tables.read_tiles("1", EVENT, ROOT)


def test_a_table_that_plays_or_starts_reads_nothing_whatever_the_server_orders(hall: TileHall, table: JoinedTileTable) -> None:
    table.member.message("twinwall-hall/1/assignment", sign_document(HALL_SERVER, an_assignment(1), table="1"))
    table.member.next()
    for refused in ("this table still starts with session 1 of ", "a hand may lie at this table: wait until its hands are over"):
        signed = hall.tables.read_tiles("1", EVENT, ROOT)
        assert (signed.reading.tiles, signed.reading.refused[: len(refused)]) == ("", refused)
        table.member.plays(Plays())
    assert table.looked == 0


def test_a_table_whose_hands_are_over_reads(hall: TileHall, table: JoinedTileTable) -> None:
    table.member.message("twinwall-hall/1/assignment", sign_document(HALL_SERVER, an_assignment(1), table="1"))
    table.member.next()
    table.member.plays(Plays(TableState(closed=(1, 2))))
    assert hall.tables.read_tiles("1", EVENT, ROOT).reading.tiles == DRAWN


class Plays:
    """A table in the middle of a hand, unless it is said otherwise."""

    def __init__(self, state: TableState = TableState(playing=Playing(PlayStage.PLAYING))) -> None:  # noqa: B008 - a frozen value
        self.state = state

    def leave_between_hands(self) -> None:
        """It stays."""
