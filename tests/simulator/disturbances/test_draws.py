"""Draws of disturbances: how often, which, and what the page of the simulator says of them."""

import math
from dataclasses import replace
from itertools import pairwise
from math import hypot
from pathlib import Path

import pytest

from benchmarks.played_tables.hand_on_table import HandOnTable
from simulator.disturbances.camera_troubles import PICTURE_HALF_MM, LightRamp, TimedTrouble, between_at, troubles_of_turn
from simulator.disturbances.kinds import NONE, RATES, Disturbance, Disturbances, Occasion, Rate, only
from simulator.disturbances.poses import pose_of
from simulator.scene import CLEAR, Between, Cover, CoverKind
from simulator.tabletop import Tabletop
from tests.support.simulator.disturbed_hands import disturbed_hand
from tests.support.simulator.mat_observations import NO_NOISE, footprint, hides, observation, observations
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import parse_tile
from vision.mat_observation import COVER_MM

OCCASIONS = 4000


def test_each_kind_happens_as_often_as_its_rate_says() -> None:
    people = Disturbances(11, scale=2.0)
    for kind in Disturbance:
        happened = sum(people.happens(kind, f"1 {number}") for number in range(OCCASIONS))
        expected = min(1.0, people.expected(kind)) * OCCASIONS
        assert abs(happened - expected) <= 4 * math.sqrt(expected) + 3, kind


def test_arms_are_as_many_as_their_rate_says_also_beyond_one_a_turn() -> None:
    people = Disturbances(12, scales={Disturbance.ARM_OVER_MAT: 8.0})
    counted = [people.count(Disturbance.ARM_OVER_MAT, str(number)) for number in range(OCCASIONS)]
    assert sum(counted) / OCCASIONS == pytest.approx(15 * 8 / 50, rel=0.05)
    assert max(counted) > 4


def test_nobody_disturbs_at_scale_0() -> None:
    assert not any(NONE.happens(kind, str(number)) or NONE.count(kind, str(number)) for kind in Disturbance for number in range(20))


def test_a_kind_that_is_switched_off_changes_no_other() -> None:
    whole, less = Disturbances(13, 5.0), Disturbances(13, 5.0, {Disturbance.DISCARD_OFF: 0.0})
    for number in range(50):
        assert not less.happens(Disturbance.DISCARD_OFF, str(number))
        for kind in set(Disturbance) - {Disturbance.DISCARD_OFF}:
            assert less.happens(kind, str(number)) == whole.happens(kind, str(number))


@pytest.mark.parametrize(("scale", "scales"), [(-0.1, {}), (5.1, {}), (1.0, {Disturbance.WRONG_KEY: -1.0})])
def test_a_scale_out_of_range_is_refused(scale: float, scales: dict[Disturbance, float]) -> None:
    with pytest.raises(ValueError, match="cannot be scaled"):
        Disturbances(1, scale, scales)


PAGE = Path(__file__).parents[3] / "docs" / "reference" / "simulator.md"
SHARES = {Occasion.CALL: "calls", Occasion.MELD: "melds", Occasion.KONG: "kongs", Occasion.SHOWN_HAND: "shown hands"}


def written(rate: Rate) -> str:
    return f"{rate.a_hand:g} a hand" if rate.share is None else f"{100 * rate.share:g} % of {SHARES[rate.occasion]}"


def test_the_page_has_a_row_for_each_kind_with_its_words_and_its_rate() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## How its people disturb")[2].partition("\n## ")[0]
    rows = [" ".join(row.split()) for row in section.partition("\n- ")[2].partition("\n\n")[0].split("\n- ")]
    assert rows == [f"`{kind}`, {written(rate)}: {rate.words}" for kind, rate in RATES.items()]


RAMP = LightRamp(by=0.2, towards_deg=0.0, within_ms=60_000)
BEGINS_MS = 5000


def at(after_ms: int, ramp: LightRamp = RAMP) -> Between:
    """What is between camera and tiles so long after the beginning of a slow change of light."""
    return between_at([TimedTrouble(Disturbance.LIGHT_RAMP, ramp, BEGINS_MS)], BEGINS_MS + after_ms)


@pytest.mark.parametrize(("after_ms", "share"), [(30_000, 0.5), (60_000, 1.0), (600_000, 1.0)])
def test_one_edge_grows_brighter_than_the_other_bit_by_bit_and_stays_so(after_ms: int, share: float) -> None:
    assert at(after_ms).side_light == pytest.approx((share * 0.1, 0), abs=0.006)
    assert at(after_ms).light == 1.0


