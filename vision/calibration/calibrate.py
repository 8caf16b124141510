"""Calibration of a table's cameras: asks a person for scenes through ``Show``, measures them, and returns the calibration record.

A useless calibration (a gate with a tile in it, a card that does not fill the picture, a mat without markers) is refused.

The self-test compares later pictures of the empty scene with the record, and says what to do about each difference. Light, noise,
sharpness, dirt and place are judged separately, because a dirty lens and an old lamp need different work. Dirt shows only while the camera
looks at the same place.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from twinwall.art.mat_prints.name_marker import printed_number
from twinwall.values import frozen
from vision.calibration.camera_day import THUMB_H, THUMB_W, CameraDay, FlatField, measure
from vision.calibration.mat_calibration import Drift, MatCalibration, calibrate_mat, drift
from vision.cameras.port import Camera, Region
from vision.gate.presence import Outline, find_thing
from vision.reading import ReadRefusal, Reason
from vision.table.mat_name import UNNAMED, named_table, other_table
from vision.table.placement import MatPlacement

FRAMES = 12
"""Frames that a test takes."""
_DARKER, _LIGHTER = 0.75, 1.33
_NOISIER, _NOISE_FLOOR = 1.6, 0.5
_SOFTER = 0.6
_MOST_CLIPPED = 0.02
_STAIN = 0.12
"""A place is stained if it lost or gained this share of its light."""
_MOST_STAINED = 0.015
"""Most of the picture that may be stained (a share)."""
_MOST_PUSHED_MM, _MOST_ERROR_PX = 5.0, 1.5
"""Most that a point of the mat may have moved (mm), and most error of the markers' corners (px)."""
_MOST_SHIFT = 0.012
"""Most that the scene may have moved, as a share of the picture's width."""
_TELLING = 0.1
"""With a lower response of the phase correlation the scene has too little texture to show movement."""
_RIM, _OFFSET, _ROUNDS, _STAIN_PX = 3, 4.0, 3, 1.5
"""Width left out at the thumbnail's edge (px); levels added before division; rounds that set stains aside; smoothing before the search for
stains (px)."""


@frozen
class Finding:
    """One test: its value, its limit, and what to do if it is exceeded."""

    what: str
    good: bool
    now: float
    bound: str
    advice: str = ""


def examine(day: CameraDay, frames: Sequence[NDArray[np.uint8]]) -> list[Finding]:
    """Return all findings from frames (each h × w × 3 BGR) of the empty scene; raises ValueError for fewer than two."""
    height, width = frames[0].shape[:2]
    if (width, height) != (day.width_px, day.height_px):
        wanted = f"{day.width_px} × {day.height_px} px"
        return [Finding("size", good=False, now=float(width), bound=wanted, advice=f"set the camera to {wanted}, or calibrate it again")]
    light, scene = measure(frames)
    brighter = light.level / max(day.light.level, 1.0)
    noisier = day.light.noise * _NOISIER + _NOISE_FLOOR
    sharper = light.sharpness / max(day.light.sharpness, 1e-6)
    moved = _moved(day.scene, scene)
    shift = math.hypot(*moved) / THUMB_W
    findings = [
        Finding("exposure", _DARKER <= brighter <= _LIGHTER, brighter, f"{_DARKER:g} to {_LIGHTER:g} times", _lamp(brighter)),
        Finding("clipped", light.clipped <= day.light.clipped + _MOST_CLIPPED, light.clipped, f"{_MOST_CLIPPED:g} more", _SUN),
        Finding("noise", light.noise <= noisier, light.noise, f"at most {noisier:.1f} levels", "give it more light, or lower the gain"),
        Finding("focus", sharper >= _SOFTER, sharper, f"at least {_SOFTER:g} times", "clean the lens; if that does not help, focus it"),
        Finding("place", shift <= _MOST_SHIFT, shift, f"at most {_MOST_SHIFT:g} of the width", "it was moved: fix it, calibrate it again"),
    ]
    if shift <= _MOST_SHIFT:
        stained = _stained(day.scene, scene, moved)
        findings.append(Finding("lens", stained <= _MOST_STAINED, stained, f"at most {_MOST_STAINED:g}", "clean the lens and the window"))
    return [replace(one, advice="") if one.good else one for one in findings]


