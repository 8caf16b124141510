"""The table record: tells the firmware a machine's sizes and speeds, so that wiring and firmware agree."""

from firmware_bridge.board.table_record import TableRecord
from firmware_bridge.electrics.actuators import steps_per_position
from firmware_bridge.electrics.sizes import MachineSizes, as_they_are, capabilities_of


def record_of(sizes: MachineSizes, uid: bytes, *, manual: bool = False) -> bytes:
    """The 40 bytes for a machine of these sizes and an identity of 8 bytes; raises RecordError for what no firmware drives.

    ``manual``: people do what motors would.
    """
    return TableRecord(
        uid,
        gate_period_ms=capabilities_of(sizes).gate_period_ms,
        speed_percent=round(100 * sizes.speed),
        steps_per_position=steps_per_position(sizes.speed),
        manual=manual,
        lanes=sizes.lanes,
        blinds=sizes.blinds,
        **as_they_are(sizes),
    ).encode()
