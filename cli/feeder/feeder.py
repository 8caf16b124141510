"""``twinwall feeder``: simulate a feeder, check one against the protocol, measure its link, write its record, build test deals."""

import argparse
import json
from contextlib import suppress
from pathlib import Path

from cli.feeder import feeder_ports
from cli.signals import until_stopped
from cli.usage import JSON, UsageError, argument, takes, wrong_use
from firmware_bridge.board.table_record import LANE_SIZES
from simulator.mechanics import FaultPlan
from simulator.physical_tiles import NotPossibleError
from twinwall.game.tiles import parse_tiles


@takes(
    argument(
        "--seed", metavar="SEED", type=int, default=1, help="order in which tiles are caught, and how they lie in the gate (default 1)"
    ),
    argument("--speed", type=float, default=1.0, help="how many times as fast as a real machine (default 1)"),
    argument("--unread", type=float, default=0.01, help="chance that a tile cannot be read when shown (default 0.01)"),
    argument("--missing", default="", metavar="TILES", help="tiles that the set lacks, such as 3p"),
    argument("--extra", default="", metavar="TILES", help="tiles that the set has once too often"),
    argument("--foreign", type=int, default=0, metavar="N", help="tiles that belong to no set (default 0)"),
    argument("--link", type=Path, metavar="PATH", help="keep a symbolic link to the pseudo-terminal here"),
    argument("--lanes", action="store_true", help="no shuttles: every 1.4 s a hand takes what lies in the lanes (stage D)"),
    feeder_ports.firmware("it"),
    JSON,
    about="Serve the simulated feeder on a pseudo-terminal until Ctrl-C; its path is printed first.",
)
def simulate_feeder(arguments: argparse.Namespace) -> None:
    """Serve the simulated feeder until SIGINT or SIGTERM; raises UsageError for figures that no machine has."""
    if arguments.link is not None and not arguments.link.parent.is_dir():
        raise UsageError(f"feeder simulate: there is no folder {arguments.link.parent} for the link")
    with wrong_use("feeder simulate", ValueError):
        faults = FaultPlan(
            unread=arguments.unread,
            missing=tuple(tile.text for tile in parse_tiles(arguments.missing)),
            extra=tuple(tile.text for tile in parse_tiles(arguments.extra)),
            foreign=arguments.foreign,
        )
    stopping, sizes = until_stopped(), {"lanes": True, **LANE_SIZES} if arguments.lanes else {}
    with feeder_ports.simulated(arguments, "feeder simulate", arguments.link, faults, arguments.seed, **sizes) as simulator:
        path = simulator.path
        print(json.dumps({"path": path}) if arguments.json else f"The simulated feeder is on {path}; Ctrl-C ends it.", flush=True)
        while not stopping.wait(1.4 if arguments.lanes else None):  # seconds after which a hand comes again
            for seat in range(4):
                with suppress(NotPossibleError):
                    simulator.take_from_lane(seat)
