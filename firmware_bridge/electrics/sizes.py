"""Sizes and speeds of a machine that its firmware has to know, such as the number of places."""

from dataclasses import fields
from typing import Any

from firmware_bridge.messages import Capabilities
from twinwall.values import frozen


@frozen
class MachineSizes:
    """Sizes in places, by default those of the reference table; ``speed`` divides the gate's period."""

    speed: float = 1.0
    tray_places: int = 37
    wall_places: int = 34
    hand_places: int = 13
    bypass_cells: int = 4
    shuttle_queue: int = 2
    two_high: bool = True
    gate_period_s: float = 0.60
    gates: int = 1
    exchangers: int = 0
    pocket_places: int = 0
    shuttles: int = 1
    lanes: bool = False
    """Whether people take the tiles from the ends of the seats' lanes, and there are no shuttles."""
    blinds: bool = False
    """Whether blinds with bolts and shutters stand before the draws, and there are no rear gates."""


_AS_THEY_ARE = {each.name for each in fields(MachineSizes)} & {each.name for each in fields(Capabilities)}

BY_HAND = MachineSizes(speed=100.0, gate_period_s=175.0)
"""A table without motors. The firmware knows that people work here, so it holds nothing for late: motions that need no person take no time
that people notice, and tiles come every 1.75 s on the clock."""


def as_they_are(sizes: MachineSizes) -> dict[str, Any]:
    """The sizes that CAPS and the table record have under the same names."""
    return {name: getattr(sizes, name) for name in _AS_THEY_ARE}


def capabilities_of(settings: MachineSizes) -> Capabilities:
    """What a machine with these sizes says of itself in CAPS."""
    return Capabilities(gate_period_ms=max(1, round(1000 * settings.gate_period_s / settings.speed)), **as_they_are(settings))
