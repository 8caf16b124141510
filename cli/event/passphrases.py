"""Passphrases: typed at the terminal without echo, or read from an open file descriptor, never from arguments or named files."""

import getpass
import os
from collections.abc import Callable, Iterator

from cli.usage import UsageError

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
