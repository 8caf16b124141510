"""The tiles that the room draws: each table's share, a reading of them, and a value as the tables' parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from twinwall.event.custody.drawn_tiles import TableTiles, TilesRead, ValuePart, shares, value_parts
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
    assert value_parts("5p", reading) == (ValuePart("1", "5p", was_read=True),)


def test_a_part_of_the_value_was_read_where_the_camera_has_read_just_these_tiles() -> None:
    reading = TableTiles("1", 2, "5p 3s"), TableTiles("2", 2, "E"), TableTiles("3", 1, trouble="camera"), TableTiles("4", 1, "C")
    assert value_parts("5p 3s E 1m 9p W", reading) == (
        ValuePart("1", "5p 3s", was_read=True),
        ValuePart("2", "E 1m", was_read=False),
        ValuePart("3", "9p", was_read=False),
        ValuePart("4", "W", was_read=False),
    )


IDENTITY = Signer("1", bytes(range(32)))
READING = TileReading(TileOrder("Autumn", "ab" * 32, 7), "1m 2m", (UnreadRiverSlot(1, 3, "light"),))
SIGNED = TableTiles("1", 3, "1m 2m", READING.unread, signed=write_tile_reading(IDENTITY, READING).decode(), key=IDENTITY.public.hex())


def test_a_reading_that_is_kept_as_its_table_signed_it_contradicts_nothing() -> None:
    assert list(TilesRead("ab" * 32, (SIGNED, TableTiles("2", 3, trouble="camera"))).contradictions()) == []


@pytest.mark.parametrize(
    ("root", "changes", "said"),
    [
        ("ab" * 32, {"tiles": "1m 3m"}, "the drawn tiles of table 1 are not kept as the table has signed them"),
        ("ab" * 32, {"unread": ()}, "not kept as the table has signed them"),
        ("ab" * 32, {"trouble": "refused", "sentence": "the camera is away"}, "not kept as the table has signed them"),
        ("cd" * 32, {}, "not kept as the table has signed them"),
        ("ab" * 32, {"key": "00" * 32}, "altered, or meant for another"),
        ("ab" * 32, {"key": "no key"}, "non-hexadecimal"),
        ("ab" * 32, {"table": "2"}, "who is not trusted here"),
    ],
)
def test_a_reading_that_is_kept_otherwise_is_named(root: str, changes: dict[str, object], said: str) -> None:
    (found,) = TilesRead(root, (replace(SIGNED, **changes),)).contradictions()
    assert said in found
