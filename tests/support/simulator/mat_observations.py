"""What camera and gates would tell of a simulated tabletop, without a picture, with noise of a given size."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from benchmarks.played_tables.acts import PutBackTile, TurnUpShared
from benchmarks.played_tables.hand_on_table import HandOnTable
from simulator.disturbances.acts import Draw
from simulator.disturbances.camera_troubles import in_picture, markers_shown
from simulator.disturbances.kinds import Disturbance, Numbers
from simulator.disturbances.poses import overlap, pose_of
from simulator.scene import CLEAR, SIZES_MM, Between, Cover, CoverKind
from simulator.tabletop import PhysicalTile, Tabletop
from twinwall.art.mat import Mat, Spot
from twinwall.game.tiles import ALL_TILES, Tile, parse_tile
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile


def footprint(mat: Mat, pose: Spot) -> tuple[tuple[float, float], ...]:
    """The middle, the corners and the middles of the sides of a tile."""
    turn = math.radians(pose.turn_deg)
    width, height = mat.tile_width_mm / 2, mat.tile_height_mm / 2
    points = [(across * width, along * height) for across in (-1, 0, 1) for along in (-1, 0, 1)]
    return tuple(
        (pose.x_mm + x * math.cos(turn) + y * math.sin(turn), pose.y_mm - x * math.sin(turn) + y * math.cos(turn)) for x, y in points
    )


@dataclass(frozen=True, slots=True)
class ObservationNoise:
    """How well the camera sees; what is not said to be of single looks is of a pose, in every frame alike.

    Places and ``covered`` were measured by ``python -m benchmarks.vision.hand_noise --enrolled 2 --period-ms 1000 --json`` on good tables
    (docs/reference/figures.md). The shares of tiles that are hard to see are assumed: several times those of ``MEASURED_NOISE``.

    ``off_mm`` and ``off_deg`` are half widths of an even spread of where a tile is seen, ``scatter_mm`` and ``scatter_deg`` of what
    changes from look to look. ``confused`` is the share of poses in which another kind is the likeliest, ``unsure`` that of those in
    which the right one is likeliest and not sure, ``washed_out`` without any kind, ``hidden`` that of those that are never seen and whose
    places count as covered. ``missed`` is the share of single looks that say that. ``covered`` is the share of bare slots that count as
    covered, anew every ``COVERED_MS``.
    """

    seed: int = 1
    off_mm: float = 0.8
    off_deg: float = 1.0
    scatter_mm: float = 0.3
    scatter_deg: float = 0.5
    confused: float = 0.0003
    unsure: float = 0.01
    washed_out: float = 0.001
    hidden: float = 0.001
    missed: float = 0.0005
    covered: float = 0.003

    def worse(self, times: float) -> ObservationNoise:
        """With so many times as many tiles that are hard to see."""
        return replace(
            self,
            confused=times * self.confused,
            unsure=times * self.unsure,
            washed_out=times * self.washed_out,
            hidden=times * self.hidden,
            missed=times * self.missed,
            covered=times * self.covered,
        )


COVERED_MS = 5000


class LyingTile(NamedTuple):
    """One tile on the mat: where it lies, whether on its face, and on which level (1: on the edge of another)."""

    tile: PhysicalTile
    pose: Spot
    face_down: bool
    level: int


NO_NOISE = ObservationNoise(
    off_mm=0.0, off_deg=0.0, scatter_mm=0.0, scatter_deg=0.0, confused=0.0, unsure=0.0, washed_out=0.0, hidden=0.0, missed=0.0, covered=0.0
)
MEASURED_NOISE = ObservationNoise(confused=0.00001, unsure=0.00001, washed_out=0.00001, hidden=0.00004)
"""Shares of tiles that are hard to see on good tables: of 31,217 poses none was confused, unsure or washed out (``python -m
benchmarks.vision.hand_noise --enrolled 2 --period-ms 25000 --looks 1 --json``), which is 1 in 31,219 of the three together by the rule of
succession. ``hidden`` is no independent measurement: the sweep was corrected by most of the poses that it was taken from."""
WITHOUT_EFFECT = frozenset({Disturbance.LIGHT_STEP, Disturbance.LIGHT_RAMP})
"""What changes no observation: with it rendered frames showed every tile as before (``python -m benchmarks.vision.camera_troubles``)."""
_USUAL_NOISE = ObservationNoise()
_MAT = Mat()
_Squares = frozenset[tuple[int, int]]


def observations(hand: HandOnTable, period_ms: int, noise: ObservationNoise = _USUAL_NOISE, mat: Mat = _MAT) -> Iterator[MatObservation]:
    """One observation for each frame of a hand; none while the camera is silent, or does not show the markers after a bump."""
    shown: tuple[Tabletop, Between] | None = None
    observed: MatObservation | None = None
    for time_ms, table, seen in hand.frames(period_ms):
        if shown is None or table is not shown[0] or seen != shown[1]:
            shown, observed = (table, seen), None
            look = None if seen.silent or not markers_shown(mat, seen) else _look(table, seen, noise, mat)
        if look is not None:
            if observed is None or noise is not NO_NOISE:
                observed = _observed(time_ms, look, noise, mat)
            yield replace(observed, at_ms=time_ms)


def observation(time_ms: int, table: Tabletop, seen: Between, noise: ObservationNoise = _USUAL_NOISE, mat: Mat = _MAT) -> MatObservation:
    return _observed(time_ms, _look(table, seen, noise, mat), noise, mat)


def lying_tiles(table: Tabletop, mat: Mat) -> Iterator[LyingTile]:
    for lying in table.lying:
        yield LyingTile(lying.tile, pose_of(mat, lying), lying.face_down, lying.level)
    for loose in table.loose:
        yield LyingTile(loose.tile, Spot(loose.x_mm, loose.y_mm, loose.turn_deg), loose.face_down, 0)


class _Steady(NamedTuple):
    """What every frame alike says of a tile in one pose."""

    x_mm: float
    y_mm: float
    angle_deg: float
    hidden: bool
    shares: dict[Tile, float]
    sure: bool


_Look = tuple[list[tuple[LyingTile, _Steady]], _Squares, _Squares]
"""Tiles in sight, covered squares, squares below tiles."""


def _look(table: Tabletop, seen: Between, noise: ObservationNoise, mat: Mat) -> _Look:
    lying, tiles = list(lying_tiles(table, mat)), list[tuple[LyingTile, _Steady]]()
    upper, covered = [tile.pose for tile in lying if tile.level], [_hidden(mat, cover) for cover in seen.covers]
    bumped = (seen.moved_mm, seen.turned_deg) != (CLEAR.moved_mm, CLEAR.turned_deg)
    for tile in lying:
        steady = _steady(tile.tile, tile.pose, noise, f" bumped {seen.moved_mm} {seen.turned_deg}" if bumped else "")
        below = not tile.level and any(overlap(mat, tile.pose, other) for other in upper)
        if below or steady.hidden or _unseen(mat, tile.pose, seen):
            covered.append(_under(mat, tile.pose))
        else:
            tiles.append((tile, steady._replace(shares={}, sure=False) if tile.face_down else steady))
    return tiles, frozenset().union(*covered), frozenset().union(*(_under(mat, tile.pose) for tile in lying))


def _observed(time_ms: int, look: _Look, noise: ObservationNoise, mat: Mat) -> MatObservation:
    in_sight, covered, under = look
    covered |= _covered_for_nothing(mat, noise, time_ms // COVERED_MS) - under
    tiles = []
    for (tile, pose, face_down, _), steady in in_sight:
        frame = Numbers(f"{noise.seed} {time_ms} {tile.id}")
        if frame.share() < noise.missed:
            covered |= _under(mat, pose)
            continue
        x_mm, y_mm = (at + noise.scatter_mm * frame.between(-1, 1) for at in (steady.x_mm, steady.y_mm))
        angle_deg = (steady.angle_deg + noise.scatter_deg * frame.between(-1, 1)) % 180
        tiles.append(ObservedTile(x_mm, y_mm, angle_deg, not face_down, steady.shares, steady.sure))
    return MatObservation(time_ms, tuple(tiles), covered)


@lru_cache(maxsize=4096)
def _steady(tile: PhysicalTile, pose: Spot, noise: ObservationNoise, view: str) -> _Steady:
    """``view``: how the camera was bumped."""
    # This text seeds the hands that tests name by number, so it stays as it was.
    where = f"TilePose(x_mm={pose.x_mm!r}, y_mm={pose.y_mm!r}, turn_deg={pose.turn_deg!r})"
    numbers = Numbers(f"{noise.seed} {tile.id} {where}")
    shares, sure = _shares(numbers, parse_tile(tile.face), noise)
    off = [numbers.between(-1, 1) for _ in range(3)]
    hidden = numbers.share() < noise.hidden
    if view:  # the mat is placed anew, and every tile with it
        placed = Numbers(f"{noise.seed} {tile.id} {where}{view}")
        off = [placed.between(-1, 1) for _ in range(3)]
    x_mm, y_mm = pose.x_mm + noise.off_mm * off[0], pose.y_mm + noise.off_mm * off[1]
    return _Steady(x_mm, y_mm, pose.turn_deg + noise.off_deg * off[2], hidden, shares, sure)


def _shares(numbers: Numbers, kind: Tile, noise: ObservationNoise) -> tuple[dict[Tile, float], bool]:
    """The probabilities of kinds that the camera gives a tile, and whether it is sure."""
    drawn = numbers.share()
    other = numbers.one_of([each for each in ALL_TILES if each is not kind])
    if drawn < noise.washed_out:
        return {}, False
    if drawn < noise.washed_out + noise.confused:
        likeliest = numbers.between(0.4, 0.9)
        return {other: likeliest, kind: 0.9 * (1 - likeliest)}, False
    if drawn < noise.washed_out + noise.confused + noise.unsure:
        likeliest = numbers.between(0.5, 0.95)
        return {kind: likeliest, other: 0.9 * (1 - likeliest)}, False
    return {kind: 0.995, other: 0.003}, True


@lru_cache(maxsize=4096)
def _unseen(mat: Mat, pose: Spot, seen: Between) -> bool:
    """Whether a cover hides a part of a tile, or a part lies outside the picture."""
    points = footprint(mat, pose)
    hidden = any(hides(cover, x_mm, y_mm) for cover in seen.covers for x_mm, y_mm in points)
    return hidden or not all(in_picture(seen, x_mm, y_mm) for x_mm, y_mm in points)


@lru_cache(maxsize=64)
def _covered_for_nothing(mat: Mat, noise: ObservationNoise, period: int) -> _Squares:
    """The squares under bare slots that count as covered for a time."""
    numbers = Numbers(f"{noise.seed} covered {period}")
    slots = mat.all_slots()
    chosen = [mat.spot(slot) for slot in slots if numbers.share() < noise.covered]
    return frozenset().union(*(_under(mat, spot) for spot in chosen))


@lru_cache(maxsize=64)
def _hidden(mat: Mat, cover: Cover) -> _Squares:
    """The squares below a cover."""
    reach = range(-int(mat.half_side_mm // COVER_MM), int(mat.half_side_mm // COVER_MM) + 1)
    return frozenset(square for square in product(reach, reach) if hides(cover, square[0] * COVER_MM, square[1] * COVER_MM))


@lru_cache(maxsize=1024)
def _under(mat: Mat, pose: Spot) -> _Squares:
    """The squares below a tile."""
    column, row = round(pose.x_mm / COVER_MM), round(pose.y_mm / COVER_MM)
    near = product(range(column - 2, column + 3), range(row - 2, row + 3))
    return frozenset(square for square in near if _within(mat, pose, square[0] * COVER_MM, square[1] * COVER_MM))


def _within(mat: Mat, pose: Spot, x_mm: float, y_mm: float) -> bool:
    """Whether a point lies under a tile."""
    across, along = _aside(pose, x_mm, y_mm)
    return across <= mat.tile_width_mm / 2 and along <= mat.tile_height_mm / 2


def _aside(lies: Spot | Cover, x_mm: float, y_mm: float) -> tuple[float, float]:
    """How far a point is from the middle of a tile or a cover, across it and along it."""
    turn = math.radians(lies.turn_deg)
    off_x, off_y = x_mm - lies.x_mm, y_mm - lies.y_mm
    return abs(off_x * math.cos(turn) - off_y * math.sin(turn)), abs(off_x * math.sin(turn) + off_y * math.cos(turn))


@dataclass(frozen=True, slots=True)
class GatePassage:
    """A tile passes the gate of ``wall``, out of it or back; ``rear`` where it is the rear gate."""

    at_ms: int
    wall: int
    out: bool
    rear: bool = False


def gate_passages(hand: HandOnTable) -> tuple[GatePassage, ...]:
    """What the sensors of the gates tell, in order."""
    edges = []
    for timed in hand.acts:
        match timed.act:
            case Draw(wall=wall):
                edges.append(GatePassage(timed.at_ms, wall, out=True))
            case PutBackTile(wall=wall):
                edges.append(GatePassage(timed.at_ms, wall, out=False))
            case TurnUpShared(place=place):
                edges.append(GatePassage(timed.at_ms, place, out=True, rear=True))
            case _:
                pass
    return tuple(edges)


_SHOULDER_MM = 620.0
_SLEEVE_MM, _HAND_MM, _FINGERS_MM = 42.0, 42.0, 85.0


def hides(cover: Cover, x_mm: float, y_mm: float) -> bool:
    """Whether a point of the mat lies below the cover."""
    if cover.kind is CoverKind.ARM:
        return any(_between(x_mm, y_mm, start, end) <= radius for start, end, radius in _arm_parts(cover))
    width, height = SIZES_MM[cover.kind]
    if cover.kind is CoverKind.CUP:
        return math.hypot(x_mm - cover.x_mm, y_mm - cover.y_mm) <= width / 2
    across, along = _aside(cover, x_mm, y_mm)
    return across <= width / 2 and along <= height / 2


def _arm_parts(cover: Cover) -> Iterator[tuple[tuple[float, float], tuple[float, float], float]]:
    """The sleeve, and the hand with its fingers: from where to where, and how thick (half, mm)."""
    right, near = cover.shoulder_mm, _SHOULDER_MM
    shoulder = ((right, near), (near, -right), (-right, -near), (-near, right))[cover.place]
    palm = cover.x_mm, cover.y_mm
    far = math.dist(palm, shoulder)
    forth = (palm[0] - shoulder[0]) / far, (palm[1] - shoulder[1]) / far
    yield shoulder, palm, _SLEEVE_MM
    yield palm, (palm[0] + _FINGERS_MM * forth[0], palm[1] + _FINGERS_MM * forth[1]), _HAND_MM


def _between(x_mm: float, y_mm: float, start: tuple[float, float], end: tuple[float, float]) -> float:
    """How far a point is from a line."""
    along = end[0] - start[0], end[1] - start[1]
    squared = along[0] ** 2 + along[1] ** 2
    share = ((x_mm - start[0]) * along[0] + (y_mm - start[1]) * along[1]) / squared
    share = min(1.0, max(0.0, share))
    return math.hypot(x_mm - start[0] - share * along[0], y_mm - start[1] - share * along[1])
