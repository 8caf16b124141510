"""Rows of tiles: which of proved poses lie in one another, and where tiles that touch proved ones may lie.

Two tiles cannot lie in one place, so that of two poses that share some the clearer one wins. In soft light, or in a lamp's
reflection, the seam between two tiles is all but invisible: there a tile ends where those beside it, that are proved,
begin.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.table.lens import Points
from vision.table.registration import Pose
from vision.table.sides import Whiteness
from vision.table.slot_places import SlotPlace, from_mat, on_mat

Lying = tuple[SlotPlace, Pose]
"""A tile, by its slot's place."""

_MOST_SHARED_MM = 3.0
"""How far poses of two tiles may reach into one another."""
_SEAM_MM = 0.4
"""How far touching tiles lie from one another, more or less."""
_FARTHEST_MM = 10.0
"""How far off its slot a tile is looked for."""
_DOUBTFUL = 0.75
"""Clearness below which a proved tile is looked at again where those beside it that are clearer count as cloth."""
_CLOSE_MM = 2.5
"""How far beside a tile its edges and the darkest part of its shadow reach."""
SAME_MM = 1.0
"""Poses closer to one another than this are one."""


@dataclass(frozen=True, slots=True, eq=False)
class Touching:
    """Where tiles may lie that touch proved ones: ``starts``, and for each the tiles ``beside`` it as poses in its slot's sense."""

    starts: list[Lying]
    beside: list[list[Pose]]

    def look(self, whiteness: Whiteness, size_mm: Points) -> Whiteness:
        """The same whiteness, by the numbers of starts, but 0 as of cloth where the tiles beside lie."""

        def look(numbers: NDArray[np.intp], points: Points) -> NDArray[np.float32]:
            level = whiteness(numbers, points)
            for row, number in enumerate(numbers.tolist()):
                level[row][under(self.beside[number], size_mm, points[row])] = 0.0
            return level

        return look


def touching(places: Iterable[SlotPlace], tiles: Iterable[Lying], size_mm: Points) -> Touching:
    """Where tiles of those places without one may lie that touch one of the tiles, beside it in its row or before and behind it; a tile
    that is hardly proved is tried again where it lies."""
    proved = {place.slot: (place, pose) for place, pose in tiles}
    found = Touching([], [])
    for place in places:
        own = proved[place.slot][1] if place.slot in proved else None
        if own is None or own.clearness < _DOUBTFUL:
            near = [proved[slot] for slot in place.neighbours if slot in proved]
            beside = seen_from(place, [tile for tile in near if own is None or tile[1].clearness >= _DOUBTFUL])
            starts = [own] if own and beside else _starts(place, beside, size_mm)
            found.starts.extend((place, start) for start in starts)
            found.beside.extend([beside] * len(starts))
    return found


def _starts(place: SlotPlace, tiles: Sequence[Pose], size_mm: Points) -> list[Pose]:
    """Where a tile of a place may lie that touches one of the tiles, which are poses in its sense."""
    in_row, behind = list[Pose](), list[Pose]()
    for tile in tiles:
        angle = math.radians(tile.angle_deg)
        along, down = np.array((math.cos(angle), -math.sin(angle))), np.array((math.sin(angle), math.cos(angle)))
        across, length = (size_mm[::-1] if tile.sideways else size_mm) / 2 + size_mm / 2 + _SEAM_MM
        middle = np.array((tile.x_mm, tile.y_mm))
        ahead = middle - (middle @ along) * along
        start = replace(tile, sideways=False, clearness=0.0)
        in_row += [replace(start, x_mm=x, y_mm=y) for x, y in (middle + sign * across * along for sign in (-1, 1))]
        behind += [replace(start, x_mm=x, y_mm=y) for x, y in (ahead + sign * length * down for sign in (-1, 1))]
    found: list[Pose] = []
    for pose in (*in_row, *behind):
        is_known = any(math.hypot(pose.x_mm - one.x_mm, pose.y_mm - one.y_mm) < SAME_MM for one in found)
        if math.hypot(pose.x_mm, pose.y_mm) <= _FARTHEST_MM and not is_known and place.owns(np.array([(pose.x_mm, pose.y_mm)]))[0]:
            found.append(pose)
    return found


