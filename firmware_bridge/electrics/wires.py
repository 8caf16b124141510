"""Wires from the sensors to the board: levels over time, with the bounce of switches and the length of pulses.

A level cannot change faster than a contact moves or a tile falls: two changes of one wire keep a least distance, and a
switch bounces twice before its level is stable.
"""

from random import Random

from firmware_bridge.electrics.wiring import ALL_INPUT_BYTES, BARRIERS, FAST_INPUTS, SEATS, FurtherInput, Input, shuttle_input
from twinwall.values import frozen

PASSING_S = 0.012
"""For so long a tile that falls or slides past a light barrier darkens it."""
PULSE_S = 0.008
"""Shortest time for which a fast wire keeps a level; firmware that is busy with a frame may look a few milliseconds late."""
SLOW_PULSE_S = 0.020
"""The same for wires that are read every fourth millisecond."""
FASTEST_S, FASTEST_SLOW_S = 0.003, 0.012
"""No wire of either kind changes sooner: two readings must agree."""
BOUNCE_S = 0.001
"""A switch rests after this."""


@frozen
class Change:
    """An input goes to a level at a moment, in the clock of the physics."""

    at_s: float
    bit: int
    level: bool


class Wires:
    """Every input: what it is to become, and the changes that lead there."""

    def __init__(self, seed: int, speed: float = 1.0) -> None:
        """``speed`` is how many times as fast as at a real table things pass, as far as firmware can follow."""
        self._passing_s, self._pulse_s = max(PASSING_S / speed, FASTEST_S), max(PULSE_S / speed, FASTEST_S)
        self._slow_pulse_s = max(SLOW_PULSE_S / speed, FASTEST_SLOW_S)
        self._levels = [False] * (8 * ALL_INPUT_BYTES)
        for shuttle in range(2 * SEATS):
            self._levels[shuttle_input(Input.HOME, FurtherInput.SECOND_HOME, shuttle)] = True
            self._levels[shuttle_input(Input.AT_PLACE, FurtherInput.SECOND_AT_PLACE, shuttle)] = True
            self._levels[shuttle_input(Input.GRIPPER_UP, FurtherInput.SECOND_GRIPPER_UP, shuttle)] = True
        self._free_s = [float("-inf")] * (8 * ALL_INPUT_BYTES)
        """When the wire may change again."""
        self._bouncing = Random(f"bounce {seed}")  # noqa: S311 - a simulated machine must be repeatable
        self._planned: list[Change] = []

    def level(self, bit: int) -> bool:
        return self._levels[bit]

    def quiet_s(self, bit: int) -> float:
        """From when on a wire has nothing more to tell."""
        return self._free_s[bit]

    def set(self, bit: int, level: bool, at_s: float) -> None:
        """Bring a wire to a level, at once or as soon as it can follow."""
        if self._levels[bit] is level:
            return
        at_s = max(at_s, self._free_s[bit])
        self._levels[bit] = level
        self._planned.append(Change(at_s, bit, level))
        if bit not in BARRIERS:
            first, second = sorted(self._bouncing.uniform(0.1, 0.9) * BOUNCE_S for _ in range(2))
            self._planned += (Change(at_s + first, bit, not level), Change(at_s + second, bit, level))
        fast = bit in FAST_INPUTS or bit >= Input.GATE_BEAM
        self._free_s[bit] = at_s + (self._pulse_s if fast else self._slow_pulse_s)

    def pulse(self, bit: int, at_s: float, seconds: float | None = None) -> float:
        """Let a wire be high for so long, or while a tile passes, then low; return when it falls."""
        seconds = self._passing_s if seconds is None else seconds
        self.set(bit, True, at_s)
        rose_s = self._planned[-1].at_s if self._planned else at_s
        self._free_s[bit] = rose_s + seconds
        self.set(bit, False, rose_s + seconds)
        return rose_s + seconds

    def take(self) -> list[Change]:
        """The changes since the last call, in the order of their times; they are forgotten here."""
        if not self._planned:
            return []
        planned, self._planned = sorted(self._planned, key=lambda change: change.at_s), []
        return planned

    def image(self, size: int) -> bytes:
        """The first ``count`` bytes of all levels, for a board that has just been connected; what was on its way is there."""
        self._planned.clear()
        bits = sum(level << bit for bit, level in enumerate(self._levels[: 8 * size]))
        return bits.to_bytes(size, "little")
