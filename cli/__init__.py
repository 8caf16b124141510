"""The ``twinwall`` command: finds the asked command, runs it, and turns errors into a sentence and an exit code.

``cli.commands`` is the table of commands. A command's module is imported only when it is asked for, so no command waits for the
libraries of another one.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

from cli.command_words import HELP, SHORT, asked, inside, overview
from cli.commands import COMMANDS
from cli.demo.supervisor import die_with_parent
from cli.usage import EXIT_GOOD, EXIT_INTERRUPTED, EXIT_NO, EXIT_WRONG_USE, Action, UsageError, say, sentence


class CommandParser(argparse.ArgumentParser):
    """The parser of a command, which shows an example of it and names the nearest word where a choice is not known."""

    def __init__(self, path: str, action: Action) -> None:
        command = COMMANDS[path]
        super().__init__(prog=f"twinwall {path}", description=action.about or command.summary)
        self._example = f"example:\n  {self.prog} {command.example}\n"
        for add in action.arguments:
            add(self)

    def format_help(self) -> str:
        """The help with the example."""
        return f"{super().format_help()}\n{self._example}"

    def _check_value(self, action: argparse.Action, value: object) -> None:
        known = [choice for choice in action.choices or () if isinstance(choice, str)]
        if known and value not in known and (near := get_close_matches(str(value), known, n=1)):
            raise argparse.ArgumentError(action, f"there is no {value!r}; did you mean {near[0]!r}?")
        super()._check_value(action, value)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (``sys.argv`` by default) and return its exit code: 0 good, 1 a real "no", 2 wrong use."""
    die_with_parent()
    try:
        return _main(sys.argv[1:] if argv is None else list(argv))
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _main(words: list[str]) -> int:
    try:
        path, rest = asked(words)
        if path not in COMMANDS:
            return _explain(path, rest)
        action = action_of(path)
        arguments = CommandParser(path, action).parse_intermixed_args(rest)
    except SystemExit as stop:  # argparse has printed the help or the error
        return stop.code if isinstance(stop.code, int) else EXIT_GOOD
    except UsageError as error:
        say(str(error))
        return EXIT_WRONG_USE
    return run(action, arguments)


def _explain(path: str, rest: Sequence[str]) -> int:
    """Print the overview of a group; an unknown word, or none, is wrong use."""
    if rest[:1] == ["--version"] and not path:
        from importlib.metadata import version  # noqa: PLC0415 - the package's metadata are read for it alone

        print(f"twinwall {version('twinwall')}")
        return EXIT_GOOD
    if not rest or rest[0] in HELP:
        print(overview(path), end="", file=sys.stdout if rest else sys.stderr)
        return EXIT_GOOD if rest else EXIT_WRONG_USE
    near = get_close_matches(rest[0], [*inside(path), *(() if path else SHORT)], n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"{' '.join(f'twinwall {path}'.split())} --help lists the commands"
    raise UsageError(f"there is no {rest[0]!r}; {hint}")


def action_of(path: str) -> Action:
    """What a command does; raises UsageError where it belongs to a distribution that is not installed."""
    module, _, name = COMMANDS[path].place.partition(":")
    package = module.partition(".")[0]
    try:
        found: Action = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise UsageError(
            f"{package} is a package of its own, which is not installed: install twinwall-{package} of the same version, "
            f"apt-get install ./twinwall-{package}_….deb or pip install twinwall_{package}-….whl"
        ) from None
    return found


def run(action: Action, arguments: argparse.Namespace) -> int:
    try:
        code = action(arguments)
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
        say(message)
        return EXIT_WRONG_USE
    return code
