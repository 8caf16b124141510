"""What a table's two cameras see while nobody plays: whether frames come, whether the gate reads a tile, and where the mat lies.

A kind that is read is not given out, because whoever asks may not be at the table.
"""

from __future__ import annotations

import time
from enum import StrEnum

from msgspec import Struct

from vision.cameras.port import Camera, CameraLostError
from vision.gate.gate_reader import GateReader
from vision.reading import ReadRefusal, Reason
from vision.table.table_reader import TableReader

LEAST_PX_PER_MM = 1.1
"""Pixels a millimetre of the mat below which tiles on it cannot be read (docs/reference/mat.md)."""


class Sight(StrEnum):
    """What a camera shows."""

    AWAY = "away"
    """No frame comes."""
    DARK = "dark"
    GLARE = "glare"
    EMPTY = "empty"
    """The gate is empty, and seen well."""
    UNREAD = "unread"
    """Something lies at the gate and cannot be read."""
    READ = "read"
    """The tile at the gate is read."""
    NO_MARKERS = "no-markers"
    """The mat's four markers are not all seen."""
    TOO_FAR = "too-far"
    """The mat is seen, but too small to read tiles on it."""
    MAT = "mat"
    """The mat is seen whole."""


class CameraSight(Struct, frozen=True):
    """What one camera shows, with the vision's own sentence where something is amiss."""

    sight: Sight
    detail: str = ""


def gate_sight(camera: Camera, reader: GateReader) -> CameraSight:
    """What the gate's camera shows now."""
    try:
        frame = camera.frame_after(time.monotonic_ns())
    except CameraLostError as lost:
        return CameraSight(Sight.AWAY, str(lost))
    answer = reader.read(frame)
    if not isinstance(answer, ReadRefusal):
        return CameraSight(Sight.READ)
    known = {Reason.EMPTY: Sight.EMPTY, Reason.DARK: Sight.DARK, Reason.GLARE: Sight.GLARE}
    return CameraSight(known.get(answer.reason, Sight.UNREAD), "" if answer.reason is Reason.EMPTY else answer.detail)


def mat_sight(camera: Camera, reader: TableReader) -> CameraSight:
    """What the camera above the mat shows now."""
    try:
        frame = camera.frame_after(time.monotonic_ns())
    except CameraLostError as lost:
        return CameraSight(Sight.AWAY, str(lost))
    reader.look(frame, ())
    if reader.trouble is not None:
        return unplaced(reader.trouble)
    px_per_mm = 0.0 if reader.view is None else reader.view.px_per_mm()
    if px_per_mm < LEAST_PX_PER_MM:
        return CameraSight(Sight.TOO_FAR, f"{px_per_mm:.2f} px a millimetre of the mat, and {LEAST_PX_PER_MM:g} are needed")
    return CameraSight(Sight.MAT)


def unplaced(trouble: ReadRefusal | None) -> CameraSight:
    """A frame in which the mat is not found."""
    if trouble is None:
        return CameraSight(Sight.NO_MARKERS)
    known = {Reason.DARK: Sight.DARK, Reason.GLARE: Sight.GLARE}
    return CameraSight(known.get(trouble.reason, Sight.NO_MARKERS), trouble.detail)
