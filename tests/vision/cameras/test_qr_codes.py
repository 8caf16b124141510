"""Several QR codes in one picture: what is there and cannot be read is said, however near it is."""

import cv2
import numpy as np
import pytest
import segno
from numpy.typing import NDArray

from vision.cameras.qr_codes import QrCodes

MODULE_PX = 6
TEXT = "https://192.168.1.20:8443/phone#c=7KQ2-M4XW-9TBD&t=1"


def drawn(text: str) -> NDArray[np.uint8]:
    """A code without a margin, in black and white."""
    modules = np.array([[0 if dark else 255 for dark in row] for row in segno.make(text, error="m").matrix], np.uint8)
    return np.asarray(cv2.resize(modules, None, fx=MODULE_PX, fy=MODULE_PX, interpolation=cv2.INTER_NEAREST), np.uint8)


@pytest.mark.parametrize("gap", [8, 6, 4])
def test_an_unreadable_code_beside_one_that_is_read_is_said_to_be_there(gap: int) -> None:
    code, other = drawn(TEXT), drawn("another text of the same length, which nobody reads")
    side, far = code.shape[0], other.shape[0]
    picture = np.full((side + 200, side + far + gap * MODULE_PX + 200), 255, np.uint8)
    picture[100 : 100 + side, 100 : 100 + side] = code
    left = 100 + side + gap * MODULE_PX
    other[8 * MODULE_PX : -8 * MODULE_PX] = 255 - other[8 * MODULE_PX : -8 * MODULE_PX]  # its corners stay as they are
    picture[100 : 100 + far, left : left + far] = other
    assert QrCodes().read_all(np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8)) == (frozenset({TEXT}), True)


def test_one_code_alone_is_read_and_nothing_is_left() -> None:
    picture = cv2.copyMakeBorder(drawn(TEXT), 100, 100, 100, 100, cv2.BORDER_CONSTANT, value=(255,))
    assert QrCodes().read_all(np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8)) == (frozenset({TEXT}), False)
