"""The source of the public value: which values can come from what a plan names."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from twinwall.game.deals import DealError, check_drawn, check_random, check_source
from twinwall.game.tiles import ALL_TILES, format_tiles

DRAND = "beacon: drand quicknet, round 12345678"
TILES = "1m 5p 9s E S W N C"


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (DRAND, "0f" * 32),
        ("beacon: NIST 2.0, 2026-11-20T12:00Z", "0f" * 64),
        ("tiles: 8", TILES),
        ("tiles drawn in the room", "5p 3s E"),
        ("", "anything"),
        ("vector: given in the test", "2026-11-20 12:00 UTC"),
    ],
)
def test_a_value_of_the_form_that_the_plan_names_is_taken_and_a_sentence_fits_every_value(source: str, value: str) -> None:
    check_drawn(source, value)


@pytest.mark.parametrize(
    ("source", "value", "said"),
    [
        (DRAND, "5p 3s E", "64 or 128 lower-case hex digits"),
        (DRAND, "0F" * 32, "in lower case"),
        (DRAND, "0f" * 31, "64 or 128"),
        ("tiles: 8", TILES.replace(" C", ""), "8 tiles are drawn, these are 7"),
        ("tiles: 8", TILES.replace("1m 5p", "1m5p"), "one blank between: '1m 5p 9s E"),
        ("tiles: 8", "0f" * 32, "8 tiles are drawn"),
    ],
)
def test_a_value_that_cannot_come_from_the_source_is_refused(source: str, value: str, said: str) -> None:
    with pytest.raises(DealError, match=said):
        check_drawn(source, value)


@pytest.mark.parametrize("source", ["beacon:", "beacon: drand", "beacon: drand, soon", "beacon: , round 5", "tiles: 7", "tiles: many"])
def test_a_source_without_its_pulse_or_its_number_of_tiles_is_refused(source: str) -> None:
    with pytest.raises(DealError, match="must"):
        check_source(source)


@pytest.mark.parametrize(("drawn", "kinds", "refused"), [(32, 1, True), (32, 10, True), (32, 11, False), (8, 2, True), (8, 3, False)])
def test_tiles_that_no_draw_shows_are_refused_before_they_are_fixed(drawn: int, kinds: int, refused: bool) -> None:
    value = format_tiles([ALL_TILES[number % kinds] for number in range(drawn)])
    check_drawn(f"tiles: {drawn}", value)
    with pytest.raises(DealError, match="no draw") if refused else nullcontext():
        check_random(f"tiles: {drawn}", value)
    check_random("drawn in the room", value)
