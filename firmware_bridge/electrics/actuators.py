"""Actuators: turns the levels of the board's outputs into drives of the machine.

It refuses no drive. A drive that would break a real machine raises CollisionError, whatever firmware asked for it.
"""

from collections.abc import Sequence

from firmware_bridge.electrics.wired_machine import (
    RETURN_LANE,
    CollisionError,
    Divert,
    Exchange,
    GateLock,
    Grip,
    Lane,
    Loosen,
    Part,
    ReleaseCell,
    Sensor,
    Switch,
    Turn,
    WellDoor,
    WiredMachine,
    capabilities_of,
    steps_per_position,
)
from firmware_bridge.electrics.wires import Wires
from firmware_bridge.electrics.wiring import (
    ALL_OUTPUT_BYTES,
    BITS_AN_EXCHANGER,
    GO,
    LOOSEN,
    MOST_CELLS,
    MOST_GATES,
    SEATS,
    FurtherOutput,
    Input,
    Output,
    lane_of,
)

_FOUR = (1 << SEATS) - 1
CAMS = {
    Sensor.FLOOR: Input.TRAY_FLOOR_SHUT,
    Sensor.MAGAZINE_FLOOR: Input.MAGAZINE_FLOOR_SHUT,
    Sensor.LIFT: Input.LIFT_DOWN,
    Sensor.HOME: Input.PURGE_SHUT,
}
"""The switch of each cam, of several seats the first one."""
SERVO_S = 0.040
"""The diverter, from any lane to any other. Firmware gives it 60 ms: it counts whole milliseconds, which are long on a fast machine."""


def _named(shuttle: int) -> str:
    return f"seat {shuttle}" if shuttle < SEATS else f"seat {shuttle - SEATS} (its second)"


