"""``twinwall feeder``: simulate a feeder, check one against the protocol, measure its link, write its record, build test deals."""

import argparse
import json
from contextlib import ExitStack
from pathlib import Path

from cli.feeder import feeder_ports
from cli.usage import JSON, UsageError, argument, port_number, takes, until_stopped, wrong_use
from firmware_bridge.board.table_record import LANE_SIZES
from simulator.by_hand.builders import LaneHands, StationScreen
from simulator.mechanics import FaultPlan
from simulator.scene import GateScene
from twinwall.game.tiles import parse_tiles

_TABLE = "1"
_SCREEN = "http://127.0.0.1:8105"
_HAND_S = 1.4
"""A practised person's time for a tile."""
_SETTINGS = """
station.toml:  [station] machine = "{path}"
               [camera] source = "{gate}"
table.toml:    [feeder] bypass_cells = 0
               [camera.table] source = "{table}\""""


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
    argument("--lanes", action="store_true", help="no shuttles: a hand takes the tiles from lanes (stage D), as a station's screen says"),
    argument("--station", metavar="URL", help=f"with --lanes: where that screen is (default {_SCREEN})"),
    argument("--camera-port", type=port_number, metavar="N", help="with --lanes: where cameras show gate and mat (a free port)"),
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
    if not arguments.lanes:
        feeder_ports.refuse_unused(arguments, "without --lanes", "camera_port", "station")
    with wrong_use("--station", ValueError):
        screen = StationScreen(arguments.station or _SCREEN)
    stopping, sizes = until_stopped(), {"lanes": True, **LANE_SIZES} if arguments.lanes else {}
    with (
        feeder_ports.simulated(arguments, "feeder simulate", arguments.link, faults, arguments.seed, **sizes) as simulator,
        ExitStack() as cameras,
    ):
        served = {"path": simulator.path}
        words = f"The simulated feeder is on {simulator.path}; Ctrl-C ends it."
        if arguments.lanes:
            from simulator.cameras import CameraServer, TableScenes  # noqa: PLC0415 - takes long, and is for lanes alone

            scenes = TableScenes(lambda: GateScene(simulator.gate_tile()))
            with wrong_use(f"--camera-port {arguments.camera_port}", OSError):
                server = cameras.enter_context(CameraServer({_TABLE: scenes}, arguments.seed, arguments.camera_port or 0))
            served |= {camera: f"{server.url}/{_TABLE}/{camera}.jpg" for camera in ("gate", "table")}
            words += _SETTINGS.format(**served)
        print(json.dumps(served) if arguments.json else words, flush=True)
        if arguments.lanes:
            LaneHands(simulator, screen).work(stopping, _HAND_S / arguments.speed)
        stopping.wait()
