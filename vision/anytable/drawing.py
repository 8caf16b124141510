"""Pictures for people: the reading drawn over a frame, and a cut-out around the place of a question."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.anytable.plane import TablePlane
from vision.anytable.watcher import TableWatcher
from vision.cameras.port import encode_picture
from vision.table.lens import SQUARE

_SURE, _IN_DOUBT, _TABLE, _RIM = (60, 200, 60), (40, 120, 255), (230, 160, 40), (0, 0, 0)
_AROUND_MM = 80.0
_PLACE_MM = 24.0
_CUT_PX = 480
_SIDES = ((0.0, 300.0), (300.0, 0.0), (0.0, -300.0), (-300.0, 0.0))


def drawn_reading(image: NDArray[np.uint8], watcher: TableWatcher) -> bytes:
    """Draw the table's axes, the numbers of its places and what was read of each face onto a frame (h × w × 3 BGR); return a JPEG file."""
    drawn, scale = image.copy(), max(0.4, image.shape[1] / 1800)
    for number, (x_mm, y_mm) in enumerate(_SIDES, 1):
        ends = watcher.plane.project(np.array([(x_mm / 6, y_mm / 6), (x_mm, y_mm)]))
        cv2.line(drawn, _pixel(ends[0]), _pixel(ends[1]), _TABLE, 1, cv2.LINE_AA)
        cv2.putText(drawn, f"place {number}", _pixel(ends[1]), cv2.FONT_HERSHEY_SIMPLEX, scale, _TABLE, 1, cv2.LINE_AA)
    for outline, proved in watcher.drawn_at():
        seen = proved.observed
        kind = max(seen.shares, key=lambda one: seen.shares[one]).text if seen is not None and seen.shares else "?"
        colour = _SURE if seen is not None and seen.sure else _IN_DOUBT
        cv2.polylines(drawn, [np.rint(outline).astype(np.int32)], isClosed=True, color=colour, thickness=1, lineType=cv2.LINE_AA)
        for ink, thick in ((_RIM, 3), (colour, 1)):
            cv2.putText(drawn, kind, _pixel(outline.mean(axis=0)), cv2.FONT_HERSHEY_SIMPLEX, scale, ink, thick, cv2.LINE_AA)
    return encode_picture(drawn, quality=85)


def drawn_place(image: NDArray[np.uint8], plane: TablePlane, x_mm: float, y_mm: float) -> bytes:
    """Cut a frame around a spot of the table, mark the spot with a square, and return a JPEG file."""
    square = SQUARE * _AROUND_MM + (x_mm, y_mm)
    to_cut = cv2.getPerspectiveTransform(plane.project(square).astype(np.float32), ((SQUARE + 1) / 2 * _CUT_PX).astype(np.float32))
    cut = np.asarray(cv2.warpPerspective(image, to_cut, (_CUT_PX, _CUT_PX), flags=cv2.INTER_LINEAR), np.uint8)
    reach = _PLACE_MM * _CUT_PX / (2 * _AROUND_MM)
    corners = np.rint(SQUARE * reach + _CUT_PX / 2).astype(np.int32)
    cv2.polylines(cut, [corners], isClosed=True, color=_IN_DOUBT, thickness=2, lineType=cv2.LINE_AA)
    return encode_picture(cut, quality=85)


def _pixel(point: NDArray[np.float64]) -> tuple[int, int]:
    x, y = np.rint(point).astype(int).tolist()
    return x, y
