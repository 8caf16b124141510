"""The ``twinwall`` command: finds the asked command, runs it, and turns errors into a sentence and an exit code.

A command is a module of this package with ``register(subparsers)``. It is imported only when its command is asked
for, so no command waits for the libraries of another one. A new command is a line in ``COMMANDS``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Protocol, TypeAlias, cast

from cli.demo.supervisor import die_with_parent
from cli.errors import EXIT_GOOD, EXIT_INTERRUPTED, EXIT_NO, EXIT_WRONG_USE, UsageError, sentence


class CommandParser(argparse.ArgumentParser):
    """A parser that names the nearest word where a command or choice is not known."""

    def _check_value(self, action: argparse.Action, value: object) -> None:
        known = [choice for choice in action.choices or () if isinstance(choice, str)]
        if known and value not in known and (near := get_close_matches(str(value), known, n=1)):
            raise argparse.ArgumentError(action, f"there is no {value!r}; did you mean {near[0]!r}?")
        super()._check_value(action, value)


class ShowVersion(argparse.Action):
    """``--version``. The package's metadata are read for it alone."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415

        print(f"twinwall {version('twinwall')}")
        parser.exit()


Subparsers: TypeAlias = "argparse._SubParsersAction[CommandParser]"


@dataclass(frozen=True, slots=True)
class Command:
    """Where a command is written, and what the overview says about it."""

    module: str
    summary: str


COMMANDS: dict[str, Command] = {
    "demo": Command("cli.demo.command", "play at virtual tables, over real wires, and watch it live"),
    "table": Command("cli.table.table", "run one table's controller"),
    "station": Command("cli.table.station", "be the feeder of a table that has none: tell a person where each tile goes"),
    "phones": Command("cli.table.phones", "let phones be a table's cameras and keys, each by a code"),
    "dashboard": Command("cli.hall.services", "serve the dashboard's pages"),
    "staff": Command("cli.event.staff", "invite, list and withdraw the dashboard's staff"),
    "players": Command("cli.event.players", "list, enter and forget the names of players, who are numbers in ledgers"),
    "broker": Command("cli.hall.services", "run the embedded MQTT broker"),
    "hall": Command("cli.hall.hall", "run a whole hall on this computer; make its network's certificates"),
    "centre": Command("centre.commands.centre", "run a centre that compares many venues"),
    "paper": Command("cli.table.paper", "run tables without cameras: walls from sheets, scores from phones"),
    "simulate": Command("cli.table.simulate", "be a table's physical world: its feeder, cameras or players"),
    "deals": Command("cli.event.deals", "plan, commit, make, open and verify deals"),
    "vault": Command("cli.event.vault", "keep the seeds of a session and give each deal when it is due"),
    "custody": Command("cli.event.custody", "make keys and encrypted seeds, and give orders to the vault"),
    "compare": Command("cli.event.compare", "compare the results of the same deals at several tables, in IMP"),
    "export": Command("cli.forms.export", "write released deals as results, hand records, a bundle, or for other programs"),
    "import": Command("cli.forms.import_hands", "read hands of other programs into hand records and deals"),
    "verify": Command("cli.event.verify", "prove an evening from its bundle, under the start code that you know"),
    "release": Command("cli.table.release", "check a release before it is installed"),
    "upgrade": Command("cli.table.upgrade", "put a newer package in this program's place"),
    "sign": Command("cli.event.sign", "make a person's signing key, sign a file, check a signature"),
    "event": Command("cli.event.event", "check an event's store, or make it again from the tables' ledgers"),
    "record": Command("cli.rules.record", "decode what camera, gates and keys reported of a hand into its hand record"),
    "replay": Command("cli.rules.replay", "play a hand record again by the rules and check its scores"),
    "score": Command("cli.rules.score", "score hands, one JSON object per line"),
    "settle": Command("cli.rules.settle", "say of a hand record what each event is and who pays whom"),
    "rules": Command("cli.rules.rules", "print the options of a rule set with their meaning"),
    "feeder": Command("cli.feeder.feeder", "simulate a feeder, or hold one to the protocol"),
    "enrol": Command("cli.tiles.enrol", "make the profile of a tile set from its own tiles"),
    "calibrate": Command("cli.tiles.calibrate", "write down how a camera sees today, or print the mat's markers"),
    "selftest": Command("cli.tiles.calibrate", "test a camera against the day of its calibration"),
    "service": Command("cli.table.service", "pack what remote help needs, without secrets and tiles"),
    "read": Command("cli.tiles.vision", "read the tile on each picture"),
    "evaluate": Command("cli.tiles.vision", "measure the reader on a folder of labelled crops"),
}


class CommandModule(Protocol):
    """A module of this package that holds one or more commands."""

    def register(self, subparsers: Subparsers) -> None:
        """Add the module's parsers, each with ``set_defaults(func=…)``: a function of the parsed arguments that returns the exit code."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (``sys.argv`` by default) and return its exit code: 0 good, 1 a real "no", 2 wrong use."""
    die_with_parent()
    try:
        return _main(argv)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _main(argv: Sequence[str] | None) -> int:
    words = _spelled_out(sys.argv[1:] if argv is None else argv)
    try:
        arguments = _parser(words).parse_args(words)
    except SystemExit as stop:  # argparse has printed the help, the version or the error
        return stop.code if isinstance(stop.code, int) else EXIT_GOOD
    except UsageError as error:
        print(f"twinwall: {error}", file=sys.stderr)
        return EXIT_WRONG_USE
    return _run(cast(Callable[[argparse.Namespace], int], arguments.func), arguments)


def _spelled_out(words: Sequence[str]) -> list[str]:
    """``twinwall hall`` alone, or with options alone, is ``twinwall hall serve``: what a club types first."""
    serves = words[:1] == ["hall"] and all(word.startswith("-") for word in words[1:2]) and words[1:2] not in (["-h"], ["--help"])
    return ["hall", "serve", *words[1:]] if serves else list(words)


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser for these words: the asked command in full, the others by name and summary only."""
    parser = CommandParser(prog="twinwall", description="Duplicate mahjong with ordinary tiles.")
    parser.add_argument("--version", action=ShowVersion, nargs=0, help="show program's version number and exit")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    asked = next((word for word in words if not word.startswith("-")), None)
    if asked in COMMANDS:
        _module(asked).register(subparsers)
    else:
        for name, command in COMMANDS.items():
            subparsers.add_parser(name, help=command.summary)
    return parser


def _module(name: str) -> CommandModule:
    """The module of a command; raises UsageError where it belongs to a distribution that is not installed."""
    module = COMMANDS[name].module
    try:
        return cast(CommandModule, import_module(module))
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise
        raise UsageError(
            f"{name} is a package of its own, which is not installed: install twinwall-{name} of the same version, "
            f"apt-get install ./twinwall-{name}_….deb or pip install twinwall_{name}-….whl"
        ) from None


def _run(command: Callable[[argparse.Namespace], int], arguments: argparse.Namespace) -> int:
    try:
        code = command(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone; nothing more may be written, not even by the interpreter's last flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_NO
    except Exception as error:
        message = sentence(error)
        if message is None:
            raise
        print(f"twinwall: {message}", file=sys.stderr)
        return EXIT_WRONG_USE
    return code
