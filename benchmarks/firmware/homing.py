"""Repeatability of homing: where carriages are when the firmware takes them to be at step 0.

``python -m benchmarks.firmware.homing --json`` boots the firmware with carriages anywhere along their trays and behind their end switches,
whose contacts are late and bounce (``firmware/hal_memory/end_stop.h``). It prints the least and the greatest step at which a carriage came
home, how far one that started before its switch went behind it, and the longest time.
"""

from random import Random

from benchmarks.support.measuring import run_measure
from firmware_bridge.electrics.wired_core import Electrics
from firmware_bridge.messages import FeederState
from simulator.feeder_simulator import CoreFirmware
from simulator.mechanics import FaultPlan, Mechanics, MechanicsSettings

_LIMIT_S = 10.0
_LOOK_S = 0.005
_BEHIND = 20
"""Steps from the end switch to the buffer."""


def measure(boots: int = 100) -> dict[str, float]:
    """Home ``boots`` times at a real table's pace."""
    came_home: list[int] = []
    furthest, longest_s = 0, 0.0
    chance = Random("homing")
    for boot in range(boots):
        machine = Mechanics(MechanicsSettings(), FaultPlan(unread=0.0), (), boot, 0.0)
        wires = Electrics(machine, boot, 0.0, in_step=True)
        began = [chance.randint(-_BEHIND, wires.actuators.most_steps) for _ in range(4)]
        wires.actuators.steps[:] = began
        firmware, now_s = CoreFirmware(wires, machine, 1 + boot, 0.0), 0.0
        while firmware.state is FeederState.HOMING:
            if now_s > _LIMIT_S:
                raise RuntimeError(f"start {boot}: not at home after {_LIMIT_S:g} s, carriages at {firmware.steps[:4]}")
            now_s += _LOOK_S
            firmware.handle_timer(now_s)
            furthest = min(furthest, *(step for begun, step in zip(began, firmware.steps, strict=False) if begun > 0))
        came_home += firmware.steps[:4]
        longest_s = max(longest_s, now_s)
    return {
        "homed": len(came_home),
        "least_step": min(came_home),
        "greatest_step": max(came_home),
        "spread_steps": max(came_home) - min(came_home),
        "furthest_behind_the_switch_steps": -furthest,
        "longest_s": round(longest_s, 2),
    }


if __name__ == "__main__":
    run_measure(measure)