def test_it_is_told_in_steps_of_which_no_picture_shows_one() -> None:
    told = [at(after_ms) for after_ms in range(0, 70_000, 250)]
    steps = [other.side_light[0] - one.side_light[0] for one, other in pairwise(told) if one != other]
    assert steps == pytest.approx([0.01] * 10)


@pytest.mark.parametrize("number", range(8))
def test_it_is_as_large_and_as_slow_as_its_rate_says(number: int) -> None:
    people = only(number, (Disturbance.LIGHT_RAMP,))
    (told,) = troubles_of_turn(people, str(number), Mat(), Slot(0, Area.RIVER, 0), 1000)
    assert isinstance(told.trouble, LightRamp)
    assert 0.1 <= told.trouble.by <= 0.2
    assert 30_000 <= told.trouble.within_ms <= 120_000
    assert (told.from_ms, told.until_ms) == (1000, None)


MAT = Mat()


@pytest.fixture(scope="module")
def hand() -> HandOnTable:
    return disturbed_hand("mcr-duplicate", 5, 0.0)


@pytest.fixture(scope="module")
def table(hand: HandOnTable) -> Tabletop:
    """All that lies when the hand is over."""
    return list(hand.tabletops())[-1][1]


def test_without_noise_every_tile_is_seen_where_it_lies(table: Tabletop) -> None:
    seen = observation(0, table, CLEAR, NO_NOISE)
    assert len(seen.tiles) == len(table.lying)
    assert not seen.covered
    for lying, tile in zip(table.lying, seen.tiles, strict=True):
        pose = pose_of(MAT, lying)
        assert (tile.x_mm, tile.y_mm, tile.angle_deg) == (pose.x_mm, pose.y_mm, pose.turn_deg % 180)
        assert tile.face_up
        assert max(tile.shares, key=tile.shares.__getitem__) is parse_tile(lying.tile.face)


def test_what_an_arm_hides_is_covered_and_not_seen(table: Tabletop) -> None:
    arm = Cover(CoverKind.ARM, 0, 0.0, 120.0)
    seen = observation(0, table, Between((arm,)), NO_NOISE)
    assert 0 < len(seen.tiles) < len(table.lying)
    assert not any(hides(arm, tile.x_mm, tile.y_mm) for tile in seen.tiles)
    assert (0, round(200 / COVER_MM)) in seen.covered


def test_noise_moves_tiles_a_little_and_confuses_as_many_as_it_says(table: Tabletop) -> None:
    wrong = looked = 0
    for seed in range(8):
        seen = observation(0, table, CLEAR, replace(NO_NOISE, seed=seed, off_mm=1.5, scatter_mm=0.5, confused=0.2))
        for lying, tile in zip(table.lying, seen.tiles, strict=True):
            pose = pose_of(MAT, lying)
            assert hypot(tile.x_mm - pose.x_mm, tile.y_mm - pose.y_mm) <= hypot(2.0, 2.0)
            looked += 1
            wrong += max(tile.shares, key=tile.shares.__getitem__) is not parse_tile(lying.tile.face)
            assert sum(tile.shares.values()) <= 1
    assert 0.1 < wrong / looked < 0.3


def test_a_tile_outside_the_picture_of_a_bumped_camera_is_not_seen(table: Tabletop) -> None:
    edge = max(table.lying, key=lambda lying: pose_of(MAT, lying).x_mm)
    reach = PICTURE_HALF_MM - max(x_mm for x_mm, _ in footprint(MAT, pose_of(MAT, edge)))
    within, beyond = (observation(0, table, Between(moved_mm=(reach + step, 0.0)), NO_NOISE) for step in (-1.0, 1.0))
    assert len(beyond.tiles) < len(within.tiles) == len(table.lying)
    assert within.covered < beyond.covered


def test_a_camera_that_lost_the_mat_says_nothing_until_it_is_put_back(hand: HandOnTable) -> None:
    lost = TimedTrouble(Disturbance.CAMERA_BUMPED, Between(moved_mm=(60.0, 0.0)), 20_000, 40_000)
    times = [each.at_ms for each in observations(replace(hand, troubles=(lost,)), 10_000)]
    assert times[:4] == [0, 10_000, 40_000, 50_000]
