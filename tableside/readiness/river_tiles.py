"""Tiles that lie face up in the rivers while there is no play, each read over several frames, or named by its place where it is not read.

They are drawn for the public value of an event's start. The order is that of the places 1 to 4, in each river row by row from the left
as its player sees it. What lies elsewhere on the mat is not read.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from twinwall.wire.messages.tile_reading import UnreadRiverSlot
from twinwall.wire.shapes.readiness import RiverTiles
from vision.cameras.port import Camera
from vision.mat import Area, Mat, Slot
from vision.reading import Reason
from vision.table.table_reader import SlotReading, TableReader
from vision.table.votes import SlotVotes

MOST_FRAMES = 8
"""A tile that this many frames do not settle is laid again."""
RIVERS = Mat().all_slots(Area.RIVER)
Why = Literal["covered", "light", "unsure"]
_WHY: Mapping[Reason, Why] = {Reason.COVERED: "covered", Reason.GLARE: "light", Reason.DARK: "light"}


class MatUnseenError(Exception):
    """No frame shows where the mat lies; the message is the reader's."""


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
