"""Patterns that players aim at: the rule set scores them as the players' tables say."""

import numpy as np
import pytest

from simulator.players.strategies.fan_patterns import (
    CHOW_SETS,
    PATTERNS,
    SET_COUNTS,
    SETS,
    chow_set,
    pung_set,
    rows_with,
    set_of_meld,
)
from simulator.players.strategies.targets import OUT_OF_REACH, Measure, Reach, Situation, missing_costs
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import Win, WinningHand
from twinwall.game.rules import rule_set
from twinwall.game.tiles import ALL_TILES, Seat, Tile

RULES = rule_set("mcr-duplicate")


def tiles_of(counts: np.ndarray) -> list[Tile]:
    return [kind for kind in ALL_TILES for _ in range(counts[kind])]


def scored(concealed: list[Tile], melds: tuple[Meld, ...], winning: Tile) -> int:
    """Fan of a hand won off West's discard by South in the North round, 0 when it does not win."""
    score = RULES.score(WinningHand(Seat.SOUTH, Seat.NORTH, tuple(concealed), melds, winning, Seat.WEST))
    return score.total if isinstance(score, Win) else 0


def test_every_pattern_scores_at_least_its_value() -> None:
    for row, fan in enumerate(PATTERNS.fan):
        for fourth in (chow_set(0, 2), pung_set(Tile.RED)):
            counts = PATTERNS.counts[row] + SET_COUNTS[fourth]
            pair = next(kind for kind in (Tile.S5, Tile.P5, Tile.M5, Tile.WHITE) if counts[kind] == 0)
            counts[pair] += 2
            if (counts <= 4).all():
                concealed = tiles_of(counts)
                concealed.remove(pair)
                assert scored(concealed, (), pair) >= min(8, fan + 2), concealed


def test_a_set_is_three_tiles_and_is_found_again_from_its_meld() -> None:
    for number in range(SETS):
        tiles = tuple(tiles_of(SET_COUNTS[number]))
        assert len(tiles) == 3
        kind = MeldType.CHOW if number < CHOW_SETS else MeldType.PUNG
        assert set_of_meld(Meld(kind, tiles, Seat.EAST)) == number


def test_patterns_that_hold_a_meld_twice_need_it_twice() -> None:
    one, two = (chow_set(1, 3),), (chow_set(1, 3), chow_set(1, 3))
    assert rows_with(PATTERNS, two).sum() < rows_with(PATTERNS, one).sum()
    assert (rows_with(PATTERNS, one) | ~rows_with(PATTERNS, two)).all()


def random_situation(generator: np.random.Generator, melds: tuple[Meld, ...]) -> Situation:
    """Tiles dealt at random beside the melds, nothing else seen."""
    stock = [kind for kind in ALL_TILES for _ in range(4)]
    for meld in melds:
        for tile in meld.tiles:
            stock.remove(tile)
    dealt = generator.permutation(len(stock))[: 13 - 3 * len(melds)]
    held = [0] * len(ALL_TILES)
    for index in dealt:
        held[stock[index]] += 1
    unseen = [stock.count(kind) - held[kind] for kind in ALL_TILES]
    return Situation(tuple(held), tuple(unseen), melds, Seat.SOUTH, Seat.NORTH, Reach(21, 63, sum(unseen)))


MELDS = (
    (),
    (Meld(MeldType.CHOW, (Tile.M1, Tile.M2, Tile.M3), Seat.EAST),),
    (Meld(MeldType.PUNG, (Tile.RED,) * 3, Seat.NORTH),),
    (Meld(MeldType.CHOW, (Tile.P4, Tile.P5, Tile.P6), Seat.EAST), Meld(MeldType.PUNG, (Tile.P2,) * 3, Seat.WEST)),
)


@pytest.mark.parametrize("melds", MELDS)
def test_every_target_within_reach_wins_when_it_is_completed_off_a_discard(melds: tuple[Meld, ...]) -> None:
    generator = np.random.default_rng(7)
    for _ in range(6):
        targets = Measure(random_situation(generator, melds)).targets()
        assert len(targets.need)
        assert (np.diff(targets.cost) >= 0).all()
        for need in targets.need[::9]:
            tiles = tiles_of(need)
            assert len(tiles) == 14 - 3 * len(melds)
            assert scored(tiles[1:], melds, tiles[0]) >= 8, (tiles, melds)


def test_a_complete_hand_costs_nothing_and_each_missing_copy_costs_more() -> None:
    for percent in (1, 40, 95):
        costs = missing_costs(percent)
        assert (costs[:, 0] == 0).all()
        assert (np.diff(costs[:, :5], axis=1) >= 0).all()
        assert all(costs[unseen, unseen + 1] == OUT_OF_REACH for unseen in range(5))
        assert (np.diff(costs[:, 1]) <= 0).all()
