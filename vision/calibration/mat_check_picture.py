"""Picture of a check of a mat: markers with their numbers, slots, and the pieces with the worst fault."""

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from vision.calibration.mat_check import MatCheck, MatFault
from vision.calibration.mat_pieces import MatPiece
from vision.cameras.pictures import encode_picture
from vision.table.lens import SQUARE, MatView, Points
from vision.table.markers import corners_of
from vision.table.slot_places import on_mat
from vision.table.tile_pose import turned

_GOOD, _BAD, _FAINT = (90, 220, 90), (60, 60, 255), (150, 150, 60)
_OF_MARKERS = (MatFault.OUTSIDE, MatFault.GLARE, MatFault.COVERED)
_OF_NO_PIECE = (MatFault.MIXED, MatFault.OTHER_TABLE)
"""Faults whose numbers are not those of pieces."""


_WIDTH_PX = 900
"""Width of a picture that is shown repeatedly."""


def drawn_jpeg(image: NDArray[np.uint8], mat: Mat, check: MatCheck) -> bytes:
    """As ``drawn_png``, as JPEG, and made smaller if large."""
    picture = _drawn(image, mat, check)
    height, width = picture.shape[:2]
    if width > _WIDTH_PX:
        picture = np.asarray(cv2.resize(picture, (_WIDTH_PX, height * _WIDTH_PX // width), interpolation=cv2.INTER_AREA), np.uint8)
    return encode_picture(picture)


def drawn_png(image: NDArray[np.uint8], mat: Mat, check: MatCheck) -> bytes:
    """Return the picture (h × w × 3 BGR) as PNG: bare slots and seen markers in green; the worst fault and covered slots in red."""
    return encode_picture(_drawn(image, mat, check), ".png")


def _drawn(image: NDArray[np.uint8], mat: Mat, check: MatCheck) -> NDArray[np.uint8]:
    picture = np.array(image)
    view = check.pieces.view
    if view is not None:
        for slot in check.slots:
            corners_mm = on_mat(mat.spot(slot), SQUARE / 2 * (mat.tile_width_mm, mat.tile_height_mm))
            _outline(picture, view.project(corners_mm), _FAINT if slot in check.slots_bare else _BAD, 1)
    for seen in check.pieces.seen:
        _outline(picture, seen.corners_px, _GOOD, 2)
        _write(picture, str(seen.number), seen.corners_px.max(axis=0), _GOOD)
    if view is not None and check.findings:
        worst = check.findings[0]
        for piece in check.pieces.pieces:
            if worst.fault in _OF_MARKERS:
                missing = [marker for marker in piece.markers if marker.number in worst.numbers]
                for marker in missing:
                    _outline(picture, view.project(corners_of(marker)), _BAD, 3)
            elif piece.number in worst.numbers and worst.fault not in _OF_NO_PIECE:
                _outline(picture, _edges_px(view, piece, check), _BAD, 3)
    return picture


def _edges_px(view: MatView, piece: MatPiece, check: MatCheck) -> Points:
    fit = next((one for one in check.pieces.fits if one.piece.number == piece.number), None)
    middle, turn_deg, scale = (piece.middle_mm, 0.0, 1.0) if fit is None else (fit.middle_mm, fit.turn_deg, fit.scale)
    corners = SQUARE / 2 * piece.size_mm * scale
    return view.project(corners @ turned(turn_deg).T + middle)


def _outline(picture: NDArray[np.uint8], corners: Points, colour: tuple[int, int, int], width: int) -> None:
    cv2.polylines(picture, [np.rint(corners).astype(np.int32)], isClosed=True, color=colour, thickness=width, lineType=cv2.LINE_AA)


def _write(picture: NDArray[np.uint8], words: str, at: Points, colour: tuple[int, int, int]) -> None:
    cv2.putText(picture, words, (round(float(at[0])) + 3, round(float(at[1]))), cv2.FONT_HERSHEY_SIMPLEX, 0.5, colour, 1, cv2.LINE_AA)
