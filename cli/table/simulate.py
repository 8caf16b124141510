"""``twinwall table simulate world|cameras|players|tables``: the simulated table in place of hardware, and tables without physics."""

from argparse import Namespace
from pathlib import Path

from cli.run_settings import load_to_run
from cli.usage import UsageError, argument, settings_file, takes, until_stopped
from controller.settings import TableSettings
from simulator.settings import CamerasSettings, PlayersSettings, WorldSettings
from twinwall.game.rules import rule_set


@takes(argument("--settings", "each world's settings file", type=Path, required=True, nargs="+", metavar="FILE"))
def world(arguments: Namespace) -> None:
    from simulator.world import service  # noqa: PLC0415

    service.serve([load_to_run(file, WorldSettings) for file in arguments.settings], until_stopped())


@takes(settings_file("the cameras's"))
def cameras(arguments: Namespace) -> None:
    from simulator.cameras import server  # noqa: PLC0415

    server.serve(load_to_run(arguments.settings, CamerasSettings).cameras)


@takes(settings_file("the players's"))
def players(arguments: Namespace) -> None:
    from simulator.players import person  # noqa: PLC0415

    players = load_to_run(arguments.settings, PlayersSettings).players
    worlds = dict(line.split(" ", 1) for line in players.worlds)
    person.serve(worlds, rule_set(players.rules), players.seed, players.speed, until_stopped())


@takes(
    argument("settings", "each table's settings file", type=Path, nargs="+", metavar="FILE"),
    argument("--seed", "draws the habits of the players (0)", type=int, default=0),
    argument("--speed", "how many times as fast as people they play (1)", type=float, default=1.0, metavar="N"),
)
def tables(arguments: Namespace) -> None:
    from cli.ledger_tables.joined_tables import JoinedLedgerTable, play_until, played_by_itself  # noqa: PLC0415

    if not arguments.speed > 0:
        raise UsageError(f"--speed {arguments.speed}: a number above 0")
    settings = [load_to_run(file, TableSettings) for file in arguments.settings]
    play_until([JoinedLedgerTable(each, played_by_itself(arguments.seed, arguments.speed)) for each in settings], until_stopped())
