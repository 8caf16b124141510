"""Sensors: turns a machine's edges and levels into levels of the board's inputs."""

from firmware_bridge.electrics.actuators import CAMS, Actuators
from firmware_bridge.electrics.wired_machine import Edge, Levels, MachineSizes, Sensor, WiredMachine
from firmware_bridge.electrics.wires import Wires
from firmware_bridge.electrics.wiring import PLACES_A_SEAT, SEATS, FurtherInput, Input, input_at, shuttle_input

BELT_MM_PER_S = 400.0
"""How fast a tile passes the barrier before the window."""
STOP_S = 0.004
"""From the end of its shadow until it lies against the stop."""
_GATES = range(8)
_BACK_BITS = range(3)
MOVING_WALLS = frozenset(CAMS)
"""Edges with which many places change at once."""
_MOUTHS = {Sensor.DRUM_MOUTH: Input.DRUM_MOUTH, Sensor.REJECT: Input.REJECT_MOUTH}
_PASSED = {Sensor.POCKET: FurtherInput.POCKET, Sensor.WELL: Input.WELL}
_PLACES = {Sensor.TRAY: Input.TRAY, Sensor.HAND: Input.MAGAZINE, Sensor.DRAW: Input.MAGAZINE}


class SensorWiring:
    def __init__(self, settings: MachineSizes, wires: Wires, actuators: Actuators) -> None:
        self._settings = settings
        self._wires = wires
        self._actuators = actuators
        self._places: dict[int, int] = {}
        """Bit masks of the places that the wires tell, by the number of the first."""

    def take_edge(self, edge: Edge) -> None:
        """What passes by, and what a look at the levels would miss when it comes and goes between two looks."""
        sensor = edge.sensor
        if sensor is Sensor.GATE:
            self._take_gate(edge)
        elif sensor in _MOUTHS:
            self._wires.pulse(input_at(_MOUTHS[sensor], edge.index), edge.at_s)
        elif sensor in _PASSED:
            self._wires.pulse(_PASSED[sensor] + edge.index, edge.at_s)
        elif sensor is Sensor.CHUTE:
            self._wires.pulse(shuttle_input(Input.CHUTE, FurtherInput.SECOND_CHUTE, edge.index), edge.at_s)
        elif sensor is Sensor.EXCHANGER:
            self._wires.set(FurtherInput.EXCHANGER + edge.index, edge.level, edge.at_s)
        elif sensor in _PLACES:
            self._set_place(_PLACES[sensor] + PLACES_A_SEAT * (edge.index % SEATS), edge.place, edge.level, edge.at_s)
        elif sensor is Sensor.LOCK:
            self._wires.set(_lock_switch(edge.index), edge.level, edge.at_s)
        elif sensor is Sensor.CELL:
            self._wires.set(self._cell(edge.index), edge.level, edge.at_s)
        elif sensor in CAMS:
            self._actuators.turning.discard(CAMS[sensor] + edge.index)
        elif sensor is Sensor.DOOR:
            self._actuators.door_moving = False
        elif sensor in (Sensor.LID, Sensor.ESTOP):
            self._wires.set(Input.LID_OPEN if sensor is Sensor.LID else Input.ESTOP, edge.level, edge.at_s)
            self._wires.set(Input.DRIVER_FAULT, self._actuators.drivers_line_low, edge.at_s)

    def look(self, machine: WiredMachine, now_s: float) -> None:
        """Set the wires whose sensors see what no edge tells."""
        wires = self._wires
        for gate in range(self._settings.gates):
            wires.set(input_at(Input.RETURN_LANE, gate), machine.returned_at(gate), now_s)
        for exchanger in range(self._settings.exchangers):
            wires.set(FurtherInput.EXCHANGER + exchanger, machine.exchanging(exchanger), now_s)
        wires.set(Input.DRUM_EMPTY, machine.drum_empty, now_s)
        wires.set(Input.DRUM_TURNS, machine.unplugged.get(Input.DRUM_TURNS, self._actuators.drum_turns), now_s)
        carried = machine.carried
        for shuttle in range(SEATS * self._settings.shuttles):
            wires.set(shuttle_input(Input.PICKED, FurtherInput.SECOND_PICKED, shuttle), bool(carried >> shuttle & 1), now_s)
            up = shuttle_input(Input.GRIPPER_UP, FurtherInput.SECOND_GRIPPER_UP, shuttle)
            wires.set(up, machine.unplugged.get(up, not machine.gripping(shuttle)), now_s)
            for first, second in ((Input.HOME, FurtherInput.SECOND_HOME), (Input.AT_PLACE, FurtherInput.SECOND_AT_PLACE)):
                number = shuttle_input(first, second, shuttle)
                wires.set(number, number not in machine.unplugged, now_s)  # what they see is the board's to know (PHYSICS.md)
        wires.set(Input.DRIVER_FAULT, self._actuators.drivers_line_low, now_s)
        wires.set(Input.LIFT_DOWN, machine.unplugged.get(Input.LIFT_DOWN, Input.LIFT_DOWN not in self._actuators.turning), now_s)
        rests, fallen_s = not self._actuators.door_moving, max(now_s, wires.quiet_s(Input.WELL))  # a tile that falls keeps it from shutting
        wires.set(Input.DOOR_IS_OPEN, rests and machine.door_open, fallen_s)
        wires.set(Input.DOOR_IS_SHUT, rests and not machine.door_open and Input.DOOR_IS_SHUT not in machine.unplugged, fallen_s)

    def look_at_all(self, levels: Levels, now_s: float) -> None:
        """Set every wire that has a lasting level to what its sensor sees."""
        wires = self._wires
        for cell in range(self._settings.gates * self._settings.bypass_cells):
            wires.set(self._cell(cell), bool(levels.cells >> cell & 1), now_s)
        for gate in _GATES:
            wires.set(_lock_switch(gate), bool(levels.locks >> gate & 1), now_s)
        for seat in range(SEATS):
            self._look_at_places(Input.TRAY + PLACES_A_SEAT * seat, levels.trays[seat], now_s)
            self._look_at_places(Input.MAGAZINE + PLACES_A_SEAT * seat, levels.magazines[seat], now_s)
            for shut in (Input.TRAY_FLOOR_SHUT, Input.MAGAZINE_FLOOR_SHUT):
                self._look_at_cam(shut + seat, now_s)
        self._look_at_cam(Input.PURGE_SHUT, now_s)
        wires.set(Input.LID_OPEN, levels.lid_open, now_s)
        wires.set(Input.ESTOP, levels.estop, now_s)

    def _take_gate(self, edge: Edge) -> None:
        """A tile slides past the barrier into the window, or has left it."""
        gate = edge.index
        if edge.reading is None:
            for bit in (Input.GATE_FULL, *(Input.BACK + bit for bit in _BACK_BITS)):
                self._wires.set(input_at(bit, gate), False, edge.at_s)
            return
        at_s, shadow_s = edge.at_s, edge.reading.width / 10 / BELT_MM_PER_S / self._settings.speed
        for _ in range(edge.reading.edges):  # a shadow of the tile's width at the barrier for each leading edge
            at_s = self._wires.pulse(input_at(Input.GATE_BEAM, gate), at_s, shadow_s)
        for number in _BACK_BITS:
            self._wires.set(input_at(Input.BACK + number, gate), bool(edge.reading.back >> number & 1), at_s)
        self._wires.set(input_at(Input.GATE_FULL, gate), True, at_s + STOP_S)

    def _cell(self, cell: int) -> int:
        gate, own = divmod(cell, self._settings.bypass_cells or SEATS)
        return input_at(Input.CELL_FULL + own, gate)

    def _look_at_cam(self, shut: int, now_s: float) -> None:
        self._wires.set(shut, shut not in self._actuators.turning, now_s)

    def _look_at_places(self, first: int, present: int, now_s: float) -> None:
        changed = present ^ self._places.get(first, 0)
        while changed:
            place = (changed & -changed).bit_length() - 1
            changed &= changed - 1
            self._set_place(first, place, bool(present >> place & 1), now_s)

    def _set_place(self, first: int, place: int, present: bool, at_s: float) -> None:
        seen = self._places.get(first, 0)
        self._places[first] = seen | 1 << place if present else seen & ~(1 << place)
        self._wires.set(first + place, present, at_s)


def _lock_switch(gate: int) -> int:
    return Input.LOCK_IS_OPEN + gate if gate < SEATS else Input.REAR_LOCK_IS_OPEN + gate - SEATS
