"""Readings of drawn tiles as they travel: how long what a table says may be."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from twinwall.game.documents import DocumentError
from twinwall.game.tiles import ALL_TILES, Tile, format_tiles
from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.messages.tile_question import MOST_PICTURE_BYTES, Asked, AskedTile, ShownCall, read_question, write_question
from twinwall.wire.messages.tile_reading import (
    LONGEST_REFUSAL,
    TILE_READING,
    TileOrder,
    TileReading,
    UnreadRiverSlot,
    open_tile_reading,
    write_tile_reading,
)

IDENTITY = Signer("1", bytes(range(32)))
READING = TileReading(TileOrder("Autumn", "ab" * 32, 7), " ".join(["1m"] * 96), tuple(UnreadRiverSlot(1, 24, "light") for _ in range(96)))


def test_tiles_in_all_slots_and_as_many_unread_ones_are_read() -> None:
    assert open_tile_reading(write_tile_reading(IDENTITY, READING), "1", IDENTITY.public) == READING


@pytest.mark.parametrize(
    "changes",
    [
        {"tiles": "1m " * 97},
        {"unread": (*READING.unread, UnreadRiverSlot(1, 1, "light"))},
        {"unread": (UnreadRiverSlot(1, 25, "light"),)},
        {"refused": "x" * (LONGEST_REFUSAL + 1)},
        {"order": replace(READING.order, number=2**53)},
    ],
)
def test_a_reading_that_says_more_than_a_table_can_is_refused(changes: dict[str, object]) -> None:
    payload = sign_document(IDENTITY, TILE_READING, "", "1", replace(READING, **changes))
    with pytest.raises(DocumentError, match="table 1 is refused"):
        open_tile_reading(payload, "1", IDENTITY.public)


def test_a_refusal_that_is_too_long_is_cut() -> None:
    payload = write_tile_reading(IDENTITY, TileReading(READING.order, refused="x" * (LONGEST_REFUSAL + 1)))
    assert open_tile_reading(payload, "1", IDENTITY.public).refused == "x" * LONGEST_REFUSAL


TABLE, OTHER = Signer("4", bytes(32)), Signer("4", bytes([1] * 32))
BEFORE, AFTER = b"\xff\xd8\xff bare", b"\xff\xd8\xff laid"
KINDS = (Tile.M6, Tile.M5, *(tile for tile in ALL_TILES if tile not in (Tile.M5, Tile.M6)))
ASKED = AskedTile(3, 41, 2, "meld", 7, format_tiles(KINDS), AFTER, BEFORE)


@pytest.mark.parametrize("signer", [TABLE, None], ids=["signed", "in a rehearsal"])
def test_a_question_comes_back_as_it_was_asked_with_the_kinds_in_their_order(signer: Signer | None) -> None:
    read = read_question(write_question(signer, "cup", "4", ASKED), "cup", "4", None if signer is None else signer.public)
    assert read == ASKED
    assert read.tiles == KINDS
    assert (read.before, read.after) == (BEFORE, AFTER)


@pytest.mark.parametrize(
    ("signer", "event", "table"), [(OTHER, "cup", "4"), (TABLE, "another cup", "4"), (TABLE, "cup", "5"), (None, "cup", "4")], ids=str
)
def test_a_question_of_another_key_event_or_table_is_refused(signer: Signer | None, event: str, table: str) -> None:
    with pytest.raises(DocumentError, match="refused"):
        read_question(write_question(signer, event, table, ASKED), "cup", "4", TABLE.public)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (AskedTile(3, 41, 2, "river", 7, "5m 5m", AFTER), "names a kind twice"),
        (AskedTile(3, 41, 2, "river", 7, "5m six", AFTER), "not tile notation"),
        (AskedTile(3, 41, 2, "river", 7, "5m", b"<svg>"), "no JPEG"),
        (AskedTile(3, 41, 2, "river", 7, "5m", AFTER, b"GIF89a"), "no JPEG"),
        (ShownCall(3, "mat-differs", b"GIF89a"), "no JPEG"),
        (AskedTile(3, 41, 4, "river", 7, "5m", AFTER), "place"),
        (AskedTile(3, 41, 2, "river", 7, "5m", AFTER + bytes(MOST_PICTURE_BYTES)), "after"),
    ],
    ids=["twice", "no tile", "no picture", "another picture", "no picture of a call", "no place", "too large"],
)
def test_a_question_that_says_nothing_of_use_is_refused_with_what_is_wrong(asked: Asked, says: str) -> None:
    with pytest.raises(DocumentError, match=says):
        read_question(write_question(None, "cup", "4", asked), "cup", "4", None)
