"""Variants of a video: its pictures changed as if people filmed in other ways than the benchmark's camera."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from vision.anytable.sources import TimedFrame

Picture = NDArray[np.uint8]
_FINGER_S, _CUT_S = 12.0, 25.0


def varied(frames: Iterable[TimedFrame], variant: str, lasts_ms: int) -> Iterator[TimedFrame]:
    """Yield the frames of a video as changed by one of ``VARIANTS``; "cut" leaves some out in the middle."""
    half_s, cut_ms = lasts_ms / 2000, 1000 * _CUT_S * (variant == "cut")
    for frame in frames:
        after_s = frame.at_ms / 1000 - half_s
        if not 0 <= 1000 * after_s < cut_ms:
            at_ms = frame.at_ms - int(cut_ms) * (after_s > 0)
            yield replace(frame, at_ms=at_ms, image=np.asarray(VARIANTS[variant](frame.image, after_s), np.uint8))


def _moved(image: Picture, after_s: float) -> MatLike:
    """Turn and push the camera in the middle, for two seconds."""
    share = min(max(after_s / 2, 0.0), 1.0)
    height, width = image.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 4 * share, 1 - 0.03 * share) + np.array([(0, 0, 35), (0, 0, -20)]) * share
    return cv2.warpAffine(image, turn, (width, height), borderMode=cv2.BORDER_REPLICATE) if share else image


def _finger(image: Picture, after_s: float) -> MatLike:
    """Cover most of the lens with a finger for some seconds."""
    if not 0 <= after_s < _FINGER_S:
        return image
    height, width = image.shape[:2]
    covered = cv2.ellipse(image.copy(), (width * 2 // 5, height // 2), (width * 9 // 20, height * 3 // 5), 20, 0, 360, (70, 85, 140), -1)
    return cv2.GaussianBlur(covered, (0, 0), 12)


def _flicker(image: Picture, after_s: float) -> MatLike:
    """Change light and white balance all the time."""
    tint = 0.12 * np.sin(after_s / 23)
    gain = (1 + 0.35 * np.sin(after_s / 7)) * np.array((1 + tint, 1.0, 1 - tint))
    return np.asarray(np.clip(image * gain, 0, 255), np.uint8)


def _slant(image: Picture, _: float) -> MatLike:
    """Look at an angle."""
    height, width = image.shape[:2]
    square, seen = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]), np.array([(0.12, 0.06), (0.88, 0.06), (1, 1), (0, 1)])
    square, seen = ((corners * (width, height)).astype(np.float32) for corners in (square, seen))
    slant = cv2.getPerspectiveTransform(square, seen)
    return cv2.warpPerspective(image, slant, (width, height), borderMode=cv2.BORDER_REPLICATE)


def _small(image: Picture, _: float) -> MatLike:
    """Reduce the picture to 480 rows."""
    return cv2.resize(image, (image.shape[1] * 480 // image.shape[0], 480), interpolation=cv2.INTER_AREA)


def _as_filmed(image: Picture, _: float) -> MatLike:
    return image


VARIANTS: dict[str, Callable[[Picture, float], MatLike]] = {
    "moved": _moved,
    "finger": _finger,
    "flicker": _flicker,
    "slant": _slant,
    "480p": _small,
    "portrait": lambda image, _: cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE),
    "cut": _as_filmed,
    "as filmed": _as_filmed,
}
"""Changes a picture, given its seconds after the middle of the video."""
