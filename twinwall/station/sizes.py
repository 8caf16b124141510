"""A person's sizes as firmware wants to know them: the reference table's places, and times that no machine's watch runs out on."""

from __future__ import annotations

from dataclasses import dataclass

A_DAY_S = 86_400.0
"""Nobody who pauses is taken for a part that is stuck."""


@dataclass(frozen=True, slots=True)
class ManualFeederSizes:
    """As ``firmware_bridge.firmware.sizes.MachineSizes``."""

    speed: float = 1.0
    tray_places: int = 37
    wall_places: int = 34
    hand_places: int = 13
    bypass_cells: int = 4
    shuttle_queue: int = 2
    two_high: bool = True
    gate_period_s: float = 1.75
    divert_s: float = A_DAY_S
    recirculate_s: float = A_DAY_S
    cell_release_s: float = A_DAY_S
    pick_s: float = A_DAY_S
    drop_s: float = A_DAY_S
    travel_positions_per_s: float = 40.0
    loosen_s: float = A_DAY_S
    dump_s: float = A_DAY_S
    raise_s: float = A_DAY_S
    door_s: float = A_DAY_S
    gates: int = 1
    exchangers: int = 0
    pocket_places: int = 0
    shuttles: int = 1
    exchange_s: float = A_DAY_S
