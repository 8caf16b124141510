"""``twinwall record decode``: decodes what camera, gates and keys reported of a hand into its hand record, and says why. ``--keep FOLDER``
keeps the observations as they come, so that a second run goes on, a file of each hand that ``twinwall record decode`` takes, and pictures
of what is in doubt."""

import errno
import json
import math
import os
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from cli.usage import JSON, PRIVATE, UsageError, argument, takes, tell, write_file, wrong_use
from controller.recorder.decoder import HandDecoder
from controller.recorder.hand_answers import AnswerRefusedError, DecodedHand, GivenAnswer, question_about
from controller.recorder.observation_file import ObservedHand, answers, decode_signals, decoded_document, line_of, signals
from controller.recorder.signals import Decoded, MarginBound, Question
from controller.recorder.tracks import Track
from controller.recorder.violations import PathViolation
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import ClaimsPassed, HandEnded, PlayEvent, TileDrawn, WinDeclared, WinRefused
from twinwall.game.play_json import to_text
from twinwall.game.tiles import SEATS, place_of
from twinwall.game.typed_json import plain, read_document
from twinwall.values import Shape
from vision.cameras.file_camera import picture_in
from vision.cameras.port import encode_picture
from vision.mat_observation import MatObservation

LONGEST_LINE = 2**20
"""Bytes; a longer line is no observation, and is not read as a whole."""

LOG = "observations.jsonl"
_FRAMES = "frames"


class WatchedSource(Shape, tag_field="format", tag="twinwall-watched-1"):
    """The first line of what is kept: the source of the observations after it, and the digest of its first picture (none of a camera)."""

    source: str
    picture: str = ""


class RecordingFolder:
    """The folder, or nothing where nothing is to be kept."""

    def __init__(self, folder: Path | None, source: str, picture: str = "") -> None:
        """``picture`` is the digest of the source's first picture. Raises UsageError for a folder that holds the recording of another
        source, or that cannot be written."""
        self.folder = folder
        self._file: FileIO | None = None
        if folder is None:
            return
        path, watched = folder / LOG, WatchedSource(source, picture)
        try:
            folder.mkdir(exist_ok=True)
            self._file = file = path.open("a+b", buffering=0)
            flock(file, LOCK_EX | LOCK_NB)
            _cut_torn_line(file)
            file.seek(0)
            first = file.readline()
        except OSError as error:
            self.close()
            raise UsageError(
                f"another twinwall record writes to {folder}: end it, or name another folder with --keep"
                if isinstance(error, BlockingIOError)
                else f"{folder} cannot be written ({error.strerror}): name with --keep a folder in one that is there and yours"
            ) from None
        if not first:
            self._write(msgspec.json.encode(watched))
            return
        begun = read_document(first, WatchedSource, f"line 1 of {path}")
        if begun not in (watched, WatchedSource(source)):  # without a picture: kept by an earlier version
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

    def add_frame(self, at_ms: int, image: NDArray[np.uint8]) -> None:
        """Keep a picture of a camera, which shows it once, until its hand is decoded; raises UsageError where the disk is full."""
        if self.folder is None:
            return
        try:
            (self.folder / _FRAMES).mkdir(exist_ok=True)
            (self.folder / _FRAMES / f"{at_ms:09}.jpg").write_bytes(encode_picture(image, quality=80))
        except OSError as error:
            raise self._unwritable(_FRAMES, error) from None

    def frames_at(self, moments_ms: Iterable[int]) -> dict[int, NDArray[np.uint8]]:
        """The picture that was kept at each moment, or the first one after it."""
        frames = self._frames()
        found = {at_ms: next((frame for of_ms, frame in frames if of_ms >= at_ms), None) for at_ms in moments_ms}
        return {at_ms: image for at_ms, frame in found.items() if frame is not None and (image := picture_in(frame)) is not None}

    def drop_frames(self, until_ms: float = math.inf) -> None:
        """Delete the pictures of a time whose hands are decoded."""
        for at_ms, frame in self._frames():
            if at_ms <= until_ms:
                frame.unlink(missing_ok=True)

    def _frames(self) -> list[tuple[int, Path]]:
        return [] if self.folder is None else sorted((int(frame.stem), frame) for frame in (self.folder / _FRAMES).glob("*.jpg"))

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
            raise self._unwritable(LOG, error) from None

    def _unwritable(self, name: str, error: OSError) -> UsageError:
        return UsageError(f"{self.folder}/{name} cannot be written ({error.strerror}): make room and start again, which goes on from here")


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


