"""Hands that go on after a win: winners leave, several win on one tile, all hands are shown at the end."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from controller.state.sides import PlayStage
from tests.controller.hand.test_whole_hands import check, play
from tests.support.controller.feeder import OtherBack
from tests.support.controller.hands_of_rules import CONCEALED_KONG, LATE_KONG, NOBODY, THREE_WINNERS, TWO_ON_ONE, deal_of, seated, written
from tests.support.controller.players import Players
from tests.support.controller.rigs import MakeRig, Rig, opened, set_up
from tests.support.controller.sessions import Session
from tests.support.game.sichuan_tables import SichuanTable, sichuan_walls
from tests.support.narrowed import of_type, present
from tests.support.tiers import some
from twinwall.game.held import concealed
from twinwall.game.play_events import EndReason, HandEnded, HandLaidOpen, HandRuledDead, HandShown, KongDeclared, MeldType, WinDeclared
from twinwall.game.replay import replay
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.wire.events.hand_events import WinCalled, WinCallRefused
from twinwall.wire.events.trouble_events import DealFouled, Violation
from twinwall.wire.shapes.panel import Key
from vision.mat import Area, Slot

pytestmark = pytest.mark.slow

RULES = rule_set("sichuan")
ROBBED = 22
"""Seed of a hand played at random in which a kong is robbed."""


@pytest.mark.parametrize("mortal_controller", some([False, True], 1), ids=lambda mortal: "killed and cut" if mortal else "")
def test_a_robbed_kong_is_led_and_recorded_and_its_robber_leaves_play(make_rig: MakeRig, mortal_controller: bool) -> None:
    table = SichuanTable(RULES, sichuan_walls(ROBBED, alike=40), Random(ROBBED), eager=True).played()
    script = table.script
    robbed = [kong for kong, win in pairwise(script) if isinstance(kong, KongDeclared) and isinstance(win, WinDeclared)]
    assert [kong.meld.type for kong in robbed] == [MeldType.ADDED_KONG]
    rig = make_rig(opened(table.walls, rules=RULES.name), seed=ROBBED, setup=set_up(rules=RULES, options={}), raised=True)
    Players(rig, script)
    play(rig, killed=mortal_controller)
    check(rig, script)
    robber = of_type(WinDeclared, script[script.index(robbed[0]) + 1])
    assert robber.source is robbed[0].seat
    assert replay(rig.record()).wins.keys() >= {robber.seat}


def test_these_hands_have_what_makes_them_special() -> None:
    seeds = (TWO_ON_ONE, THREE_WINNERS, LATE_KONG, NOBODY, CONCEALED_KONG)
    two, three, late, nobody, hidden = (list(written("sichuan", seed)) for seed in seeds)
    declared = [event for event in two if isinstance(event, WinDeclared)]
    assert declared[0].source is declared[1].source is not None
    assert two.index(declared[1]) == two.index(declared[0]) + 1
    assert sum(isinstance(event, WinDeclared) for event in three) == 3
    assert any(isinstance(event, KongDeclared) and event.late for event in late)
    assert sum(isinstance(event, HandLaidOpen) for event in nobody) == 4
    assert [event.reason for event in nobody if isinstance(event, HandEnded)] == [EndReason.DRAWN]
    assert any(isinstance(event, KongDeclared) and event.meld.type is MeldType.CONCEALED_KONG for event in hidden)


def test_all_hands_lie_open_at_the_end_and_one_agreement_pays_for_all_wins(make_rig: MakeRig) -> None:
    rig, _ = seated(make_rig, "sichuan", TWO_ON_ONE)
    play(rig)
    events = rig.record().events
    shown = [event.seat for event in events if isinstance(event, HandShown | HandLaidOpen)]
    assert sorted(shown, key=SEATS.index) == list(SEATS)
    assert isinstance(events[-1], HandEnded)
    assert events[-1].scores == replay(rig.record()).scores
    assert len(replay(rig.record()).wins) == 2


def test_who_has_won_keeps_its_call_lamp_and_is_heard_no_more(make_rig: MakeRig) -> None:
    rig, script = seated(make_rig, "sichuan", TWO_ON_ONE)
    winners = [event.seat for event in script if isinstance(event, WinDeclared)]
    places = {rig.deal.place(seat) for seat in winners}
    rig.run(lambda: len(rig.happened(WinDeclared)) == 2 and rig.lamps.window)
    assert places <= rig.lamps.call
    before = len(rig.events())
    for place in places:
        rig.press(place, Key.PUNG)
    assert len(rig.events()) == before


def on_own_draw(make_rig: MakeRig) -> tuple[Rig, int, WinDeclared]:
    """A table at which a seat has just called a win with the tile it drew."""
    rig, script = seated(make_rig, "sichuan", THREE_WINNERS)
    declared = next(event for event in script if isinstance(event, WinDeclared))
    assert declared.source is None
    rig.run(lambda: bool(rig.happened(WinCalled)))
    rig.players = lambda: None
    return rig, rig.deal.place(declared.seat), declared


def still_held(rig: Rig, seat: Seat) -> tuple[Tile, ...]:
    """What a seat conceals now."""
    return concealed(rig.deal.walls, rig.state.playing.hand.events, seat)


def test_another_tile_than_the_one_drawn_is_no_win_and_the_referee_is_called(make_rig: MakeRig) -> None:
    rig, place, declared = on_own_draw(make_rig)
    own = next(tile for tile in still_held(rig, declared.seat) if tile is not declared.tile)
    rig.mat.tiles[Slot(place, Area.WIN, 0)] = own
    rig.look_at_mat()
    assert rig.happened(WinCallRefused) == [WinCallRefused(declared.seat)]
    assert [violation.what for violation in rig.happened(Violation)] == ["false-win"]
    assert not rig.happened(WinDeclared)
    assert place in rig.lamps.turn


def test_a_tile_that_the_wall_has_not_given_fouls_the_deal(make_rig: MakeRig) -> None:
    rig, place, declared = on_own_draw(make_rig)
    held = still_held(rig, declared.seat)
    rig.mat.tiles[Slot(place, Area.WIN, 0)] = next(tile for tile in RULES.tiles if tile not in held)
    rig.look_at_mat()
    assert rig.happened(DealFouled)


def test_a_discard_takes_the_call_back(make_rig: MakeRig) -> None:
    rig, place, declared = on_own_draw(make_rig)
    assert declared.tile is not None
    play_state = present(rig.state.playing.hand.play)
    rig.mat.tiles[Slot(place, Area.RIVER, len(play_state.seat(declared.seat).river))] = declared.tile
    rig.look_at_mat()
    assert not rig.happened(WinDeclared)
    assert rig.lamps.window


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rules", "seeds"),
    [("sichuan", (TWO_ON_ONE, NOBODY)), ("seigo", (3, 6))],
    ids=["sets of three suits", "sets of which each has shared tiles of its own"],
)
def test_hands_follow_each_other(make_rig: MakeRig, rules: str, seeds: Sequence[int]) -> None:
    deals = [replace(deal_of(rules, seed, hand=hand), n=hand) for hand, seed in enumerate(seeds, 1)]
    scripts = [list(written(rules, seed, hand)) for hand, seed in enumerate(seeds, 1)]
    tiles = rule_set(rules).tiles
    rig = make_rig(*deals, seed=3, setup=set_up(rules=rule_set(rules), options={}, last_hand=len(deals)))
    session = Session(rig, scripts, box=[OtherBack(tile) for tile in tiles])
    rig.run(lambda: len(rig.state.closed) == len(deals), most=60_000, most_s=3600)
    assert session.backs == [{1: len(tiles)}, {2: len(tiles)}]
    for hand, script in enumerate(scripts, 1):
        assert list(rig.record(hand).events) == script
    assert not rig.state.faults


def test_a_winner_ruled_dead_when_all_hands_lie_open_pays_the_others_and_the_record_replays(make_rig: MakeRig) -> None:
    rig, script = seated(make_rig, "sichuan", LATE_KONG)
    declared = [event for event in script if isinstance(event, WinDeclared)]
    assert [event.source for event in declared] == [None] * 3, "who has won pays for no self-drawn win after it"
    first = declared[0].seat
    rig.run(lambda: rig.state.playing.stage is PlayStage.SETTLING)
    rig.rule(HandRuledDead(first))
    rig.run(lambda: rig.state.playing.stage is PlayStage.CLOSED)
    again = replay(rig.record())
    assert again.legal
    assert set(again.wins) == {event.seat for event in declared[1:]}
    assert all(win.payments[first] < 0 for win in again.wins.values())
