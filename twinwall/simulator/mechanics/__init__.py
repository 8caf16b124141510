"""The reference table as a machine: tiles, motors and sensors, in simulated time.

``Mechanics`` is the whole of it. What drives it (the virtual firmware, or real firmware behind
the same narrow port) sees drives, edges and levels of ``port`` only; what people do at the table
goes through the methods of ``Mechanics`` that name it.
"""

from __future__ import annotations

from firmware_bridge.firmware.port import Plant
from twinwall.simulator.mechanics.feeder_view import FeederView
from twinwall.simulator.mechanics.machine import Mechanics, NotPossibleError
from twinwall.simulator.mechanics.parts import Stuck
from twinwall.simulator.mechanics.settings import REFERENCE_FAULTS, FaultPlan, MechanicsSettings

__all__ = ["REFERENCE_FAULTS", "FaultPlan", "FeederView", "Mechanics", "MechanicsSettings", "NotPossibleError", "Plant", "Stuck"]
