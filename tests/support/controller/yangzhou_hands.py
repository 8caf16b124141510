"""Hands of Yangzhou for tables in tests: written by people who know the rules, or played at random with any shape as a win."""

from collections.abc import Mapping
from functools import cache

from controller.state.table_state import Setup
from tests.support.controller.players import with_players, written_hand
from tests.support.controller.rigs import MakeRig, Rig, opened, set_up
from tests.support.game.tables import any_walls, random_walls
from tests.support.simulator.disturbed_hands import whole_hand
from twinwall.game.play_events import PlayEvent
from twinwall.game.rules import rule_set

RULES = rule_set("yangzhou")
ANY_SHAPE: Mapping[str, object] = {"minimum": 0, "values": 13}
"""Options under which every complete hand wins, so that hands at random have wins."""


@cache
def written(seed: int, hand: int = 1) -> tuple[PlayEvent, ...]:
    """A whole hand of people who know the rules."""
    return whole_hand(RULES, random_walls(seed), seed, hand=hand)


@cache
def at_random(seed: int) -> tuple[PlayEvent, ...]:
    """A whole hand of players who take every win of any shape, and now and then declare one that is none."""
    return tuple(written_hand(rule_set(RULES.name, ANY_SHAPE), any_walls(seed), seed, hand=hand_of(seed)))


def hand_of(seed: int) -> int:
    return seed % 16 + 1


def seated(make_rig: MakeRig, seed: int) -> tuple[Rig, list[PlayEvent]]:
    """A table at which the walls of a seed stand, with people who know the rules and will play its hand."""
    hand = hand_of(seed)
    rig = make_rig(opened(random_walls(seed), hand=hand, rules=RULES.name), seed=seed, setup=_setup(hand, {}), raised=True)
    return with_players(rig, written(seed, hand))


def seated_at_random(make_rig: MakeRig, seed: int, *, raised: bool = True) -> tuple[Rig, list[PlayEvent]]:
    """The same with players at random."""
    hand = hand_of(seed)
    deal = opened(any_walls(seed), hand=hand, rules=RULES.name)
    rig = make_rig(deal, seed=seed, setup=_setup(hand, ANY_SHAPE), raised=raised)
    return with_players(rig, at_random(seed))


def _setup(hand: int, options: Mapping[str, object]) -> Setup:
    return set_up(rules=rule_set(RULES.name, options), options=dict(options), last_hand=hand)