class Actuators:
    """Motors, grippers, servo and locks of one table, with no power to begin with.

    ``turning`` are the switches of cams on their turn, ``door_moving`` whether the well's door is between its ends.
    """

    def __init__(self, machine: WiredMachine, wires: Wires, now_s: float) -> None:
        self._machine = machine
        self._drive = machine.drive
        self._speed = machine.settings.speed
        self._sizes = machine.settings
        sizes = capabilities_of(machine.settings)
        self._middle = sizes.column_of(sizes.middle)
        self._shuttles = range(SEATS * machine.settings.shuttles)
        self._wires = wires
        self.steps_per_position = steps_per_position(self._speed)
        self.most_steps = (sizes.column_of(sizes.tray_places - 1) + 3) * self.steps_per_position
        self.steps = [0] * len(self._shuttles)
        """Where the carriages stand, in steps from the return lane."""
        self.turning: set[int] = set()
        self.door_moving = False
        self.walls_move = True
        """Whole trays or magazines are being emptied or lifted: no single place tells of it."""
        self._outputs = 0
        self._grips = 0
        """Bit per shuttle whose gripper has to close."""
        self._lanes = [0] * machine.settings.gates
        self._lanes_from_s = [now_s] * machine.settings.gates
        self._single = self._wiring()
        self.cut(now_s)

    def cut(self, now_s: float) -> None:
        """The board has no power: every output falls, and open locks spring shut. A gripper keeps what it holds."""
        self.take_outputs(bytes(ALL_OUTPUT_BYTES), now_s)
        self._drive(Switch(Output.MOTOR_POWER, False), now_s)
        self._drive(Switch(Output.BELT, False), now_s)

    def take_steps(self, steps: Sequence[int]) -> None:
        """The carriages stand here now; raises CollisionError when one has moved while its gripper worked, or the lift was not down."""
        for shuttle in self._shuttles:
            if steps[shuttle] == self.steps[shuttle]:
                continue
            if Input.LIFT_DOWN in self.turning:
                raise CollisionError(f"the carriage of {_named(shuttle)} moved while the walls were lifted")
            if self._machine.gripping(shuttle):
                raise CollisionError(f"the carriage of {_named(shuttle)} moved while its gripper was down")
        self.steps[:] = steps[: len(self.steps)]

    def _watch_trays(self) -> None:
        """Raise CollisionError where the lift moves under a carriage, or a floor under a gripper that works in its tray."""
        for shuttle in self._shuttles:
            moving = self.turning & {Input.LIFT_DOWN, Input.TRAY_FLOOR_SHUT + shuttle % SEATS}
            below = Input.LIFT_DOWN in moving or (moving and self._machine.gripping(shuttle))
            if below and self.steps[shuttle] > self.steps_per_position:
                raise CollisionError(f"lift or floor moved below the carriage of {_named(shuttle)}")

    def take_servo(self, pulse_us: int, at_s: float, gate: int = 0) -> None:
        """A gate's diverter is sent to the lane of this pulse and gets there after ``SERVO_S``."""
        lane = lane_of(pulse_us, self._sizes.bypass_cells, self._sizes.gates, self._sizes.shuttles)
        if lane != self._lanes[gate]:
            self._lanes[gate] = lane
            self._lanes_from_s[gate] = at_s + SERVO_S / self._speed

    def take_outputs(self, image: bytes, at_s: float) -> None:
        """The outputs are these since ``at_s``; raises CollisionError where a real machine would break."""
        outputs = int.from_bytes(image, "little")
        changed, self._outputs = outputs ^ self._outputs, outputs
        while changed:
            bit = (changed & -changed).bit_length() - 1
            changed &= changed - 1
            self._take_output(bit, bool(outputs >> bit & 1), at_s)
        self.work_grippers(at_s)

    def work_grippers(self, at_s: float) -> None:
        """Close and open grippers as the outputs say; without power they stay as they are."""
        first, second = self._outputs >> Output.PICKER & _FOUR, self._outputs >> FurtherOutput.SECOND_PICKER & _FOUR
        wanted = first | second << SEATS
        if wanted == self._grips or not self._powered():
            return
        for shuttle in self._shuttles:
            on = bool(wanted >> shuttle & 1)
            if on is not bool(self._grips >> shuttle & 1):
                place, (rank, seat) = self._place_under(shuttle), divmod(shuttle, SEATS)
                self._drive(Grip(seat, place, on, rank), at_s)
                self._watch_trays()
        self._grips = wanted

    # --------------------------------------------------------------------------------------------------

    def _wiring(self) -> dict[int, tuple[Output, int]]:
        """Each output by its number: which one it is, and of what seat, gate or cell; cells are numbered through all gates."""
        several = {Output.LOCK: 4, Output.REAR_LOCK: 4, Output.TRAY_FLOOR: 4, Output.MAGAZINE_FLOOR: 4, Output.CELL: MOST_CELLS}
        wired: dict[int, tuple[Output, int]] = {
            output + index: (output, index) for output in Output if output is not Output.PICKER for index in range(several.get(output, 1))
        }
        for gate in range(1, MOST_GATES):
            wired[FurtherOutput.FURTHER_EJECT + gate - 1] = Output.EJECT, gate
            wired[FurtherOutput.FURTHER_BELT_REVERSE + gate - 1] = Output.BELT_REVERSE, gate
            for own in range(self._sizes.bypass_cells):
                wired[FurtherOutput.FURTHER_CELLS + MOST_CELLS * (gate - 1) + own] = Output.CELL, self._sizes.bypass_cells * gate + own
        return wired

    def _take_output(self, bit: int, on: bool, at_s: float) -> None:
        if bit >= FurtherOutput.EXCHANGER:
            self._work_exchanger(*divmod(bit - FurtherOutput.EXCHANGER, BITS_AN_EXCHANGER), on, at_s)
            return
        output, index = self._single.get(bit, (Output.PICKER, 0))
        match output:
            case Output.MOTOR_POWER | Output.DRUM | Output.BELT:
                self._drive(Switch(output, on), at_s)
            case Output.LOCK:
                self._drive(GateLock(index, on), at_s)
            case Output.REAR_LOCK:
                self._drive(GateLock(SEATS + index, on), at_s)
            case Output.DOOR_OPEN | Output.DOOR_SHUT if on or not self._outputs >> Output.DOOR_OPEN & 3:
                self.door_moving |= on  # between its ends it stays where its current ends
                self._drive(WellDoor(output is Output.DOOR_OPEN, on), at_s)
            case _ if not on:
                pass  # a rising output sets off the others
            case Output.EJECT:
                self._eject(index, at_s)
            case Output.BELT_REVERSE:
                self._drive(Loosen(Part.DIVERTER, index), at_s)
            case Output.CELL:
                self._release(index, at_s)
            case Output.TRAY_FLOOR:
                self._turn(Sensor.FLOOR, at_s, index)
            case Output.MAGAZINE_FLOOR:
                self._turn(Sensor.MAGAZINE_FLOOR, at_s, index)
            case Output.LIFT:
                self._turn(Sensor.LIFT, at_s)
            case Output.PURGE:
                self._purge(at_s)

    def _turn(self, cam: Sensor, at_s: float, seat: int = 0) -> None:
        """Start a cam; its switch tells when it is home again. A cam on its turn takes no notice."""
        shut = CAMS[cam] + seat
        if shut not in self.turning:
            self.turning.add(shut)
            self.walls_move = True
            self._wires.set(shut, self._machine.unplugged.get(shut, False), at_s)
            self._watch_trays()
            self._drive(Turn(cam, seat), at_s)

    def _purge(self, at_s: float) -> None:
        held = [shuttle for shuttle in self._shuttles if self._machine.carried >> shuttle & 1]
        if held:
            raise CollisionError(f"the purge was turned while the gripper of {_named(held[0])} held a tile, which it does not empty")
        self._turn(Sensor.HOME, at_s)
        self._drive(Switch(Output.DRUM, bool(self._outputs >> Output.DRUM & 1)), at_s)  # the drum's motor is none of the purge's

    def _work_exchanger(self, exchanger: int, bit: int, on: bool, at_s: float) -> None:
        """Send an exchanger from the gate to the shuttle that its outputs name, or run it to and fro."""
        if on and bit == GO:
            address = self._outputs >> FurtherOutput.EXCHANGER + BITS_AN_EXCHANGER * exchanger
            self._drive(Exchange(exchanger, address & 3, address >> 2 & 7), at_s)
        elif on and bit == LOOSEN:
            self._drive(Loosen(Part.EXCHANGER, exchanger), at_s)

    def _eject(self, gate: int, at_s: float) -> None:
        if self._machine.gate_tile(gate) is None:
            return  # the ejector moves through an empty window
        lane, index = self._settled_lane(gate, at_s, "a tile was ejected")
        self._drive(Divert(lane, index + gate * self._sizes.bypass_cells if lane is Lane.CELL else index, gate), at_s)

    def _release(self, cell: int, at_s: float) -> None:
        if not self._machine.levels().cells >> cell & 1:
            return  # the solenoid draws under an empty cell
        lane, shuttle = self._settled_lane(cell // self._sizes.bypass_cells, at_s, f"bypass cell {cell} was released")
        if lane not in (Lane.CHUTE, Lane.POCKET):
            raise CollisionError(f"bypass cell {cell} was released while the diverter stood on no chute")
        self._drive(ReleaseCell(cell, shuttle, lane), at_s)

    def _settled_lane(self, gate: int, at_s: float, deed: str) -> tuple[Lane, int]:
        if at_s < self._lanes_from_s[gate]:
            raise CollisionError(f"{deed} {1000 * (self._lanes_from_s[gate] - at_s):.1f} ms before the diverter had come to rest")
        lane, chutes = self._lanes[gate], len(self._shuttles)
        if lane < chutes:
            return Lane.CHUTE, lane
        if lane < chutes + self._sizes.bypass_cells:
            return Lane.CELL, lane - chutes
        return (Lane.DRUM, Lane.REJECT, Lane.POCKET)[lane - chutes - self._sizes.bypass_cells], 0

    def _place_under(self, shuttle: int) -> int | None:
        """The column over which a carriage stands, None for the chute, RETURN_LANE; raises CollisionError between two of them."""
        place, off = divmod(self.steps[shuttle], self.steps_per_position)
        if off:
            raise CollisionError(f"the gripper of {_named(shuttle)} was driven at step {self.steps[shuttle]}, which is between two places")
        if place <= 1:
            return None if place else RETURN_LANE
        if self._sizes.shuttles == 1:
            return place - 2
        return self._middle + place - 2 if shuttle >= SEATS else self._middle - (place - 2)

    @property
    def drum_turns(self) -> bool:
        return self._powered() and bool(self._outputs >> Output.DRUM & 1)

    @property
    def drivers_line_low(self) -> bool:
        """What DRIVER_FAULT reads: the drivers have no supply, or the line's plug is pulled."""
        return not self._powered() or Input.DRIVER_FAULT in self._machine.unplugged

    def _powered(self) -> bool:
        return bool(self._outputs >> Output.MOTOR_POWER & 1) and not self._machine.held
