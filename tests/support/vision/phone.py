"""A phone that is held under the camera above a table: QR codes drawn as its screen shows them, as the camera sees them."""

import cv2
import numpy as np
import segno
from numpy.typing import NDArray

from tests.support.vision.pictures import noisy

Picture = NDArray[np.uint8]

WIDTH, HEIGHT = 1280, 720
READ_PX = 4.0
"""So wide a module is in the picture where the phone is held half-way up to the camera."""
_BORDER = 4
_FINE = 4
_AROUND = 70
"""The grey of what is beside the phone; only the code itself is drawn finely."""


def seen_phone(text: str, rng: np.random.Generator, *, module_px: float = READ_PX, turn_deg: float | None = None) -> Picture:
    """A camera's frame (BGR) with a phone that shows the code of a text: turned by any angle, tilted, a little blurred, with noise."""
    drawn = _drawn(text)
    side = drawn.shape[0]
    angle = np.deg2rad(rng.uniform(-180, 180) if turn_deg is None else turn_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * side * module_px / 2
    corners[:2] *= 1 - rng.uniform(0, 0.1)
    middle = np.array([WIDTH / 2, HEIGHT / 2]) + rng.uniform(-60, 60, 2)
    placed = (corners @ turn.T + middle).astype(np.float32) * _FINE
    code = cv2.resize(drawn, None, fx=16, fy=16, interpolation=cv2.INTER_NEAREST)
    size = float(code.shape[0])
    from_code = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32)
    left, top = (np.floor(placed.min(axis=0) / _FINE).astype(int) - 1).tolist()
    right, bottom = (np.ceil(placed.max(axis=0) / _FINE).astype(int) + 1).tolist()
    placing = cv2.getPerspectiveTransform(from_code, (placed - np.array([left, top]) * _FINE).astype(np.float32))
    size_fine = (right - left) * _FINE, (bottom - top) * _FINE
    fine = cv2.warpPerspective(code, placing, size_fine, flags=cv2.INTER_AREA, borderValue=(_AROUND, _AROUND, _AROUND))
    room = max(0, -left, -top, right - WIDTH, bottom - HEIGHT)
    seen = np.full((HEIGHT + 2 * room, WIDTH + 2 * room), _AROUND, np.uint8)
    seen[top + room : bottom + room, left + room : right + room] = cv2.resize(
        fine, (right - left, bottom - top), interpolation=cv2.INTER_AREA
    )
    seen = seen[room : room + HEIGHT, room : room + WIDTH]
    frame = cv2.GaussianBlur(seen, (0, 0), 0.7)
    seen = noisy(np.asarray(cv2.convertScaleAbs(frame, alpha=0.75, beta=40), np.uint8), 4, int(rng.integers(1 << 31)))
    return np.asarray(cv2.cvtColor(seen, cv2.COLOR_GRAY2BGR), np.uint8)


def module_count(text: str) -> int:
    """The modules along a side of a text's code, without its border."""
    return len(segno.make(text, error="l").matrix)


def _drawn(text: str) -> Picture:
    """One pixel a module, with its border."""
    rows = segno.make(text, error="l").matrix_iter(border=_BORDER)
    return np.array([[0 if dark else 255 for dark in row] for row in rows], np.uint8)
