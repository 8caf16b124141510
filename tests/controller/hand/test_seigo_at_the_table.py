"""Hands of Seigo at the table, from the first indicator to the payments."""

from dataclasses import replace

import pytest

from tests.controller.hand.test_whole_hands import check, play
from tests.support.controller.feeder import OtherBack
from tests.support.controller.hands_of_rules import deal_of, seated, seated_seigo, written
from tests.support.controller.rigs import MakeRig, set_up
from tests.support.controller.sessions import Session
from tests.support.tiers import one_in, pairs
from twinwall.game.rules import rule_set
from twinwall.wire.events.trouble_events import Violation

pytestmark = pytest.mark.slow

RULES = rule_set("seigo")
ADDED_KONG, TWO_KONGS, THREE_KONGS, NOBODY, ROBBED = (3, 0), (35, 0), (2, 20), (6, 0), (34, 0)


@pytest.mark.parametrize(
    ("kind", "mortal_controller"), one_in(3, pairs([ADDED_KONG, TWO_KONGS, NOBODY, ROBBED, THREE_KONGS], [False, True]))
)
def test_a_hand_is_recorded_as_it_was_played(make_rig: MakeRig, kind: tuple[int, int], mortal_controller: bool) -> None:
    seed, alike = kind
    rig, script = seated(make_rig, "seigo", seed, alike=alike, hand=seed % 16 + 1)
    play(rig, killed=mortal_controller)
    check(rig, script)
    assert not rig.happened(Violation)


@pytest.mark.nightly
def test_hands_follow_each_other_and_the_second_set_has_shared_tiles_of_its_own(make_rig: MakeRig) -> None:
    deals = [replace(deal_of("seigo", seed, hand=hand), n=hand) for hand, seed in enumerate((3, 6), 1)]
    scripts = [list(written("seigo", seed, hand)) for hand, seed in enumerate((3, 6), 1)]
    rig = make_rig(*deals, seed=3, setup=set_up(rules=RULES, options={}, last_hand=2))
    session = Session(rig, scripts, box=[OtherBack(tile) for tile in RULES.tiles])
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
