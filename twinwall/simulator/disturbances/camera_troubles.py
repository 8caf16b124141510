"""Camera troubles: what comes between camera and tiles for a time (arms, things, light, bumps, silence), and when."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from twinwall.art.mat import Mat, Slot
from twinwall.simulator.covers import Cover, CoverKind
from twinwall.simulator.disturbances.draws import Disturbances
from twinwall.simulator.disturbances.kinds import Disturbance
from twinwall.simulator.scene import Between
from twinwall.simulator.tabletop import PLACES

_ARM_WITHIN_S = 3.0
"""An arm reaches in within this time of a turn's beginning."""


@dataclass(frozen=True, slots=True)
class LightStep:
    """The light is so many times as bright."""

    factor: float


@dataclass(frozen=True, slots=True)
class Bump:
    """Everything is seen so far elsewhere on the mat than it lies, and turned."""

    x_mm: float
    y_mm: float
    turn_deg: float


@dataclass(frozen=True, slots=True)
class Silence:
    """The camera sends nothing."""


Trouble = Cover | LightStep | Bump | Silence


@dataclass(frozen=True, slots=True)
class TimedTrouble:
    """A trouble from ``from_ms`` on, until ``until_ms`` or, with None, for good."""

    kind: Disturbance
    trouble: Trouble
    from_ms: int
    until_ms: int | None = None

    def at(self, time_ms: int) -> bool:
        """Whether it is there at a time."""
        return self.from_ms <= time_ms and (self.until_ms is None or time_ms < self.until_ms)


def between_at(troubles: Iterable[TimedTrouble], time_ms: int) -> Between:
    """What is between camera and tiles at a time: the light's factors multiply, bumps add up."""
    there = [each.trouble for each in troubles if each.at(time_ms)]
    bumps = [trouble for trouble in there if isinstance(trouble, Bump)]
    return Between(
        covers=tuple(trouble for trouble in there if isinstance(trouble, Cover)),
        light=math.prod(trouble.factor for trouble in there if isinstance(trouble, LightStep)),
        moved_mm=(sum(each.x_mm for each in bumps), sum(each.y_mm for each in bumps)),
        turned_deg=sum(each.turn_deg for each in bumps),
        silent=any(isinstance(trouble, Silence) for trouble in there),
    )


def uncovered_ms(troubles: Iterable[TimedTrouble]) -> int:
    """When the last arm or thing over the mat is gone, and no silence of the camera goes on; 0 without any."""
    return max((each.until_ms or 0 for each in troubles if isinstance(each.trouble, Cover | Silence)), default=0)


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
            found.append(TimedTrouble(kind, arm, from_ms, from_ms + numbers.milliseconds(low_s, high_s)))
    return (*found, *_thing(people, occasion, mat, now_ms), *_camera(people, occasion, now_ms))


def _thing(people: Disturbances, occasion: str, mat: Mat, now_ms: int) -> tuple[TimedTrouble, ...]:
    kind = Disturbance.THING_ON_MAT
    if not people.happens(kind, occasion):
        return ()
    numbers = people.numbers(kind, occasion)
    thing = numbers.one_of((CoverKind.CUP, CoverKind.PHONE, CoverKind.PAPER))
    reach = mat.half_side_mm - 60
    cover = Cover(thing, numbers.one_of(PLACES), numbers.between(-reach, reach), numbers.between(-reach, reach), numbers.between(0, 180))
    return (TimedTrouble(kind, cover, now_ms, now_ms + numbers.milliseconds(10, 60)),)


def _camera(people: Disturbances, occasion: str, now_ms: int) -> tuple[TimedTrouble, ...]:
    found = []
    kind = Disturbance.LIGHT_STEP
    if people.happens(kind, occasion):
        found.append(TimedTrouble(kind, LightStep(people.numbers(kind, occasion).one_of((0.7, 1.3))), now_ms))
    kind = Disturbance.CAMERA_BUMPED
    if people.happens(kind, occasion):
        numbers = people.numbers(kind, occasion)
        far, way = numbers.between(5, 15), numbers.between(0, 2 * math.pi)
        bump = Bump(far * math.cos(way), far * math.sin(way), numbers.between(-1, 1))
        found.append(TimedTrouble(kind, bump, now_ms))
    kind = Disturbance.CAMERA_SILENT
    if people.happens(kind, occasion):
        found.append(TimedTrouble(kind, Silence(), now_ms, now_ms + people.numbers(kind, occasion).milliseconds(5, 20)))
    return tuple(found)
