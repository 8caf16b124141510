"""What a table's two cameras see while there is no play: whether frames come, whether the gate reads a tile, and where the mat lies.

A kind that is read is not given out, because the asking person may not be at the table.
"""

import time
from collections.abc import Callable

from twinwall.wire.shapes.readiness import CameraCheck, CheckOutcome
from vision.calibration.mat_calibration import LEAST_PX_PER_MM
from vision.cameras.port import Camera, CameraFrame, CameraLostError
from vision.gate.gate_reader import GateReader
from vision.reading import ReadRefusal, Reason
from vision.table.table_reader import TableReader


def check_camera(camera: Camera, check: Callable[[CameraFrame], CameraCheck]) -> CameraCheck:
    """What a check makes of what a camera shows now."""
    try:
        return check(camera.frame_after(time.monotonic_ns()))
    except CameraLostError as lost:
        return CameraCheck(CheckOutcome.AWAY, str(lost))


def check_gate(reader: GateReader, frame: CameraFrame) -> CameraCheck:
    """What a frame of the gate's camera shows."""
    answer = reader.read(frame)
    if not isinstance(answer, ReadRefusal):
        return CameraCheck(CheckOutcome.READ)
    known = {Reason.EMPTY: CheckOutcome.EMPTY, Reason.DARK: CheckOutcome.DARK, Reason.GLARE: CheckOutcome.GLARE}
    return CameraCheck(known.get(answer.reason, CheckOutcome.UNREAD), "" if answer.reason is Reason.EMPTY else answer.detail)


def check_mat(reader: TableReader, frame: CameraFrame) -> CameraCheck:
    """What a frame of the camera above the mat shows."""
    reader.look(frame, ())
    if reader.trouble is not None:
        return unplaced(reader.trouble)
    px_per_mm = 0.0 if reader.view is None else reader.view.px_per_mm()
    if px_per_mm < LEAST_PX_PER_MM:
        return CameraCheck(CheckOutcome.TOO_FAR, f"{px_per_mm:.2f} px a millimetre of the mat, and {LEAST_PX_PER_MM:g} are needed")
    return CameraCheck(CheckOutcome.MAT)


def unplaced(trouble: ReadRefusal | None) -> CameraCheck:
    """A frame in which the mat is not found, or is another table's."""
    if trouble is None:
        return CameraCheck(CheckOutcome.NO_MARKERS)
    known = {Reason.DARK: CheckOutcome.DARK, Reason.GLARE: CheckOutcome.GLARE, Reason.OTHER_TABLE: CheckOutcome.OTHER_MAT}
    return CameraCheck(known.get(trouble.reason, CheckOutcome.NO_MARKERS), trouble.detail)