def examine_mat(then: MatCalibration, frames: Sequence[NDArray[np.uint8]], mat: Mat) -> list[Finding]:
    """Compare where frames (each h × w × 3 BGR) show the bare mat with where it was calibrated."""
    middle = np.asarray(cv2.cvtColor(frames[len(frames) // 2], cv2.COLOR_BGR2GRAY), np.uint8)
    placement = MatPlacement(mat, lens=then.lens, camera_height_mm=then.camera_height_mm, corners_mm=then.corners_mm(mat))
    seen = placement.locate(middle)
    if isinstance(seen, ReadRefusal):
        return [Finding("mat", good=False, now=0.0, bound="seen with its four markers", advice=seen.detail)]
    moved = drift(then, seen, mat)
    wanted = Finding("mat", moved.most_mm <= _MOST_PUSHED_MM, moved.most_mm, f"at most {_MOST_PUSHED_MM:g} mm", _pushed(moved))
    askew = Finding("markers", moved.error_px <= _MOST_ERROR_PX, moved.error_px, f"at most {_MOST_ERROR_PX:g} px", _CREASED)
    return [replace(one, advice="") if one.good else one for one in (wanted, askew)]


def _pushed(moved: Drift) -> str:
    off = f"the mat's middle lies {moved.shift_mm:.0f} mm off, turned by {moved.turn_deg:+.1f}°"
    return f"mat or camera were pushed, {off}: put back what was moved, or calibrate the camera again"


_CREASED = "the markers do not lie in one plane as printed: smooth the mat, and stick down a marker that came off"
_SUN = "keep the sun and lamps out of the lens"


def _lamp(brighter: float) -> str:
    return "look at the lamp, and whether something covers the lens" if brighter < 1 else "keep other light out, or look at the exposure"


def _moved(then: NDArray[np.float32], now: NDArray[np.float32]) -> tuple[float, float]:
    """Return how far right and down the scene moved (px of the thumbnail); 0 if it has too little texture."""
    window = cv2.createHanningWindow((THUMB_W, THUMB_H), cv2.CV_32F)
    edges = [cv2.Laplacian(cv2.GaussianBlur(one, (0, 0), 1.0), cv2.CV_32F) for one in (then, now)]
    (x, y), response = cv2.phaseCorrelate(edges[0], edges[1], window)
    return (float(x), float(y)) if response > _TELLING else (0.0, 0.0)


def _stained(then: NDArray[np.float32], now: NDArray[np.float32], moved: tuple[float, float]) -> float:
    """Return the share of the picture whose light differs from then, apart from an even change and a slope."""
    back = np.array([(1, 0, -moved[0]), (0, 1, -moved[1])], np.float32)
    aligned = cv2.warpAffine(now, back, (THUMB_W, THUMB_H), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    inner = np.s_[_RIM:-_RIM, _RIM:-_RIM]
    before, after = (cv2.GaussianBlur(one, (0, 0), _STAIN_PX) for one in (then, aligned))
    change = np.asarray((after + _OFFSET) / (before + _OFFSET), np.float64)[inner]
    y, x = np.mgrid[-1 : 1 : complex(0, change.shape[0]), -1 : 1 : complex(0, change.shape[1])]
    plane = np.stack([np.ones(change.size), x.ravel(), y.ravel()], axis=1)
    seen, weights = change.ravel(), np.ones(change.size)
    usual = seen
    for _ in range(_ROUNDS):
        usual = plane @ np.linalg.lstsq(plane * weights[:, None], seen * weights, rcond=None)[0]
        weights = (np.abs(seen - usual) < _STAIN * np.abs(usual)) + 1e-6
    return float((np.abs(seen - usual) > _STAIN * np.abs(usual)).mean())


_AROUND = 2.2
"""Height of the kept part of the gate's picture, in heights of the tile in it."""
_MOST_OF_IT = 0.8
"""A part larger than this share of the picture is not cut out."""


EMPTY_GATE = "Leave the gate empty"
CARD = "Lay a white card over the gate's window, so that it fills the picture"
TILE = "Put a tile into the gate, its face to the camera"
BARE_MAT = "Clear the mat, and do not touch the table"
Show = Callable[[str], bool]
"""Asks a person to show one of these scenes and waits; False if it was skipped."""


class CalibrationRefusedError(Exception):
    """No calibration can be made; the message says why and what to do."""


def calibrate_gate(camera: Camera, show: Show, today: date) -> CameraDay:
    """Return the gate camera's record, with card and tile if they are shown; raises CameraLostError, CalibrationRefusedError."""
    show(EMPTY_GATE)
    frames = frames_of(camera)
    seen = find_thing(frames[0])
    if not isinstance(seen, ReadRefusal) or seen.reason is not Reason.EMPTY:
        raise CalibrationRefusedError(f"the gate is not empty: {seen.detail if isinstance(seen, ReadRefusal) else 'something lies in it'}")
    flat = None
    if show(CARD):
        try:
            flat = FlatField.of_card(frames_of(camera))
        except ValueError as error:
            raise CalibrationRefusedError(str(error)) from None
    part = _part(frames_of(camera, 1)[0], flat) if show(TILE) else None
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
    show(BARE_MAT)
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
