"""How a command meets its user: the arguments that it declares, what it prints, its refusals, and its files. ``@takes(argument(…), …)``
stands above the function that does it. What the user did wrong is one sentence on standard error and exit 2. An error of a class of this
program's own says such a sentence, also where a command did not expect it: what it read was damaged. Any other error is a defect and keeps
its traceback. Output files are written whole or not at all, with the right mode, and never over an existing file without ``force``."""

import argparse
import getpass
import json
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias, TypedDict, TypeVar, Unpack

from twinwall.game.documents import DocumentError
from twinwall.given_files import limited_bytes
from twinwall.values import frozen
from twinwall.wire.durable_file import create_durably, write_durably
from twinwall.wire.names import plain_number

EXIT_GOOD = 0
EXIT_NO = 1
"""Exit code where the thing was examined and does not hold."""
EXIT_WRONG_USE = 2
EXIT_INTERRUPTED = 130
_OURS = frozenset({"centre", "cli", "config", "controller", "dashboard", "firmware_bridge", "simulator", "tableside", "twinwall", "vision"})


class UsageError(Exception):
    """The command cannot run as asked; the message is one sentence that names the thing and what to do."""


class DoesNotHoldError(Exception):
    """The thing was examined and does not hold, which is exit 1; the message is the sentence that says so."""


@contextmanager
def wrong_use(what: object, *errors: type[Exception], raising: type[Exception] = UsageError) -> Iterator[None]:
    """Makes errors of these classes a UsageError, whose sentence begins with what they are about."""
    try:
        yield
    except errors as error:
        raise raising(f"{what}: {error}") from None


def sentence(error: Exception) -> str | None:
    """The one sentence to print for an error of the user's making, or None for a defect."""
    if type(error).__module__.partition(".")[0] in _OURS:
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {_why(error)}" if error.filename else error.strerror
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
    print(visible(sentence), file=sys.stderr, flush=True)


_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that act on a terminal, turn the direction of text, or cannot be written."""


def visible(text: str) -> str:
    """The text with such characters as escapes: a document from elsewhere must not hide or forge what a command says."""
    return _ACTING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def answer(document: object, words: str, *, as_json: bool) -> None:
    """Print what a command has found: a JSON document where ``--json`` asks for one, else words."""
    if as_json or words:
        print(visible(json.dumps(document, ensure_ascii=False) if as_json else words))


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
    nargs: int | str | None
    required: bool
    type: Callable[[str], object]


_METAVARS: Mapping[object, str] = {int: "N", Path: "FILE"}


def argument(flag: str, help: str | None = None, **settings: Unpack[ArgumentSettings]) -> Argument:
    """An argument, as argparse's ``add_argument`` takes it; in the help an option's number stands as N, its path as FILE and a word by its
    name in capitals, unless ``metavar`` says otherwise."""
    if not flag.startswith("-"):
        settings.setdefault("metavar", flag.upper())
    elif "choices" not in settings and settings.get("type") in _METAVARS:
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
        """Do it, and return the exit code: where it says whether something holds, 0 or 1."""
        code = self.run(arguments)
        return int(not code) if isinstance(code, bool) else code or EXIT_GOOD


def takes(*arguments: Argument, about: str | None = None) -> Callable[[Callable[[argparse.Namespace], int | None]], Action]:
    """Makes a function of the parsed arguments the action of a command; it returns whether what was examined holds, another exit code, or
    None for a good end."""
    return lambda run: Action(run, arguments, about)


def settings_file(what: str) -> Argument:
    """``--settings FILE``, which a command cannot do without; ``what`` names the file."""
    return argument("--settings", f"{what} settings file", type=Path, required=True)


PLAN = argument("plan", "the plan file", type=Path)
TABLE = argument("table", "the table's name")
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
    port = plain_number(text) or 0
    if not 1 <= port <= _MOST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: a number from 1 to {_MOST_PORT}")
    return port


Form = TypeVar("Form")
PRIVATE = 0o600
PUBLISHED = 0o644


def new_file(text: str) -> Path:
    """The path of a file to write, as an option names it; a name that ends with a slash is a folder's, and refused with UsageError."""
    if text.endswith(os.sep):
        raise UsageError(f"{text} cannot be written: name a file in this folder")
    return Path(text)


