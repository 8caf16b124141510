"""Hands of Seigo for tables in tests: written by people who know the rules, played at random, or step by step."""

from functools import cache
from random import Random

from controller.state.making import OpenDeal
from controller.state.playing import PlayStage
from tests.support.controller.game import Game
from tests.support.controller.players import with_players
from tests.support.controller.rigs import MakeRig, Rig, opened, set_up
from tests.support.game.seigo_tables import SeigoTable, seigo_deal
from tests.support.game.seigo_tables import deal_of as deal_begun
from tests.support.simulator.disturbed_hands import whole_hand
from twinwall.game.play_events import PlayEvent
from twinwall.game.rules import rule_set
from vision.mat import Area, Slot

RULES = rule_set("seigo")


@cache
def written(seed: int, hand: int = 1, alike: int = 0) -> tuple[PlayEvent, ...]:
    """A whole hand of people who know the rules."""
    walls, rest = seigo_deal(seed, alike=alike)
    return whole_hand(RULES, walls, seed, hand=hand, rest=rest)


def deal_of(seed: int, alike: int = 0, hand: int = 1) -> OpenDeal:
    walls, rest = seigo_deal(seed, alike=alike)
    return opened(walls, rules="seigo", rest=rest, hand=hand)


def seated(
    make_rig: MakeRig, seed: int, alike: int = 0, *, hand: int = 1, raised: bool = True, decodes: bool = False
) -> tuple[Rig, list[PlayEvent]]:
    """A table at which the walls of a seed stand, with people who will play its hand."""
    rig = make_rig(deal_of(seed, alike, hand=hand), seed=seed, setup=set_up(rules=RULES, options={}, decodes=decodes), raised=raised)
    return with_players(rig, written(seed, hand, alike))


@cache
def at_random(seed: int) -> tuple[PlayEvent, ...]:
    """A whole hand of players who build towards wins, and now and then claim, make kongs and declare wins that are none."""
    walls, rest = seigo_deal(seed, alike=20)
    return tuple(SeigoTable(RULES, walls, Random(seed), eager=True, rest=rest).played().script)


def begun(make_rig: MakeRig, seed: int = 6, *, decodes: bool = False) -> Rig:
    """A table at which all hands have been taken; nobody does anything more by itself."""
    rig, _ = seated(make_rig, seed, decodes=decodes)
    rig.run(lambda: rig.state.playing.stage is PlayStage.PLAYING)
    rig.players = lambda: None
    rig.settle()
    return rig


def shared_slot(number: int) -> Slot:
    return Slot(0, Area.SHARED, number)


def game_begun(make_rig: MakeRig, **begun: str) -> Game:
    """A hand played step by step from walls that begin so."""
    return Game.on(RULES.name, make_rig, deal_begun(**begun))
