"""Free tiles: poses anywhere on the mat, fitted to a frame and proved by four sides, or not.

The machinery is that of the slots (``vision.table.sides``). Each pose has a plane of its own around the place where
it was proposed, in the mat's own axes; a tile is upright at every angle there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.sweep.tints import likeness_to
from vision.table.covering import covered, rim
from vision.table.lens import SQUARE, Matrix, MatView, Points
from vision.table.light import Colours, Light
from vision.table.seams import slid
from vision.table.sides import Tried, Whiteness, clearness, fitted, stands_out
from vision.table.slot_places import PLANE_MM
from vision.table.white import cut, sampled, whiteness_of

_BACK_DEEPER_MM = 1.6
"""Backs have no marks, but dark rims: they are compared with what lies further inside."""
_BACK_TOLERANCE = 2.5
"""Backs are darker than ivory (``covered``)."""
CLEAR_ENOUGH = 0.92
"""Clearness from which a pose is not tried again along its seams."""
_SAME_MM, _SAME_DEG = 1.5, 4.0
"""Poses closer to each other are one."""
_MOST_SHARED = 0.08
"""Share of a face that poses of two tiles may have in common."""
_BESIDE_MM = 60.0
"""Tiles whose middles are further from where a pose was proposed do not touch it."""
_FARTHEST_MM = 16.0
"""A pose that was moved further from where it was proposed has left its plane."""


@dataclass(frozen=True, slots=True, eq=False)
class FreeTile:
    """A tile anywhere on the mat: the middle of its face, the turn of its long side (degrees anticlockwise from the mat's y axis), how
    well its worst side is seen, whether its face lies up; ``plane`` takes its own millimetres to the frame's pixels, ``flank_mm`` is
    where its foot is seen from its face, in the mat's axes."""

    x_mm: float
    y_mm: float
    angle_deg: float
    clearness: float
    face_up: bool
    plane: Matrix
    flank_mm: tuple[float, float]

    def corners_mm(self, size_mm: Points, wider_mm: float = 0.0) -> Points:
        """The corners of its face on the mat (4 × 2), or of one so much wider on each side."""
        x, y = size_mm / 2 + wider_mm
        turned = np.deg2rad(self.angle_deg)
        own = np.array([(-x, -y), (x, -y), (x, y), (-x, y)])
        cosine, sine = np.cos(turned), np.sin(turned)
        return np.asarray(own @ np.array([(cosine, -sine), (sine, cosine)]) + (self.x_mm, self.y_mm))

    def outline_mm(self, size_mm: Points, wider_mm: float) -> Points:
        """What of it is seen, face and flanks, so much wider: a convex outline at its face's height (n × 2)."""
        corners = self.corners_mm(size_mm, wider_mm)
        hull = cv2.convexHull(np.concatenate((corners, corners + self.flank_mm)).astype(np.float32))
        return np.asarray(hull, np.float64).reshape(-1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class FreeFrame:
    """One whole frame (h × w × 3 BGR) with its light, its view of the mat, and the size of tiles."""

    image: NDArray[np.uint8]
    light: Light
    view: MatView
    size_mm: Points
    thickness_mm: float
    least_clearness: float

    def proved(self, poses: Points, colours: NDArray[np.float32] | None = None, beside: Sequence[FreeTile] = ()) -> list[FreeTile]:
        """The tiles that the poses (m × 3: x and y in mm on the mat, degrees) lead to, apart from one another, the clearest first.

        ``colours`` (m × 3 logarithms) are those of tiles that lie face down; without them white faces are looked for. What tiles
        ``beside`` them cover counts as cloth: a tile pushed against one that is proved need show no seam there.
        """
        if not len(poses):
            return []
        middles = np.ascontiguousarray(poses[:, :2])
        planes, flanks = self._planes(middles)
        near = [tile for tile in beside if (np.hypot(*(middles - (tile.x_mm, tile.y_mm)).T) < _BESIDE_MM).any()]
        ways = None if colours is None else np.asarray(colours - self.light.cloth_at(middles), np.float32)
        look = self._look(middles, planes, ways, near)
        count = len(poses)
        starts = np.column_stack((np.zeros((count, 2)), poses[:, 2], np.zeros(count)))
        fit = fitted(Tried(starts, np.arange(count), flanks), self.size_mm, look)
        fit = fit.chosen(_different(fit.poses[:, :3] + np.pad(middles[fit.slots], ((0, 0), (0, 1)))))
        deeper_mm = 0.0 if colours is None else _BACK_DEEPER_MM

        def proof(tried: Tried) -> NDArray[np.float64]:
            """Clearness; backs have no white that proves them, and must stand out from what is around them."""
            share = clearness(tried, self.size_mm, look, deeper_mm)
            return share if colours is None else share * stands_out(tried, self.size_mm, look)

        clear = proof(fit)
        doubtful = [number for number, share in enumerate(clear.tolist()) if share < CLEAR_ENOUGH]
        rounds = [(fit, clear)]
        if doubtful:
            again = fitted(slid(fit.chosen(doubtful), self.size_mm, look), self.size_mm, look)
            rounds.append((again, proof(again)))
        tiles = [
            self._tile(middles[number], pose, share, planes[number], flanks[number], face_up=colours is None)
            for tried, shares in rounds
            for number, pose, share in zip(tried.slots.tolist(), tried.poses, shares.tolist(), strict=True)
            if share >= self.least_clearness and float(np.hypot(*pose[:2])) <= _FARTHEST_MM
        ]
        return self.apart(sorted(tiles, key=lambda tile: -tile.clearness))

    def apart(self, tiles: Sequence[FreeTile], kept: Sequence[FreeTile] = ()) -> list[FreeTile]:
        """Those of the tiles, the first ones first, that do not lie in others or in those kept."""
        chosen: list[FreeTile] = []
        middles = np.array([(tile.x_mm, tile.y_mm) for tile in (*kept, *tiles)]).reshape(-1, 2)
        reach = float(np.hypot(*self.size_mm))
        others = list(kept)
        taken = np.arange(len(middles)) < len(kept)
        for number, tile in enumerate(tiles, len(kept)):
            near = np.flatnonzero(taken & (np.hypot(*(middles - middles[number]).T) < reach))
            if not any(self._overlap(tile, others[other]) for other in near.tolist()):
                chosen.append(tile)
                taken[number] = True
            others.append(tile)
        return chosen

    def uncovered(self, tiles: Sequence[FreeTile]) -> list[FreeTile]:
        """Those over which nothing lies: no finger, sleeve or thing."""
        inset_mm, free = 2 * _BACK_DEEPER_MM, set[int]()
        for face_up, smaller_mm, tolerance in ((True, 0.0, 1.0), (False, inset_mm, _BACK_TOLERANCE)):
            numbers = [number for number, tile in enumerate(tiles) if tile.face_up == face_up]
            if numbers:
                points = rim(*(self.size_mm - smaller_mm).tolist())
                planes = np.stack([tiles[number].plane for number in numbers])
                hidden = covered(sampled(self.image, planes, np.broadcast_to(points, (len(numbers), *points.shape))), tolerance)
                free |= {number for number, is_hidden in zip(numbers, hidden.tolist(), strict=True) if not is_hidden}
        return [tile for number, tile in enumerate(tiles) if number in free]

    def crops(self, tiles: Sequence[FreeTile]) -> NDArray[np.uint8]:
        """The faces of tiles, cut for the network (n × CROP_H × CROP_W × 3)."""
        return cut(self.image, [tile.plane for tile in tiles], self.size_mm)

    def _planes(self, middles: Points) -> tuple[NDArray[np.float64], Points]:
        """Planes around places (m × 3 × 3, mm there to pixels), and where a tile's foot is seen from its face at each (m × 2 mm)."""
        square = SQUARE * PLANE_MM
        faces = self.view.project((middles[:, None] + square).reshape(-1, 2), self.thickness_mm).reshape(-1, 4, 2).astype(np.float32)
        planes = np.stack([np.asarray(cv2.getPerspectiveTransform(square.astype(np.float32), face), np.float64) for face in faces])
        feet = np.column_stack((self.view.project(middles), np.ones(len(middles))))
        seen = np.linalg.solve(planes, feet[:, :, None])[..., 0]
        return planes, np.asarray(seen[:, :2] / seen[:, 2:])

    def _look(self, middles: Points, planes: NDArray[np.float64], ways: Colours | None, beside: Sequence[FreeTile]) -> Whiteness:
        """How white the frame is around places (m × 2), or how much it has of colours that differ from the cloth's by ``ways`` (m × 3)."""
        cloths = self.light.cloth_at(middles)

        def look(numbers: NDArray[np.intp], points: Points) -> NDArray[np.float32]:
            pixels, cloth = sampled(self.image, planes[numbers], points), cloths[numbers][:, None]
            level = whiteness_of(self.light, pixels, cloth) if ways is None else likeness_to(ways[numbers][:, None], pixels, cloth)
            if beside:
                level[self._in_tiles(middles[numbers], points, beside)] = 0.0
            return level

        return look

    def _in_tiles(self, middles: Points, points: Points, tiles: Sequence[FreeTile]) -> NDArray[np.bool_]:
        """Which points (m × k × 2 mm from each of m middles) lie in the faces of tiles (m × k)."""
        within = np.zeros(points.shape[:2], np.bool_)
        for tile in tiles:
            away = middles - (tile.x_mm, tile.y_mm)
            near = np.flatnonzero(np.hypot(*away.T) < _BESIDE_MM)
            if len(near):
                turned = np.deg2rad(tile.angle_deg)
                cosine, sine = np.cos(turned), np.sin(turned)
                own = (points[near] + away[near, None]) @ np.array([(cosine, sine), (-sine, cosine)])
                within[near] |= (np.abs(own) <= self.size_mm / 2).all(axis=-1)
        return within

    def _tile(self, middle: Points, pose: Points, share: float, plane: Matrix, flank: Points, *, face_up: bool) -> FreeTile:
        x, y, angle_deg = (float(part) for part in pose[:3])
        turned = np.deg2rad(angle_deg)
        lying = np.array([(np.cos(turned), np.sin(turned), x), (-np.sin(turned), np.cos(turned), y), (0.0, 0.0, 1.0)])
        off_x, off_y = (float(part) for part in flank)
        return FreeTile(float(middle[0]) + x, float(middle[1]) + y, angle_deg % 180.0, share, face_up, plane @ lying, (off_x, off_y))

    def _overlap(self, one: FreeTile, other: FreeTile) -> bool:
        faces = [tile.corners_mm(self.size_mm).astype(np.float32) for tile in (one, other)]
        area, _ = cv2.intersectConvexConvex(faces[0], faces[1])
        return bool(area > _MOST_SHARED * self.size_mm[0] * self.size_mm[1])


def _different(poses: Points) -> list[int]:
    """The numbers of poses (m × 3) that are not the same as one before."""
    chosen: list[int] = []
    for number, (x, y, angle_deg) in enumerate(poses):
        kept = poses[chosen]
        turned = np.abs((kept[:, 2] - angle_deg + 90.0) % 180.0 - 90.0)
        if not (np.hypot(kept[:, 0] - x, kept[:, 1] - y) < _SAME_MM)[turned < _SAME_DEG].any():
            chosen.append(number)
    return chosen
