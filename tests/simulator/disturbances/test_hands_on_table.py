"""Whole hands on a table: tiles stay tiles whatever people do, and what the events say lies there."""

from itertools import combinations, groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.played_tables.acts import PutBackTile, TurnUpShared, done
from benchmarks.played_tables.hand_on_table import HandOnTable
from benchmarks.played_tables.people_at_table import hand_on_table
from benchmarks.played_tables.violations import violated_hand
from benchmarks.recorder_violations import SLIPS
from simulator.disturbances.acts import Draw, LieAskew
from simulator.disturbances.kinds import Disturbance, Disturbances, only
from simulator.disturbances.poses import flat_poses, overlap, pose_of, raised_poses
from simulator.tabletop import Tabletop
from tests.support.narrowed import present
from tests.support.simulator.disturbed_hands import disturbed_hand, hand_to_play
from tests.support.simulator.mat_observations import footprint, gate_passages
from tests.support.tiers import examples, one_in
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.play_events import Claimed, KongDeclared, TileDiscarded, TileDrawn
from twinwall.game.rules import rule_set_names
from twinwall.game.tiles import place_of

pytestmark = pytest.mark.slow
MAT = Mat()
MCR = "mcr-duplicate"


def tiles_of(table: Tabletop) -> list[int]:
    """The identities of all tiles that are not in a wall."""
    held = [tile.id for rack in table.racks for tile in rack.tiles]
    return sorted((*held, *(lying.tile.id for lying in table.lying), *(loose.tile.id for loose in table.loose)))


def check_tiles(hand: HandOnTable) -> None:
    """Every tile that has left a wall is at the table once; all lie whole on the mat, and no two in one another."""
    table, out = hand.beginning, set(tiles_of(hand.beginning))
    for timed in hand.acts:
        table = done(table, timed.act)
        if isinstance(timed.act, Draw | TurnUpShared):
            out.add(timed.act.tile.id)
        elif isinstance(timed.act, PutBackTile):
            out.remove(timed.act.tile.id)
        assert tiles_of(table) == sorted(out)
    assert not any(overlap(MAT, one, other) for one, other in combinations(flat_poses(MAT, table), 2))
    ends = [end for pose in (*flat_poses(MAT, table), *raised_poses(MAT, table)) for point in footprint(MAT, pose) for end in point]
    assert not ends or max(map(abs, ends)) <= MAT.half_side_mm


def laid_below(hand: HandOnTable) -> list[int]:
    """When a tile was laid below one that had been lying there on the edge of another."""
    table, times = hand.beginning, []
    for at_ms, acts in groupby(hand.acts, key=lambda timed: timed.at_ms):
        before = table
        for timed in acts:
            table = done(table, timed.act)
        raised = set(raised_poses(MAT, before)) & set(raised_poses(MAT, table))
        laid = set(flat_poses(MAT, table)) - set(flat_poses(MAT, before))
        times += [at_ms for pose in laid if any(overlap(MAT, pose, other) for other in raised)]
    return times


@settings(max_examples=examples(10))
@given(st.sampled_from(rule_set_names()), st.integers(0, 10_000), st.sampled_from((1.0, 5.0)))
def test_whatever_people_do_every_tile_is_somewhere_once(rules: str, seed: int, scale: float) -> None:
    check_tiles(hand_on_table(hand_to_play(rules, 1), Disturbances(seed, scale)))


@pytest.mark.parametrize(("rules", "number"), one_in(2, [("sichuan", 50_331), ("seigo", 50_538)]))
def test_no_tile_is_laid_below_another(rules: str, number: int) -> None:
    """A second discard lay below the edge of the first one, which itself lay on the edge of another, so that no frame showed it."""
    assert not laid_below(violated_hand(hand_to_play(rules, number), Disturbances(1, scales=dict.fromkeys(SLIPS, 0.0)), 5)[0])


@pytest.mark.parametrize("rules", rule_set_names())
def test_nothing_is_askew_at_scale_0_and_each_event_is_one_act(rules: str) -> None:
    hand, meant = disturbed_hand(rules, 1, 0.0), hand_to_play(rules, 1).played.events
    assert [event for _, event in hand.events] == list(meant)
    assert not hand.happened
    assert not hand.troubles
    assert not any(isinstance(timed.act, LieAskew | PutBackTile) for timed in hand.acts)
    by_event = (TileDrawn, TileDiscarded, Claimed, KongDeclared)
    assert sum(edge.out and not edge.rear for edge in gate_passages(hand)) == sum(isinstance(event, TileDrawn) for event in meant)
    assert len(hand.acts) >= sum(isinstance(event, by_event) for event in meant)


