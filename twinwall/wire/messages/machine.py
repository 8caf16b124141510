"""Condition of a table's machine, as its heartbeat tells it: what the machine room looks after.

Figures are whole and coarse. How often something was done during play is not among them, because it would tell what happens there:
operations are counted up to the controller's last start, frames are minutes old.
"""

from typing import Annotated

import msgspec

from twinwall.game.typed_json import Count, Text
from twinwall.values import Shape

Percent = Annotated[int, msgspec.Meta(ge=0, le=100)]


class CameraCondition(Shape):
    """One camera by its name in ``link-lost``. A part that has not been measured is None."""

    name: Text
    frame_age_min: Count | None = None
    """Whole minutes since the last frame; a camera is asked only while a tile is waited for."""
    light_percent: Percent | None = None
    """Mean brightness of the picture, in steps of ten; of the camera above the table alone."""
    moved_mm: Count | None = None
    """How far mat or camera lies from where it was calibrated; of the camera above the table alone."""
    edge_tenths_mm: Count | None = None
    """How wide the edge of a marker looks on the mat, in tenths of a millimetre: the wider, the less sharp; of the camera above the table
    alone."""


class MachineCondition(Shape):
    """The table's computer, its cameras, and how much its feeder has done."""

    version: Text
    """The program's."""
    up_min: Count
    """Whole minutes since the controller started."""
    disk_free_mib: Count
    """Of the disk with the journal, in steps of a hundred."""
    temperature_c: int | None = None
    """Of the processor; None on a computer that does not tell."""
    feeder_operations: Count = 0
    """Done up to the controller's last start, in the journal of this event."""
    cameras: tuple[CameraCondition, ...] = ()
    weak_power: bool = False
    """Whether a Raspberry Pi's firmware has found too low a voltage since its start."""
    slowed: bool = False
    """Whether it has slowed the processor down since then, by heat or by weak power."""
