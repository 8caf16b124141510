"""Errors of the user's making, as one sentence on standard error and exit 2.

An error of a class of this program's own says such a sentence, also where a command did not expect it: what it read was
damaged. Any other error is a defect and keeps its traceback.
"""

import json
import os
import sys
from pathlib import Path

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
