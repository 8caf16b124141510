"""``twinwall feeder``: simulate a feeder, check one against the protocol, measure its link, write its record, build test deals."""

import argparse
import json
from pathlib import Path

from cli.signals import until_stopped
from cli.usage import JSON, UsageError, argument, takes, wrong_use
from simulator.electrics.program import BoardError
from simulator.feeder_simulator import FeederSimulator
from simulator.firmware_choice import FIRMWARE_NAMES, firmware_named
from simulator.mechanics import FaultPlan, MechanicsSettings
from twinwall.game.tiles import NotationError, parse_tiles


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
    argument(
        "--firmware",
        choices=FIRMWARE_NAMES,
        default="core",
        help="what drives it (default core, the firmware as a library); others need make firmware",
    ),
    JSON,
    about="Serve the simulated feeder on a pseudo-terminal until Ctrl-C; its path is printed first.",
)
def simulate_feeder(arguments: argparse.Namespace) -> None:
    """Serve the simulated feeder until SIGINT or SIGTERM; raises UsageError for figures that no machine has."""
    simulator = _build(arguments)
    stopping = until_stopped()
    try:
        path = simulator.start()
        print(json.dumps({"path": path}) if arguments.json else f"The simulated feeder is on {path}; Ctrl-C ends it.", flush=True)
        stopping.wait()
    except BoardError as error:
        raise UsageError(f"feeder simulate: {error}") from None
    finally:
        simulator.stop()


def _build(arguments: argparse.Namespace) -> FeederSimulator:
    if arguments.link is not None and not arguments.link.parent.is_dir():
        raise UsageError(f"feeder simulate: there is no folder {arguments.link.parent} for the link")
    with wrong_use("feeder simulate", NotationError, ValueError):
        faults = FaultPlan(
            unread=arguments.unread,
            missing=tuple(tile.text for tile in parse_tiles(arguments.missing)),
            extra=tuple(tile.text for tile in parse_tiles(arguments.extra)),
            foreign=arguments.foreign,
        )
        settings, firmware = MechanicsSettings(speed=arguments.speed), firmware_named(arguments.firmware)
        return FeederSimulator(settings, arguments.seed, faults, link=arguments.link, firmware=firmware)
