"""What ``twinwall record --keep FOLDER`` keeps: the observations as they come, so that a second run goes on, a file of each hand that
``twinwall record decode`` takes, and pictures of what is in doubt.
"""

import errno
import os
from collections.abc import Iterable, Iterator
from io import FileIO
from pathlib import Path
from typing import IO, Self

import msgspec

from cli.usage import PRIVATE, UsageError, write_file, wrong_use
from controller.recorder.decoded_document import decoded_document
from controller.recorder.hand_answers import DecodedHand, GivenAnswer
from controller.recorder.observation_file import ObservedHand, answers, line_of, signals
from twinwall.game.documents import DocumentError
from twinwall.game.typed_json import plain, read_document
from twinwall.values import Shape
from vision.mat_observation import MatObservation

LONGEST_LINE = 2**20
"""Bytes; a longer line is no observation, and is not read as a whole."""

LOG = "observations.jsonl"


class WatchedSource(Shape, tag_field="format", tag="twinwall-watched-1"):
    """The first line of what is kept: which source the observations after it are of."""

    source: str


class RecordingFolder:
    """The folder, or nothing where nothing is to be kept."""

    def __init__(self, folder: Path | None, source: str) -> None:
        """Raises UsageError for a folder that holds the recording of another source, or that cannot be written."""
        self.folder = folder
        self._file: FileIO | None = None
        if folder is None:
            return
        path, watched = folder / LOG, WatchedSource(source)
        try:
            folder.mkdir(exist_ok=True)
            with path.open("a+b") as file:
                _cut_torn_line(file)
                file.seek(0)
                first = file.readline()
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise UsageError(f"{folder} cannot be written: {error.strerror}") from None
        if not first:
            self._write(msgspec.json.encode(watched))
        elif read_document(first, WatchedSource, f"line 1 of {path}") != watched:
            self.close()
            raise UsageError(f"{folder} holds the recording of another video or camera: name another folder with --keep")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing more is kept."""
        if self._file is not None:
            self._file.close()

    def before(self) -> Iterator[MatObservation]:
        """The observations of earlier runs."""
        if self.folder is None:
            return
        with (self.folder / LOG).open("rb") as file:
            file.readline()
            with wrong_use(f"{self.folder}/{LOG}", DocumentError):
                yield from (each for each in signals(file) if isinstance(each, MatObservation))

    def add(self, observation: MatObservation) -> None:
        """Keep one more observation; raises UsageError where the disk is full."""
        self._write(line_of(observation))

    def hand(self, number: int, hand: ObservedHand, observations: Iterable[MatObservation]) -> tuple[GivenAnswer, ...]:
        """Keep the observation file of a hand, with the answers that it had before; these."""
        given = () if self.folder is None else _given(self.folder / f"hand-{number}.jsonl")
        lines = (msgspec.json.encode(plain(hand)), *map(line_of, observations), *map(msgspec.json.encode, given))
        self.write(f"hand-{number}.jsonl", b"".join(line + b"\n" for line in lines))
        return given

    def decoded(self, number: int, hand: ObservedHand, decoded: DecodedHand) -> None:
        """Keep what the decoder made of a hand; its questions are answered from there."""
        self.write(f"hand-{number}.json", msgspec.json.encode(decoded_document(hand, decoded) | {"unseen_s": 0.0}))

    def write(self, name: str, content: bytes) -> None:
        """Keep a file, whole."""
        if self.folder is not None:
            write_file(self.folder / name, content, PRIVATE, force=True)

    def _write(self, line: bytes) -> None:
        if self._file is None:
            return
        try:
            if self._file.write(line + b"\n") <= len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise UsageError(
                f"{self.folder}/{LOG} cannot be written ({error.strerror}): make room and start again, which goes on from here"
            ) from None


def _given(file: Path) -> tuple[GivenAnswer, ...]:
    """The answers in the observation file of a hand, which may not be there."""
    try:
        with file.open("rb") as lines:
            lines.readline()
            return answers(lines)
    except FileNotFoundError:
        return ()
    except DocumentError as error:
        raise UsageError(f"{file}: {error}; move it away and start again") from None


def question_pictures(hand: int | str, x_mm: float, y_mm: float, before_ms: int) -> tuple[str, str]:
    """The names of the pictures from before and after of a question of a hand, by its place and time: with answers it may get another
    number."""
    name = f"question-{hand}-{before_ms}ms-{x_mm:.1f}x{y_mm:.1f}"
    return f"{name}-before.jpg", f"{name}-after.jpg"


def _cut_torn_line(file: IO[bytes]) -> None:
    """Take away a last line without an end, as a power cut or a full disk leaves it."""
    size = file.seek(0, 2)
    begin = max(0, size - LONGEST_LINE)
    file.seek(begin)
    file.truncate(begin + file.read().rfind(b"\n") + 1)
