"""Commands as people type them: what they print, and how they end."""

import os
from collections.abc import Callable
from typing import NamedTuple

import pytest

from cli import main


class Said(NamedTuple):
    """What a command printed."""

    out: str
    err: str


Twinwall = Callable[..., Said]


def runner(capsys: pytest.CaptureFixture[str]) -> Twinwall:
    """Runs ``twinwall`` in this process."""

    def run(*words: object, code: int = 0, passphrase: str | None = None) -> Said:
        """What the command prints; it must end with this code. A passphrase comes on a descriptor."""
        capsys.readouterr()
        ended = main([*map(str, words), *(() if passphrase is None else ("--passphrase-fd", str(readable(passphrase))))])
        said = Said(*capsys.readouterr())
        assert ended == code, (ended, said)
        return said

    return run


def readable(passphrase: str) -> int:
    """A descriptor on which a passphrase is read; of an empty one nothing comes."""
    reading, writing = os.pipe()
    os.write(writing, passphrase.encode())
    os.close(writing)
    return reading
