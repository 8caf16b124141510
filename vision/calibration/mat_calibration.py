"""Calibration of the mat: lens, plane and place of the camera over the table, and how far they moved since (``drift``).

The markers' corners are averaged over frames of the empty mat; lens, plane and camera are fitted to them and kept in a small file.
``drift`` compares a later view with it. Reading does not depend on it: the table reader follows the markers where they are.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Final, Literal

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from twinwall.values import frozen
from vision.calibration.laid_markers import MOST_OFF_MM, MOST_TURN_DEG, fitted_markers, laid_corners
from vision.cameras.port import MOST_SIDE_PX, SidePx
from vision.mat import Spot
from vision.reading import ReadRefusal, Reason
from vision.table.lens import SQUARE, Lens, MatView, Points
from vision.table.markers import MARKERS, corners_of_seen, marker_corners, seen_markers, view_of
from vision.table.placement import MatPlacement, not_seen
from vision.table.printed_outlines import PrintedOutlines

_VERSION: Final = 1
_FAR_MM = 20_000.0
_FLAT = 1e-12
_OnMat = Annotated[float, Meta(ge=-_FAR_MM, le=_FAR_MM)]
_CardMm = Annotated[float, Meta(ge=-MOST_OFF_MM, le=MOST_OFF_MM)]
_Laid = tuple[_CardMm, _CardMm, Annotated[float, Meta(ge=-MOST_TURN_DEG, le=MOST_TURN_DEG)]]
_MOST_ERROR_PX, _MOST_CARDS_ERROR_PX = 1.5, 15.0
_NO_SQUARE = ReadRefusal(Reason.MARKERS, "the mat's corner markers do not lie in a square: is the mat flat, and are they its own?")
LEAST_PX_PER_MM = 1.1
"""A picture with fewer pixels per mm is too coarse: a tile is less than 29 px wide, and its marks run together."""


class MatCalibration(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A camera over a mat on the day of calibration: the picture's size, the lens, the plane (row by row) and the remaining error. ``laid``
    is how people laid the markers as cards: mm to the right, mm towards place 0, degrees."""

    mat_calibration: Literal[1]
    """The version of the form."""
    date: str
    width_px: SidePx
    height_px: SidePx
    camera_height_mm: Annotated[float, Meta(ge=1, le=_FAR_MM)]
    k1: Annotated[float, Meta(ge=-1, le=1)]
    to_straight: Annotated[tuple[Annotated[float, Meta(ge=-1e9, le=1e9)], ...], Meta(min_length=9, max_length=9)]
    eye_mm: tuple[_OnMat, _OnMat]
    error_px: Annotated[float, Meta(ge=0, le=MOST_SIDE_PX)]
    laid: tuple[_Laid, _Laid, _Laid, _Laid] | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for a plane that no camera sees."""
        if abs(float(np.linalg.det(np.array(self.to_straight, np.float64).reshape(3, 3)))) < _FLAT:
            raise ValueError("'to_straight' is no plane seen by a camera")

    @property
    def lens(self) -> Lens:
        """The lens as found; it stays the same when the camera is pushed."""
        straight = Lens.straight(self.width_px, self.height_px)
        return Lens(straight.middle_px, straight.half_diagonal_px, self.k1)

    @property
    def view(self) -> MatView:
        """How the camera saw the mat."""
        return MatView(np.array(self.to_straight).reshape(3, 3), self.lens, self.eye_mm, self.camera_height_mm, self.error_px)

    def corners_mm(self, mat: Mat) -> dict[int, Points]:
        """Return the corners of each marker (4 × 2) where they are."""
        return marker_corners(mat) if self.laid is None else laid_corners(mat, [Spot(*one) for one in self.laid])


@frozen
class Drift:
    """How far the mat moved in the picture since the calibration, measured on the mat: its middle, its turn, and its worst point."""

    shift_mm: float
    turn_deg: float
    most_mm: float
    error_px: float


def calibrate_mat(
    frames: Iterable[NDArray[np.uint8]], mat: Mat, *, camera_height_mm: float, date: str, cards: bool = False
) -> MatCalibration | ReadRefusal:
    """Return the calibration from grey frames (h × w) of one mat at rest, or a MARKERS refusal. ``cards``: people laid the markers, so
    their places are measured too."""
    found: list[Mapping[int, Points]] = []
    size: tuple[int, int] | None = None
    placement = MatPlacement(mat, camera_height_mm=camera_height_mm, most_error_px=_MOST_CARDS_ERROR_PX if cards else _MOST_ERROR_PX)
    for grey in frames:
        if size is not None and grey.shape != size:
            raise ValueError(f"frames of {size[::-1]} and {grey.shape[::-1]} px are not of one camera")
        size = grey.shape[0], grey.shape[1]
        looked = placement.locate(grey)
        if isinstance(looked, ReadRefusal):
            return looked
        found.append(seen_markers(grey))
        if len(found[-1]) < MARKERS:
            return not_seen(found[-1])
    if size is None:
        raise ValueError("calibration takes at least one frame")
    corners = {number: np.asarray(np.mean([each[number] for each in found], axis=0)) for number in range(MARKERS)}
    spread_px = max(float(np.abs(each[number] - corners[number]).max()) for each in found for number in range(MARKERS))
    if spread_px > _MOST_ERROR_PX:
        return ReadRefusal(
            Reason.MARKERS, f"the mat moved by {spread_px:.1f} px while it was looked at: calibrate while the table is not touched"
        )
    lens = Lens.straight(size[1], size[0])
    fitted = _of_cards(mat, corners, lens, camera_height_mm) if cards else _of_print(mat, corners, lens, camera_height_mm, grey)
    if isinstance(fitted, ReadRefusal):
        return fitted
    view, laid = fitted
    if view.px_per_mm() < LEAST_PX_PER_MM:
        return ReadRefusal(
            Reason.MARKERS,
            f"the picture has {view.px_per_mm():.2f} px a millimetre of the mat, reading takes {LEAST_PX_PER_MM}: hang the camera lower, "
            "or use its full resolution",
        )
    plane = tuple(float(value) for value in (view.to_straight / view.to_straight[2, 2]).ravel())
    return MatCalibration(_VERSION, date, size[1], size[0], camera_height_mm, view.lens.k1, plane, view.eye_mm, view.error_px, laid)


def _of_print(
    mat: Mat, corners: Mapping[int, Points], lens: Lens, height_mm: float, grey: NDArray[np.uint8]
) -> tuple[MatView, None] | ReadRefusal:
    """Return the view that fits the printed markers' corners and the outlines in a frame."""
    view = view_of(marker_corners(mat), corners, lens, height_mm, bends=True)
    if view is None:
        return _NO_SQUARE
    return PrintedOutlines(mat).fitted(grey, view, *corners_of_seen(marker_corners(mat), corners), bends=True) or view, None


