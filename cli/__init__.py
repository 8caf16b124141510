"""The ``twinwall`` command: finds the asked command, runs it, and turns errors into a sentence and an exit code. ``cli.commands`` is the
table of commands. A command's module is imported only when it is asked for, so no command waits for the libraries of another one. The words
of a line ask for a command by short spellings and defaults too."""

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from io import TextIOWrapper
from textwrap import fill

from cli.commands import COMMANDS, GROUPS
from cli.demo.supervisor import die_with_parent
from cli.usage import EXIT_GOOD, EXIT_INTERRUPTED, EXIT_NO, EXIT_WRONG_USE, Action, DoesNotHoldError, UsageError, say, sentence

HELP = ("-h", "--help")
NEW_OBJECTS = 10_000
"""This many new objects before the collector looks: at Python's own 700 it takes a tenth of all imports."""

DEFAULTS = {"hall": "hall serve", "record": "record video", "rules": "rules show", "table": "table run"}
"""What a group does whose next word is none of its commands."""


def _in_groups(**words: str) -> dict[str, str]:
    """Commands that stand in these groups, by their words alone."""
    return {word: f"{group} {word}" for group, said in words.items() for word in said.split()}


SHORT = _in_groups(
    hall="dashboard",
    tiles="enrol read evaluate calibrate selftest",
    record="replay settle",
    rules="score",
    results="compare export",
)
"""Spellings on which other programs rely, beside the full ones."""

FORMER = _in_groups(hall="broker paper staff players", table="station phones simulate", admin="upgrade sign") | {
    "hall join": "table join",
    "custody renew": "table renew",
    "custody continue": "table continue",
    "custody": "vault",
    "import": "results import",
    "event": "results",
    **dict.fromkeys(("release check", "release"), "admin check-release"),
    **dict.fromkeys(("service pack", "service"), "admin pack"),
    "vault": "vault run",
}
"""Spellings of earlier versions, which are refused with the present one; the longest that fits counts."""


def entries_of(path: str) -> dict[str, str]:
    """Each command and group of a group, with its summary; of no words, the top ones."""
    begin = f"{path} ".lstrip()
    lines = GROUPS | {path: command.summary for path, command in COMMANDS.items()}
    words = dict.fromkeys(f"{begin}{each[len(begin) :].partition(' ')[0]}" for each in COMMANDS if each.startswith(begin))
    return {each[len(begin) :]: lines[each] for each in words}


def overview(path: str) -> str:
    """The help of a group: a line for each of its commands, and an example."""
    program = f"twinwall {path}".strip()
    listed = entries_of(path)
    width = max(map(len, listed))
    about = f"{program}: {GROUPS[path]}." if path else "Duplicate mahjong with ordinary tiles."
    example = next(f"{each} {command.example}" for each, command in COMMANDS.items() if each.startswith(path))
    return (
        f"usage: {program} [-h] {'' if path else '[--version] '}COMMAND ...\n\n{about}\n\n"
        + "".join(
            fill(f"    {word:{width}}  {summary}", 80, subsequent_indent=" " * (width + 6)) + "\n" for word, summary in listed.items()
        )
        + f"\n{program} COMMAND --help explains a command.\nexample: twinwall {example}\n"
    )


def command_named(words: Sequence[str]) -> tuple[str, list[str]]:
    """The command or group that these words ask for, and the words after it; raises UsageError for a spelling of an earlier version."""
    rest = [*SHORT.get(words[0], words[0]).split(), *words[1:]] if words else []
    path = ""
    while path not in COMMANDS and rest and rest[0] in entries_of(path):
        path, rest = f"{path} {rest[0]}".lstrip(), rest[1:]
    if path in COMMANDS or rest[:1] in ([word] for word in HELP):
        return path, rest
    is_argument = any(word.startswith("-") or "." in word or "/" in word for word in rest[:1])  # an option or a file, no command's name
    for former in (" ".join(words[:2]), *words[:1]):
        if former in FORMER and (former not in GROUPS or is_argument):
            raise UsageError(f"twinwall {former} is now twinwall {FORMER[former]}")
    if path in DEFAULTS and (not rest or path in ("record", "rules") or rest[0].startswith("-")):
        path = DEFAULTS[path]
    return path, rest


class CommandParser(argparse.ArgumentParser):
    """The parser of a command, which shows an example of it and names the nearest word where a choice is not known."""

    def __init__(self, path: str, action: Action) -> None:
        command = COMMANDS[path]
        super().__init__(prog=f"twinwall {path}", description=action.about or command.summary)
        self._example = f"example:\n  {self.prog} {command.example}\n"
        for add in action.arguments:
            add(self)

    def format_help(self) -> str:
        return f"{super().format_help()}\n{self._example}"

    def _check_value(self, action: argparse.Action, value: object) -> None:
        known = [choice for choice in action.choices or () if isinstance(choice, str)]
        if known and value not in known and (near := get_close_matches(str(value), known, n=1)):
            raise argparse.ArgumentError(action, f"there is no {value!r}; did you mean {near[0]!r}?")
        super()._check_value(action, value)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (``sys.argv`` by default) and return its exit code: 0 good, 1 a real "no", 2 wrong use."""
    die_with_parent()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as on standard error: a terminal may lack a letter of a name
    gc.set_threshold(NEW_OBJECTS)
    try:
        return _main(sys.argv[1:] if argv is None else list(argv))
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _main(words: list[str]) -> int:
    try:
        path, rest = command_named(words)
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
    near = get_close_matches(rest[0], [*entries_of(path), *(() if path else SHORT)], n=1)
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
    except DoesNotHoldError as error:
        say(str(error))
        return EXIT_NO
    except Exception as error:
        message = sentence(error)
        if message is None:
            raise
        say(message)
        return EXIT_WRONG_USE
    return code
