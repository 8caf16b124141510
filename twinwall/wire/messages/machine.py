"""The condition of a table's machine in its heartbeat, for maintenance. Figures are coarse and exclude anything that counts actions during
play, which would reveal play: operations are counted up to the controller's last start, frame ages are in minutes."""

from typing import Annotated

import msgspec

from twinwall.game.typed_json import Count, Text
from twinwall.values import Shape

Percent = Annotated[int, msgspec.Meta(ge=0, le=100)]


class CameraCondition(Shape):
    """One camera by its name in ``link-lost``; None: not measured."""

    name: Text
    frame_age_min: Count | None = None
    """Whole minutes since the last frame; frames are taken only while a tile is awaited."""
    light_percent: Percent | None = None
    """Mean brightness in steps of ten; camera above the table only."""
    moved_mm: Count | None = None
    """How far mat or camera has moved since calibration; camera above the table only."""
    edge_tenths_mm: Count | None = None
    """Apparent width of a marker's edge on the mat in tenths of a millimetre: wider is less sharp; camera above the table only."""


class MachineCondition(Shape):
    """The table's computer, its cameras, and the work of its feeder."""

    version: Text
    """The program's version."""
    up_min: Count
    """Whole minutes since the controller started."""
    disk_free_mib: Count
    """Of the journal's disk, in steps of a hundred."""
    temperature_c: int | None = None
    """Of the processor; None if the computer does not say."""
    feeder_operations: Count = 0
    """Up to the controller's last start, in this event's journal."""
    cameras: tuple[CameraCondition, ...] = ()
    weak_power: bool = False
    """Whether a Raspberry Pi's firmware has found undervoltage since its start."""
    slowed: bool = False
    """Whether it has slowed the processor since its start, because of heat or undervoltage."""
    written_gib_a_day: Count | None = None
    """Whole GiB written to its card since the start, a day, of less than a day altogether; None if it has no card."""
    worn_percent: Count | None = None
    """How much of its life an eMMC has spent, in steps of ten, 110 beyond its end; None if it does not say."""
    disk_fails: bool = False
    """Whether the journal's disk cannot be written, or a file system has errors."""
