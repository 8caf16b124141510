"""Sizes and speeds of a machine that its firmware has to know, such as the number of places."""

from typing import Protocol

from firmware_bridge.messages import Capabilities


class MachineSizes(Protocol):
    """Sizes in places; ``speed`` divides the gate's period."""

    @property
    def speed(self) -> float: ...
    @property
    def tray_places(self) -> int: ...
    @property
    def wall_places(self) -> int: ...
    @property
    def hand_places(self) -> int: ...
    @property
    def bypass_cells(self) -> int: ...
    @property
    def shuttle_queue(self) -> int: ...
    @property
    def two_high(self) -> bool: ...
    @property
    def gate_period_s(self) -> float: ...
    @property
    def gates(self) -> int: ...
    @property
    def exchangers(self) -> int: ...
    @property
    def pocket_places(self) -> int: ...
    @property
    def shuttles(self) -> int: ...
    @property
    def lanes(self) -> bool: ...


def capabilities_of(settings: MachineSizes) -> Capabilities:
    """What a machine with these sizes says of itself in CAPS."""
    return Capabilities(
        tray_places=settings.tray_places,
        wall_places=settings.wall_places,
        hand_places=settings.hand_places,
        bypass_cells=settings.bypass_cells,
        shuttle_queue=settings.shuttle_queue,
        two_high=settings.two_high,
        gate_period_ms=max(1, round(1000 * settings.gate_period_s / settings.speed)),
        gates=settings.gates,
        exchangers=settings.exchangers,
        pocket_places=settings.pocket_places,
        shuttles=settings.shuttles,
    )
