"""The wires of one table between a board's pins and the mechanics. Pure: time comes in, changes of inputs come out.

Nothing here decides about tiles: those are moved by the same ``Mechanics`` that the Python firmware
drives. What each signal means stands in ``firmware/emulation/PHYSICS.md``.
"""

from __future__ import annotations

from twinwall.simulator.electrics.actuators import Actuators
from twinwall.simulator.electrics.sensors import SensorWiring
from twinwall.simulator.electrics.wires import Change, Wires
from twinwall.simulator.mechanics import Mechanics


class Electrics:
    """Outputs go to ``actuators``; what the inputs become is told by ``advance``, whether or not a board has power."""

    def __init__(self, mechanics: Mechanics, seed: int, now_s: float) -> None:
        """``seed`` says how switches bounce."""
        self._mechanics = mechanics
        self._wires = Wires(seed)
        self.actuators = Actuators(mechanics, self._wires, now_s)
        self._sensors = SensorWiring(mechanics.settings, self._wires, self.actuators)
        self.advance(now_s)

    def next_s(self) -> float | None:
        """When something is due by itself, None if nothing moves."""
        return self._mechanics.next_edge_s()

    def advance(self, now_s: float) -> list[Change]:
        """Let time pass; return the changes of inputs that came of it, some of them still ahead."""
        for edge in self._mechanics.advance(now_s):
            self._sensors.take_edge(edge)
        self._sensors.look(self._mechanics.levels(), now_s)
        self.actuators.work_grippers(now_s)
        return self._wires.take()

    def image(self) -> bytes:
        """All inputs as they are or are about to be, for a board that has just got its power."""
        return self._wires.image()
