"""``twinwall hall players``: names of players on the server, apart from the numbers in ledgers; also while the dashboard runs."""

from argparse import Namespace
from pathlib import Path

from cli.usage import PRIVATE, UsageError, argument, read_file, say, settings_file, takes, write_file, wrong_use
from config import DashboardSettings, load
from twinwall.event.natural_order import natural
from twinwall.event.player_names import PlayerNames, read_names
from twinwall.game.documents import DocumentError
from twinwall.wire.durable_file import in_turn


def names_in(path: Path) -> PlayerNames:
    """The names in a file; raises UsageError for one that is no names file."""
    return read_file(path, read_names)


def _file(arguments: Namespace) -> Path:
    path = load(arguments.settings, DashboardSettings).one_event.players
    if path is None:
        raise UsageError(f'{arguments.settings}: [event] names no file of players: set players = "players.json"')
    return path


def _kept(path: Path) -> PlayerNames:
    return names_in(path) if path.exists() else PlayerNames()


_DASHBOARD = settings_file("the dashboard's")


@takes(_DASHBOARD)
def list_players(arguments: Namespace) -> None:
    names = _kept(_file(arguments)).by_number
    for number in sorted(names, key=natural):
        print(f"{number}\t{names[number]}")


@takes(
    argument("number", "the player's number, as it stands in the tables' settings"),
    argument("name", "the name that pages show"),
    _DASHBOARD,
)
def name_player(arguments: Namespace) -> None:
    path = _file(arguments)
    with in_turn(path):
        changed = _kept(path).with_name(arguments.number, arguments.name.strip())
        write_file(path, changed.document, PRIVATE, force=True)


@takes(argument("number", "the player's number"), _DASHBOARD)
def forget(arguments: Namespace) -> None:
    path = _file(arguments)
    with in_turn(path), wrong_use(path, DocumentError):
        changed = _kept(path).without(arguments.number)
        write_file(path, changed.document, PRIVATE, force=True)
    say(f"player {arguments.number} has no name any more; copies of {path} and exports with --names still have it")