def test_the_same_seed_gives_the_same_acts_and_another_seed_others() -> None:
    whole = hand_to_play(MCR, 1)
    first, again, other = (hand_on_table(whole, Disturbances(seed)) for seed in (5, 5, 6))
    assert first == again
    assert first.acts != other.acts


@pytest.mark.parametrize("rules", rule_set_names())
def test_a_discard_lies_in_its_slot_face_up_when_its_event_is_seen(rules: str) -> None:
    hand, meant = disturbed_hand(rules, 1, 5.0), hand_to_play(rules, 1)
    changes = list(hand.tabletops())
    for number, (time_ms, event) in enumerate(hand.events):
        if isinstance(event, TileDiscarded):
            place = place_of(event.seat, meant.hand)
            table = [table for at_ms, table in changes if at_ms <= time_ms][-1]
            last = table.tiles_in(place, Area.RIVER)[-1]
            assert (last.tile.face, last.face_down) == (event.tile.text, False), (number, event)


CLAIMS_KONG_AND_SELF_DRAWN_WIN, CLAIMED_TWICE, WON_ON_A_DISCARD = 5, 11, 2
SEVERAL_AT_ONCE = (Disturbance.ARM_OVER_MAT, Disturbance.ARM_STAYS)


@pytest.mark.parametrize("kind", one_in(3, Disturbance))
def test_each_kind_can_happen_and_be_the_only_one(kind: Disturbance) -> None:
    often = 100.0 if kind in SEVERAL_AT_ONCE else 1e6
    people = Disturbances(1, 1.0, {other: often if other is kind else 0.0 for other in Disturbance})
    numbers = {Disturbance.SECOND_CLAIM_LAID: CLAIMED_TWICE, Disturbance.WON_TILE_TAKEN: WON_ON_A_DISCARD}
    hand = hand_on_table(hand_to_play(MCR, numbers.get(kind, CLAIMS_KONG_AND_SELF_DRAWN_WIN)), people)
    assert set(hand.counts) == {kind}
    check_tiles(hand)


@pytest.mark.parametrize("among", [False, True])
def test_the_tile_won_on_is_taken_out_of_the_river_and_shown_apart_or_among_the_others(among: bool) -> None:
    kinds = (Disturbance.WON_TILE_TAKEN, *((Disturbance.WINNING_TILE_NOT_APART,) if among else ()))
    to_play = hand_to_play(MCR, WON_ON_A_DISCARD)
    left, taken = (list(hand_on_table(to_play, only(1, these)).tabletops())[-1][1] for these in ((), kinds))
    (won,) = {lying.slot for lying in left.lying} - {lying.slot for lying in taken.lying}
    place, lying = next((place, lying) for place in range(4) if (lying := taken.at(Slot(place, Area.WIN, 0))) is not None)
    discard = present(left.at(won))
    assert (won.area, won.place == place, lying.tile.face) == (Area.RIVER, False, discard.tile.face)
    spot = MAT.spot(lying.slot)
    at = pose_of(MAT, lying)
    assert (abs(at.x_mm - spot.x_mm) + abs(at.y_mm - spot.y_mm) > MAT.tile_width_mm / 2) == among
    check_tiles(hand_on_table(to_play, only(1, kinds)))


@pytest.mark.parametrize("kind", [Disturbance.ARM_STAYS, Disturbance.THING_ON_MAT, Disturbance.CAMERA_SILENT])
def test_a_hand_ends_when_nothing_comes_between_camera_and_tiles_any_more(kind: Disturbance) -> None:
    """Without the hands that are shown no table closes a hand."""
    hand = hand_on_table(hand_to_play(MCR, 1), only(1, (kind,)))
    assert hand.ends_ms == max(trouble.until_ms or 0 for trouble in hand.troubles) > hand.events[-1][0]
    assert hand_on_table(hand_to_play(MCR, 1), only(1, ())).ends_ms == hand.events[-1][0]
