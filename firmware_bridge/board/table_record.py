"""What a board remembers of the table that it is built into: the record in its EEPROM (firmware/BOARD.md, "Memory of the table").

Reads and writes the same bytes as ``firmware/core/board/table.c``, and refuses what that would refuse. How they
come into a board, as a file for a programmer or for an emulator, is left to the caller.
"""

import struct
import zlib
from typing import Any

from twinwall.values import frozen

RECORD_BYTES = 40
EEPROM_BYTES = 4096
BOOTS_AT = 64
"""Where the boots are counted, behind the record."""
NAMELESS = b"TWF-NEW0"
"""The uid of a board without a record."""

LANE_SIZES: dict[str, Any] = {
    "tray_places": 1,
    "wall_places": 1,
    "hand_places": 0,
    "bypass_cells": 0,
    "shuttle_queue": 1,
    "two_high": False,
}
"""Of a machine without shuttles: a seat's one place is the end of its lane."""

_MAGIC = b"TWF1"
_FIELDS = struct.Struct("<4s8s6BHHB6B7x")
_CHECKSUM_AT = RECORD_BYTES - 4
_MOST_BOOTS = (1 << 32) - 1
_BLANK = 0xFF


class RecordError(ValueError):
    """No board would start with this record; the message says what is wrong with it."""


@frozen
class TableRecord:
    """Identity, sizes and speed of a table; the defaults are the reference table's. Raises RecordError for what no board can be."""

    uid: bytes
    tray_places: int = 37
    wall_places: int = 34
    hand_places: int = 13
    bypass_cells: int = 4
    shuttle_queue: int = 2
    two_high: bool = True
    gate_period_ms: int = 600
    """From tile to tile at the gate, as CAPS has it: on this machine, at its speed."""
    speed_percent: int = 100
    """100 at a real table, more where a simulation runs its machine faster."""
    steps_per_position: int = 32
    gates: int = 1
    """Reading gates; several, with what follows, are driven by the firmware as a library alone."""
    exchangers: int = 0
    pocket_places: int = 0
    shuttles: int = 1
    """Of a seat."""
    manual: bool = False
    """People do what motors would; only the firmware as a library knows such tables."""
    lanes: bool = False
    """No shuttles: people take the tiles from the ends of the seats' lanes. The sizes are then ``LANE_SIZES``."""
    blinds: bool = False
    """Before the draws stand a blind with its bolt and a shutter, and there are no rear gates."""

    def __post_init__(self) -> None:
        if len(self.uid) != len(NAMELESS):
            raise RecordError(f"a uid has {len(NAMELESS)} bytes, not {len(self.uid)}")
        if not 0 <= self.hand_places <= self.wall_places <= self.tray_places <= 40:
            raise RecordError(
                f"places must rise from those of a hand over those of a wall to those of a tray, 40 at most: "
                f"{self.hand_places}, {self.wall_places}, {self.tray_places}"
            )
        if self.lanes and (self.manual or self.blinds or self.bypass_cells or self.gates * self.shuttles > 1):
            raise RecordError("a machine whose lanes end at people has one gate, no bypass cells, no shuttles and no blinds")
        for name, number, least, most in (
            ("bypass cells", self.bypass_cells, 0, 8),
            ("tiles in a chute", self.shuttle_queue, 1, 2),
            ("ms from tile to tile at the gate", self.gate_period_ms, 1, 65_535),
            ("percent of a real table's speed", self.speed_percent, 10, 60_000),
            ("steps from place to place", self.steps_per_position, 1, 255),
            ("gates", self.gates, 1, 4),
            ("exchangers", self.exchangers, 0, 4),
            ("tiles in a pocket", self.pocket_places, 0, 8),
            ("shuttles of a seat", self.shuttles, 1, 2),
        ):
            if not least <= number <= most:
                raise RecordError(f"a board can have from {least} to {most} {name}, not {number}")

    def encode(self) -> bytes:
        head = _FIELDS.pack(
            _MAGIC,
            self.uid,
            self.tray_places,
            self.wall_places,
            self.hand_places,
            self.bypass_cells,
            self.shuttle_queue,
            self.two_high,
            self.gate_period_ms,
            self.speed_percent,
            self.steps_per_position,
            *((self.gates, self.exchangers, self.pocket_places, self.shuttles) if self.gates * self.shuttles > 1 else (0, 0, 0, 0)),
            2 if self.lanes else self.manual,
            self.blinds,
        )
        return head + zlib.crc32(head).to_bytes(4, "little")


def decode(memory: bytes) -> TableRecord:
    """The record at the beginning of a memory; raises RecordError when a board would start without it, saying why."""
    record = memory[:RECORD_BYTES]
    if len(record) < RECORD_BYTES:
        raise RecordError(f"a record has {RECORD_BYTES} bytes, and here are {len(record)}")
    if all(byte == _BLANK for byte in record):
        raise RecordError("the memory is blank")
    if not record.startswith(_MAGIC):
        raise RecordError(f"it begins with {record[:4]!r}, not with {_MAGIC!r}")
    if zlib.crc32(record[:_CHECKSUM_AT]) != int.from_bytes(record[_CHECKSUM_AT:], "little"):
        raise RecordError("it is damaged: its checksum is not that of its bytes")
    _, uid, tray, wall, hand, cells, queue, two_high, period_ms, speed, steps, *several = _FIELDS.unpack(record[:_CHECKSUM_AT])
    if two_high > 1:
        raise RecordError(f"trays have one row or two (0 or 1), not {two_high}")
    gates, exchangers, pocket_places, shuttles, worked_by, blinds = several
    if worked_by > 2:
        raise RecordError(f"a table is worked by motors, by people, or by both (0, 1 or 2), not {worked_by}")
    if blinds > 1:
        raise RecordError(f"a table has rear gates or blinds (0 or 1), not {blinds}")
    return TableRecord(
        uid,
        tray,
        wall,
        hand,
        cells,
        queue,
        bool(two_high),
        period_ms,
        speed,
        steps,
        gates or 1,
        exchangers,
        pocket_places,
        shuttles or 1,
        manual=worked_by == 1,
        lanes=worked_by == 2,
        blinds=bool(blinds),
    )


def boots_of(memory: bytes) -> int | None:
    """How many boots a memory has counted, a blank one none; None for a file that ends before the count."""
    counted = memory[BOOTS_AT : BOOTS_AT + 4]
    return (int.from_bytes(counted, "little") + 1) % (1 << 32) if len(counted) == 4 else None


def boots_counted(boots: int) -> bytes:
    """The four bytes of a count; raises RecordError for a number that has no room there."""
    if not 0 <= boots < _MOST_BOOTS:
        raise RecordError(f"boots are counted from 0 to {_MOST_BOOTS - 1}, not {boots}")
    return ((boots - 1) % (1 << 32)).to_bytes(4, "little")
