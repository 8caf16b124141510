"""Where every signal is in the images of the board's inputs and outputs, as ``firmware/BOARD.md`` has it.

A number is bit ``number % 8`` of byte ``number // 8``. What a signal means stands in ``firmware/emulation/PHYSICS.md``; of
signals that come several times the first one's number is here, and those of further seats, cells or places follow it.

``Signal`` is one as a person at the wires names it: number, name, and the chip or pin that it comes to. Which of them a table uses, its
capabilities say.
"""

from enum import IntEnum, unique

from firmware_bridge.messages import Capabilities
from twinwall.values import frozen

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


_CONTROLLER_CHIPS = Input.TRAY // 8
_ROW_CHIPS = PLACES_A_SEAT // 8
_EACH_SEAT = {
    "CHUTE", "PICKED", "HOME", "AT_PLACE", "GRIPPER_UP", "TRAY_FLOOR_SHUT", "MAGAZINE_FLOOR_SHUT", "LOCK_IS_OPEN", "REAR_LOCK_IS_OPEN",
    "PICKER", "TRAY_FLOOR", "MAGAZINE_FLOOR", "LOCK", "REAR_LOCK",
}  # fmt: skip


@frozen
class Signal:
    """An input or output: its number, its name on the board's page, and where its wire ends.

    ``amounts`` are those that a person can choose for DRIVE of an output, ``unit`` what they count.
    """

    number: int
    name: str
    at: str
    amounts: range = range(0)
    unit: str = ""


def inputs_of(capabilities: Capabilities) -> tuple[Signal, ...]:
    """Every input that a table uses, in the order of their numbers."""
    return tuple(_input(first + index, name) for first in Input for index, name in _named(first, capabilities))


def outputs_of(capabilities: Capabilities) -> tuple[Signal, ...]:
    """Everything that DRIVE can drive at a table."""
    found = [_output(first + index, name) for first in Output for index, name in _named(first, capabilities)]
    for first, way in ((DRIVE_OUTWARD, "out"), (DRIVE_INWARD, "in")):
        found += [Signal(first + n, f"STEP_{n} {way}", PINS[f"STEP_{n}"], range(1, 65), "steps") for n in range(SEATS)]
    return (
        *found,
        Signal(DRIVE_DIVERTER, "DIVERTER", PINS["DIVERTER"], range(SERVO_FIRST_US, SERVO_FIRST_US + SERVO_RANGE_US + 1, 100), "µs"),
    )


def is_on(image: bytes, number: int) -> bool:
    return bool(image[number // 8] >> number % 8 & 1)


def _named(first: Input | Output, capabilities: Capabilities) -> list[tuple[int, str]]:
    """What is counted from the first number of a signal: offsets and names."""
    name, rear = first.name.removeprefix("REAR_"), SEATS * first.name.startswith("REAR_")
    places = {"TRAY": capabilities.tray_places, "MAGAZINE": capabilities.wall_places}.get(name)
    if places is not None:
        return [(PLACES_A_SEAT * seat + place, f"{name}_{seat}_{place}") for seat in range(SEATS) for place in range(places)]
    cells = capabilities.bypass_cells
    several = {"BACK": 3, "CELL": cells, "CELL_FULL": SEATS if capabilities.tray_places == 1 else cells}
    count = several.get(name, SEATS if first.name in _EACH_SEAT else None)
    return [(0, name)] if count is None else [(index, f"{name}_{index + rear}") for index in range(count)]


def _input(number: int, name: str) -> Signal:
    chip, bit = divmod(number, 8)
    if name in PINS:
        return Signal(number, name, PINS[name])
    where = "controller"
    if chip >= _CONTROLLER_CHIPS:
        row, chip = divmod(chip - _CONTROLLER_CHIPS, _ROW_CHIPS)
        where = f"seat {row % SEATS} {'tray' if row < SEATS else 'magazine'}"
    return Signal(number, name, f"{where}, 74HC165 no. {chip + 1}, {'ABCDEFGH'[bit]}")


def _output(number: int, name: str) -> Signal:
    chip, bit = divmod(number, 8)
    at = PINS[name] if name in PINS else f"74HC595 no. {OUTPUT_BYTES - 1 - chip} from the controller, Q{'ABCDEFGH'[bit]}"
    return Signal(number, name, at, range(100, 1001, 100), "ms")
