"""Sets of tiles: those of the rules that are played, and what may be wrong with them."""

from collections import Counter

import pytest

from simulator.mechanics import FaultPlan
from simulator.physical_tiles import swap_tiles, tile_set
from simulator.world.service import both_sets
from twinwall.game.rules import rule_set


def test_a_set_has_the_tiles_of_the_rules_that_are_played() -> None:
    suits = rule_set("sichuan").tiles
    drum, box = both_sets(FaultPlan(), suits)
    assert [tile.face for tile in drum] == [tile.face for tile in box] == [tile.text for tile in suits]
    with pytest.raises(ValueError, match="E cannot be missing"):
        both_sets(FaultPlan(missing=("E",)), suits)


def test_tiles_that_were_swapped_lie_each_in_the_others_set() -> None:
    ours, theirs = swap_tiles(tile_set(1), tile_set(2), ["3p", "3p", "E"])
    assert Counter(tile.face for tile in ours) == Counter(tile.face for tile in theirs) == Counter(tile.face for tile in tile_set(1))
    assert (
        sorted(tile.face for tile in ours if tile.back == 2) == sorted(tile.face for tile in theirs if tile.back == 1) == ["3p", "3p", "E"]
    )
    with pytest.raises(ValueError, match="3p cannot be swapped"):
        swap_tiles(tile_set(1), tile_set(2), ["3p"] * 5)
