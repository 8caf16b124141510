"""Where every signal is in the images of the board's inputs and outputs, as ``firmware/BOARD.md`` has it.

A number is bit ``number % 8`` of byte ``number // 8``. What a signal means stands in ``firmware/emulation/PHYSICS.md``; of
signals that come several times the first one's number is here, and those of further seats, cells or places follow it.
"""

from enum import IntEnum, unique

INPUT_BYTES = 48
OUTPUT_BYTES = 5
ALL_INPUT_BYTES, ALL_OUTPUT_BYTES = 58, 14
"""With the signals of a machine with several gates, which only the firmware as a library has."""
SEATS = 4
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
    DRIVER_FAULT = 372
    DRUM_TURNS = 373
    AT_PLACE = 376
    GRIPPER_UP = 380


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


DRIVE_OUTWARD, DRIVE_INWARD, DRIVE_DIVERTER = 128, 132, 136
"""What DRIVE may name besides outputs: a stepper's way from its end switch and back to it, by shuttle, and the diverter's servo."""


PINS = {
    "ESTOP": "PE5, Mega pin 3",
    "LID_OPEN": "PG5, Mega pin 4",
    "GATE_BEAM": "PE4, Mega pin 2",
    "WELL": "PE3, Mega pin 5",
    "DRIVER_FAULT": "PH3, Mega pin 6",
    "DRUM_TURNS": "PH4, Mega pin 7",
    "DIVERTER": "PB5, Mega pin 11",
    "MOTOR_POWER": "PL5, Mega pin 44",
    **{f"AT_PLACE_{seat}": f"PF{seat}, Mega pin A{seat}" for seat in range(SEATS)},
    **{f"GRIPPER_UP_{seat}": f"PK{seat}, Mega pin A{8 + seat}" for seat in range(SEATS)},
    **{f"LOCK_{SEATS + seat}": f"PC{seat}, Mega pin {37 - seat}" for seat in range(SEATS)},
    **{f"STEP_{seat}": f"PA{seat}, Mega pin {22 + seat}" for seat in range(SEATS)},
}
"""Signals that are on no chain: port and pin."""


class FurtherInput(IntEnum):
    """What a machine with several gates has besides (``several.h``)."""

    SECOND_CHUTE = 384
    SECOND_PICKED = 388
    SECOND_HOME = 392
    POCKET = 396
    EXCHANGER = 400
    SECOND_GRIPPER_UP = 404
    FURTHER_GATES = 408
    SECOND_AT_PLACE = 456


class FurtherOutput(IntEnum):
    """What the firmware of such a machine sets besides."""

    SECOND_PICKER = 40
    FURTHER_BELT_REVERSE = 44
    FURTHER_CELLS = 48
    FURTHER_EJECT = 72
    EXCHANGER = 80


MOST_GATES, MOST_EXCHANGERS = 4, 4
BITS_A_GATE, BITS_AN_EXCHANGER = 16, 8
LOOSEN, GO = 5, 6
"""Bits of an exchanger's outputs, above the number of the gate (2 bits) and of the shuttle (3 bits)."""


def input_at(number: int, gate: int) -> int:
    """A signal of the first gate as it is at another one."""
    own = FurtherInput.FURTHER_GATES + BITS_A_GATE * (gate - 1)
    if gate == 0:
        return number
    if number == Input.GATE_BEAM:
        return own + 15
    if number >= Input.BACK:
        return own + 12 + number - Input.BACK
    return own + number - Input.CELL_FULL if number >= Input.CELL_FULL else own + 8 + number - Input.DRUM_MOUTH


def shuttle_input(first: Input, second: FurtherInput, shuttle: int) -> int:
    """A signal of a shuttle, given where those of the seats' first and of their second shuttles begin."""
    return first + shuttle if shuttle < SEATS else second + shuttle - SEATS


_GATE_BARRIERS = (*range(Input.DRUM_MOUTH, Input.CELL_FULL), *range(Input.BACK, Input.BACK + 3), Input.GATE_BEAM)
BARRIERS = frozenset(
    {
        *range(Input.CHUTE, Input.CHUTE + SEATS),
        *range(FurtherInput.SECOND_CHUTE, FurtherInput.SECOND_CHUTE + SEATS),
        *range(FurtherInput.POCKET, FurtherInput.FURTHER_GATES),
        *range(Input.GRIPPER_UP, Input.GRIPPER_UP + SEATS),
        *(input_at(number, gate) for number in _GATE_BARRIERS for gate in range(MOST_GATES)),
        Input.DRUM_EMPTY,
        Input.WELL,
        Input.DRIVER_FAULT,
        Input.DRUM_TURNS,
    }
)
"""Light barriers, the line of the drivers and the drum's monitor, which do not bounce; everything else is a switch."""


def lane_of(pulse_us: int, cells: int, gates: int = 1, shuttles: int = 1) -> int:
    """The lane that a servo pulse leads to: chutes, the cells, the drum, the reject cell, and with several gates the pocket.

    ``pulse_us`` is the pulse's length in µs; lanes lie at equal steps over ``SERVO_RANGE_US``, and the nearest one counts.
    """
    lanes = SEATS * shuttles + cells + (3 if gates > 1 else 2)
    lane = round((pulse_us - SERVO_FIRST_US) * (lanes - 1) / SERVO_RANGE_US)
    return min(max(lane, 0), lanes - 1)
