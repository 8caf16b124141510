"""The reference table as a machine: tiles, motors and sensors, in simulated time.

``Mechanics`` is the whole of it. What drives it (the virtual firmware, or real firmware behind
the same narrow port) sees drives, edges and levels of ``port`` only; what people do at the table
goes through the methods of ``Mechanics`` that name it.
"""

from __future__ import annotations

from firmware_bridge.firmware.port import Plant
from twinwall.simulator.mechanics.parts import Stuck
from twinwall.simulator.mechanics.settings import REFERENCE_FAULTS, FaultPlan, MechanicsSettings
from twinwall.simulator.mechanics.sight import FeederSight
from twinwall.simulator.mechanics.table import Mechanics, NotPossibleError

__all__ = ["REFERENCE_FAULTS", "FaultPlan", "FeederSight", "Mechanics", "MechanicsSettings", "NotPossibleError", "Plant", "Stuck"]
