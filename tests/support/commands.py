"""Commands as people type them: what they print, and how they end."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from cli import main


class Said(NamedTuple):
    """What a command printed."""

    out: str
    err: str


class Twinwall:
    """Runs ``twinwall`` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: object, code: int = 0) -> Said:
        """What the command prints; it must end with this code."""
        self._capsys.readouterr()
        ended = main([str(word) for word in words])
        said = Said(*self._capsys.readouterr())
        assert ended == code, (ended, said)
        return said