def _cut_torn_line(file: FileIO) -> None:
    """Take away a last line without an end, as a power cut or a full disk leaves it."""
    size = file.seek(0, 2)
    begin = max(0, size - LONGEST_LINE)
    file.seek(begin)
    file.truncate(begin + file.read().rfind(b"\n") + 1)


_KINDS_SHOWN = 3
_MOST_DIGITS = 9
"""Most digits of an event's number: Python refuses to read a number of thousands of digits."""


@takes(
    argument("observations", "an observation file (twinwall-observations-1)", type=Path, nargs="?", metavar="FILE"),
    argument("--explain", "say why the event of this number is in the record of a file", nargs=2, metavar=("FILE", "SEQ")),
    argument(
        "--answer",
        "say what the event in doubt of this number is: a tile such as 5m, yes, no or unknown; may be given several times",
        action="append",
        default=[],
        metavar="NUMBER=SAID",
    ),
    JSON,
)
def decode(arguments: Namespace) -> bool:
    """0 when the hand is recorded to its end without a question, 1 when somebody must be asked."""
    observations, number = _wanted(arguments)
    try:
        with observations.open("rb") as file:
            hand, decoded = _answered(iter(partial(file.readline, LONGEST_LINE), b""), arguments.answer)
    except OSError as error:
        raise UsageError(f"{observations} cannot be read: {error.strerror}") from None
    except DocumentError as error:
        raise UsageError(f"{observations}: {error}") from None
    decoder, events, document = decoded.decoder, decoded.events, decoded_document(hand, decoded)
    if number is not None:
        print(explained(hand, decoder, events, number))
    elif arguments.json:
        print(json.dumps(document, ensure_ascii=False))
    else:
        print(json.dumps(document["record"], ensure_ascii=False))
        for found in decoder.reported_violations.values():
            tell(_violation_words(found.violation))
        for event in (event for event in events if event.left_open):
            tell(f"event {event.number} is left open: {' or '.join(map(_event, (event.event, *event.left_open)))}")
        for question in decoded.open:
            tell(question_words(question))
        if not decoder.complete:
            tell("the observations end before the hand does")
    return decoder.complete and not decoded.open


def _wanted(arguments: Namespace) -> tuple[Path, int | None]:
    """The observation file, and the number of the event to explain, if one is asked for."""
    if (arguments.observations is None) is (arguments.explain is None):
        raise UsageError("name one observation file: twinwall record decode FILE, or twinwall record decode --explain FILE SEQ")
    if arguments.explain is None:
        return arguments.observations, None
    if arguments.json:
        raise UsageError("--explain prints sentences and --json a document of the whole hand: give one of them")
    file, number = arguments.explain
    if not _is_number(number):
        raise UsageError(f"--explain {file} {number}: give the number of an event after the file, such as 12")
    return Path(file), int(number)


def _is_number(said: str) -> bool:
    return len(said) <= _MOST_DIGITS and said.isascii() and said.isdigit()


def _answered(lines: Iterable[bytes], answers: Sequence[str]) -> tuple[ObservedHand, DecodedHand]:
    """The hand of a file by its own answers, and then by those given here."""
    hand, alone, given = decode_signals(lines, tell)
    decoded = alone.with_answers(given)
    for each in answers:
        number, equals, said = each.partition("=")
        if not (equals and _is_number(number)):
            raise UsageError(f"--answer {each}: say the number of an event and what it is, such as 12=5m")
        with wrong_use(f"--answer {each}", AnswerRefusedError):
            asked = question_about(decoded, int(number))
            answer = GivenAnswer(asked.number, asked.about, said, "", "").placed(asked)
            decoded = alone.answered(given, answer)
        given = (*given, answer)
    return hand, decoded


