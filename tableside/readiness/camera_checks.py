"""Checks a table's two cameras while there is no play: whether frames come, whether the gate reads a tile, and where the mat is. The kind
that was read is not reported, because the person who asks may not be at the table. Face-up tiles in the rivers, drawn for the public value
of an event's start, are read over several frames, or listed by place if they cannot be read. The order is that of the places 1 to 4, and in
each river row by row from its player's left. Tiles elsewhere on the mat are ignored."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from twinwall.wire.messages.tile_reading import UnreadRiverSlot
from twinwall.wire.shapes.readiness import CameraCheck, CheckOutcome, RiverTiles
from vision.calibration.mat_calibration import LEAST_PX_PER_MM
from vision.cameras.port import Camera, CameraFrame, CameraLostError
from vision.gate.gate_reader import GateReader
from vision.mat import Area, Mat, Slot
from vision.reading import ReadRefusal, Reason
from vision.table.table_reader import SlotReading, SlotVotes, TableReader


def check_camera(camera: Camera, check: Callable[[CameraFrame], CameraCheck]) -> CameraCheck:
    """The check of what a camera shows now."""
    try:
        return check(camera.frame_after(time.monotonic_ns()))
    except CameraLostError as lost:
        return CameraCheck(CheckOutcome.AWAY, str(lost))


def check_gate(reader: GateReader, frame: CameraFrame) -> CameraCheck:
    answer = reader.read(frame)
    if not isinstance(answer, ReadRefusal):
        return CameraCheck(CheckOutcome.READ)
    known = {Reason.EMPTY: CheckOutcome.EMPTY, Reason.DARK: CheckOutcome.DARK, Reason.GLARE: CheckOutcome.GLARE}
    return CameraCheck(known.get(answer.reason, CheckOutcome.UNREAD), "" if answer.reason is Reason.EMPTY else answer.detail)


def check_mat(reader: TableReader, frame: CameraFrame) -> CameraCheck:
    reader.look(frame, ())
    if reader.trouble is not None:
        return unplaced(reader.trouble)
    px_per_mm = 0.0 if reader.view is None else reader.view.px_per_mm()
    if px_per_mm < LEAST_PX_PER_MM:
        return CameraCheck(CheckOutcome.TOO_FAR, f"{px_per_mm:.2f} px a millimetre of the mat, and {LEAST_PX_PER_MM:g} are needed")
    return CameraCheck(CheckOutcome.MAT)


def unplaced(trouble: ReadRefusal | None) -> CameraCheck:
    """The check of a frame in which the mat is not found, or is another table's."""
    if trouble is None:
        return CameraCheck(CheckOutcome.NO_MARKERS)
    known = {Reason.DARK: CheckOutcome.DARK, Reason.GLARE: CheckOutcome.GLARE, Reason.OTHER_TABLE: CheckOutcome.OTHER_MAT}
    return CameraCheck(known.get(trouble.reason, CheckOutcome.NO_MARKERS), trouble.detail)


MOST_FRAMES = 8
"""Frames after which an unsettled tile must be laid again."""
RIVERS = Mat().all_slots(Area.RIVER)
Why = Literal["covered", "light", "unsure"]
_WHY: Mapping[Reason, Why] = {Reason.COVERED: "covered", Reason.GLARE: "light", Reason.DARK: "light"}


class MatUnseenError(Exception):
    """No frame shows where the mat is; the message is the reader's."""


def read_rivers(camera: Camera, reader: TableReader, back: int) -> RiverTiles:
    """Read the tiles of the set with these backs; raises CameraLostError and MatUnseenError."""
    votes, last, after_ns = SlotVotes(), dict[Slot, SlotReading](), time.monotonic_ns()
    waiting: Sequence[Slot] = RIVERS
    for _ in range(MOST_FRAMES):
        frame = camera.frame_after(after_ns)
        after_ns = frame.exposure_end_ns
        readings = reader.read(frame, waiting, back)
        votes.add(readings)
        last |= {reading.slot: reading for reading in readings}
        waiting = [slot for slot in RIVERS if not _is_settled(votes, slot)]
        if not waiting:
            break
    if not last:
        raise MatUnseenError("" if reader.trouble is None else reader.trouble.detail)
    kinds = [tile.text for slot in RIVERS if (tile := votes.settled(slot)) is not None]
    return RiverTiles(kinds, tuple(_unread(votes, last)))


def _is_settled(votes: SlotVotes, slot: Slot) -> bool:
    return votes.emptied(slot) or votes.settled(slot) is not None


def _unread(votes: SlotVotes, last: dict[Slot, SlotReading]) -> Iterator[UnreadRiverSlot]:
    for slot in RIVERS:
        if not _is_settled(votes, slot):
            reason = last[slot].reason
            yield UnreadRiverSlot(slot.place + 1, slot.index + 1, "unsure" if reason is None else _WHY.get(reason, "unsure"))