def _of_cards(
    mat: Mat, corners: Mapping[int, Points], lens: Lens, height_mm: float
) -> tuple[MatView, tuple[_Laid, _Laid, _Laid, _Laid]] | ReadRefusal:
    """Return the view that fits the corners of cards, and how the cards lie."""
    fit = fitted_markers(mat, corners, lens, height_mm, bends=True)
    if fit is None or fit[0].error_px > _MOST_ERROR_PX:
        return _NO_SQUARE
    view, laid = fit
    number, worst = max(enumerate(laid), key=lambda one: max(one[1].far_mm / MOST_OFF_MM, abs(one[1].turn_deg) / MOST_TURN_DEG))
    if worst.far_mm > MOST_OFF_MM or abs(worst.turn_deg) > MOST_TURN_DEG:
        return ReadRefusal(
            Reason.MARKERS,
            f"the mat's corner marker {number} lies {worst.far_mm:.0f} mm and {abs(worst.turn_deg):.0f}° from its place, at most "
            f"{MOST_OFF_MM:.0f} mm and {MOST_TURN_DEG:.0f}° can be measured: lay it as the markers' second page says",
        )
    first, second, third, fourth = ((one.x_mm, one.y_mm, one.turn_deg) for one in laid)
    return view, (first, second, third, fourth)


def drift(calibration: MatCalibration, view: MatView, mat: Mat) -> Drift:
    """Return how far the mat in a view moved since the calibration."""
    points = mat.half_side_mm * np.vstack((np.zeros((1, 2)), SQUARE))
    now, then = view.project(points), calibration.view.project(points)
    scale = calibration.view.px_per_mm()
    moved = np.linalg.norm(now - then, axis=1) / scale
    sides = now[2] - now[1], then[2] - then[1]
    angles = [np.arctan2(side[1], side[0]) for side in sides]
    turn = (np.rad2deg(angles[0] - angles[1]) + 180) % 360 - 180
    return Drift(float(moved[0]), float(turn), float(moved.max()), view.error_px)
