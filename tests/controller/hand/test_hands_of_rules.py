"""Hands of Seigo and of Yangzhou at the table, from the raised walls to the payments."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.controller.hand.test_whole_hands import check, play
from tests.support.controller.feeder import OtherBack
from tests.support.controller.hands_of_rules import (
    deal_of,
    hand_of,
    seated,
    seated_seigo,
    seated_yangzhou,
    written,
    yangzhou_at_random,
)
from tests.support.controller.rigs import MakeRig, set_up
from tests.support.controller.sessions import Session
from tests.support.narrowed import of_type
from tests.support.tiers import one_in, pairs
from twinwall.game.play_events import EndReason, HandEnded, KongDeclared, PlayEvent, WinDeclared, WinRefused
from twinwall.game.rules import rule_set
from twinwall.wire.events.trouble_events import Violation

pytestmark = pytest.mark.slow

SEIGO = rule_set("seigo")
ADDED_KONG, TWO_KONGS, THREE_KONGS, NOBODY, ROBBED = (("seigo", *kind) for kind in ((3, 0), (35, 0), (2, 20), (6, 0), (34, 0)))
KONG, SELF_DRAWN, ON_A_DISCARD = (("yangzhou", seed, 0) for seed in (11, 2, 0))
"""Of 13 fan and more."""


@pytest.mark.parametrize(
    ("kind", "mortal_controller"),
    [
        *one_in(3, pairs([ADDED_KONG, TWO_KONGS, NOBODY, ROBBED, THREE_KONGS], [False, True])),
        *one_in(2, pairs([KONG, SELF_DRAWN, ON_A_DISCARD], [True, False])),
    ],
)
def test_a_hand_is_recorded_as_it_was_played(make_rig: MakeRig, kind: tuple[str, int, int], mortal_controller: bool) -> None:
    rules, seed, alike = kind
    rig, script = seated(make_rig, rules, seed, alike=alike, hand=hand_of(seed))
    play(rig, killed=mortal_controller)
    check(rig, script)
    assert not rig.happened(Violation)


@pytest.mark.nightly
def test_hands_follow_each_other_and_the_second_set_has_shared_tiles_of_its_own(make_rig: MakeRig) -> None:
    deals = [replace(deal_of("seigo", seed, hand=hand), n=hand) for hand, seed in enumerate((3, 6), 1)]
    scripts = [list(written("seigo", seed, hand)) for hand, seed in enumerate((3, 6), 1)]
    rig = make_rig(*deals, seed=3, setup=set_up(rules=SEIGO, options={}, last_hand=2))
    session = Session(rig, scripts, box=[OtherBack(tile) for tile in SEIGO.tiles])
    rig.run(lambda: len(rig.state.closed) == 2, most=60_000, most_s=3600)
    assert session.backs == [{1: 136}, {2: 136}]
    for hand, script in enumerate(scripts, 1):
        assert list(rig.record(hand).events) == script
    assert not rig.state.faults


OPEN_KONG, TWO_ON_ONE, FOUR_KONGS, FALSE_WIN, FALSE_SELF_DRAW = 39, 241, 22, 212, 67


@pytest.mark.parametrize("seed", [OPEN_KONG, TWO_ON_ONE, FOUR_KONGS, FALSE_WIN, FALSE_SELF_DRAW])
def test_so_is_one_of_players_who_claim_and_err(make_rig: MakeRig, seed: int) -> None:
    rig, script = seated_seigo(make_rig, seed)
    play(rig)
    check(rig, script)


KONG_ROBBED, THREE_ON_ONE, KONGS, REFUSED = 591, 327, 50, 756
"""Seeds of hands at random; of three who call a win on one discard one is refused."""


@pytest.mark.parametrize(("seed", "mortal_controller"), pairs([KONG_ROBBED, THREE_ON_ONE, KONGS, REFUSED], [False, True]))
def test_so_is_one_of_players_who_take_every_win_and_err(make_rig: MakeRig, seed: int, mortal_controller: bool) -> None:
    rig, script = seated_yangzhou(make_rig, seed)
    play(rig, killed=mortal_controller)
    check(rig, script)


def ended(script: Sequence[PlayEvent]) -> HandEnded:
    return of_type(HandEnded, script[-1])


def test_these_hands_have_what_makes_them_special() -> None:
    kong, own, discard = (written(rules, seed, hand_of(seed)) for rules, seed, _ in (KONG, SELF_DRAWN, ON_A_DISCARD))
    assert any(isinstance(event, KongDeclared) for event in kong)
    assert sorted(ended(own).scores.values()) == [-18, -18, -18, 54]
    assert sorted(ended(discard).scores.values()) == [-26, 0, 0, 26]
    assert {ended(hand).reason for hand in (kong, own, discard)} == {EndReason.WON}
    robbed, three, kongs, refused = map(yangzhou_at_random, (KONG_ROBBED, THREE_ON_ONE, KONGS, REFUSED))
    declared = next(number for number, event in enumerate(robbed) if isinstance(event, KongDeclared))
    assert isinstance(robbed[declared + 1], WinDeclared)
    assert sum(isinstance(event, WinDeclared) for event in three) == 3
    assert sum(points > 0 for points in ended(three).scores.values()) == 2
    assert sum(isinstance(event, KongDeclared) for event in kongs) == 2
    assert any(isinstance(event, WinRefused) for event in refused)
