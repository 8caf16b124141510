"""Observations of a tabletop without a camera: what lies there, but for what is covered."""

from dataclasses import replace
from math import hypot

from simulator.covers import Cover, CoverKind
from simulator.disturbances.camera_troubles import (
    PICTURE_HALF_MM,
    Bump,
    TimedTrouble,
)
from simulator.disturbances.kinds import Disturbance
from simulator.disturbances.poses import footprint, pose_of
from simulator.scene import CLEAR, Between
from tests.support.simulator.covered_places import hides
from tests.support.simulator.disturbed_hands import disturbed_hand
from tests.support.simulator.mat_observations import NO_NOISE, observation, observations
from twinwall.art.mat import Mat, Spot
from twinwall.game.tiles import parse_tile
from vision.mat_observation import COVER_MM

MAT = Mat()
HAND = disturbed_hand("mcr-duplicate", 5, 0.0)
TABLE = list(HAND.tabletops())[-1][1]


def test_without_noise_every_tile_is_seen_where_it_lies() -> None:
    seen = observation(0, TABLE, CLEAR, NO_NOISE)
    assert len(seen.tiles) == len(TABLE.lying)
    assert not seen.covered
    for lying, tile in zip(TABLE.lying, seen.tiles, strict=True):
        pose = pose_of(MAT, lying)
        assert (tile.x_mm, tile.y_mm, tile.angle_deg) == (pose.x_mm, pose.y_mm, pose.turn_deg % 180)
        assert tile.face_up
        assert max(tile.shares, key=tile.shares.__getitem__) is parse_tile(lying.tile.face)


def test_what_an_arm_hides_is_covered_and_not_seen() -> None:
    arm = Cover(CoverKind.ARM, 0, 0.0, 120.0)
    seen = observation(0, TABLE, Between((arm,)), NO_NOISE)
    assert 0 < len(seen.tiles) < len(TABLE.lying)
    assert not any(hides(arm, tile.x_mm, tile.y_mm) for tile in seen.tiles)
    assert (0, round(200 / COVER_MM)) in seen.covered


def test_noise_moves_tiles_a_little_and_confuses_as_many_as_it_says() -> None:
    wrong = looked = 0
    for seed in range(8):
        seen = observation(0, TABLE, CLEAR, replace(NO_NOISE, seed=seed, off_mm=1.5, scatter_mm=0.5, confused=0.2))
        for lying, tile in zip(TABLE.lying, seen.tiles, strict=True):
            pose = pose_of(MAT, lying)
            assert hypot(tile.x_mm - pose.x_mm, tile.y_mm - pose.y_mm) <= hypot(2.0, 2.0)
            looked += 1
            wrong += max(tile.shares, key=tile.shares.__getitem__) is not parse_tile(lying.tile.face)
            assert sum(tile.shares.values()) <= 1
    assert 0.1 < wrong / looked < 0.3


def test_a_tile_outside_the_picture_of_a_bumped_camera_is_not_seen() -> None:
    edge = max(TABLE.lying, key=lambda lying: pose_of(MAT, lying).x_mm)
    reach = PICTURE_HALF_MM - max(x_mm for x_mm, _ in footprint(MAT, pose_of(MAT, edge)))
    within, beyond = (observation(0, TABLE, Between(moved_mm=(reach + step, 0.0)), NO_NOISE) for step in (-1.0, 1.0))
    assert len(beyond.tiles) < len(within.tiles) == len(TABLE.lying)
    assert within.covered < beyond.covered


def test_a_camera_that_lost_the_mat_says_nothing_until_it_is_put_back() -> None:
    lost = TimedTrouble(Disturbance.CAMERA_BUMPED, Bump(Spot(60.0, 0.0, 0.0)), 20_000, 40_000)
    times = [each.at_ms for each in observations(replace(HAND, troubles=(lost,)), 10_000)]
    assert times[:4] == [0, 10_000, 40_000, 50_000]
