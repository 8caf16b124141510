"""Hands of Seigo as a table leads them: indicators come out of the rear gates, discards wait for one's own turn, riichi has a key."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from controller.events import Violation
from controller.state import OpenDeal, PlayStage
from tests.controller.conftest import MakeRig
from tests.controller.players import Players
from tests.controller.rigs import Rig, opened, set_up
from tests.controller.test_whole_hands import check, mortal, play
from tests.game.seigo_tables import SeigoTable, seigo_deal
from twinwall.game.payments import totals
from twinwall.game.play import EndReason, HandEnded, HandLaidOpen, HandShown, PlayEvent
from twinwall.game.rules import rule_set
from twinwall.game.session import round_wind
from twinwall.game.tiles import SEATS
from twinwall.simulator.players.rehearsal import Rehearsal
from twinwall.simulator.players.strategy import taste_of
from twinwall.simulator.players.styles import player_of

RULES = rule_set("seigo")


@cache
def written(seed: int, hand: int = 1, alike: int = 0) -> tuple[PlayEvent, ...]:
    """A whole hand as four people who know the rules play it, with what it pays."""
    walls, rest = seigo_deal(seed, alike=alike)
    players = {seat: player_of(RULES, taste_of(seed, "1", seat.index)) for seat in SEATS}
    rehearsed = Rehearsal(RULES, {seat: walls[seat].tiles for seat in SEATS}, players, round_wind(hand), rest).play()
    state = RULES.start()
    for event in rehearsed.events:
        state = RULES.apply(state, event)
    reason = EndReason.WON if rehearsed.wins else EndReason.DRAWN
    return (*rehearsed.events, HandEnded(reason, totals(RULES.payments(state, rehearsed.wins))))


def deal_of(seed: int, alike: int = 0, hand: int = 1) -> OpenDeal:
    walls, rest = seigo_deal(seed, alike=alike)
    return opened(walls, rules="seigo", rest=rest, hand=hand)


def seated(make_rig: MakeRig, seed: int, alike: int = 0, *, hand: int = 1, raised: bool = True) -> tuple[Rig, list[PlayEvent]]:
    """A table at which the walls of a seed stand, with people who will play its hand."""
    rig = make_rig(deal_of(seed, alike, hand=hand), seed=seed, setup=set_up(rules=RULES, options={}), raised=raised)
    script = list(written(seed, hand, alike))
    Players(rig, script)
    return rig, script


@cache
def at_random(seed: int) -> tuple[PlayEvent, ...]:
    """A whole hand of players who build towards wins, and now and then claim, make kongs and declare wins that are none."""
    walls, rest = seigo_deal(seed, alike=20)
    table = SeigoTable(RULES, walls, rest, Random(seed), eager=True)
    for _ in table.play():
        pass
    shown = HandShown | HandLaidOpen
    return tuple(replace(event, concealed=tuple(sorted(event.concealed))) if isinstance(event, shown) else event for event in table.events)


ADDED_KONG, TWO_KONGS, THREE_KONGS, NOBODY, ROBBED = (3, 0), (35, 0), (2, 20), (6, 0), (34, 0)


@pytest.mark.parametrize(("seed", "alike"), [ADDED_KONG, TWO_KONGS, THREE_KONGS, NOBODY, ROBBED])
@pytest.mark.parametrize("mortal_controller", [False, True], ids=["", "killed and cut"])
def test_a_hand_is_recorded_as_it_was_played(make_rig: MakeRig, seed: int, alike: int, mortal_controller: bool) -> None:
    rig, script = seated(make_rig, seed, alike, hand=seed % 16 + 1)
    if mortal_controller:
        mortal(rig, lambda: rig.state.playing.stage is PlayStage.CLOSED, mean=50)
        assert rig.deaths > 1
        rig.confirm()
        rig.settle()
    else:
        play(rig)
    check(rig, script)
    assert not rig.state.playing.fouled
    assert not rig.happened(Violation)


OPEN_KONG, TWO_ON_ONE, FOUR_KONGS, FALSE_WIN, FALSE_SELF_DRAW = 39, 241, 22, 212, 67


@pytest.mark.parametrize("seed", [OPEN_KONG, TWO_ON_ONE, FOUR_KONGS, FALSE_WIN, FALSE_SELF_DRAW])
def test_so_is_one_of_players_who_claim_and_err(make_rig: MakeRig, seed: int) -> None:
    walls, rest = seigo_deal(seed, alike=20)
    rig = make_rig(opened(walls, rules="seigo", rest=rest), seed=seed, setup=set_up(rules=RULES, options={}), raised=True)
    script = list(at_random(seed))
    Players(rig, script)
    play(rig)
    check(rig, script)
    assert not rig.state.playing.fouled
