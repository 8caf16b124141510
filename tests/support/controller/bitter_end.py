"""Hands of Sichuan that are played on until nobody or one seat is left."""

from collections.abc import Mapping
from random import Random

from tests.support.controller.players import with_players
from tests.support.controller.rigs import MakeRig, Rig, opened, set_up
from tests.support.simulator.disturbed_hands import whole_hand
from twinwall.game.deals.shuffle import deal_tiles
from twinwall.game.play_events import PlayEvent
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat
from twinwall.game.walls import SeatWall

RULES = rule_set("sichuan")
WALL = 27
TWO_ON_ONE, THREE_WINNERS, LATE_KONG, NOBODY, CONCEALED_KONG = 5, 29, 33, 78, 31
"""Seeds of hands in which such things happen."""


def walls_of(seed: int) -> Mapping[Seat, SeatWall]:
    """Four walls of 27 tiles."""
    tiles = list(RULES.tiles)
    Random(seed).shuffle(tiles)
    return deal_tiles(tuple(tiles), WALL)[0]


def written(seed: int, hand: int = 1) -> list[PlayEvent]:
    """A whole hand of people who know the rules."""
    return list(whole_hand(RULES, walls_of(seed), seed, hand=hand))


def seated(make_rig: MakeRig, seed: int, *, raised: bool = True) -> tuple[Rig, list[PlayEvent]]:
    """A table at which the walls of a seed stand, with people who will play its hand."""
    setup = set_up(rules=RULES, options={})
    rig = make_rig(opened(walls_of(seed), rules=RULES.name), seed=seed, setup=setup, raised=raised)
    return with_players(rig, written(seed))
