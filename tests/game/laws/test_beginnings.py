"""Number of ways in which a deal can begin by each rule set, and end: golden counts that change only with the rules."""

import random
from collections.abc import Mapping

import pytest

from tests.support.game.beginnings import Position, perft, plain_moves, seigo_moves, sichuan_moves, walked
from tests.support.game.random_hands import MCR_OPTIONS
from tests.support.game.seigo_tables import SeigoTable, seigo_deal
from tests.support.game.sichuan_tables import SichuanTable, sichuan_walls
from tests.support.game.tables import random_walls, walls_with_kongs
from twinwall.game.held import HeldTiles
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat
from twinwall.game.walls import SeatWall

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("name", "options"), [("mcr-duplicate", {"minimum": 0}), ("yangzhou", {"minimum": 0, "values": 13})])
@pytest.mark.parametrize(
    ("walls", "counts"),
    [
        (random_walls(1), (1, 12, 13, 23, 168, 213, 680, 2563)),
        (random_walls(7), (1, 11, 19, 88, 238, 554, 1962, 4262)),
        (walls_with_kongs(3), (1, 9, 12, 36, 133, 197, 566, 1767)),
    ],
    ids=["1", "7", "3, with kongs"],
)
def test_with_chows_and_any_shape_that_wins(
    name: str, options: Mapping[str, object], walls: Mapping[Seat, SeatWall], counts: tuple[int, ...]
) -> None:
    """Duplicate MCR and Yangzhou are played alike (docs/explanation/rules.md): what they differ in are values."""
    rules = rule_set(name, options)
    start = Position(rules, rules.start(), HeldTiles(walls))
    assert perft(start, len(walked(counts)), plain_moves) == walked(counts)


@pytest.mark.parametrize(
    ("seed", "alike", "counts"),
    [
        (1, 0, (1, 10, 10, 10, 130, 149, 231, 1735)),
        (7, 40, (1, 10, 11, 19, 120, 140, 349, 1704)),
        (11, 20, (1, 11, 16, 36, 136, 164, 454, 1400)),
    ],
)
def test_in_sichuan(seed: int, alike: int, counts: tuple[int, ...]) -> None:
    rules = rule_set("sichuan")
    table = SichuanTable(rules, sichuan_walls(seed, alike=alike), random.Random(0), eager=True)
    start = Position(rules, rules.start(), HeldTiles(table.walls))
    assert perft(start, len(walked(counts)), sichuan_moves(table)) == walked(counts)


@pytest.mark.parametrize(
    ("seed", "alike", "counts"),
    [
        (1, 0, (1, 1, 12, 12, 14, 190, 190, 246, 2812)),
        (7, 40, (1, 1, 10, 10, 10, 110, 110, 153, 1125)),
        (11, 20, (1, 1, 9, 9, 12, 135, 137, 136, 1350)),
    ],
)
def test_in_seigo(seed: int, alike: int, counts: tuple[int, ...]) -> None:
    rules = rule_set("seigo")
    walls, rest = seigo_deal(seed, alike=alike)
    table = SeigoTable(rules, walls, random.Random(0), eager=True, rest=rest)
    start = Position(rules, rules.start(), HeldTiles(walls))
    assert perft(start, len(walked(counts)), seigo_moves(table)) == walked(counts)


@pytest.mark.parametrize(
    ("options", "counts"),
    [(MCR_OPTIONS[0], (7, 10, 26, 90, 245, 747, 1086, 504, 0, 0)), (MCR_OPTIONS[1], (7, 10, 26, 90, 245, 749, 1112, 596, 160, 663))],
    ids=["lap", "next-empty"],
)
def test_a_deal_can_end_in_as_many_ways_as_ever(options: Mapping[str, object], counts: tuple[int, ...]) -> None:
    """Counted from South's last draw, when nobody has claimed anything before: in a lap three discards are left, whatever is claimed."""
    rules = rule_set("mcr-duplicate", options)
    position = Position(rules, rules.start(), HeldTiles(walls_with_kongs(4)))
    while position.state.seat(Seat.SOUTH).draws_left > 0:
        position = position.after(next(plain_moves(position)))
    assert perft(position, len(counts), plain_moves) == counts
