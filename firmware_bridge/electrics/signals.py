"""Each signal of the board as a person at the wires names it: number, name, and the chip or pin that it comes to.

The numbers are those of ``wiring``; which of them a table uses, its capabilities say.
"""

from firmware_bridge.electrics.wiring import (
    DRIVE_DIVERTER,
    DRIVE_INWARD,
    DRIVE_OUTWARD,
    OUTPUT_BYTES,
    PINS,
    PLACES_A_SEAT,
    SEATS,
    SERVO_FIRST_US,
    SERVO_RANGE_US,
    Input,
    Output,
)
from firmware_bridge.messages import Capabilities
from twinwall.values import frozen

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
    """Whether an input is high in an image of all inputs."""
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
