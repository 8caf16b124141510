"""Placement of the mat on path-traced tables of our own, with known cameras: with all markers in sight, and with one covered. The error of
a frame is that of the worst placed slot."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.rendered.folder import FolderError, tables_in, truth_of
from benchmarks.rendered.tables import table_of
from twinwall.art.mat import Mat
from twinwall.values import frozen
from vision.cameras.pictures import decode_picture
from vision.reading import ReadRefusal
from vision.table.lens import Lens, MatView, Points
from vision.table.markers import MARKERS, grey_of, marker_corners, seen_markers, view_of
from vision.table.placement import MatPlacement

_SKIN = (120, 150, 205)
_HAND = 1.4
"""Radius of the thing over a covered marker, in marker sides."""

Picture = NDArray[np.uint8]


@frozen
class _Frame:
    """A picture (h × w × 3 BGR), its camera's height as measured by a person, and the slots' middles on the mat and in the picture."""

    mat: Mat
    picture: Picture
    height_mm: float
    slots_mm: Points
    slots_px: Points

    def error_px(self, view: MatView | ReadRefusal | None) -> float | None:
        """Return the error of the slot that a view places worst; None without a view."""
        if not isinstance(view, MatView):
            return None
        return float(np.linalg.norm(view.project(self.slots_mm) - self.slots_px, axis=1).max())

    def placed(self, picture: Picture) -> float | None:
        """Return the error of a placement in this picture."""
        return self.error_px(MatPlacement(self.mat, camera_height_mm=self.height_mm).locate(picture))


def errors_of(root: Path) -> dict[str, object]:
    """Return the errors of all frames of a folder; raises FolderError for tables that are not our own."""
    as_it_is, by_markers, one_covered = list[float | None](), list[float | None](), list[float | None]()
    for frame in _frames(root, Mat()):
        as_it_is.append(frame.placed(frame.picture))
        seen = seen_markers(grey_of(frame.picture))
        if len(seen) < MARKERS:
            continue
        height_px, width_px = frame.picture.shape[:2]
        lens = Lens.straight(width_px, height_px)
        by_markers.append(frame.error_px(view_of(marker_corners(frame.mat), seen, lens, frame.height_mm, bends=True)))
        one_covered += [frame.placed(_covered(frame.picture, corners)) for corners in seen.values()]
    return {"as_it_is": _spread(as_it_is), "by_markers_alone": _spread(by_markers), "one_marker_covered": _spread(one_covered)}


def _frames(root: Path, mat: Mat) -> Iterator[_Frame]:
    middles = np.array([(spot.x_mm, spot.y_mm) for spot in map(mat.spot, mat.all_slots())])
    for folder in tables_in(root):
        truth = truth_of(folder)
        table = table_of(folder, mat, frames=len(truth["frames"]))
        if table is None:
            raise FolderError(f"{folder} is no table of ours, so its camera's place is unknown")
        for frame, moment in zip(truth["frames"], table.moments, strict=True):
            picture = decode_picture((folder / frame["file"]).read_bytes(), str(folder))
            yield _Frame(mat, picture, truth["camera_height_mm"], middles, moment.camera.project(middles))


def _covered(picture: Picture, corners: Points) -> Picture:
    """Return the picture with a hand over the marker at these corners (4 × 2 px)."""
    side = float(np.linalg.norm(corners[1] - corners[0]))
    hidden = picture.copy()
    cv2.circle(hidden, np.rint(corners.mean(axis=0)).astype(int).tolist(), round(side * _HAND), _SKIN, cv2.FILLED)
    return hidden


def _spread(errors: Sequence[float | None]) -> dict[str, object]:
    known = [error for error in errors if error is not None]
    at = np.percentile(known, (50, 95, 100)).round(2).tolist() if known else None
    px = at and dict(zip(("p50", "p95", "most"), at, strict=True))
    return {"tried": len(errors), "refused": len(errors) - len(known), "px": px}
