"""Registration of tiles near their slots: millimetres off, degrees askew, sideways or not.

A coarse search compares the whiteness around a slot with a tile's outline at every shift and turn within reach. The
best poses are fitted to the picture and must prove four sides (``vision.table.sides``), with no seam between them
(``vision.table.seams``). Where marks have misled, a pose is shifted along its own axes to the nearest pair of seams and
tried again.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from twinwall.values import frozen
from vision.table.lens import Matrix, Points
from vision.table.seams import crossed, slid
from vision.table.sides import Tried, Whiteness, clearness, fitted

Patch = NDArray[np.float32]

COARSE_MM = 2.0
"""One pixel of the coarse patches."""
PATCH_CELLS = 36
"""Cells of a coarse patch along each side; the slot is in its middle."""
_RIM_MM, _RING_MM = 2.5, 2.0
_ANGLE_STEP_DEG = 7.5
_SHIFT_STEP_MM = 2.5
_PER_MM2 = 0.0008
"""Cost of a shift, by its square: among equally clear outlines, as in a row of touching tiles, the nearest wins."""
_TRIED = 3
_APART_MM = 5.0
_LEAST_SCORE, _LEAST_RIM = 0.04, 0.3
"""Clearness and rim whiteness below which a coarse outline is not looked at: an arm, a sleeve."""
_CLEAR_ENOUGH = 0.97
"""Clearness from which no other pose is tried."""
_PER_MM = 0.012
"""Clearness that a pose must have more for every millimetre further off its slot."""
_ROUNDED_SHARE = 0.125
"""How much farther from the camera's side a tile with rounded edges lies than one with sharp ones that looks the same, as a share of its
flank: where an edge turns away from the camera the tile is seen to end earlier. With r the edge's radius and t the slope of the view it
is r (1 + t - sqrt(1 + t²)), nearly r t, and the flank is t times the thickness: edges of 2 mm at tiles of 16 mm."""
_MOST_BEYOND_DEG = 2.0
_FIT_REACHES_MM, _FIT_REACHES_DEG = 3.5, 7.0


@frozen
class Pose:
    """Where a tile lies from the middle of its slot, x to its player's right and y towards the player.

    ``clearness`` is how well the worst of its four sides is seen, 0 to 1: a share of its length.
    """

    x_mm: float
    y_mm: float
    angle_deg: float
    """Counter-clockwise as seen from above; 90 more for a tile that lies sideways."""
    sideways: bool
    clearness: float

    @property
    def likely(self) -> float:
        """What poses of one slot are compared by: clearness less distance."""
        return self.clearness - _PER_MM * math.hypot(self.x_mm, self.y_mm)

    def to_slot(self) -> Matrix:
        """A tile's own millimetres, upright about its middle, to those of its slot (y points down, turns are counter-clockwise)."""
        angle = math.radians(self.angle_deg + (90.0 if self.sideways else 0.0))
        cosine, sine = math.cos(angle), math.sin(angle)
        return np.array([(cosine, sine, self.x_mm), (-sine, cosine, self.y_mm), (0.0, 0.0, 1.0)])


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """A frame around n slots.

    ``patches`` gives whiteness around slots by their numbers (k × PATCH_CELLS × PATCH_CELLS float32 for k of them);
    ``flanks_mm`` (n × 2) is by how much a tile's foot is seen beside its face, in the slot's sense; ``may_lie_sideways`` (n) tells
    where tiles may be turned by 90°; ``owned`` whether tiles with their middles this many mm off a slot (its number,
    k × 2) are that slot's own and no neighbour's (k).
    """

    patches: Callable[[NDArray[np.intp]], Patch]
    flanks_mm: Points
    may_lie_sideways: NDArray[np.bool_]
    owned: Callable[[int, Points], NDArray[np.bool_]]
    look: Whiteness


