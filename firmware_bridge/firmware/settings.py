"""What a machine's sizes make of CAPS, and of the times that ACK promises."""

from __future__ import annotations

from firmware_bridge.firmware.sizes import MachineSizes
from firmware_bridge.messages import (
    Bypass,
    Capabilities,
    CloseWell,
    Command,
    Dump,
    OpenWell,
    Place,
    Raise,
    Recirculate,
    Reject,
    Release,
    Return,
)


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


def expected_ms(settings: MachineSizes, command: Command) -> int:
    """How long a command takes at most when nothing disturbs it, in milliseconds of wall time."""
    one_tile_s = settings.pick_s + settings.drop_s + 2 * settings.tray_places / settings.travel_positions_per_s
    exchange_s = settings.gates * settings.pocket_places * settings.exchange_s
    match command:
        case Place() | Release():
            seconds = settings.divert_s + exchange_s + (settings.shuttle_queue + 1) * one_tile_s
        case Return():
            seconds = one_tile_s + settings.gate_period_s
        case Bypass() | Reject() | Recirculate():
            seconds = settings.cell_release_s + settings.recirculate_s
        case Dump():
            seconds = settings.dump_s
        case Raise():
            seconds = settings.raise_s
        case OpenWell() | CloseWell():
            seconds = settings.door_s
        case _:
            seconds = 0.0
    return round(1000 * seconds / settings.speed)
