"""How a command is declared: ``@takes(argument(…), …)`` above the function that does it, and the arguments that several commands share."""

import argparse
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias, TypedDict, Unpack

from cli.errors import EXIT_GOOD
from twinwall.values import frozen

_MOST_PORT = 65535
Argument: TypeAlias = Callable[[argparse._ActionsContainer], object]
"""What adds itself to a parser, or to a group of one."""


class ArgumentSettings(TypedDict, total=False):
    """What argparse may be given for an argument."""

    action: str
    choices: Iterable[object]
    const: object
    default: object
    dest: str
    metavar: str | tuple[str, ...]
    nargs: int | str
    required: bool
    type: Callable[[str], object]


_METAVARS: Mapping[object, str] = {int: "N", Path: "FILE"}


def argument(flag: str, help: str | None = None, **settings: Unpack[ArgumentSettings]) -> Argument:
    """An argument, as argparse's ``add_argument`` takes it; in the help an option's number stands as N and its path as FILE, unless
    ``metavar`` says otherwise."""
    if flag.startswith("-") and "choices" not in settings and settings.get("type") in _METAVARS:
        settings.setdefault("metavar", _METAVARS[settings["type"]])
    return lambda parser: parser.add_argument(flag, help=help, **settings)


def one_of(*arguments: Argument, required: bool = False) -> Argument:
    """Arguments that exclude each other."""

    def add(parser: argparse._ActionsContainer) -> None:
        group = parser.add_mutually_exclusive_group(required=required)
        for each in arguments:
            each(group)

    return add


@frozen
class Action:
    """What a command does, with its arguments and the long text of its help, where the line of the overview does not do."""

    run: Callable[[argparse.Namespace], int | None]
    arguments: tuple[Argument, ...]
    about: str | None

    def __call__(self, arguments: argparse.Namespace) -> int:
        """Do it, and return the exit code."""
        return self.run(arguments) or EXIT_GOOD


def takes(*arguments: Argument, about: str | None = None) -> Callable[[Callable[[argparse.Namespace], int | None]], Action]:
    """Makes a function of the parsed arguments the action of a command; it returns the exit code, None for a good end."""
    return lambda run: Action(run, arguments, about)


def settings_file(what: str) -> Argument:
    """``--settings FILE``, which a command cannot do without; ``what`` names the file."""
    return argument("--settings", f"{what} settings file", type=Path, required=True)


PLAN = argument("plan", "the plan file", type=Path, metavar="PLAN")
TABLE = argument("table", "the table's name", metavar="TABLE")
JSON = argument("--json", "one JSON document on standard output", action="store_true")
FORCE = argument("--force", "write over what exists", action="store_true")
EVENT = argument("--event", "refuse to run unless the settings say that this is an event", action="store_true")
TRACE = argument("--trace", "write every frame to and from the feeder, and why one is dropped, to stderr", action="store_true")
LOG = argument("--log", "form of the log's lines (default %(default)s)", choices=("text", "json"), default="text")
PASSPHRASE_FD = argument(
    "--passphrase-fd", "read passphrases, a line each, from this open file descriptor instead of asking at the terminal", type=int
)


def port_number(text: str) -> int:
    """The port that an option names."""
    if not text.isascii() or not text.isdigit() or len(text) > 5 or not 1 <= int(text) <= _MOST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: a number from 1 to {_MOST_PORT}")
    return int(text)
