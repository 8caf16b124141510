"""The EEPROM of a board that is built into a simulated table: the record that tells its firmware the table's sizes and speed.

Its layout stands in ``firmware/BOARD.md``, "Memory of the table".
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from firmware_bridge.firmware.settings import capabilities_of
from twinwall.simulator.electrics.actuators import steps_per_position
from twinwall.simulator.electrics.wiring import MOST_CELLS
from twinwall.simulator.mechanics import MechanicsSettings

EEPROM_BYTES = 4096
_RECORD = struct.Struct("<4s8s6BHHB13x")
_MOST_QUEUE = 2


class BoardSizeError(ValueError):
    """The board has no room for a machine of these sizes; the message says which."""


def table_record(settings: MechanicsSettings, uid: bytes) -> bytes:
    """The 40 bytes of a table with these settings and an identity of 8 bytes; raises BoardSizeError for what the board cannot be."""
    if settings.bypass_cells > MOST_CELLS or settings.shuttle_queue > _MOST_QUEUE:
        raise BoardSizeError(f"the board drives at most {MOST_CELLS} bypass cells and chutes for {_MOST_QUEUE} tiles")
    if not 0.01 <= settings.speed <= 600:
        raise BoardSizeError(f"a speed of {settings.speed:g} has no room in the board's record: 0.01 to 600")
    record = _RECORD.pack(
        b"TWF1",
        uid,
        settings.tray_places,
        settings.wall_places,
        settings.hand_places,
        settings.bypass_cells,
        settings.shuttle_queue,
        settings.two_high,
        capabilities_of(settings).gate_period_ms,
        round(100 * settings.speed),
        steps_per_position(settings.speed),
    )
    return record + zlib.crc32(record).to_bytes(4, "little")


def write_memory(file: Path, settings: MechanicsSettings, uid: bytes) -> None:
    """Put a table's record into an EEPROM's file; what else it holds, such as the count of boots, stays."""
    record = table_record(settings, uid)
    kept = file.read_bytes() if file.exists() else b""
    file.write_bytes((record + kept[len(record) :]).ljust(EEPROM_BYTES, b"\xff"))