def _violation_words(violation: PathViolation) -> str:
    return f"violation at {violation.at_ms} ms: {violation.kind} by {violation.seat.value}, though {violation.rule}"


def question_words(question: Question) -> str:
    """What is asked, and what the camera alone thinks."""
    if question.violation is not None:
        return f"in doubt (margin {question.margin}): was there a {_violation_words(question.violation)}?"
    kinds = f"; by the camera alone {' '.join(kind.text for kind in question.kinds[:_KINDS_SHOWN])}" if question.kinds else ""
    return f"event {question.number} is in doubt (margin {question.margin}): {_event(question.paths[0])}{kinds}"


def _event(event: PlayEvent | None) -> str:
    return to_text(event, "another course of play")


def explained(hand: ObservedHand, decoder: HandDecoder, events: Sequence[Decoded], number: int) -> str:
    """Why an event was believed: its time, what bounds its margin, its parts, and the tiles, draw, keys and rule that tell of it."""
    event = next((event for event in events if event.number == number), None)
    if event is None:
        raise UsageError(f"there is no event {number}: the record has {len(events)}")
    lines = [f"event {number} at {event.grounds.at_ms} ms: {_event(event.event)}"]
    lines += [f"margin {event.margin} nats", f"what sets the margin: {event.bound.value}"]
    if event.rival is not None or event.bound is MarginBound.RIVAL:
        lines.append(f"the nearest other path holds: {_event(event.rival)}")
    lines += [f"  {name}: {cost} nats" for name, cost in event.grounds.costs]
    lines += [_track_words(decoder.tracks[track]) for track in event.grounds.tracks]
    lines += _reported_words(hand, event)
    lines += _rule_words(hand, events, event)
    return "\n".join(lines)


def _reported_words(hand: ObservedHand, event: Decoded) -> Iterator[str]:
    seats = {place_of(seat, hand.hand): seat.value for seat in SEATS}
    edge = event.grounds.edge
    if edge is not None:
        yield f"  a draw sensed at {edge.at_ms} ms, at the gate of place {edge.place} ({seats[edge.place]})"
    for key in event.grounds.keys:
        yield f"  the key {key.key.value} of place {key.place} ({seats[key.place]}), pressed at {key.at_ms} ms"


def _rule_words(hand: ObservedHand, events: Sequence[Decoded], event: Decoded) -> Iterator[str]:
    """The rule, or what follows, that bounds an event which neither a tile nor a draw nor a key tells of."""
    following = next((after for after in events if after.number == event.number + 1), None)
    match event.event:
        case ClaimsPassed() if following is not None:
            then = f"event {following.number} at {following.grounds.at_ms} ms"
            yield f"  by the rules no seat may claim after {then}: {_event(following.event)}"
            yield from _reported_words(hand, following)
        case ClaimsPassed():
            yield "  by the rules no seat may claim any more: the observations end here"
        case TileDrawn() if event.grounds.edge is None and following is not None:
            yield f"  no gate reported it: by the rules event {following.number} follows a draw alone: {_event(following.event)}"
        case WinDeclared() if not (event.grounds.keys or event.grounds.tracks):
            yield "  no key was pressed" + ("" if following is None else f"; what follows is {_event(following.event)}")
        case WinRefused(_, reason):
            yield f"  by the rules the hand that was shown does not win: {reason}"
        case HandEnded():
            yield f"  by the rules the hand is over after event {event.number - 1}"


def _track_words(track: Track) -> str:
    evidence = track.evidence
    kinds = ", ".join(f"{kind.text} {evidence.logs[kind]:.1f}" for kind in evidence.by_camera()[:_KINDS_SHOWN])
    gone = "still lies" if track.gone_ms is None else f"gone at {track.gone_ms} ms"
    where = f"({track.x_mm:.0f}, {track.y_mm:.0f}) mm"
    return f"  a tile at {where}, seen first at {track.appeared_ms} ms, {gone}; {evidence.frames} looks, {evidence.sure} sure: {kinds}"
