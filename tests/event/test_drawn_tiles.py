"""The tiles that the room draws: each table's share, a reading of them, and a value as the tables' parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from twinwall.event.drawn_tiles import TableTiles, TilesRead, contradictions, shares, value_parts
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.tile_reading import TileOrder, TileReading, UnreadRiverSlot, write_tile_reading


@given(st.integers(8, 9999), st.integers(1, 200))
def test_the_shares_are_all_tiles_and_differ_by_one_at_most_the_first_tables_having_more(drawn: int, tables: int) -> None:
    each = shares(drawn, tables)
    assert (sum(each), len(each)) == (drawn, tables)
    assert each[0] - each[-1] <= 1
    assert list(each) == sorted(each, reverse=True)


def test_a_reading_is_whole_with_all_wanted_tiles_and_nothing_else() -> None:
    whole = TableTiles("1", 2, "5p 3s")
    assert whole.is_whole
    assert not TableTiles("1", 3, "5p 3s").is_whole
    assert not TableTiles("1", 1, "5p 3s").is_whole
    assert not TableTiles("1", 2, "5p 3s", (UnreadRiverSlot(1, 3, "covered"),)).is_whole
    assert not TableTiles("1", 0, trouble="plays").is_whole


def test_a_table_without_a_share_has_no_part_and_an_unread_slot_beside_them_does_not_make_read_tiles_typed() -> None:
    reading = TableTiles("1", 1, "5p", (UnreadRiverSlot(1, 3, "covered"),)), TableTiles("2", 0, trouble="camera")
    assert value_parts("5p", reading) == [("1", "5p", True)]


def test_a_part_of_the_value_was_read_where_the_camera_has_read_just_these_tiles() -> None:
    reading = TableTiles("1", 2, "5p 3s"), TableTiles("2", 2, "E"), TableTiles("3", 1, trouble="camera"), TableTiles("4", 1, "C")
    assert value_parts("5p 3s E 1m 9p W", reading) == [("1", "5p 3s", True), ("2", "E 1m", False), ("3", "9p", False), ("4", "W", False)]


IDENTITY = Signer("1", bytes(range(32)))
READING = TileReading(TileOrder("Autumn", "ab" * 32, 7), "1m 2m", (UnreadRiverSlot(1, 3, "light"),))
SIGNED = TableTiles("1", 3, "1m 2m", READING.unread, signed=write_tile_reading(IDENTITY, READING).decode(), key=IDENTITY.public.hex())


TWO_TABLES = SIGNED, TableTiles("2", 3, trouble="camera")


def found(*readings: tuple[TableTiles, ...], root: str = "ab" * 32, event: str = "Autumn") -> list[str]:
    """What contradicts of these readings for six drawn tiles."""
    return list(contradictions(event, 6, [TilesRead(root, tables) for tables in readings]))


def signed_again(number: int) -> TableTiles:
    """The same tiles, read by an order with this number."""
    reading = replace(READING, order=replace(READING.order, number=number))
    return replace(SIGNED, signed=write_tile_reading(IDENTITY, reading).decode())


def test_readings_that_are_kept_as_their_tables_signed_them_contradict_nothing() -> None:
    assert found(TWO_TABLES, (TableTiles("1", 3, trouble="silent"), TWO_TABLES[1]), (signed_again(8), TWO_TABLES[1])) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tiles": "1m 3m"}, "the drawn tiles of table 1 are not kept as the table has signed them"),
        ({"unread": ()}, "not kept as the table has signed them"),
        ({"trouble": "refused", "sentence": "the camera is away"}, "not kept as the table has signed them"),
        ({"trouble": "plays"}, "not kept as the table has signed them"),
        ({"wanted": 2}, "reading 1 of the drawn tiles wants other shares"),
        ({"key": "00" * 32}, "altered, or meant for another"),
        ({"key": "no key"}, "non-hexadecimal"),
        ({"table": "3"}, "who is not trusted here"),
    ],
)
def test_a_reading_that_is_kept_otherwise_is_named(changes: dict[str, object], said: str) -> None:
    (sentence,) = found((replace(SIGNED, **changes), TWO_TABLES[1]))
    assert said in sentence


def test_a_reading_of_another_event_or_of_other_commitments_is_named() -> None:
    for sentences in (found(TWO_TABLES, event="Spring"), found(TWO_TABLES, root="cd" * 32)):
        assert sentences == ["the drawn tiles of table 1 are not kept as the table has signed them"]


@pytest.mark.parametrize("number", [7, 6])
def test_a_reading_that_is_kept_twice_or_out_of_its_order_is_named(number: int) -> None:
    (sentence,) = found(TWO_TABLES, (signed_again(number), TWO_TABLES[1]))
    assert f"order {number} is not a later one" in sentence


def test_tiles_without_a_signature_of_a_table_that_had_signed_before_are_named() -> None:
    bare = replace(SIGNED, signed="", key="", tiles="9m 9m")
    assert found(TWO_TABLES, (bare, TWO_TABLES[1])) == ["reading 2 of the drawn tiles has no signature of table 1, which had signed before"]
