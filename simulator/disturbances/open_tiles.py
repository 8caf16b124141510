"""Melds and shown hands as people lay them."""

import math
from dataclasses import replace

from simulator.disturbances.acts import Show, done
from simulator.disturbances.kinds import Disturbance, Disturbances
from simulator.disturbances.poses import along_seat, free_near, free_step, lying_poses, pose_of, rings
from simulator.disturbances.rivers import NOTHING, ActPlan, PlannedAct, moves
from simulator.tabletop import Lying, Tabletop
from twinwall.art.mat import MELD_SLOTS, Area, Mat, Slot, Spot

_TRIES = 24
_CHOW_OR_PUNG = 3


def plan_meld(people: Disturbances, occasion: str, mat: Mat, before: Tabletop, after: Tabletop) -> ActPlan:
    """How the tiles come to lie that have been laid as a meld, or on one, between two tabletops."""
    lain = {lying.slot for lying in before.lying}
    laid = [lying for lying in after.lying if lying.slot.area is Area.MELD and lying.slot not in lain]
    if not laid:
        return NOTHING
    place, group = laid[0].slot.place, laid[0].slot.index // MELD_SLOTS
    others = tuple(lying_poses(mat, after, without=(lying.slot for lying in laid)))
    poses = [pose_of(mat, lying) for lying in laid]
    poses = [pose.moved(*_off_of_group(mat, before, place, group)) for pose in poses]
    happened: list[Disturbance] = []
    step = free_step(mat, poses, others, rings())
    if len(laid) > 1 and people.happens(Disturbance.MELD_FAR_OFF, occasion):
        numbers = people.numbers(Disturbance.MELD_FAR_OFF, occasion)
        drawn = [(numbers.between(20, 60), numbers.between(0, 2 * math.pi)) for _ in range(_TRIES)]
        far = free_step(mat, poses, others, ((mm * math.cos(way), mm * math.sin(way)) for mm, way in drawn))
        step, happened = (step, []) if far is None else (far, [Disturbance.MELD_FAR_OFF])
    poses = [pose.moved(*(step or (0.0, 0.0))) for pose in poses]
    if len(laid) != _CHOW_OR_PUNG and people.happens(Disturbance.KONG_APART, occasion):
        happened.append(Disturbance.KONG_APART)
        poses = _apart(people, occasion, mat, poses, others)
    return ActPlan(moves(mat, list(zip(laid, poses, strict=True))), tuple(happened))


def plan_shown(people: Disturbances, occasion: str, mat: Mat, table: Tabletop, act: Show) -> ActPlan:
    happened = []
    if people.happens(Disturbance.HAND_UNSORTED, occasion):
        happened.append(Disturbance.HAND_UNSORTED)
        held = len(table.racks[act.place].tiles) - (act.winning is not None)
        act = replace(act, order=tuple(people.numbers(Disturbance.HAND_UNSORTED, occasion).shuffled(range(held))))
    after = done(table, act)
    row = after.tiles_in(act.place, Area.HAND)
    winning = after.at(Slot(act.place, Area.WIN, 0)) if act.winning is not None else None
    if winning is not None and people.happens(Disturbance.WINNING_TILE_NOT_APART, occasion):
        happened.append(Disturbance.WINNING_TILE_NOT_APART)
        row.insert(int(people.numbers(Disturbance.WINNING_TILE_NOT_APART, occasion).share() * (len(row) + 1)), winning)
    two_rows = people.happens(Disturbance.HAND_IN_TWO_ROWS, occasion)
    if two_rows:
        happened.append(Disturbance.HAND_IN_TWO_ROWS)
    return ActPlan(((act, 0), *_in_rows(mat, after, row, two_rows=two_rows)), tuple(happened))


def _off_of_group(mat: Mat, before: Tabletop, place: int, group: int) -> tuple[float, float]:
    """How far off its place the pung lies on which a fourth tile is laid."""
    middle = before.at(Slot(place, Area.MELD, 4 * group + 1))
    if middle is None:
        return 0.0, 0.0
    spot, at = mat.spot(middle.slot), pose_of(mat, middle)
    off = at.x_mm - spot.x_mm, at.y_mm - spot.y_mm
    return off if math.hypot(*off) > 4 else (0.0, 0.0)


def _apart(people: Disturbances, occasion: str, mat: Mat, poses: list[Spot], others: tuple[Spot, ...]) -> list[Spot]:
    numbers = people.numbers(Disturbance.KONG_APART, occasion)
    apart: list[Spot] = []
    for number, pose in enumerate(poses):
        far, way = numbers.between(4, 15), numbers.between(0, 2 * math.pi)
        wanted = pose.moved(far * math.cos(way), far * math.sin(way), numbers.between(-12, 12))
        apart.append(free_near(mat, wanted, (*others, *apart, *poses[number + 1 :])) or pose)
    return apart


def _in_rows(mat: Mat, after: Tabletop, row: list[Lying], *, two_rows: bool) -> tuple[PlannedAct, ...]:
    """The tiles of a shown hand side by side in this order, in one row or two, each at the nearest free place."""
    if not row:
        return ()
    place = row[0].slot.place
    others = list(lying_poses(mat, after, without=(lying.slot for lying in row)))
    half = (len(row) + 1) // 2
    poses = []
    for number, lying in enumerate(row):
        column, lower = (number, 0) if not two_rows or number < half else (number - half, 1)
        own, new = mat.spot(lying.slot), mat.spot(Slot(place, Area.HAND, 0))
        x_mm, y_mm = along_seat(place, column * mat.hand_pitch_mm, lower * mat.row_pitch_mm)
        wanted = pose_of(mat, lying).moved(new.x_mm + x_mm - own.x_mm, new.y_mm + y_mm - own.y_mm)
        pose = free_near(mat, wanted, others) or wanted
        at = pose_of(mat, lying)
        pose = at if math.hypot(pose.x_mm - at.x_mm, pose.y_mm - at.y_mm) < 1e-6 else pose
        others.append(pose)
        poses.append((lying, pose))
    return moves(mat, poses)
