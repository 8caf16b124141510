"""Discards as people lay them, and rivers as people push them.

A plan has the timed acts that people really do in place of one act that they mean, and the disturbances in them.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from simulator.disturbances.acts import Act, Askew, Discard, LieAskew, done
from simulator.disturbances.kinds import Disturbance, Disturbances, Numbers
from simulator.disturbances.poses import along_seat, flat_poses, free_near, free_step, is_free, lying_poses, overlap, pose_of, raised_poses
from simulator.tabletop import PLACES, RIVER_SLOTS, Lying, Tabletop
from twinwall.art.mat import Area, Mat, Slot, Spot
from twinwall.values import frozen

PlannedAct: TypeAlias = tuple[Act, int]
"""An act, so many milliseconds after the step before it; the first one is done at once."""


@frozen
class ActPlan:
    """What is done, one step after the other."""

    steps: tuple[PlannedAct, ...] = ()
    happened: tuple[Disturbance, ...] = ()
    seen_after_ms: int = 0
    """How long after the first step a discard lies face up."""


NOTHING = ActPlan()


def moved_to(mat: Mat, lying: Lying, pose: Spot, *, level: int | None = None) -> Askew:
    """How a tile that lies somewhere comes to lie at a pose, either way up as before."""
    at = pose_of(mat, lying)
    level = lying.level if level is None else level
    return Askew(pose.x_mm - at.x_mm, pose.y_mm - at.y_mm, pose.turn_deg - at.turn_deg, lying.face_down, level)


def moves(mat: Mat, poses: list[tuple[Lying, Spot]]) -> tuple[PlannedAct, ...]:
    """One step that takes tiles to their poses, or none where all lie there."""
    changed = tuple((lying.slot, moved_to(mat, lying, pose)) for lying, pose in poses if pose != pose_of(mat, lying))
    return ((LieAskew(changed), 0),) if changed else ()


_TRIES = 24
_MOST_EXCHANGED = 4
_ROW = 6
_WRONG_STEPS = (1, 2, -_ROW, _ROW, _ROW + 1, _ROW - 1, 2 * _ROW)


@frozen
class _Laid:
    """A discard as it was meant: the table with it, its tile, and where all others lie."""

    mat: Mat
    table: Tabletop
    tile: Lying
    others: Sequence[Spot]

    @property
    def exact(self) -> Spot:
        return pose_of(self.mat, self.tile)


def plan_discard(people: Disturbances, occasion: str, mat: Mat, table: Tabletop, act: Discard) -> ActPlan:
    """Lay a discard as people do; without a disturbance it gives way to a tile that lies in its slot."""
    after = done(table, act)
    slot = Slot(act.place, Area.RIVER, act.index)
    tile = after.at(slot)
    assert tile is not None
    others = tuple(lying_poses(mat, after, without=(slot,)))
    laid = _Laid(mat, after, tile, others)
    kind, pose = _where(people, occasion, laid)
    happened = [] if kind is None else [kind]
    level = int(kind is Disturbance.DISCARD_OVERLAPPING)
    if not level:
        pose = _turned(people, occasion, laid, pose, happened)
    lies = moved_to(mat, tile, pose, level=level)
    steps: list[PlannedAct] = [(act, 0)]
    later: list[PlannedAct] = []
    seen_after_ms = 0
    if people.happens(Disturbance.DISCARD_FACE_DOWN, occasion):
        happened.append(Disturbance.DISCARD_FACE_DOWN)
        numbers = people.numbers(Disturbance.DISCARD_FACE_DOWN, occasion)
        up = replace(lies, x_mm=0.0, y_mm=0.0, turn_deg=0.0)
        seen_after_ms = numbers.milliseconds(0.8, 3)
        later.append((LieAskew(((slot, up),)), seen_after_ms))
        lies = replace(lies, face_down=True)
    if pose != laid.exact or lies.face_down or level:
        steps.append((LieAskew(((slot, lies),)), 0))
    if kind is Disturbance.DISCARD_ON_OTHER_RIVER:
        later += _moved_back(people, occasion, laid, pose)
    return ActPlan((*steps, *later), tuple(happened), seen_after_ms)


def plan_river(people: Disturbances, occasion: str, mat: Mat, table: Tabletop) -> ActPlan:
    """Somebody pushes a river, or moves its tiles up where one was claimed."""
    kind = Disturbance.RIVER_MOVED
    if not people.happens(kind, occasion):
        return NOTHING
    numbers = people.numbers(kind, occasion)
    rivers = [river for place in PLACES if len(river := table.tiles_in(place, Area.RIVER)) > 1]
    if not rivers:
        return NOTHING
    river = numbers.one_of(rivers)
    others = tuple(flat_poses(mat, table, without=(lying.slot for lying in river)))
    closed = _closed_up(mat, river)
    if closed and numbers.share() < 0.5 and _all_lie_free(mat, closed, others):
        return ActPlan(moves(mat, closed), (kind,))
    for _ in range(_TRIES):
        pushed = _pushed(mat, river, numbers)
        if all(is_free(mat, pose, others) for _, pose in pushed):
            return ActPlan(moves(mat, pushed), (kind,))
    return NOTHING


def plan_order(people: Disturbances, occasion: str, mat: Mat, table: Tabletop) -> ActPlan:
    """Somebody lays tiles of a river that lie side by side in another order."""
    kind = Disturbance.RIVER_REARRANGED
    if not people.happens(kind, occasion):
        return NOTHING
    raised = tuple(raised_poses(mat, table))
    flat = (
        [lying for lying in table.tiles_in(place, Area.RIVER) if not any(overlap(mat, pose_of(mat, lying), pose) for pose in raised)]
        for place in PLACES
    )
    rivers = [river for river in flat if len(river) > 1]
    if not rivers:
        return NOTHING
    numbers = people.numbers(kind, occasion)
    river = numbers.one_of(rivers)
    many = numbers.one_of(range(2, min(_MOST_EXCHANGED, len(river)) + 1))
    first = numbers.one_of(range(len(river) - many + 1))
    tiles = river[first : first + many]
    step = numbers.one_of(range(1, many))
    order = tiles[step:] + tiles[:step]
    return ActPlan(moves(mat, [(lying, pose_of(mat, there)) for lying, there in zip(tiles, order, strict=True)]), (kind,))


def _where(people: Disturbances, occasion: str, laid: _Laid) -> tuple[Disturbance | None, Spot]:
    """The first disturbance of a place that happens and finds one, with the pose; else the nearest free place to the slot."""
    ways: tuple[tuple[Disturbance, Callable[[_Laid, Numbers], Spot | None]], ...] = (
        (Disturbance.DISCARD_ON_OTHER_RIVER, _on_other_river),
        (Disturbance.DISCARD_IN_WRONG_PLACE, _in_wrong_place),
        (Disturbance.DISCARD_OVERLAPPING, _overlapping),
        (Disturbance.DISCARD_FAR_OFF, lambda laid, numbers: _off(laid, numbers, 30, 60)),
        (Disturbance.DISCARD_OFF, lambda laid, numbers: _off(laid, numbers, 10, 30)),
        (Disturbance.DISCARD_LOOSE, lambda laid, numbers: _off(laid, numbers, 1, 10)),
    )
    for kind, way in ways:
        if people.happens(kind, occasion):
            pose = way(laid, people.numbers(kind, occasion))
            if pose is not None:
                return kind, pose
    return None, free_near(laid.mat, laid.exact, laid.others) or laid.exact


def _off(laid: _Laid, numbers: Numbers, low_mm: float, high_mm: float) -> Spot | None:
    drawn = [(numbers.between(low_mm, high_mm), numbers.between(0, 2 * math.pi)) for _ in range(_TRIES)]
    step = free_step(laid.mat, (laid.exact,), laid.others, ((far * math.cos(way), far * math.sin(way)) for far, way in drawn))
    return None if step is None else laid.exact.moved(*step)


def _in_wrong_place(laid: _Laid, numbers: Numbers) -> Spot | None:
    slot, spot = laid.tile.slot, laid.mat.spot(laid.tile.slot)
    for step in numbers.shuffled(_WRONG_STEPS):
        if 0 <= slot.index + step < RIVER_SLOTS:
            wrong = laid.mat.spot(replace(slot, index=slot.index + step))
            pose = laid.exact.moved(wrong.x_mm - spot.x_mm, wrong.y_mm - spot.y_mm)
            if is_free(laid.mat, pose, laid.others):
                return pose
    return None


def _overlapping(laid: _Laid, numbers: Numbers) -> Spot | None:
    """On the edge of the nearest tile of the own river."""
    at = laid.exact
    river = laid.table.tiles_in(laid.tile.slot.place, Area.RIVER)
    beside = [pose_of(laid.mat, one) for one in river if one is not laid.tile and not one.level]
    if not beside:
        return None
    nearest = min(beside, key=lambda pose: math.hypot(pose.x_mm - at.x_mm, pose.y_mm - at.y_mm))
    x_mm, y_mm = nearest.x_mm - at.x_mm, nearest.y_mm - at.y_mm
    far = math.hypot(x_mm, y_mm)
    share = (far - laid.mat.tile_width_mm + numbers.between(5, 12)) / far if far else 0.0
    return at.moved(share * x_mm, share * y_mm, numbers.between(-8, 8))


def _on_other_river(laid: _Laid, numbers: Numbers) -> Spot | None:
    own = laid.tile.slot.place
    other = numbers.one_of([place for place in PLACES if place != own])
    index = min(laid.table.rivers_used[other], RIVER_SLOTS - 1)
    there = laid.mat.spot(Slot(other, Area.RIVER, index))
    return free_near(laid.mat, replace(there, turn_deg=laid.exact.turn_deg), laid.others)


def _turned(people: Disturbances, occasion: str, laid: _Laid, pose: Spot, happened: list[Disturbance]) -> Spot:
    kind = Disturbance.DISCARD_TURNED
    if not people.happens(kind, occasion):
        return pose
    numbers = people.numbers(kind, occasion)
    turned = free_near(laid.mat, pose.moved(0, 0, numbers.sign() * numbers.between(15, 60)), laid.others)
    if turned is None:
        return pose
    happened.append(kind)
    return turned


def _moved_back(people: Disturbances, occasion: str, laid: _Laid, pose: Spot) -> list[PlannedAct]:
    """Every second discard on another's river is moved into its own."""
    numbers = people.numbers(Disturbance.DISCARD_ON_OTHER_RIVER, f"{occasion} back")
    back = free_near(laid.mat, laid.exact, laid.others)
    if back is None or numbers.share() < 0.5:
        return []
    there = Askew(back.x_mm - pose.x_mm, back.y_mm - pose.y_mm, back.turn_deg - pose.turn_deg)
    return [(LieAskew(((laid.tile.slot, there),)), numbers.milliseconds(1.5, 4))]


