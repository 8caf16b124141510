"""Mechanics of the reference table: tiles, motors and sensors, in simulated time.

``Mechanics`` is the whole machine. The firmware that drives it sees only the drives, edges and levels of its port;
people's actions are methods of ``Mechanics`` with their names.
"""

from __future__ import annotations

from firmware_bridge.firmware.port import Plant
from twinwall.simulator.mechanics.feeder_view import FeederView
from twinwall.simulator.mechanics.machine import Mechanics, NotPossibleError
from twinwall.simulator.mechanics.parts import Stuck
from twinwall.simulator.mechanics.settings import REFERENCE_FAULTS, FaultPlan, MechanicsSettings

__all__ = ["REFERENCE_FAULTS", "FaultPlan", "FeederView", "Mechanics", "MechanicsSettings", "NotPossibleError", "Plant", "Stuck"]
