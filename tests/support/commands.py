"""Commands as people type them: what they print, and how they end."""

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from cli import main

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


class Output(NamedTuple):
    """What a command printed."""

    out: str
    err: str


Twinwall = Callable[..., Output]


def runner(capsys: pytest.CaptureFixture[str]) -> Twinwall:
    """Runs ``twinwall`` in this process."""

    def run(*words: object, code: int = 0, passphrase: str | None = None) -> Output:
        """What the command prints; it must end with this code. A passphrase comes on a descriptor."""
        capsys.readouterr()
        ended = main([*map(str, words), *(() if passphrase is None else ("--passphrase-fd", str(readable(passphrase))))])
        output = Output(*capsys.readouterr())
        assert ended == code, (ended, output)
        return output

    return run


def readable(passphrase: str) -> int:
    """A descriptor on which a passphrase is read; of an empty one nothing comes."""
    reading, writing = os.pipe()
    os.write(writing, passphrase.encode())
    os.close(writing)
    return reading


def typed_commands(page: str) -> list[list[str]]:
    """The words of each ``twinwall`` command in the page's blocks of commands, in their order, without ``twinwall`` itself."""
    blocks = re.findall(r"```sh\n(.*?)```", (HOW_TO / page).read_text(encoding="utf-8"), re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("twinwall ")]
