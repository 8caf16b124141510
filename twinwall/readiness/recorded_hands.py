"""Recorded hands of a table: for each its observation file and, once it has ended, the document that the decoder made of it.

The files are in one folder, by the moment at which the hand began. Pictures are in none of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import Struct

OBSERVATIONS, DOCUMENT = ".jsonl", ".json"
_NAME = re.compile(r"\d{4}-\d\d-\d\d-\d{6}\Z")


class KeptHand(Struct, frozen=True):
    """A hand by its name; ``ended``: there is a record; ``complete``: the camera saw its end; ``doubts``: so many questions are open."""

    name: str
    ended: bool = False
    complete: bool = False
    doubts: int = 0


class _Outcome(Struct):
    complete: bool
    questions: list[dict[str, object]]


_OUTCOME = msgspec.json.Decoder(_Outcome)


@dataclass(frozen=True, slots=True)
class RecordedHands:
    """The hands in a folder, which is made with the first of them."""

    folder: Path

    def new(self, name: str) -> Path:
        """The observation file of a hand that begins; raises OSError where it cannot be made."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / f"{name}{OBSERVATIONS}"
        file.touch(mode=0o600, exist_ok=False)
        return file

    def listed(self) -> tuple[KeptHand, ...]:
        """All hands, the last one first."""
        return tuple(self._hand(file) for file in sorted(self.folder.glob(f"*{OBSERVATIONS}"), reverse=True) if _NAME.match(file.stem))

    def content(self, name: str, suffix: str) -> bytes | None:
        """A file of a hand; None where there is none of that name."""
        if not _NAME.match(name) or suffix not in (OBSERVATIONS, DOCUMENT):
            return None
        try:
            return (self.folder / f"{name}{suffix}").read_bytes()
        except FileNotFoundError:
            return None

    def _hand(self, file: Path) -> KeptHand:
        content = self.content(file.stem, DOCUMENT)
        if content is None:
            return KeptHand(file.stem)
        outcome = _OUTCOME.decode(content)
        return KeptHand(file.stem, ended=True, complete=outcome.complete, doubts=len(outcome.questions))


def keep_document(observations: Path, document: Mapping[str, object]) -> None:
    """Put the document of a hand beside its observations, whole or not at all; raises OSError."""
    unfinished = observations.with_suffix(".part")
    unfinished.write_bytes(msgspec.json.encode(document))
    unfinished.replace(observations.with_suffix(DOCUMENT))
