"""Calibration of a table's cameras: asks a person for scenes through ``Show``, measures them, and returns the calibration record.

A useless calibration (a gate with a tile in it, a card that does not fill the picture, a mat without markers) is refused.
"""

import time
from collections.abc import Callable
from datetime import date
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat_prints.name_marker import printed_number
from vision.calibration.camera_day import CameraDay, measure
from vision.calibration.flat_field import FlatField
from vision.calibration.mat_calibration import calibrate_mat
from vision.calibration.selftest import FRAMES
from vision.cameras.port import Camera, Region
from vision.gate.presence import Outline, find_thing
from vision.mat import Mat
from vision.reading import ReadRefusal, Reason
from vision.table.mat_name import UNNAMED, named_table, other_table

_AROUND = 2.2
"""Height of the kept part of the gate's picture, in heights of the tile in it."""
_MOST_OF_IT = 0.8
"""A part larger than this share of the picture is not cut out."""


class Scene(StrEnum):
    """What a person is asked to show."""

    EMPTY_GATE = "Leave the gate empty"
    CARD = "Lay a white card over the gate's window, so that it fills the picture"
    TILE = "Put a tile into the gate, its face to the camera"
    BARE_MAT = "Clear the mat, and do not touch the table"


Show = Callable[[Scene], bool]
"""Asks a person to show a scene and waits; False if it was skipped."""


class CalibrationRefusedError(Exception):
    """No calibration can be made; the message says why and what to do."""


def calibrate_gate(camera: Camera, show: Show, today: date) -> CameraDay:
    """Return the gate camera's record, with card and tile if they are shown; raises CameraLostError, CalibrationRefusedError."""
    show(Scene.EMPTY_GATE)
    frames = frames_of(camera)
    seen = find_thing(frames[0])
    if not isinstance(seen, ReadRefusal) or seen.reason is not Reason.EMPTY:
        raise CalibrationRefusedError(f"the gate is not empty: {seen.detail if isinstance(seen, ReadRefusal) else 'something lies in it'}")
    flat = None
    if show(Scene.CARD):
        try:
            flat = FlatField.of_card(frames_of(camera))
        except ValueError as error:
            raise CalibrationRefusedError(str(error)) from None
    part = _part(frames_of(camera, 1)[0], flat) if show(Scene.TILE) else None
    light, scene = measure(frames)
    height, width = frames[0].shape[:2]
    return CameraDay("gate", today, width, height, part, flat, light, scene, None)


def calibrate_table(
    camera: Camera,
    mat: Mat,
    height_mm: float,
    show: Show,
    today: date,
    *,
    cards: bool = False,
    note: Callable[[str], None] = lambda _: None,
) -> CameraDay:
    """Return the table camera's record from a bare mat. ``cards``: people laid the markers, so their places are measured too. ``note``
    receives a sentence if the mat could name its table but does not. Raises CameraLostError, CalibrationRefusedError."""
    show(Scene.BARE_MAT)
    frames = frames_of(camera)
    greys = [np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8) for frame in frames]
    lies = calibrate_mat(greys, mat, camera_height_mm=height_mm, date=today.isoformat(), cards=cards)
    if isinstance(lies, ReadRefusal):
        raise CalibrationRefusedError(lies.detail)
    named = named_table(greys[-1], mat, lies.view, lies.corners_mm(mat))
    if named and mat.table and named != mat.table:
        raise CalibrationRefusedError(other_table(mat.table, named).detail)
    if not named and printed_number(mat) is not None:
        note(UNNAMED)
    light, scene = measure(frames)
    height, width = frames[0].shape[:2]
    return CameraDay("table", today, width, height, None, None, light, scene, lies)


def frames_of(camera: Camera, count: int = FRAMES) -> list[NDArray[np.uint8]]:
    """Return consecutive frames (h × w × 3 BGR); raises CameraLostError."""
    return [camera.frame_after(time.monotonic_ns()).image for _ in range(count)]


def _part(image: NDArray[np.uint8], flat: FlatField | None) -> Region | None:
    """Return the part of the picture around a tile in the gate, None if that is most of it."""
    seen = find_thing(image if flat is None else flat.even(image), least_area=0.004)
    if isinstance(seen, ReadRefusal):
        raise CalibrationRefusedError(f"no tile is seen in the gate: {seen.detail}")
    return part_around(seen, image.shape[1], image.shape[0])


def part_around(tile: Outline, width: int, height: int) -> Region | None:
    """Return a square part around a tile in a picture of this size (px), None if that is most of the picture."""
    side = _AROUND * max(tile.size)
    left, top = max(round(tile.centre[0] - side / 2), 0), max(round(tile.centre[1] - side / 2), 0)
    right, bottom = min(round(tile.centre[0] + side / 2), width), min(round(tile.centre[1] + side / 2), height)
    if (right - left) * (bottom - top) > _MOST_OF_IT * width * height:
        return None
    return Region(left, top, right - left, bottom - top)
