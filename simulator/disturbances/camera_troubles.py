"""Camera troubles: what comes between camera and tiles for a time (arms, things, light, bumps, silence), and when."""

import math
from collections.abc import Iterable
from itertools import product

from simulator.disturbances.kinds import Disturbance, Disturbances
from simulator.scene import Between, Cover, CoverKind
from simulator.tabletop import PLACES
from twinwall.art.mat import Mat, Slot
from twinwall.art.mat_prints.markers import corner_markers
from twinwall.values import frozen

PICTURE_HALF_MM = 369.0
"""So far from its middle the camera's picture shows the mat, which reaches to 365 mm."""
_ARM_WITHIN_S = 3.0
"""An arm reaches in within this time of a turn's beginning."""
_RAMP_STEP = 0.02
"""A slow change of light is made in steps of this share, each finer than the noise of a picture, so that not every frame is another one."""


@frozen
class LightRamp:
    """One edge of the picture grows evenly brighter than the opposite one, by a share of the light in the middle, and stays so.

    The middle stays as bright as it was: a change so slow is followed by the camera's exposure. ``towards_deg`` is the direction of the
    edge, clockwise from the right.
    """

    by: float
    towards_deg: float
    within_ms: int

    def after(self, after_ms: int) -> Between:
        """What it has come to so long after its beginning, in whole steps."""
        reached = round(self.by * min(1.0, after_ms / self.within_ms) / _RAMP_STEP) * _RAMP_STEP
        way = math.radians(self.towards_deg)
        return Between(side_light=(reached / 2 * math.cos(way), reached / 2 * math.sin(way)))


@frozen
class TimedTrouble:
    """What is between camera and tiles from ``from_ms`` on, until ``until_ms`` or, with None, for good."""

    kind: Disturbance
    trouble: Between | LightRamp
    from_ms: int
    until_ms: int | None = None

    def at(self, time_ms: int) -> Between | None:
        if self.from_ms > time_ms or (self.until_ms is not None and time_ms >= self.until_ms):
            return None
        return self.trouble if isinstance(self.trouble, Between) else self.trouble.after(time_ms - self.from_ms)


def between_at(troubles: Iterable[TimedTrouble], time_ms: int) -> Between:
    """What is between camera and tiles at a time: the light's factors multiply, bumps and what makes the light one-sided add up."""
    there = [now for each in troubles if (now := each.at(time_ms)) is not None]
    return Between(
        covers=tuple(cover for each in there for cover in each.covers),
        light=math.prod(each.light for each in there),
        side_light=(sum(each.side_light[0] for each in there), sum(each.side_light[1] for each in there)),
        moved_mm=(sum(each.moved_mm[0] for each in there), sum(each.moved_mm[1] for each in there)),
        turned_deg=sum(each.turned_deg for each in there),
        silent=any(each.silent for each in there),
    )


def in_picture(between: Between, x_mm: float, y_mm: float) -> bool:
    """Whether a camera that may have been bumped still shows a point of the mat.

    ``python -m benchmarks.vision.camera_troubles`` compares that with rendered frames; cameras differ by some millimetres.
    """
    cos, sin = math.cos(math.radians(between.turned_deg)), math.sin(math.radians(between.turned_deg))
    right_mm, down_mm = between.moved_mm
    return max(abs(x_mm * cos + y_mm * sin + right_mm), abs(y_mm * cos - x_mm * sin + down_mm)) <= PICTURE_HALF_MM


def markers_shown(mat: Mat, between: Between) -> bool:
    """Whether the corner markers are whole in the picture, without which the mat's place is unknown."""
    return all(
        in_picture(between, *corner)
        for marker in corner_markers(mat)
        for corner in product(*((at - marker.side_mm / 2, at + marker.side_mm / 2) for at in (marker.x_mm, marker.y_mm)))
    )


def troubles_of_turn(people: Disturbances, occasion: str, mat: Mat, awaited: Slot, now_ms: int) -> tuple[TimedTrouble, ...]:
    """What comes between camera and tiles in a turn that begins now and awaits a tile at a slot."""
    found = []
    for kind, low_s, high_s in ((Disturbance.ARM_OVER_MAT, 0.3, 2.0), (Disturbance.ARM_STAYS, 5.0, 9.0)):
        for number in range(people.count(kind, occasion)):
            numbers = people.numbers(kind, f"{occasion} {number}")
            from_ms = now_ms + numbers.milliseconds(0, _ARM_WITHIN_S)
            spot, place = mat.spot(awaited), numbers.one_of(PLACES)
            palm = spot.x_mm + numbers.between(-40, 40), spot.y_mm + numbers.between(-40, 40)
            arm = Cover(CoverKind.ARM, place, *palm, shoulder_mm=numbers.between(-150, 150))
            found.append(TimedTrouble(kind, Between((arm,)), from_ms, from_ms + numbers.milliseconds(low_s, high_s)))
    return (*found, *_things_on_mat(people, occasion, mat, now_ms), *_camera(people, occasion, mat, now_ms))


def _things_on_mat(people: Disturbances, occasion: str, mat: Mat, now_ms: int) -> tuple[TimedTrouble, ...]:
    kind = Disturbance.THING_ON_MAT
    if not people.happens(kind, occasion):
        return ()
    numbers = people.numbers(kind, occasion)
    thing = numbers.one_of((CoverKind.CUP, CoverKind.PHONE, CoverKind.PAPER))
    reach = mat.half_side_mm - 60
    cover = Cover(thing, numbers.one_of(PLACES), numbers.between(-reach, reach), numbers.between(-reach, reach), numbers.between(0, 180))
    return (TimedTrouble(kind, Between((cover,)), now_ms, now_ms + numbers.milliseconds(10, 60)),)


def _camera(people: Disturbances, occasion: str, mat: Mat, now_ms: int) -> tuple[TimedTrouble, ...]:
    found = []
    kind = Disturbance.LIGHT_STEP
    if people.happens(kind, occasion):
        found.append(TimedTrouble(kind, Between(light=people.numbers(kind, occasion).one_of((0.7, 1.3))), now_ms))
    kind = Disturbance.LIGHT_RAMP
    if people.happens(kind, occasion):
        numbers = people.numbers(kind, occasion)
        ramp = LightRamp(numbers.between(0.1, 0.2), numbers.between(0, 360), numbers.milliseconds(30, 120))
        found.append(TimedTrouble(kind, ramp, now_ms))
    kind = Disturbance.CAMERA_BUMPED
    if people.happens(kind, occasion):
        numbers = people.numbers(kind, occasion)
        far, way = numbers.between(5, 15), numbers.between(0, 2 * math.pi)
        bump = Between(moved_mm=(far * math.cos(way), far * math.sin(way)), turned_deg=numbers.between(-1, 1))
        lost = not markers_shown(mat, bump)
        found.append(TimedTrouble(kind, bump, now_ms, now_ms + numbers.milliseconds(10, 30) if lost else None))
    kind = Disturbance.CAMERA_SILENT
    if people.happens(kind, occasion):
        found.append(TimedTrouble(kind, Between(silent=True), now_ms, now_ms + people.numbers(kind, occasion).milliseconds(5, 20)))
    return tuple(found)
