"""The sizes of a table without motors: the reference table's places."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ManualFeederSizes:
    """As ``firmware_bridge.firmware.sizes.MachineSizes``. The firmware is told that people work here, so it holds nothing for late."""

    speed: float = 100.0
    """Motions that need nobody, such as a carriage on its way, take no time that people notice."""
    tray_places: int = 37
    wall_places: int = 34
    hand_places: int = 13
    bypass_cells: int = 4
    shuttle_queue: int = 2
    two_high: bool = True
    gate_period_s: float = 175.0
    """1.75 s on the clock."""
    divert_s: float = 1.0
    recirculate_s: float = 1.0
    cell_release_s: float = 1.0
    pick_s: float = 1.0
    drop_s: float = 1.0
    travel_positions_per_s: float = 40.0
    loosen_s: float = 1.0
    dump_s: float = 1.0
    raise_s: float = 1.0
    door_s: float = 1.0
    gates: int = 1
    exchangers: int = 0
    pocket_places: int = 0
    shuttles: int = 1
    exchange_s: float = 1.0
