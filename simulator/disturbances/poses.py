"""Poses of tiles on the mat: where each lies and how it is turned, which poses overlap, and where cloth is free.

Lengths are millimetres in the mat's axes, angles degrees anticlockwise as seen from above, as in ``Lying``.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

from simulator.tabletop import Lying, Tabletop
from twinwall.art.mat import Mat, Slot, Spot

_SLACK_MM = 0.5
"""How far two tiles may be said to overlap and still lie side by side: their corners are rounded."""
_RINGS_MM = (1.0, 2.0, 3.0, *range(4, 121, 4))
"""How far off a free place is sought, one after the other."""
_DIRECTIONS = 16


def pose_of(mat: Mat, lying: Lying) -> Spot:
    """Where a tile of a slot really lies."""
    spot = mat.spot(lying.slot)
    turn_deg = spot.turn_deg + lying.angle_deg + (90.0 if lying.sideways else 0.0)
    return Spot(spot.x_mm + lying.offset_mm[0], spot.y_mm + lying.offset_mm[1], turn_deg)


def flat_poses(mat: Mat, table: Tabletop, without: Iterable[Slot] = ()) -> Iterator[Spot]:
    left_out = set(without)
    for lying in table.lying:
        if not lying.level and lying.slot not in left_out:
            yield pose_of(mat, lying)
    for loose in table.loose:
        yield Spot(loose.x_mm, loose.y_mm, loose.turn_deg)


def lying_poses(mat: Mat, table: Tabletop, without: Iterable[Slot] = ()) -> Iterator[Spot]:
    """Where tiles lie, on the cloth and on the edges of others, but for those of some slots: nothing is laid below one of these."""
    left_out = set(without)
    yield from flat_poses(mat, table, left_out)
    yield from raised_poses(mat, table, left_out)


def raised_poses(mat: Mat, table: Tabletop, without: Iterable[Slot] = ()) -> Iterator[Spot]:
    """Where tiles lie on the edges of others, but for those of some slots."""
    left_out = set(without)
    yield from (pose_of(mat, lying) for lying in table.lying if lying.level and lying.slot not in left_out)


def along_seat(place: int, right_mm: float, near_mm: float) -> tuple[float, float]:
    """A step to a player's right and towards that player, in the mat's axes."""
    return ((right_mm, near_mm), (near_mm, -right_mm), (-right_mm, -near_mm), (-near_mm, right_mm))[place]


def overlap(mat: Mat, one: Spot, other: Spot) -> bool:
    apart_x, apart_y = other.x_mm - one.x_mm, other.y_mm - one.y_mm
    width, height = (mat.tile_width_mm - _SLACK_MM) / 2, (mat.tile_height_mm - _SLACK_MM) / 2
    if math.hypot(apart_x, apart_y) >= 2 * math.hypot(width, height):
        return False
    for axis in (one.turn_deg, one.turn_deg + 90.0, other.turn_deg, other.turn_deg + 90.0):
        turn = math.radians(axis)
        apart = abs(apart_x * math.cos(turn) - apart_y * math.sin(turn))
        if apart >= sum(_reach(pose.turn_deg - axis, width, height) for pose in (one, other)):
            return False
    return True


def is_free(mat: Mat, pose: Spot, others: Iterable[Spot]) -> bool:
    """Whether a tile can lie there flat, whole on the mat, whose frame is higher, and beside all others."""
    width, height = mat.tile_width_mm / 2, mat.tile_height_mm / 2
    ends = abs(pose.x_mm) + _reach(pose.turn_deg, width, height), abs(pose.y_mm) + _reach(pose.turn_deg - 90.0, width, height)
    return max(ends) <= mat.half_side_mm and not any(overlap(mat, pose, other) for other in others)


def free_step(mat: Mat, poses: Sequence[Spot], others: Iterable[Spot], steps: Iterable[tuple[float, float]]) -> tuple[float, float] | None:
    """The first of the steps by which all these tiles, moved together, come to lie free; None where there is none."""
    beside = tuple(others)
    for x_mm, y_mm in steps:
        if all(is_free(mat, pose.moved(x_mm, y_mm), beside) for pose in poses):
            return x_mm, y_mm
    return None


def free_near(mat: Mat, wanted: Spot, others: Iterable[Spot]) -> Spot | None:
    """The nearest free place to the wanted one, or itself; None where all is taken."""
    near = [other for other in others if math.hypot(other.x_mm - wanted.x_mm, other.y_mm - wanted.y_mm) < _RINGS_MM[-1] + 50.0]
    step = free_step(mat, (wanted,), near, rings())
    return None if step is None else wanted.moved(*step)


def rings() -> Iterator[tuple[float, float]]:
    """Steps in rings, none at first, then further and further."""
    yield 0.0, 0.0
    for far_mm in _RINGS_MM:
        for way in range(_DIRECTIONS):
            angle = 2 * math.pi * way / _DIRECTIONS
            yield far_mm * math.cos(angle), far_mm * math.sin(angle)


def _reach(turn_deg: float, width_mm: float, height_mm: float) -> float:
    """How far a rectangle of these half sides reaches along an axis from which it is turned."""
    turn = math.radians(turn_deg)
    return width_mm * abs(math.cos(turn)) + height_mm * abs(math.sin(turn))