def folder_named(text: str, *, several: bool) -> Path | None:
    """The folder that an option names for its files; None where it names one file. A folder is what is there as one, what ends with a
    slash, and for several files what is not there and has no suffix."""
    path = Path(text)
    is_folder = path.is_dir() or text.endswith(os.sep) or (several and not path.suffix and not path.exists())
    return path if is_folder else None


def read_file(path: Path, read: Callable[[bytes], Form]) -> Form:
    """What a file holds by ``read``; raises UsageError, which names the file, where that is something else, and OSError."""
    with wrong_use(path, DocumentError):
        return read(limited_bytes(path))


BY_FORCE, NEVER = "say --force to write over it", "name another file, or remove it"
"""What is said of a file that exists, by a command with and without the option."""


def refuse_existing(paths: Iterable[Path], how: str = BY_FORCE) -> None:
    """Raise UsageError when one of the files is there already; ``how``: what to do about it."""
    for path in paths:
        if path.exists():
            raise UsageError(f"{path} exists: {how}")


def refuse_no_file(path: Path) -> None:
    """Raise UsageError where no file can be written at this path, before people do work that would be lost."""
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise UsageError(f"{path} cannot be written: name a file in a folder that is there and yours")


def is_database(path: Path) -> bool:
    """Whether it is a store or another file of SQLite. Raises OSError when it cannot be read."""
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def write_file(path: Path, content: bytes, mode: int, force: bool | None) -> None:
    """Write a file with its mode from the first byte on; one that exists is replaced as a whole, and only with ``force``; a store or
    staff file never is, because an export over it would lose what it holds. None: the command has no such option."""
    refuse_no_file(path)
    try:
        if force and path.is_file() and is_database(path):
            raise UsageError(f"{path} is a database: name another file")
        (write_durably if force else create_durably)(path, content, mode)
    except FileExistsError:
        raise UsageError(f"{path} exists: {NEVER if force is None else BY_FORCE}") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


def stop_on_signals(*stops: Callable[[], object]) -> None:
    """Call each of ``stops`` at SIGTERM and SIGINT, in this order."""

    def stop(*_: object) -> None:
        for each in stops:
            each()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)


def until_stopped() -> threading.Event:
    """What is set at SIGTERM and SIGINT."""
    stop = threading.Event()
    stop_on_signals(stop.set)
    return stop


Passphrases = Callable[[str], str]
"""Gives the passphrase of the named thing."""


def passphrases(descriptor: int | None, *, twice: bool = False) -> Passphrases:
    """Where passphrases come from. ``twice``: at the terminal each is asked for again, because it is new."""
    if descriptor is None:
        return lambda what: _ask(what, twice)
    try:
        with os.fdopen(descriptor, encoding="utf-8") as file:
            lines = iter(file.read().splitlines())
    except (OSError, TypeError, ValueError):  # TypeError of a number that no descriptor can have
        raise UsageError(f"--passphrase-fd {descriptor}: this is no open file descriptor with UTF-8 text") from None
    return lambda what: _next(lines, what)


def _ask(what: str, twice: bool) -> str:
    try:
        given = getpass.getpass(f"Passphrase of {what}: ")
        if twice and getpass.getpass("Once more: ") != given:
            raise UsageError("the two passphrases differ: nothing was written")
    except EOFError:
        raise UsageError(f"no terminal is there to type the passphrase of {what}: give it by --passphrase-fd") from None
    return given


def _next(lines: Iterator[str], what: str) -> str:
    found = next(lines, None)
    if found is None:
        raise UsageError(f"--passphrase-fd has no line for the passphrase of {what}")
    return found
