"""Mechanics of the reference table: tiles, motors and sensors, in simulated time.

``Mechanics`` is the whole machine: a ``WiredMachine`` of ``firmware_bridge.electrics``, with people's actions as its ``hands``.
"""

from simulator.mechanics.machine import Mechanics
from simulator.mechanics.parts import Stuck
from simulator.mechanics.schedule import FeederView
from simulator.mechanics.settings import REFERENCE_FAULTS, FaultPlan, MechanicsSettings
