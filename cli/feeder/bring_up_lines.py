"""Lines of a table's bring-up, in order: what a person does or watches, and what the inputs must read. First what stops the machine, then
every switch and barrier by hand, then every output, seat by seat, with the switches that it moves."""

from collections.abc import Iterator

from firmware_bridge.electrics.wiring import DRIVE_DIVERTER, PLACES_A_SEAT, SEATS, Input, Output, Signal, inputs_of, outputs_of
from firmware_bridge.messages import Capabilities
from twinwall.values import frozen

_BY_HAND = (
    ("ESTOP", "press the emergency stop, and release it", "10"),
    ("LID_OPEN", "open the lid, and shut it", "10"),
    ("GATE_BEAM", "hold a tile in the barrier before the gate, and take it away", "10"),
    ("RETURN_LANE", "hold a tile in the return lane, and take it away", "10"),
    ("GATE_FULL", "lay a tile into the gate, and take it out", "10"),
    ("BACK_{n}", "show the colour sensor a back that switches its output {n}, and take it away", "10"),
    ("DRUM_EMPTY", "lay a tile into the empty drum, and take it out", "01"),
    ("WELL", "hold a tile in the well's barrier, and take it away", "10"),
    ("DRUM_MOUTH", "hold a tile in the barrier of the drum's mouth, and take it away", "10"),
    ("REJECT_MOUTH", "hold a tile in the barrier of the reject mouth, and take it away", "10"),
    ("CELL_FULL_{n}", "press the switch under bypass cell {n}, and let go", "10"),
)
_BY_HAND_AT_A_SEAT = (
    ("CHUTE_{n}", "hold a tile in the barrier of chute {n}, and take it away", "10"),
    ("PICKED_{n}", "press the switch in the gripper of seat {n}, and let go", "10"),
    ("GRIPPER_UP_{n}", "turn the cam of the gripper of seat {n} until it is down, and on until it is up", "01"),
    ("AT_PLACE_{n}", "push the carriage of seat {n} along its comb by a place or two", "??"),
    ("HOME_{n}", "push the carriage of seat {n} away from its end stop, and back against it", "01"),
    ("TRAY_{n}_{p}", "press place {p} of the tray of seat {n}, and let go", "10"),
    ("MAGAZINE_{n}_{p}", "press place {p} of the magazine of seat {n}, and let go", "10"),
)
"""Inputs, and the levels that each goes through; ?? are any two changes."""
_CAM = 0
_DRIVEN = (
    ("MOTOR_POWER", "the contactor K2 closes and opens", "DRIVER_FAULT:01", 300),
    ("LIFT", "with every carriage at its end stop, the lift goes up and down", "LIFT_DOWN:01", _CAM),
    ("PURGE", "the purge turns once", "PURGE_SHUT:01", _CAM),
    ("DOOR_OPEN", "the well's door opens", "DOOR_IS_SHUT:0 DOOR_IS_OPEN:1", 1000),
    ("DOOR_SHUT", "the well's door shuts", "DOOR_IS_OPEN:0 DOOR_IS_SHUT:1", 1000),
    ("DRUM", "the drum turns", "DRUM_TURNS:10", 1000),
    ("BELT", "the belt runs towards the gate", "", 300),
    ("BELT_REVERSE", "the belt runs away from the gate", "", 300),
    ("EJECT", "the ejector strikes and comes back", "", 300),
    ("CELL_{n}", "the solenoid of bypass cell {n} draws and lets go", "", 300),
    ("DIVERTER", "the diverter turns to one end, to the other, and back", "", 1000),
)
_DRIVEN_AT_A_SEAT = (
    ("LOCK_{n}", "the lock or shutter of the draw gate of seat {n} opens and shuts", "LOCK_IS_OPEN_{n}:10", 500),
    ("LOCK_{rear}", "the lock of the rear gate, or the bolt of the blind, of seat {n} opens and shuts", "LOCK_IS_OPEN_{rear}:10", 500),
    ("PICKER_{n}", "the gripper of seat {n} goes down, works its fingers and comes up", "", _CAM),
    ("TRAY_FLOOR_{n}", "the floor of the tray of seat {n} opens and shuts", "TRAY_FLOOR_SHUT_{n}:01", _CAM),
    ("MAGAZINE_FLOOR_{n}", "the floor of the magazine of seat {n} opens and shuts", "MAGAZINE_FLOOR_SHUT_{n}:01", _CAM),
    ("STEP_{n} out", "the carriage of seat {n}, pushed to its end stop, goes away from it", "HOME_{n}:0 AT_PLACE_{n}:??", 60),
    ("STEP_{n} in", "the carriage of seat {n} goes back to its end stop", "HOME_{n}:1", 64),
)
"""Outputs, the inputs that they move with their levels, and for how long or how far each is driven. On a way of two columns a place flag
changes at least twice and an end switch once, so a person who pushes cannot mistake them."""
_BESIDE = {"AT_PLACE": "HOME_{n}", "HOME": "AT_PLACE_{n}", "STEP": "AT_PLACE_{n}", "PICKER": "GRIPPER_UP_{n}"}
"""Inputs that may change with a line at a seat; the drivers' line may change with all."""


