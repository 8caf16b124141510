"""Recorded hands of a table, each with its observations and, after its end, the decoder's document; answers to their questions. The files
are in one folder, named by the time at which the hand began, or by its number for ``twinwall record``. None has pictures. An answer to a
question about a hand becomes a line of its observation file, and the record is made again. Answers are taken one by one. A page sends how
many answers to the question it knew, so that none overwrites an answer that its reader has not seen. An earlier version may have made a
hand's document with other questions: an answer to an unknown question makes it again. The hand decoded last is cached, so that only its
first answer takes as long as decoding the whole file."""

import logging
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path

import msgspec
from msgspec import Struct

from controller.recorder.hand_answers import AnswerRefusedError, DecodedHand, GivenAnswer, NotAskedError
from controller.recorder.observation_file import ObservedHand, decode_signals, decoded_document
from twinwall.game.documents import DocumentError
from twinwall.values import frozen
from twinwall.wire.durable_file import in_turn, write_durably
from twinwall.wire.shapes.readiness import StoredHand, WantedAnswer

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
        """The observation file of a hand, which no other thread or program changes or replaces meanwhile; raises OSError."""
        file = self.folder / f"{name}{OBSERVATIONS}"
        with in_turn(file):
            yield file

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


@frozen
class _DecodedFile:
    """A decoded file of this ``size`` in bytes: ``alone`` without its answers, ``now`` with those ``given``."""

    name: str
    size: int
    hand: ObservedHand
    alone: DecodedHand
    given: tuple[GivenAnswer, ...]
    now: DecodedHand


class _KeptTime(Struct):
    """Of a document, also of one that is only to be made."""

    unseen_s: float


class GivenAnswers:
    """Takes answers; any thread may call, and other programs may take answers in the same folder."""

    def __init__(self, hands: RecordedHands, now: Callable[[], datetime]) -> None:
        self._hands, self._now = hands, now
        self._lock = threading.Lock()
        self._last: _DecodedFile | None = None

    def answer(self, name: str, wanted: WantedAnswer) -> None:
        """Store an answer, and make the hand's record again. Raises AnswerRefusedError for an unknown record or question, an impossible
        answer, or an answer given by somebody else meanwhile; OSError if its line cannot be stored, which changes nothing, or the document,
        which the next answer makes again."""
        unseen_s = self._unseen_s(name)
        with self._lock, self._hands.one_writer(name) as file:
            last = self._decoded(file)
            at = f"{self._now().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
            answer = GivenAnswer(wanted.number, wanted.about, wanted.said, wanted.by, at, *wanted.place)
            now = last.now
            try:
                question = now.question_of(answer)
            except NotAskedError as not_asked:
                _keep(file, last, unseen_s)
                raise AnswerRefusedError(f"{not_asked}. The page shows what is asked now: look again. Nothing was changed") from None
            before = next((each for each in now.settled if each.question is question), None)
            if before is not None and wanted.seen != before.given:
                _keep(file, last, unseen_s)
                said = f"{before.answer.said}, by {before.answer.by}"
                raise AnswerRefusedError(f"event {answer.number} has been answered meanwhile ({said}): look again. Nothing was changed")
            answer = answer.placed(question)
            decoded = last.alone.one_more(now, last.given, answer)
            size = _append(file, last.size, msgspec.json.encode(answer) + b"\n")
            self._last = last = _DecodedFile(name, size, last.hand, last.alone, (*last.given, answer), decoded)
            _keep(file, last, unseen_s)

    def remake(self, name: str) -> None:
        """Make a hand's record again by the answers in its file; raises as ``answer`` does."""
        unseen_s = self._unseen_s(name)
        with self._lock, self._hands.one_writer(name) as file:
            _keep(file, self._decoded(file), unseen_s)

    def _decoded(self, file: Path) -> _DecodedFile:
        """A hand's present file, without a last line that a power cut has torn."""
        content = file.read_bytes()
        size = content.rfind(b"\n") + 1
        if self._last is None or (self._last.name, self._last.size) != (file.stem, size):
            try:
                hand, alone, given = decode_signals(content[:size].splitlines(keepends=True), partial(_LOG.warning, "%s: %s", file))
            except DocumentError as problem:
                raise AnswerRefusedError(f"{file} cannot be decoded: {problem}") from None
            self._last = _DecodedFile(file.stem, size, hand, alone, given, alone.with_answers(given))
        return self._last

    def _unseen_s(self, name: str) -> float:
        """How long the mat was not seen, which only the hand's document knows."""
        document = self._hands.content(name, DOCUMENT)
        try:
            return msgspec.json.decode(document or b"", type=_KeptTime).unseen_s
        except (msgspec.DecodeError, ValueError):
            raise AnswerRefusedError(f"there is no recorded hand {name} with a record") from None


def _keep(file: Path, last: _DecodedFile, unseen_s: float) -> None:
    keep_document(file, decoded_document(last.hand, last.now) | {"unseen_s": unseen_s})


def _append(file: Path, size: int, line: bytes) -> int:
    """Write a line after the first ``size`` bytes, or nothing; return the new size."""
    with file.open("r+b", buffering=0) as kept:  # a buffer would write what a full disk has left in it before it cuts the file off
        kept.truncate(size)
        try:
            kept.seek(size)
            left = line
            while left:
                left = left[kept.write(left) :]
            os.fsync(kept.fileno())
        except OSError:
            kept.truncate(size)
            raise
    return size + len(line)