class Registrar:
    """Looks for tiles of one size, up to ``reach_mm`` off their slot each way and ``most_askew_deg`` askew."""

    def __init__(self, width_mm: float, height_mm: float, *, reach_mm: float = 10.0, most_askew_deg: float = 22.5) -> None:
        self._size_mm = np.array((width_mm, height_mm))
        self._most_askew_deg = most_askew_deg
        self._poses, self._templates = _coarse(width_mm, height_mm, reach_mm, most_askew_deg)
        self._upright = len(self._poses) // 2
        self._shifts = self._poses[: len(_shifts(reach_mm)) ** 2, :2]
        self._unlikely = np.asarray(_PER_MM2 * (self._poses[:, 0] ** 2 + self._poses[:, 1] ** 2), np.float32)

    def find(self, around: Around) -> list[Pose | None]:
        """The tile at each of the slots, or None where none has four sides."""
        count = len(around.flanks_mm)
        best: list[Pose | None] = [None] * count
        if count == 0:
            return best
        everywhere = np.arange(count)
        self._proved(best, Tried(np.zeros((count, 4)), everywhere, around.flanks_mm), around)
        doubtful = [slot for slot, pose in enumerate(best) if _doubtful(pose) or not _near_its_start(pose)]
        if not doubtful:
            return best
        from_start = {slot: best[slot] for slot in doubtful if _near_its_start(best[slot])}
        best = [None if slot in doubtful else pose for slot, pose in enumerate(best)]
        candidates = dict(zip(doubtful, self._candidates(np.array(doubtful, np.intp), around), strict=True))
        for rank in range(_TRIED):
            rows = {slot: taken[rank] for slot, taken in candidates.items() if _doubtful(best[slot]) and rank < len(taken)}
            if not rows:
                break
            slots = np.array(list(rows), np.intp)
            found = self._proved(best, Tried(self._poses[list(rows.values())], slots, around.flanks_mm[slots]), around)
            misled = [number for number, slot in enumerate(rows) if _doubtful(best[slot])]
            if misled:
                self._proved(best, slid(found.chosen(misled), self._size_mm, around.look), around)
        return [from_start.get(slot) if pose is None else pose for slot, pose in enumerate(best)]

    def again(self, slots: Sequence[int], poses: Sequence[Pose], around: Around) -> list[Pose | None]:
        """Each of the poses, of slots by their numbers, fitted again, or None where no tile of that slot's own is proved from there."""
        starts = np.array([(pose.x_mm, pose.y_mm, pose.angle_deg, pose.sideways) for pose in poses], np.float64).reshape(-1, 4)
        numbers = np.array(slots, np.intp)
        return self._fitted(Tried(starts, numbers, around.flanks_mm[numbers]), around)[1]

    def _proved(self, best: list[Pose | None], tried: Tried, around: Around) -> Tried:
        """The poses fitted; those that prove to be likelier than what is in ``best`` go there."""
        found, proved = self._fitted(tried, around)
        for slot, pose in zip(found.slots.tolist(), proved, strict=True):
            before = best[slot]
            if pose is not None and (before is None or pose.likely > before.likely):
                best[slot] = pose
        return found

    def _fitted(self, tried: Tried, around: Around) -> tuple[Tried, list[Pose | None]]:
        """The poses fitted, and of each what it proves: that a tile of its slot's own lies there, whole and alone, or None."""
        found, clear = self._with_edges(fitted(tried, self._size_mm, around.look), around)
        possible = (clear > 0) & (np.abs(found.poses[:, 2]) <= self._most_askew_deg + _MOST_BEYOND_DEG)
        likely = np.flatnonzero(possible).tolist()
        if likely:
            possible[likely] = ~crossed(found.chosen(likely), self._size_mm, around.look)
        proved: list[Pose | None] = []
        for slot, (x, y, angle, sideways), share, is_possible in zip(
            found.slots.tolist(), found.poses.tolist(), clear.tolist(), possible.tolist(), strict=True
        ):
            own = is_possible and around.owned(slot, np.array([(x, y)]))[0]
            proved.append(Pose(x, y, angle, bool(sideways), share) if own else None)
        return found, proved

    def _with_edges(self, found: Tried, around: Around) -> tuple[Tried, NDArray[np.float64]]:
        """Fitted poses with their clearness (m); of those that are doubtful as tiles with sharp edges, as ones with rounded edges if that
        is clearer."""
        clear = clearness(found, self._size_mm, around.look, by_three=True)
        doubtful = np.flatnonzero(clear < _CLEAR_ENOUGH)
        if len(doubtful) == 0:
            return found, clear
        rounded = found.chosen(doubtful.tolist())
        rounded.poses[:, :2] -= _ROUNDED_SHARE * rounded.flanks_mm
        clear_rounded = clearness(rounded, self._size_mm, around.look, by_three=True)
        clearer = clear_rounded > clear[doubtful]
        poses = found.poses.copy()
        poses[doubtful[clearer]], clear[doubtful[clearer]] = rounded.poses[clearer], clear_rounded[clearer]
        return Tried(poses, found.slots, found.flanks_mm), clear

    def _candidates(self, slots: NDArray[np.intp], around: Around) -> list[list[int]]:
        """The best few coarse poses of each slot, apart from one another, best first, as rows of all poses."""
        patches = around.patches(slots).reshape(len(slots), -1)
        scores = patches @ self._templates - self._unlikely
        chosen: list[list[int]] = []
        for slot, patch, own in zip(slots.tolist(), patches, scores, strict=True):
            owned = around.owned(slot, self._shifts)
            own[~np.tile(owned, len(own) // len(owned))] = -np.inf
            if not around.may_lie_sideways[slot]:
                own[self._upright :] = -np.inf
            taken: list[int] = []
            while len(taken) < _TRIED:
                best = int(own.argmax())
                if own[best] < _LEAST_SCORE:
                    break
                if float(patch @ np.maximum(self._templates[:, best], 0)) >= _LEAST_RIM:
                    taken.append(best)
                x, y, _, sideways = self._poses[best]
                near = np.hypot(self._poses[:, 0] - x, self._poses[:, 1] - y) < _APART_MM
                own[near & (self._poses[:, 3] == sideways)] = -np.inf
            chosen.append(taken)
        return chosen


def _doubtful(pose: Pose | None) -> bool:
    return pose is None or pose.clearness < _CLEAR_ENOUGH


def _near_its_start(pose: Pose | None) -> bool:
    """Whether a pose fitted from the slot's own place lies where such a fit can be trusted."""
    return pose is not None and math.hypot(pose.x_mm, pose.y_mm) <= _FIT_REACHES_MM and abs(pose.angle_deg) <= _FIT_REACHES_DEG


def _shifts(reach_mm: float) -> NDArray[np.float64]:
    """The shifts that are tried along each axis."""
    return np.arange(-reach_mm, reach_mm + 0.1, _SHIFT_STEP_MM)


@lru_cache(maxsize=4)
def _coarse(width_mm: float, height_mm: float, reach_mm: float, most_askew_deg: float) -> tuple[Points, NDArray[np.float32]]:
    """The poses of the coarse search with their templates, both read-only: made once for all tables with tiles of one size."""
    off = _shifts(reach_mm)
    angles = np.arange(-most_askew_deg, most_askew_deg + 0.1, _ANGLE_STEP_DEG)
    poses = np.array([(x, y, angle, sideways) for sideways in (0, 1) for angle in angles for y in off for x in off], np.float64)
    templates = outline_templates(poses, np.array((width_mm, height_mm)), PATCH_CELLS)
    poses.flags.writeable = templates.flags.writeable = False
    return poses, templates


def outline_templates(poses: Points, size_mm: Points, cells: int) -> NDArray[np.float32]:
    """Weights (cells² × poses) whose product with a patch of ``cells`` cells a side is the mean just inside each outline less the mean
    just outside."""
    at = (np.arange(cells) - (cells - 1) / 2) * COARSE_MM
    y, x = (part.ravel().astype(np.float32) for part in np.meshgrid(at, at, indexing="ij"))
    columns = np.empty((cells * cells, len(poses)), np.float32)
    for number, (middle_x, middle_y, angle_deg, sideways) in enumerate(poses.astype(np.float32)):
        width, height = size_mm[::-1] if sideways else size_mm
        cosine, sine = np.cos(np.deg2rad(angle_deg)), np.sin(np.deg2rad(angle_deg))
        across = np.abs((x - middle_x) * cosine - (y - middle_y) * sine)
        down = np.abs((x - middle_x) * sine + (y - middle_y) * cosine)
        inside = np.minimum(width / 2 - across, height / 2 - down)
        rim = np.clip(np.minimum(inside / COARSE_MM + 0.5, (_RIM_MM - inside) / COARSE_MM + 0.5), 0, 1)
        ring = np.clip(np.minimum(0.5 - inside / COARSE_MM, (inside + _RING_MM) / COARSE_MM + 0.5), 0, 1)
        columns[:, number] = rim / rim.sum() - ring / ring.sum()
    return columns
