"""Placement of the mat in the picture, by its four corner markers and the printed outlines of its slots.

A search for markers costs more than reading a few slots. So once placed, only a few pixels across each marker's outline are probed; they
show how far it moved, since a shaking camera moves the picture by a pixel or two, and outlines are hardly wider. The placement holds while
three markers agree and the fourth is not seen elsewhere; with two, for some frames. At first, printed outlines replace one covered marker.
If the markers do not fit a flat mat, the refusal names the fault.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from vision.reading import ReadRefusal, Reason
from vision.table.lens import Lens, MatView, Points
from vision.table.markers import MARKERS, Picture, corners_of_seen, grey_of, marker_corners, marker_detectors, seen_by, seen_in, view_of
from vision.table.printed_outlines import PrintedOutlines

_ALONG = np.linspace(-0.8, 0.8, 7)
"""Places along a side, as shares of half its length."""
_REACH_PX, _REACH_MM = 4, 4.5
"""Levels are probed this far across an outline, each pixel: within a marker's black rim and its white border."""
_MOST_MOVED_PX = 2
"""If a marker is further off, something moved."""
_LEAST_STEP = 30
"""Least contrast, in grey levels, between a marker's black rim and the white around it."""
_LEAST_THERE = 0.9
"""Share of a marker's outline that must have this contrast at its place."""
_LEAST_PLACES = 4
"""Of seven places of a side, this many must show its edge."""
_LEAST_MARKERS = 3
"""With fewer markers a rotation of the picture looks like a shift."""
_MOST_LEFT_PX = 0.6
"""Most root mean square error of the edges after the best shift."""

Grey = NDArray[np.uint8]


class MarkerProbe:
    """Probes one marker's outline at its place in the picture."""

    def __init__(self, view: MatView, corners_mm: Points) -> None:
        """``corners_mm`` are its corners (4 × 2); an edge further off than ``_MOST_MOVED_PX`` is not found."""
        middle, ends = corners_mm.mean(axis=0), np.roll(corners_mm, -1, axis=0)
        half_mm = float(np.linalg.norm(ends - corners_mm, axis=1).mean()) / 2
        reach_px = max(min(_REACH_PX, int(_REACH_MM * view.px_per_mm())), _MOST_MOVED_PX)
        steps_px = np.arange(-reach_px, reach_px + 1)
        reaches = 1 + steps_px / view.px_per_mm() / half_mm
        towards = (corners_mm + ends) / 2 - middle
        along = _ALONG[:, None] * (ends - corners_mm)[:, None] / 2
        points = middle + towards[:, None, None] * reaches[:, None] + along[:, :, None]
        seen = view.project(points.reshape(-1, 2)).reshape(points.shape)
        self.points_px = np.rint(seen).astype(np.intp)
        """Pixels across the outline (4 sides × places × steps from inside to outside × 2: x, y)."""
        outwards = (seen[:, :, -1] - seen[:, :, 0]).mean(axis=1)
        self.outwards: Points = outwards / np.linalg.norm(outwards, axis=1, keepdims=True)
        self._inside, self._outside = (int(np.argmin(np.abs(steps_px - at))) for at in (-_MOST_MOVED_PX, _MOST_MOVED_PX))

    def within(self, width_px: int, height_px: int) -> bool:
        """Whether all its pixels are in a picture of this size."""
        x, y = self.points_px[..., 0], self.points_px[..., 1]
        return bool(min(x.min(), y.min()) >= 0 and x.max() < width_px and y.max() < height_px)

    def is_there(self, levels: Grey) -> bool:
        """Whether the grey levels at ``points_px`` are dark inside the outline and light outside, almost all around."""
        step = levels[..., self._outside].astype(int) - levels[..., self._inside]
        return float((step >= _LEAST_STEP).mean()) > _LEAST_THERE

    def edges_px(self, levels: Grey) -> Points:
        """Return how far out each side's edge is (4), up to a constant per side; NaN if too little of it shows."""
        black, white = (levels[..., ends].astype(np.float32).mean(axis=-1, keepdims=True) for ends in (slice(0, 2), slice(-2, None)))
        rise = white - black
        off = -((levels - black) / np.maximum(rise, 1)).clip(0, 1).sum(axis=-1)
        off[rise[..., 0] < _LEAST_STEP] = np.nan
        enough = np.isfinite(off).sum(axis=1) >= _LEAST_PLACES
        return np.array([np.nanmedian(side) if known else np.nan for side, known in zip(off, enough.tolist(), strict=True)])


