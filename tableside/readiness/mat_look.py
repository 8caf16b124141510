"""One look at a bare mat for people who lay it: the figures of the check, what is wrong with the worst first, and the picture with both.

The picture shows all that the camera sees. Who may have it, and when it is taken, is decided by ``CheckedTable`` and the dashboard.
"""

from collections.abc import Callable

from numpy import uint8
from numpy.typing import NDArray

from twinwall.wire.shapes.readiness import MatFaultSeen, MatLook
from vision.calibration.mat_check import MatCheck

CheckMat = Callable[[NDArray[uint8]], tuple[MatCheck, bytes]]
"""Checks a picture of a bare mat (h × w × 3 BGR); gives the check, and the picture with it drawn in, a JPEG file's bytes."""


def mat_look(number: int, check: MatCheck) -> MatLook:
    """The check in words."""
    seen = check.pieces
    return MatLook(
        number,
        len({one.number for one in seen.seen}),
        sum(len(piece.markers) for piece in seen.pieces),
        len(check.slots),
        len(check.slots_bare),
        round(check.px_per_mm, 2),
        round(check.edge_mm, 1),
        [MatFaultSeen(one.fault.value, one.numbers, one.advice) for one in check.findings],
    )
