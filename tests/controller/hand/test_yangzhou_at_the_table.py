"""Hands of Yangzhou at the table, from the raised walls to the payments."""

from collections.abc import Sequence

import pytest

from tests.controller.hand.test_whole_hands import check, play
from tests.support.controller.hands_of_rules import hand_of, seated, seated_yangzhou, written, yangzhou_at_random
from tests.support.controller.rigs import MakeRig
from tests.support.narrowed import of_type
from tests.support.tiers import one_in, pairs
from twinwall.game.play_events import EndReason, HandEnded, KongDeclared, PlayEvent, WinDeclared, WinRefused
from twinwall.wire.events.trouble_events import Violation

pytestmark = pytest.mark.slow

KONG, SELF_DRAWN, ON_A_DISCARD = 11, 2, 0
"""Seeds of hands of people who know the rules: of 13 fan and more."""
ROBBED, THREE_ON_ONE, TWO_KONGS, REFUSED = 591, 327, 50, 756
"""Seeds of hands at random; of three who call a win on one discard one is refused."""


@pytest.mark.parametrize(("seed", "mortal_controller"), one_in(2, pairs([KONG, SELF_DRAWN, ON_A_DISCARD], [True, False])))
def test_a_hand_is_recorded_as_it_was_played(make_rig: MakeRig, seed: int, mortal_controller: bool) -> None:
    rig, script = seated(make_rig, "yangzhou", seed, hand=hand_of(seed))
    play(rig, killed=mortal_controller)
    check(rig, script)
    assert not rig.happened(Violation)


@pytest.mark.parametrize(("seed", "mortal_controller"), pairs([ROBBED, THREE_ON_ONE, TWO_KONGS, REFUSED], [False, True]))
def test_so_is_one_of_players_who_take_every_win_and_err(make_rig: MakeRig, seed: int, mortal_controller: bool) -> None:
    rig, script = seated_yangzhou(make_rig, seed)
    play(rig, killed=mortal_controller)
    check(rig, script)


def ended(script: Sequence[PlayEvent]) -> HandEnded:
    return of_type(HandEnded, script[-1])


def test_these_hands_have_what_makes_them_special() -> None:
    kong, own, discard = (written("yangzhou", seed, hand_of(seed)) for seed in (KONG, SELF_DRAWN, ON_A_DISCARD))
    assert any(isinstance(event, KongDeclared) for event in kong)
    assert sorted(ended(own).scores.values()) == [-18, -18, -18, 54]
    assert sorted(ended(discard).scores.values()) == [-26, 0, 0, 26]
    assert {ended(hand).reason for hand in (kong, own, discard)} == {EndReason.WON}
    robbed, three, kongs, refused = map(yangzhou_at_random, (ROBBED, THREE_ON_ONE, TWO_KONGS, REFUSED))
    declared = next(number for number, event in enumerate(robbed) if isinstance(event, KongDeclared))
    assert isinstance(robbed[declared + 1], WinDeclared)
    assert sum(isinstance(event, WinDeclared) for event in three) == 3
    assert sum(points > 0 for points in ended(three).scores.values()) == 2
    assert sum(isinstance(event, KongDeclared) for event in kongs) == 2
    assert any(isinstance(event, WinRefused) for event in refused)
