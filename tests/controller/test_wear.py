"""Wear, told from the journal's reads: a kind whose certainty falls over walls, and no other."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from controller.events import JournalEvent
from controller.events.wall import DealOpened, TileArrived, TileRead
from controller.wear import worn
from twinwall.game.tiles import ALL_TILES, Tile


def wall(n: int, sureties: dict[Tile, float], *, back: int = 1, doubts: int = 0) -> Iterator[JournalEvent]:
    """One wall's reads: four showings of each kind, with as many doubtful looks before each read of the first kind."""
    yield DealOpened(n, 1, n, "mcr-duplicate", "00", {}, "00")
    number = 0
    for place, (tile, probability) in enumerate(sureties.items()):
        for _ in range(4):
            number += 1
            yield TileArrived(number, back)
            yield from [TileRead(None, 0.0, "unsure")] * (doubts if place == 0 else 0)
            yield TileRead(tile, probability, "")


def test_a_kind_that_is_read_less_surely_is_named_and_no_other() -> None:
    events = [event for n in range(1, 9) for event in wall(n, {Tile.P3: 0.999 if n < 5 else 0.93, Tile.EAST: 0.999})]
    (found,) = worn(events)
    assert (found.back, found.tile) == (1, Tile.P3)
    assert found.now < found.then


def test_a_kind_that_needs_more_looks_is_worn_too() -> None:
    events = [event for n in range(1, 9) for event in wall(n, {Tile.S1: 0.998}, doubts=0 if n < 5 else 2)]
    assert [one.tile for one in worn(events)] == [Tile.S1]


def test_each_set_is_held_against_itself() -> None:
    events = [event for n in range(1, 13) for event in wall(n, {Tile.P3: 0.9999 if n % 2 else 0.97}, back=1 + n % 2)]
    assert worn(events) == []


def test_too_few_walls_say_nothing() -> None:
    assert worn([event for n in range(1, 6) for event in wall(n, {Tile.P3: 0.999 if n < 3 else 0.5})]) == []


def test_what_the_camera_cannot_help_is_no_wear() -> None:
    events = [event for n in range(1, 9) for event in wall(n, {Tile.P3: 0.999})]
    dark = [TileRead(None, 0.0, "dark")] * 50
    assert worn([*events[:40], *dark, *events[40:]]) == []


@given(st.lists(st.sampled_from(ALL_TILES), min_size=1, max_size=6, unique=True), st.floats(0.5, 0.99999))
def test_a_set_that_stays_as_it_is_never_wears(kinds: list[Tile], probability: float) -> None:
    events = [event for n in range(1, 10) for event in wall(n, dict.fromkeys(kinds, probability))]
    assert worn(events) == []
