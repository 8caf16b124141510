"""Readings of drawn tiles as they travel: how long what a table says may be."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.messages.tile_reading import (
    LONGEST_REFUSAL,
    TILE_READING,
    TileOrder,
    TileReading,
    TileReadingError,
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
    with pytest.raises(TileReadingError, match="table 1 is refused"):
        open_tile_reading(payload, "1", IDENTITY.public)


def test_a_refusal_that_is_too_long_is_cut() -> None:
    payload = write_tile_reading(IDENTITY, TileReading(READING.order, refused="x" * (LONGEST_REFUSAL + 1)))
    assert open_tile_reading(payload, "1", IDENTITY.public).refused == "x" * LONGEST_REFUSAL
