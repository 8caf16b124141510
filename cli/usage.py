"""How a command meets its user: the arguments that it declares, what it prints, and its refusals.

``@takes(argument(…), …)`` stands above the function that does it. What the user did wrong is one sentence on standard error and exit 2.
An error of a class of this program's own says such a sentence, also where a command did not expect it: what it read was
damaged. Any other error is a defect and keeps its traceback.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias, TypedDict, Unpack

from twinwall.values import frozen

EXIT_GOOD = 0
EXIT_NO = 1
"""Exit code where the thing was examined and does not hold."""
EXIT_WRONG_USE = 2
EXIT_INTERRUPTED = 130
_OURS = frozenset({"centre", "cli", "config", "controller", "dashboard", "firmware_bridge", "simulator", "tableside", "twinwall", "vision"})


class UsageError(Exception):
    """The command cannot run as asked; the message is one sentence that names the thing and what to do."""


def sentence(error: Exception) -> str | None:
    """The one sentence to print for an error of the user's making, or None for a defect."""
    if type(error).__module__.partition(".")[0] in _OURS:
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {_why(error)}"
    return None


def _why(error: OSError) -> str:
    """What is wrong with the file that an error names, and what to do where that is known."""
    if isinstance(error, FileNotFoundError):
        folder = Path(os.fsdecode(error.filename)).parent
        return "there is no such file" if folder.is_dir() else f"its folder is not there; make it with mkdir -p {folder}"
    return str(error.strerror)


def say(sentence: str) -> None:
    """Say a sentence on standard error, in the program's name."""
    tell(f"twinwall: {sentence}")


def tell(sentence: str) -> None:
    """Say on standard error what is no answer."""
    print(sentence, file=sys.stderr, flush=True)


def answer(document: object, words: str, *, as_json: bool) -> None:
    """Print what a command has found: a JSON document where ``--json`` asks for one, else words."""
    if as_json or words:
        print(json.dumps(document, ensure_ascii=False) if as_json else words)


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
