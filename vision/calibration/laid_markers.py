"""Places of markers that people laid as cards: fitted to their corners together with camera and lens.

A tilted camera can explain any four points, so a marker 5 mm off would bend the whole mat as much. The size and shape of each marker give
the tilt, and the rest is how the cards lie. The fit is the most likely one for normal errors, with cards near their places (maximum a
posteriori). A shift or turn of all four looks like one of the camera, so the cards define where the mat is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.least_squares import least_squares
from vision.mat import Mat, Spot
from vision.table.lens import Lens, Matrix, MatView, Points, fitted_view, project
from vision.table.markers import marker_corners

MOST_OFF_MM, MOST_TURN_DEG = 10.0, 10.0
"""Most that a card may be off its place."""
_MARKERS = 4
_CORNER_PX, _OFF_MM, _TURN = 0.2, 2.5, np.deg2rad(2.0)
"""Standard errors: of a marker's corner in the picture, of a card's place by a tape, and of its turn."""
_SIZE, _TILT, _BEND = 0.004, np.deg2rad(10.0), 0.2
"""Standard deviations: of the print's size (a share), of the camera's tilt, and of the lens from a straight one."""
_LENS, _PRINT, _CARDS, _VALUES = 6, 7, slice(8, 20), 20


def fitted_markers(
    mat: Mat, corners_px: Mapping[int, Points], lens: Lens, height_mm: float, *, bends: bool
) -> tuple[MatView, tuple[Spot, ...]] | None:
    """Return the view of the mat, and each marker's shift and turn from its place, from the corners (4 × 2 px each) of all four, seen by a
    camera at this height; None if one is missing or they form no square. ``bends`` fits k1 too."""
    if set(corners_px) != set(range(_MARKERS)):
        return None
    printed, seen = marker_corners(mat), np.concatenate([corners_px[number] for number in range(_MARKERS)])
    start = fitted_view(np.concatenate([printed[number] for number in range(_MARKERS)]), seen, lens, height_mm, bends=bends)
    if start is None:
        return None
    squares, first = np.stack([printed[number] for number in range(_MARKERS)]), _begun(start)

    def corners_off(values: Points) -> Points:
        """Return each corner's error (16 × 2 px)."""
        bent = replace(start.lens, k1=float(values[_LENS])) if bends else start.lens
        laid = _moved(squares, values[_CARDS].reshape(_MARKERS, 3), float(np.exp(values[_PRINT]))).reshape(-1, 2)
        return np.asarray(bent.bent(project(_plane(values, start.lens, height_mm), laid)) - seen)

    def errors(values: Points) -> Points:
        bend = values[_LENS] - (0.0 if bends else start.lens.k1)
        usual = np.array((values[0] / _TILT, values[1] / _TILT, bend / _BEND, values[_PRINT] / _SIZE))
        cards = values[_CARDS].reshape(_MARKERS, 3) / np.array((_OFF_MM, _OFF_MM, _TURN))
        return np.concatenate(((corners_off(values) / _CORNER_PX).ravel(), usual, cards.ravel()))

    values = least_squares(errors, first, known=len(errors(first)))
    bent = replace(start.lens, k1=float(values[_LENS])) if bends else start.lens
    error_px = float(np.sqrt(np.square(corners_off(values)).sum(axis=1).mean()))
    view = MatView(_plane(values, start.lens, height_mm), bent, (float(values[3]), float(values[4])), height_mm, error_px)
    cards = values[_CARDS].reshape(_MARKERS, 3)
    return view, tuple(Spot(float(x), float(y), -float(np.rad2deg(turn))) for x, y, turn in cards)


def laid_corners(mat: Mat, laid: Sequence[Spot]) -> dict[int, Points]:
    """Return the corners of every marker (4 × 2 mm), by number, as the cards lie."""
    corners = marker_corners(mat)
    moved = np.array([(one.x_mm, one.y_mm, -np.deg2rad(one.turn_deg)) for one in laid])
    return dict(enumerate(_moved(np.stack([corners[number] for number in range(_MARKERS)]), moved)))


def _begun(view: MatView) -> NDArray[np.float64]:
    """Return the start of the fit: a camera that looks straight down with the turn and scale of a view, and markers in their places.

    Values: a rotation vector, the point below the camera (mm), log px per mm, k1, log size of the print, and for each card x, y (mm) and
    turn (radians, from x to y).
    """
    middle, right = project(view.to_straight, np.array([(0.0, 0.0), (1.0, 0.0)]))
    values = np.zeros(_VALUES)
    values[2] = np.arctan2(*(right - middle)[::-1])
    values[5] = np.log(view.px_per_mm())
    away = np.linalg.inv(_turned(values[:3])[:2, :2]) @ ((middle - np.array(view.lens.middle_px)) / view.px_per_mm())
    values[3:5] = -away
    values[_LENS] = view.lens.k1
    return values


def _plane(values: NDArray[np.float64], lens: Lens, height_mm: float) -> Matrix:
    turn = _turned(values[:3])
    eye = np.array((values[3], values[4], -height_mm))
    focal = np.exp(values[5]) * height_mm
    inner = np.array([(focal, 0, lens.middle_px[0]), (0, focal, lens.middle_px[1]), (0, 0, 1)])
    return np.asarray(inner @ np.column_stack((turn[:, 0], turn[:, 1], -turn @ eye)))


def _moved(squares: NDArray[np.float64], cards: NDArray[np.float64], size: float = 1.0) -> NDArray[np.float64]:
    """Turn squares (n × 4 × 2 mm) about their middles and shift them (n × x, y, turn)."""
    middles = squares.mean(axis=1, keepdims=True)
    cosine, sine = np.cos(cards[:, 2]), np.sin(cards[:, 2])
    turns = np.stack((np.stack((cosine, sine), axis=1), np.stack((-sine, cosine), axis=1)), axis=1)
    return np.asarray((squares - middles) * size @ turns + middles + cards[:, None, :2])


def _turned(vector: NDArray[np.float64]) -> Matrix:
    """Return the rotation about a vector, by its length (radians)."""
    angle = float(np.linalg.norm(vector))
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([(0, -z, y), (z, 0, -x), (-y, x, 0)])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)