def _closed_up(mat: Mat, river: list[Lying]) -> list[tuple[Lying, Spot]]:
    """Each tile where the gaps before it would be closed; nothing where there is no gap."""
    if river[-1].slot.index == len(river) - 1:
        return []
    poses = []
    for index, lying in enumerate(river):
        own, new = mat.spot(lying.slot), mat.spot(replace(lying.slot, index=index))
        poses.append((lying, pose_of(mat, lying).moved(new.x_mm - own.x_mm, new.y_mm - own.y_mm)))
    return poses


def _all_lie_free(mat: Mat, poses: list[tuple[Lying, Spot]], others: Sequence[Spot]) -> bool:
    flat = [pose for lying, pose in poses if not lying.level]
    return all(is_free(mat, pose, (*others, *flat[:number])) for number, pose in enumerate(flat))


def _pushed(mat: Mat, river: list[Lying], numbers: Numbers) -> list[tuple[Lying, Spot]]:
    """The whole river moved and turned a little around its middle."""
    right_mm, near_mm = numbers.between(5, 25) * numbers.sign(), numbers.between(0, 12)
    x_mm, y_mm = along_seat(river[0].slot.place, right_mm, near_mm)
    turn_deg = numbers.between(-5, 5)
    poses = [pose_of(mat, lying) for lying in river]
    middle_x, middle_y = (sum(values) / len(poses) for values in zip(*((pose.x_mm, pose.y_mm) for pose in poses), strict=True))
    cos, sin = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    pushed = []
    for lying, pose in zip(river, poses, strict=True):
        off_x, off_y = pose.x_mm - middle_x, pose.y_mm - middle_y
        at = middle_x + off_x * cos + off_y * sin + x_mm, middle_y - off_x * sin + off_y * cos + y_mm
        pushed.append((lying, Spot(*at, pose.turn_deg + turn_deg)))
    return pushed
