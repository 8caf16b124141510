"""Presence: whether something is in the reading gate's window (``find_thing``), by light and colour alone.

The gate's floor is dark and grey, tiles are lighter or coloured: a thing that stands out and does not touch the picture's edge is in the
window. Presence is decided first and without marks, since a classifier cannot tell a white dragon from an empty light floor.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.values import frozen
from vision.reading import ReadRefusal, Reason, ShapeFault

_REDUCTION = 4
_DARK_LEVEL = 25
"""If even the brightest parts of a frame are below this grey level, it shows nothing, not an empty gate."""
_WHITE_LEVEL, _MOST_WHITE = 250, 0.5
"""A picture with a larger share of pixels at this grey level or above is washed out."""
_FLOOR_LEVEL = 150
"""Grey level of a whole frame above which it does not show the gate's dark floor."""
_LEAST_AREA, _MOST_AREA = 0.04, 0.75
"""Limits of a thing's area, as shares of the picture."""
_LEAST_CONTRAST, _LEAST_COLOUR = 24.0, 14.0
"""Least contrast of a thing, in grey levels of light and of colour."""
_GLOW_LEVELS = 45
"""Variation, in grey levels, that a blurred picture of an empty gate does not reach."""


@frozen
class Outline:
    """A thing's rough place: the most upright rectangle (centre and size in px, angle in degrees), and the share of it that the thing
    fills."""

    centre: tuple[float, float]
    size: tuple[float, float]
    angle_deg: float
    filled: float


def find_thing(image: NDArray[np.uint8], least_area: float = _LEAST_AREA) -> Outline | ReadRefusal:
    """Return where the thing in the window is (``image`` h × w × 3 BGR), or DARK, GLARE, EMPTY, or SHAPE if it reaches the edge."""
    height, width = image.shape[:2]
    small = cv2.resize(image, (width // _REDUCTION, height // _REDUCTION), interpolation=cv2.INTER_AREA)
    blue, green, red = cv2.split(small)
    brightest = cv2.max(cv2.max(blue, green), red)
    if float(np.percentile(brightest, 99)) < _DARK_LEVEL:
        return ReadRefusal(Reason.DARK, "the frame is dark: check the gate's lamp and that nothing covers the lens")
    colourful = cv2.subtract(brightest, cv2.min(cv2.min(blue, green), red))
    touching = False
    for plane, contrast in ((brightest, _LEAST_CONTRAST), (colourful, _LEAST_COLOUR)):
        found = _largest(np.asarray(plane, np.uint8), least_area, contrast)
        if isinstance(found, Outline):
            return found
        touching = touching or found
    washed = cv2.blur(brightest, (15, 15))
    usual = float(np.median(washed))
    if usual > _FLOOR_LEVEL or float(np.percentile(washed, 98)) - usual > _GLOW_LEVELS:
        return ReadRefusal(
            Reason.GLARE, "there is light in the window but no outline: dirt on the lens, a reflection, or something that moves"
        )
    if touching:
        at_edge = "something light reaches the edge of the window: a tile not yet in place, or a hand"
        return ReadRefusal(Reason.SHAPE, at_edge, fault=ShapeFault.COVERED)
    return ReadRefusal(Reason.EMPTY, "nothing lies in the gate")


def unlit(image: NDArray[np.uint8]) -> ReadRefusal | None:
    """Return why nothing can be seen in a picture (h × w × 3 BGR), DARK or GLARE; None if something can."""
    brightest = image[::_REDUCTION, ::_REDUCTION].max(axis=2)
    if float(np.percentile(brightest, 99)) < _DARK_LEVEL:
        return ReadRefusal(Reason.DARK, "the picture is dark: look at the light, at the exposure, and whether something covers the lens")
    if float((brightest >= _WHITE_LEVEL).mean()) > _MOST_WHITE:
        return ReadRefusal(Reason.GLARE, "the picture is washed out: keep sun and lamps out of the lens, or lower the exposure")
    return None


def _largest(plane: NDArray[np.uint8], least_area: float, contrast: float) -> Outline | bool:
    """Return the largest thing that stands out in a plane and does not touch the edge; without one, whether a bright thing touches it."""
    softened = cv2.GaussianBlur(plane, (5, 5), 0)
    _, mask = cv2.threshold(softened, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    inside = mask > 0
    if not inside.any() or inside.all() or float(softened[inside].mean() - softened[~inside].mean()) < contrast:
        return False
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    whole = plane.shape[0] * plane.shape[1]
    touching = False
    for contour in sorted(contours, key=cv2.contourArea, reverse=True):
        area = float(cv2.contourArea(contour))
        if not least_area * whole <= area <= _MOST_AREA * whole:
            continue
        x, y, wide, high = cv2.boundingRect(contour)
        if x <= 1 or y <= 1 or x + wide >= plane.shape[1] - 1 or y + high >= plane.shape[0] - 1:
            touching = touching or float(softened[y : y + high, x : x + wide].mean()) > 2.2 * float(np.median(softened[~inside]))
            continue
        return _outline(contour, area)
    return touching


def _outline(contour: NDArray[np.int32] | cv2.typing.MatLike, area: float) -> Outline:
    (x, y), (wide, high), angle = cv2.minAreaRect(np.asarray(contour))
    quarters = round(angle / 90)
    if quarters % 2:
        wide, high = high, wide
    angle -= 90 * quarters
    centre = ((x + 0.5) * _REDUCTION - 0.5, (y + 0.5) * _REDUCTION - 0.5)
    return Outline(centre, (wide * _REDUCTION, high * _REDUCTION), float(angle), area / max(wide * high, 1.0))
