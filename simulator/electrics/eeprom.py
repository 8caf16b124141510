"""The EEPROM of a board that is built into a simulated table: the record that tells its firmware the table's sizes and speed."""

from pathlib import Path

from firmware_bridge.board.table_record import EEPROM_BYTES, RecordError
from firmware_bridge.electrics.record import record_of
from simulator.mechanics import MechanicsSettings


def board_record(settings: MechanicsSettings, uid: bytes) -> bytes:
    """``record_of`` for the board of BOARD.md; raises RecordError, also where it has not the pins for the machine."""
    if (settings.gates, settings.shuttles) != (1, 1):
        raise RecordError(f"the board drives one gate and one shuttle a seat, not {settings.gates} and {settings.shuttles}")
    return record_of(settings, uid)


def write_memory(file: Path, record: bytes) -> None:
    """Put a table's record into an EEPROM's file; what else it holds, such as the count of boots, stays."""
    kept = file.read_bytes() if file.exists() else b""
    file.write_bytes((record + kept[len(record) :]).ljust(EEPROM_BYTES, b"\xff"))
