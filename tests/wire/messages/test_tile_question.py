"""Questions to the referee on the wire: what is written is read back, and nothing that the table has not signed."""

from __future__ import annotations

import pytest

from twinwall.game.tiles import ALL_TILES, Tile, format_tiles
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.tile_question import (
    MOST_PICTURE_BYTES,
    Asked,
    AskedTile,
    ShownCall,
    TileQuestionError,
    read_question,
    write_question,
)

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
    with pytest.raises(TileQuestionError, match="refused"):
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
    with pytest.raises(TileQuestionError, match=says):
        read_question(write_question(None, "cup", "4", asked), "cup", "4", None)