@frozen
class Line:
    """One wire, or one output with the switches that it moves. ``goes`` has the levels of each input that must change, None for any.
    ``beside`` may change too. ``drives`` are outputs and amounts, in order until all inputs have changed; with an empty ``goes`` a person
    says whether it moved."""

    name: str
    does: str
    at: str
    goes: dict[int, tuple[bool | None, ...]]
    beside: frozenset[int] = frozenset()
    drives: tuple[tuple[int, int], ...] = ()

    @property
    def rests(self) -> frozenset[int]:
        """Inputs that are high while the line's cam is at rest; a cam that is not continues with whatever is driven next."""
        return self.beside.union(self.goes) - {Input.DRIVER_FAULT} if (Output.MOTOR_POWER, 1000) in self.drives else frozenset()


def lines_of(capabilities: Capabilities) -> tuple[Line, ...]:
    """Every line of a table's bring-up."""
    inputs = {each.name: each for each in inputs_of(capabilities)}
    outputs = {each.name: each for each in outputs_of(capabilities)}
    by_hand, at_a_seat = ([(name, does, f"{name}:{levels}", -1) for name, does, levels in rows] for rows in (_BY_HAND, _BY_HAND_AT_A_SEAT))
    found: dict[str, Line] = {}
    for rows, numbers in ((by_hand, [None]), (at_a_seat, range(SEATS)), (_DRIVEN, [None]), (_DRIVEN_AT_A_SEAT, range(SEATS))):
        for seat in numbers:
            found |= {line.name: line for row in rows for line in _lines(inputs, outputs, row, seat)}
    return tuple(found.values())


def _lines(inputs: dict[str, Signal], outputs: dict[str, Signal], row: tuple[str, str, str, int], seat: int | None) -> Iterator[Line]:
    """The lines of a row, at one seat, or with all the table's numbers; the amount is -1 if nothing is driven."""
    pattern, does, moves, amount = row
    kind = pattern.partition("_{")[0]
    for n in range(PLACES_A_SEAT) if seat is None else (seat,):
        for p in range(PLACES_A_SEAT if "{p}" in pattern else 1):
            words = {"n": n, "p": p, "rear": SEATS + n}
            signal = (inputs if amount < 0 else outputs).get(pattern.format(**words))
            if signal is None:
                continue
            goes = dict(move.format(**words).split(":") for move in moves.split())
            beside = {"DRIVER_FAULT", _BESIDE.get(kind, "DRIVER_FAULT").format(**words)}
            yield Line(
                signal.name,
                does.format(**words),
                signal.at,
                {inputs[name].number: tuple({"1": True, "0": False}.get(level) for level in levels) for name, levels in goes.items()},
                frozenset(inputs[name].number for name in beside),
                () if amount < 0 else _drives(signal.number, amount),
            )


def _drives(number: int, amount: int) -> tuple[tuple[int, int], ...]:
    """A cam is started, and turns while the motors have current; the diverter goes to both ends."""
    if amount == _CAM:
        return ((number, 200), *((Output.MOTOR_POWER, 1000),) * 4)
    return tuple((number, end) for end in (1000, 2000, 1000)) if number == DRIVE_DIVERTER else ((number, amount),)
