"""Interlocks: power of the motors, lid, emergency stop, the well's door, and the locks of draw gates and rear gates."""

from firmware_bridge.electrics.edges import Sensor
from firmware_bridge.messages import REAR_GATE
from simulator.mechanics.schedule import EdgeLog, Schedule
from simulator.mechanics.side import DrawGate, Side

GATES = range(2 * REAR_GATE)
"""Draw gates, then rear gates."""


class Interlocks:
    """Lid and emergency stop cut the motors' power; the emergency stop also lets every lock spring shut."""

    def __init__(self, sides: tuple[Side, ...], schedule: Schedule, log: EdgeLog, door_s: float) -> None:
        """The well's door takes ``door_s`` of machine time."""
        self._sides = sides
        self._schedule = schedule
        self._log = log
        self._door_s = door_s
        self._motors_on = True
        self._door_runs: bool | None = None
        self.door_open = self.lid_open = self.estop = False

    @property
    def held(self) -> bool:
        """Whether lid or emergency stop keep the motors without power."""
        return self.lid_open or self.estop

    def switch_motors(self, on: bool) -> None:
        """The board gives the motors power or takes it away."""
        self._motors_on = on
        self._power()

    def move_door(self, opened: bool, runs: bool) -> None:
        """The well's door sets out, or stays where it is."""
        self._door_runs = opened if runs else None

        def arrive() -> None:
            if self._door_runs is opened:
                self.door_open = opened
                self._log.tell(Sensor.DOOR, level=opened)

        if runs:
            self._schedule.after(self._door_s, arrive)

    def gate(self, number: int) -> DrawGate:
        """A draw gate, or a rear gate by its number from ``REAR_GATE``."""
        return self._sides[number % REAR_GATE].gates[number // REAR_GATE]

    def move_lock(self, number: int, opened: bool) -> None:
        """A gate's lock is held open, unless the emergency stop is pressed, or springs shut."""
        gate, opened = self.gate(number), opened and not self.estop
        if gate.open is not opened:
            gate.open, gate.passed = opened, False
            self._sides[number % REAR_GATE].barred += opened and number >= REAR_GATE  # a bolt that is drawn lets a blind move on
            self._log.tell(Sensor.LOCK, number, level=opened)

    def set_lid(self, opened: bool) -> None:
        if opened is not self.lid_open:
            self.lid_open = opened
            self._log.tell(Sensor.LID, level=opened)
            self._power()

    def set_estop(self, on: bool) -> None:
        if on is self.estop:
            return
        self.estop = on
        self._log.tell(Sensor.ESTOP, level=on)
        self._power()
        if on:
            for number in GATES:
                self.move_lock(number, False)

    def _power(self) -> None:
        self._schedule.power(self._motors_on and not self.held)
