"""Recorded hands of a table: for each its observation file and, after its end, the decoder's document.

The files are in one folder, named by the time at which the hand began, or by its number for ``twinwall record``. None has pictures.
"""

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

from twinwall.values import frozen
from twinwall.wire.durable_file import write_durably
from twinwall.wire.shapes.readiness import StoredHand

OBSERVATIONS, DOCUMENT = ".jsonl", ".json"
_LOG = logging.getLogger(__name__)
_NAME = re.compile(r"(\d{4}-\d\d-\d\d-\d{6}|hand-\d{1,4})\Z")


class _KeptOutcome(Struct):
    complete: bool
    questions: list[dict[str, object]]


_OUTCOME = msgspec.json.Decoder(_KeptOutcome)


@frozen
class RecordedHands:
    """The hands in a folder, which is created with the first of them."""

    folder: Path

    def new(self, name: str) -> Path:
        """The observation file of a new hand; raises OSError if it cannot be made."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self.folder / f"{name}{OBSERVATIONS}"
        file.touch(mode=0o600, exist_ok=False)
        return file

    @contextmanager
    def one_writer(self, name: str) -> Iterator[Path]:
        """The observation file of a hand that no other thread or program changes meanwhile; raises OSError."""
        with (self.folder / f"{name}{OBSERVATIONS}").open("rb+") as file:
            flock(file, LOCK_EX)
            yield Path(file.name)

    def listed(self) -> tuple[StoredHand, ...]:
        """All hands, the latest first."""
        return tuple(
            _kept(file.with_suffix(DOCUMENT))
            for file in sorted(self.folder.glob(f"*{OBSERVATIONS}"), reverse=True)
            if _NAME.match(file.stem)
        )

    def content(self, name: str, suffix: str) -> bytes | None:
        """A file of a hand; None for an unknown name."""
        if not _NAME.match(name) or suffix not in (OBSERVATIONS, DOCUMENT):
            return None
        try:
            return (self.folder / f"{name}{suffix}").read_bytes()
        except FileNotFoundError:
            return None


def _kept(document: Path) -> StoredHand:
    try:
        return _read(document, document.stat().st_mtime_ns)
    except FileNotFoundError:
        return StoredHand(document.stem)


@lru_cache(1024)
def _read(document: Path, _changed_ns: int) -> StoredHand:
    """A hand by its document; each version is read once, because pages ask every second."""
    try:
        outcome = _OUTCOME.decode(document.read_bytes())
    except (msgspec.DecodeError, ValueError) as damaged:
        _LOG.error("%s is damaged (%s): the hand is listed without a record; twinwall record decode makes it again", document, damaged)
        return StoredHand(document.stem)
    return StoredHand(document.stem, ended=True, complete=outcome.complete, doubts=len(outcome.questions))


def keep_document(observations: Path, document: Mapping[str, object]) -> None:
    """Write the document of a hand beside its observations, atomically; raises OSError."""
    write_durably(observations.with_suffix(DOCUMENT), msgspec.json.encode(document), 0o600)
