"""The EEPROM of a board that is built into a simulated table: the record that tells its firmware the table's sizes and speed."""

from pathlib import Path

from firmware_bridge.board.table_record import EEPROM_BYTES, RecordError
from firmware_bridge.electrics.record import record_of
from simulator.mechanics import MechanicsSettings


class BoardSizeError(ValueError):
    """The board has no room for a machine of these sizes; the message says which."""


def board_record(settings: MechanicsSettings, uid: bytes) -> bytes:
    """``table_record`` for the board of BOARD.md; raises BoardSizeError where it has not the pins for the machine."""
    if (settings.gates, settings.shuttles) != (1, 1):
        raise BoardSizeError(f"the board drives one gate and one shuttle a seat, not {settings.gates} and {settings.shuttles}")
    return table_record(settings, uid)


def table_record(settings: MechanicsSettings, uid: bytes) -> bytes:
    """The 40 bytes of a table with these settings and an identity of 8 bytes; raises BoardSizeError for what no firmware drives."""
    try:
        return record_of(settings, uid)
    except RecordError as problem:
        raise BoardSizeError(str(problem)) from None


def write_memory(file: Path, record: bytes) -> None:
    """Put a table's record into an EEPROM's file; what else it holds, such as the count of boots, stays."""
    kept = file.read_bytes() if file.exists() else b""
    file.write_bytes((record + kept[len(record) :]).ljust(EEPROM_BYTES, b"\xff"))
