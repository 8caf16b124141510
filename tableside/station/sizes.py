"""The sizes of a table without motors: the reference table's places."""

from twinwall.values import frozen


@frozen
class ManualFeederSizes:
    """As ``firmware_bridge.electrics.sizes.MachineSizes``. The firmware knows that people work here, so it holds nothing for late."""

    speed: float = 100.0
    """Motions that need no person, such as a carriage on its way, take no time that people notice."""
    tray_places: int = 37
    wall_places: int = 34
    hand_places: int = 13
    bypass_cells: int = 4
    shuttle_queue: int = 2
    two_high: bool = True
    gate_period_s: float = 175.0
    """1.75 s on the clock."""
    gates: int = 1
    exchangers: int = 0
    pocket_places: int = 0
    shuttles: int = 1
    lanes: bool = False