def moved(probes: Mapping[int, MarkerProbe], before: Mapping[int, Points], now: Mapping[int, Points]) -> tuple[Points, bool] | None:
    """Return how far (x, y) the picture moved since the edges were at ``before``, and whether without rotation or stretching; None if too
    few markers show."""
    numbers = sorted(number for number in before.keys() & now.keys() if np.isfinite(now[number] - before[number]).any())
    if len(numbers) < _LEAST_MARKERS:
        return None
    outwards = np.concatenate([probes[number].outwards for number in numbers])
    off = np.concatenate([now[number] - before[number] for number in numbers])
    seen = np.isfinite(off)
    if np.linalg.matrix_rank(outwards[seen]) < outwards.shape[1]:
        return None
    shift = np.linalg.lstsq(outwards[seen], off[seen], rcond=None)[0]
    left = outwards[seen] @ shift - off[seen]
    return np.asarray(shift), bool(np.sqrt(np.mean(left * left)) <= _MOST_LEFT_PX)


_ENOUGH = 3
"""This many markers place the mat, together with its printed outlines."""
_ROOM = 2.4
"""Search window around a marker's last place, in marker sizes."""
_DEFAULT_HEIGHT_MM = 1600.0


class MatPlacement:
    """Follows one mat through frames of one camera."""

    def __init__(
        self,
        mat: Mat,
        *,
        camera_height_mm: float = _DEFAULT_HEIGHT_MM,
        lens: Lens | None = None,
        corners_mm: Mapping[int, Points] | None = None,
        most_error_px: float = 1.5,
        most_blind_frames: int = 30,
    ) -> None:
        """``lens`` None: it is fitted to markers and outlines at each new search. ``corners_mm`` are the markers' corners (4 × 2) if they
        are not as printed. Markers with a larger error than ``most_error_px`` (root mean square) are no mat. ``most_blind_frames`` is how
        many frames may pass whose markers do not show how the picture moved."""
        self.corners_mm: Mapping[int, Points] = corners_mm or marker_corners(mat)
        self._camera_height_mm, self._lens = camera_height_mm, lens
        self._most_error_px = most_error_px
        self._most_blind_frames = most_blind_frames
        self._detectors = marker_detectors()
        self._outlines = PrintedOutlines(mat)
        self._view: MatView | None = None
        self._probes: dict[int, MarkerProbe] = {}
        self._edges_px: dict[int, Points] = {}
        self._blind_frames = 0
        self.shift_px: Points | None = np.zeros(2)
        """How far (x, y) the last frame shows the mat beside its place in the view; None if too few markers show it, or the picture was
        rotated."""

    def locate(self, picture: Picture) -> MatView | ReadRefusal:
        """Return how a frame (h × w × 3 BGR, or grey h × w) shows the mat, or a MARKERS refusal; the same object while nothing moves."""
        if self._view is not None and self._still_there(picture, self._view):
            return self._view
        found = self._found_anew(grey_of(picture))
        self._view = None if isinstance(found, ReadRefusal) else found
        return found

    def _found_anew(self, grey: NDArray[np.uint8]) -> MatView | ReadRefusal:
        seen = seen_by(self._detectors, grey)
        if len(seen) < _ENOUGH:
            return not_seen(seen)
        height_px, width_px = grey.shape
        straight = Lens.straight(width_px, height_px)
        if self._lens is not None and self._lens.middle_px != straight.middle_px:
            size = " × ".join(f"{2 * middle:.0f}" for middle in self._lens.middle_px)
            return ReadRefusal(
                Reason.MARKERS,
                f"the picture has {width_px} × {height_px} px, but the camera was calibrated with {size}: calibrate it again",
            )
        by_markers = view_of(self.corners_mm, seen, self._lens or straight, self._camera_height_mm, bends=not self._lens)
        if by_markers is None:
            return ReadRefusal(Reason.MARKERS, "the mat's corner markers do not lie in a square: is the mat flat, and are they its own?")
        if by_markers.error_px > self._most_error_px:
            return _misplaced(self.corners_mm, seen, by_markers) if len(seen) == MARKERS else not_seen(seen)
        view = self._outlines.fitted(grey, by_markers, *corners_of_seen(self.corners_mm, seen), bends=not self._lens)
        if view is None and len(seen) < MARKERS:
            return not_seen(seen)
        return self._placed(grey, view or by_markers)

    def _placed(self, grey: NDArray[np.uint8], view: MatView) -> MatView:
        self._blind_frames = 0
        self._probes = {number: MarkerProbe(view, corners) for number, corners in self.corners_mm.items()}
        self._edges_px = self._edges_seen(grey)
        self.shift_px = np.zeros(2)
        return view

    def _still_there(self, picture: Picture, view: MatView) -> bool:
        """Whether the last placement holds for this frame."""
        edges = self._edges_seen(picture)
        gone = [number for number in range(MARKERS) if number not in edges]
        if len(gone) > MARKERS // 2:
            return False
        way = moved(self._probes, self._edges_px, edges)
        shift_px, is_shift = way or (None, False)
        if way is not None and not is_shift and not gone:
            return False
        self.shift_px = shift_px if is_shift else None
        self._blind_frames = self._blind_frames + 1 if self.shift_px is None else 0
        if self._blind_frames > self._most_blind_frames:
            return False
        return not any(self._seen_near(picture, view, number) for number in gone)

    def _edges_seen(self, picture: Picture) -> dict[int, Points]:
        """Return the edges (``MarkerProbe.edges_px``) of the markers that are at their places, by number."""
        height_px, width_px = picture.shape[:2]
        seen: dict[int, Points] = {}
        for number, probe in self._probes.items():
            if probe.within(width_px, height_px):
                at = probe.points_px.reshape(-1, 2)
                levels = grey_of(picture[at[:, 1], at[:, 0]][None]).reshape(probe.points_px.shape[:-1])
                if probe.is_there(levels):
                    seen[number] = probe.edges_px(levels)
        return seen

    def _seen_near(self, picture: Picture, view: MatView, number: int) -> bool:
        """Whether a marker missing at its place is close by: then something moved, and it is not covered."""
        corners = view.project(self.corners_mm[number])
        middle, reach = corners.mean(axis=0), np.ptp(corners, axis=0).max() * _ROOM / 2
        left, top = (int(max(value, 0)) for value in middle - reach)
        right, bottom = int(min(middle[0] + reach, picture.shape[1])), int(min(middle[1] + reach, picture.shape[0]))
        if right - left < 16 or bottom - top < 16:
            return False
        return number in seen_in(self._detectors[0], grey_of(np.ascontiguousarray(picture[top:bottom, left:right])))


def not_seen(seen: Mapping[int, Points]) -> ReadRefusal:
    """Return the refusal that says which markers are missing, and what to do."""
    missing = ", ".join(str(number) for number in range(MARKERS) if number not in seen)
    return ReadRefusal(
        Reason.MARKERS, f"the mat's corner markers {missing} cannot be seen: uncover them, or turn the camera until it sees all four"
    )


def _misplaced(corners_mm: Mapping[int, Points], seen: Mapping[int, Points], view: MatView) -> ReadRefusal:
    """Return the refusal that says which marker does not fit the three others, and by how much."""
    worst, worst_mm = 0, 0.0
    best_error = np.inf
    for number in seen:
        others = {other: corners for other, corners in seen.items() if other != number}
        without = view_of(corners_mm, others, view.lens, view.height_mm, bends=False)
        if without is not None and without.error_px < best_error:
            best_error, worst = without.error_px, number
            off_px = without.project(corners_mm[number]) - seen[number]
            worst_mm = float(np.linalg.norm(off_px, axis=1).mean()) / view.px_per_mm()
    return ReadRefusal(
        Reason.MARKERS,
        f"the mat's corner marker {worst} lies {worst_mm:.0f} mm from where the other three say: is the mat flat and printed at its size?",
    )
