"""Output files of commands: written whole or not at all, with the right mode, and never over an existing file without ``force``."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from cli.usage import UsageError
from twinwall.game.documents import DocumentError
from twinwall.given_files import given_bytes
from twinwall.wire.durable_file import create_durably, write_durably

Form = TypeVar("Form")
PRIVATE = 0o600
PUBLISHED = 0o644


def new_file(text: str) -> Path:
    """The path of a file to write, as an option names it; a name that ends with a slash is a folder's, and refused with UsageError."""
    if text.endswith(os.sep):
        raise UsageError(f"{text} cannot be written: name a file in this folder")
    return Path(text)


def folder_named(text: str, *, several: bool) -> Path | None:
    """The folder that an option names for its files; None where it names one file.

    A folder is what is there as one, what ends with a slash, and for several files what is not there and has no suffix.
    """
    path = Path(text)
    is_folder = path.is_dir() or text.endswith(os.sep) or (several and not path.suffix and not path.exists())
    return path if is_folder else None


def read_file(path: Path, read: Callable[[bytes], Form]) -> Form:
    """What a file holds by ``read``; raises UsageError, which names the file, where that is something else, and OSError."""
    try:
        return read(given_bytes(path))
    except DocumentError as error:
        raise UsageError(f"{path}: {error}") from None


def refuse_existing(paths: Iterable[Path]) -> None:
    """Raise UsageError when one of the files is there already."""
    for path in paths:
        if path.exists():
            raise UsageError(f"{path} exists: say --force to write over it")


def refuse_no_file(path: Path) -> None:
    """Raise UsageError where no file can be written at this path, before people do work that would be lost."""
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise UsageError(f"{path} cannot be written: name a file in a folder that is there and yours")


def write_file(path: Path, content: bytes, mode: int, force: bool) -> None:
    """Write a file with its mode from the first byte on; one that exists is replaced as a whole, and only with ``force``."""
    refuse_no_file(path)
    try:
        (write_durably if force else create_durably)(path, content, mode)
    except FileExistsError:
        raise UsageError(f"{path} exists: say --force to write over it") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
