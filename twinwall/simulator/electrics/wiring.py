"""Where every signal is in the images of the board's inputs and outputs, as ``firmware/BOARD.md`` has it.

A number is bit ``number % 8`` of byte ``number // 8``. What a signal means stands in ``firmware/emulation/PHYSICS.md``; of
signals that come several times the first one's number is here, and those of further seats, cells or places follow it.
"""

from __future__ import annotations

from enum import IntEnum, unique

INPUT_BYTES = 47
OUTPUT_BYTES = 5
PLACES_A_SEAT = 40
"""Numbers of a tray or a magazine, used or not."""
MOST_CELLS = 8
FAST_INPUTS = range(24)
"""Inputs that are read every millisecond; the others every fourth, except for those on pins of their own."""
SERVO_FIRST_US, SERVO_RANGE_US = 1000, 1000


@unique
class Input(IntEnum):
    """What the firmware reads."""

    CHUTE = 0
    DRUM_MOUTH = 4
    REJECT_MOUTH = 5
    RETURN_LANE = 6
    GATE_FULL = 7
    CELL_FULL = 8
    BACK = 16
    DRUM_EMPTY = 19
    REAR_LOCK_IS_OPEN = 20
    PICKED = 24
    HOME = 28
    TRAY_FLOOR_SHUT = 32
    MAGAZINE_FLOOR_SHUT = 36
    LOCK_IS_OPEN = 40
    LIFT_DOWN = 44
    PURGE_SHUT = 45
    DOOR_IS_OPEN = 46
    DOOR_IS_SHUT = 47
    TRAY = 48
    MAGAZINE = 208
    LID_OPEN = 368
    ESTOP = 369
    GATE_BEAM = 370
    WELL = 371


@unique
class Output(IntEnum):
    """What the firmware sets; steps and the diverter's pulses come as numbers of their own."""

    PICKER = 0
    LOCK = 4
    TRAY_FLOOR = 8
    MAGAZINE_FLOOR = 12
    CELL = 16
    DRUM = 24
    BELT = 25
    BELT_REVERSE = 26
    EJECT = 27
    LIFT = 28
    DOOR_OPEN = 29
    DOOR_SHUT = 30
    PURGE = 31
    MOTOR_POWER = 32
    REAR_LOCK = 33


BARRIERS = frozenset(
    {
        *range(Input.CHUTE, Input.CHUTE + 4),
        Input.DRUM_MOUTH,
        Input.REJECT_MOUTH,
        Input.RETURN_LANE,
        Input.GATE_FULL,
        *range(Input.BACK, Input.BACK + 3),
        Input.DRUM_EMPTY,
        Input.GATE_BEAM,
        Input.WELL,
    }
)
"""Light barriers, which do not bounce; everything else is a switch."""


def lane_of(pulse_us: int, cells: int) -> int:
    """The lane that a servo pulse leads to: chutes 0 to 3, the cells, the drum, the reject cell.

    ``pulse_us`` is the pulse's length in µs; lanes lie at equal steps over ``SERVO_RANGE_US``, and the nearest one counts.
    """
    lanes = 4 + cells + 2
    lane = round((pulse_us - SERVO_FIRST_US) * (lanes - 1) / SERVO_RANGE_US)
    return min(max(lane, 0), lanes - 1)
