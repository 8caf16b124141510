"""Time of a whole wall through a real port, and cost of an idle feeder: ``python -m benchmarks.firmware.port [--json]``.

A simulated feeder at a hundred times the speed of its motors sits at a pseudo-terminal, with the link's port at the
other end, both in this process. ``wall_s`` is wall time from the start of the handshake until 136 tiles lie in their
trays; ``idle_percent`` is the processor time of both ends together while nothing is asked of them, as a share of one
core.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from firmware_bridge.link.events import Done, LinkUp, OperationRequest
from firmware_bridge.messages import Feed, Place, TileAtGate
from simulator.feeder_simulator import FeederSimulator
from simulator.mechanics import FaultPlan, MechanicsSettings
from tests.support.link.desk import Desk
from tests.support.link.pair import places_in_order

IDLE_S = 5.0


def build(desk: Desk, simulator: FeederSimulator) -> None:
    """Build a wall, seat by seat in turn, and wait for its last tile."""
    desk.wait(LinkUp)
    desk.port.submit(OperationRequest(1, Feed()))
    open_places = [place for places in zip(*(places_in_order(seat) for seat in range(4)), strict=True) for place in places]
    for operation, (seat, position) in enumerate(open_places, start=2):
        desk.wait(TileAtGate)
        desk.port.submit(OperationRequest(operation, Place(seat, position)))
    desk.wait(Done, lambda done: done.operation >= 134 and len(simulator.census()["trays"]) == 136)


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        simulator = FeederSimulator(MechanicsSettings(speed=100.0), 3, FaultPlan(unread=0.0), link=Path(folder) / "feeder")
        simulator.start()
        desk = Desk(simulator.path)
        began_s = time.monotonic()
        build(desk, simulator)
        wall_s = time.monotonic() - began_s
        before_s = time.process_time()
        time.sleep(IDLE_S)
        idle_s = time.process_time() - before_s
        desk.port.stop()
        simulator.stop()
    report = {"wall_s": round(wall_s, 2), "idle_percent": round(100 * idle_s / IDLE_S, 1)}
    print(json.dumps(report) if options.json else report)


if __name__ == "__main__":
    main()