def seen_from(place: SlotPlace, tiles: Sequence[Lying]) -> list[Pose]:
    """The tiles of other slots as poses in the sense of this one, in the same order."""
    found = []
    for other, pose in tiles:
        x, y = from_mat(place.spot, on_mat(other.spot, np.array([(pose.x_mm, pose.y_mm)])))[0].tolist()
        found.append(replace(pose, x_mm=x, y_mm=y, angle_deg=pose.angle_deg + other.spot.turn_deg - place.spot.turn_deg))
    return found


def under(tiles: Sequence[Pose], size_mm: Points, points_mm: Points) -> NDArray[np.bool_]:
    """Which points (… × 2) lie under tiles."""
    found = np.zeros(points_mm.shape[:-1], np.bool_)
    for tile in tiles:
        angle = math.radians(tile.angle_deg + 90.0 * tile.sideways)
        x, y = points_mm[..., 0] - tile.x_mm, points_mm[..., 1] - tile.y_mm
        across, down = x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)
        found |= (np.abs(across) < size_mm[0] / 2) & (np.abs(down) < size_mm[1] / 2)
    return found


def over(tiles: Sequence[Lying], pixels: Points, size_mm: Points) -> NDArray[np.bool_]:
    """Which pixels of the whole picture (n × 2) show tiles, from their faces to their feet, or what is close beside them."""
    found = np.zeros(len(pixels), np.bool_)
    reach = size_mm / 2 + _CLOSE_MM
    for place, pose in tiles:
        to_slot = pose.to_slot()
        at = np.column_stack((pixels, np.ones(len(pixels)))) @ np.linalg.inv(place.plane @ to_slot).T
        at = at[:, :2] / at[:, 2:]
        for foot in (np.zeros(2), place.flank_mm @ to_slot[:2, :2]):
            found |= (np.abs(at - foot) < reach).all(axis=1)
    return found


def apart(tiles: Sequence[Lying], size_mm: Points, known: Sequence[Lying] = ()) -> list[Lying]:
    """Those of the tiles, the likeliest first, that do not lie in others, nor in any that is ``known``."""
    if not tiles:
        return []
    likely = [math.inf] * len(known) + [pose.likely for _, pose in tiles]
    faces = np.stack([on_mat(place.spot, _corners(pose, size_mm)) for place, pose in (*known, *tiles)])
    middles = faces.mean(axis=1)
    one, other = np.triu_indices(len(faces), 1)
    near = np.hypot(*(middles[one] - middles[other]).T) < size_mm.max()
    share = _share(faces[one[near]], faces[other[near]])
    dropped: set[int] = set()
    pairs = zip(one[near][share].tolist(), other[near][share].tolist(), strict=True)
    for pair in sorted(pairs, key=lambda both: -max(likely[number] for number in both)):
        if not dropped.intersection(pair):
            dropped.add(min(pair, key=lambda number: likely[number]))
    return [tile for number, tile in enumerate(tiles, len(known)) if number not in dropped]


def _share(ones: Points, others: Points) -> NDArray[np.bool_]:
    """Of pairs of tiles' corners (m × 4 × 2 each), which reach into one another: no side of either parts them (m)."""
    shares = np.ones(len(ones), np.bool_)
    for faces in (ones, others):
        for corner in (1, 3):
            side = faces[:, corner] - faces[:, 0]
            along = side / np.linalg.norm(side, axis=1, keepdims=True)
            low, high = (np.einsum("mkd,md->mk", part, along) for part in (ones, others))
            common = np.minimum(low.max(axis=1), high.max(axis=1)) - np.maximum(low.min(axis=1), high.min(axis=1))
            shares &= common > _MOST_SHARED_MM
    return shares


def _corners(pose: Pose, size_mm: Points) -> Points:
    """The corners of a tile in its slot's sense: 4 × 2 mm."""
    x, y = size_mm / 2
    angle = math.radians(pose.angle_deg + 90.0 * pose.sideways)
    turn = np.array([(math.cos(angle), -math.sin(angle)), (math.sin(angle), math.cos(angle))])
    return np.asarray(np.array([(-x, -y), (x, -y), (x, y), (-x, y)]) @ turn + (pose.x_mm, pose.y_mm))
