"""``twinwall tiles enrol --table``: a set's pictures from the table's own gate, named by the reader and, where it doubts, by a person.

``controller.collecting`` feeds the whole set past the gate; the pictures stay in this process's memory. A person settles doubtful tiles
on a page, or in the terminal, where each is drawn in coloured half blocks.
"""

import queue
import secrets
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cli.tiles.cameras import open_gate_camera
from cli.usage import PRIVATE, UsageError, tell, write_file
from config import load
from controller.collecting import Action, Collecting, CollectingStage, Message, PictureTaken, step
from controller.settings import TableSettings
from firmware_bridge.feeder_connection import FeederConnection
from firmware_bridge.link.events import FeederEvent, OperationRequest
from twinwall.game.tiles import COPIES, NotationError, Tile, parse_tile
from vision.cameras.pictures import encode_picture
from vision.cameras.port import Camera, CameraLostError, use_one_thread
from vision.enrol.crop_folders import LabelledCrop
from vision.enrol.enrol import Doubtful, Gathered, SetName, name_pictures
from vision.gate.gate_reader import GateReader
from vision.gate.rectify import cut_large
from vision.model.classifier import Classifier
from vision.model.crop_view import fit_crop
from vision.reading import ReadRefusal

_TICK_S = 0.25


@dataclass(slots=True)
class Collector:
    """Pictures of the tiles of one set, in the order in which they came to the gate."""

    camera: Camera
    reader: GateReader
    report: Callable[[int], None]
    pictures: list[LabelledCrop] = field(default_factory=list)

    def collect(self, port: str, baud_rate: int, back: int, wanted: int) -> None:
        """Feed the set once; raises UsageError with what to do when it does not come to its end."""
        posted: queue.SimpleQueue[FeederEvent] = queue.SimpleQueue()
        feeder = FeederConnection(port, baud_rate, posted.put)
        feeder.start()
        try:
            state = Collecting(back, wanted)
            while state.stage not in {CollectingStage.ENDED, CollectingStage.FAILED}:
                state = self._round(state, _next(posted), feeder)
        finally:
            feeder.stop()
        if state.stage is CollectingStage.FAILED:
            raise UsageError(state.sentence)

    def _round(self, state: Collecting, message: Message, feeder: FeederConnection) -> Collecting:
        waiting = [message]
        while waiting:
            state, actions = step(state, waiting.pop(0), time.monotonic())
            waiting.extend(answer for action in actions if (answer := self._do(action, feeder)) is not None)
        return state

    def _do(self, action: Action, feeder: FeederConnection) -> Message | None:
        match action:
            case OperationRequest():
                feeder.submit(action)
            case "status":
                feeder.request_status()
            case "picture":
                return self._look()
        return None

    def _look(self) -> PictureTaken:
        try:
            image = self.camera.frame_after(time.monotonic_ns()).image
        except CameraLostError as lost:
            return PictureTaken(found=False, why=str(lost))
        corners = self.reader.find(image)
        if isinstance(corners, ReadRefusal):
            return PictureTaken(found=False, why=corners.detail)
        self._keep(cut_large(image, corners))
        return PictureTaken(found=True)

    def _keep(self, picture: NDArray[np.uint8]) -> None:
        self.pictures.append(LabelledCrop(f"tile {len(self.pictures) + 1}", None, picture))
        self.report(len(self.pictures))


def _next(posted: queue.SimpleQueue[FeederEvent]) -> Message:
    try:
        return posted.get(timeout=_TICK_S)
    except queue.Empty:
        return None


_STEP = 2
"""Each block of this many pixels of a crop make one coloured half block: 24 columns, 16 lines."""
_LEFT_OUT = frozenset({"", "-"})


def settle(questions: Doubtful, ask: Callable[[str], str], say: Callable[[str], None]) -> list[Tile | None]:
    """Each picture's kind as the person answers, None to leave it out; the end of the input leaves out all that remain."""
    answers: list[Tile | None] = []
    for number, (picture, proposal) in enumerate(questions, 1):
        say(half_blocks(picture.image))
        kinds = [candidate.tile for candidate in proposal.candidates]
        choices = ", ".join(f"{place} = {tile.text}" for place, tile in enumerate(kinds, 1))
        question = f"{number} of {len(questions)}, {picture.name}: {choices}, a kind such as 6p, or - to leave it out: "
        try:
            answers.append(_answer(question, kinds, ask, say))
        except EOFError:
            return [*answers, *[None] * (len(questions) - len(answers))]
    return answers


def half_blocks(image: NDArray[np.uint8]) -> str:
    """A picture tight to a tile as lines of coloured half blocks for a terminal of 24-bit colour."""
    small = fit_crop(image)[::_STEP, ::_STEP, ::-1]
    lines = []
    for upper, lower in zip(small[::2], small[1::2], strict=True):
        cells = (f"\x1b[38;2;{a[0]};{a[1]};{a[2]};48;2;{b[0]};{b[1]};{b[2]}m▀" for a, b in zip(upper, lower, strict=True))
        lines.append("".join(cells) + "\x1b[0m")
    return "\n".join(lines)


def _answer(question: str, kinds: Sequence[Tile], ask: Callable[[str], str], say: Callable[[str], None]) -> Tile | None:
    while True:
        text = ask(question).strip()
        if text in _LEFT_OUT:
            return None
        if text.isdecimal() and 1 <= int(text) <= len(kinds):
            return kinds[int(text) - 1]
        try:
            return parse_tile(text)
        except NotationError:
            say(f"{text!r} is none of these, nor a kind")


_LAST_PAGE_S = 1.0
"""Seconds for which the page is still served after the last answer, for its closing message."""


def from_table(arguments: Namespace, kinds: Iterable[Tile], classifier: Classifier, today: date) -> tuple[SetName, Gathered]:
    """Feed the set that ``--set`` names once; raises UsageError when feeder or camera do not let it come to its end."""
    settings = load(arguments.table, TableSettings)
    of_set = settings.sets.second if arguments.set == "second" else settings.sets.first
    wanted = tuple(kinds)
    use_one_thread()
    with closing(open_gate_camera(settings.camera)) as camera:
        collector = Collector(camera, GateReader(classifier), lambda count: _progress(count, COPIES * len(wanted)))
        collector.collect(settings.feeder.port, settings.feeder.baud_rate, of_set.back, COPIES * len(wanted))
    gathered = name_pictures(collector.pictures, wanted, classifier, _on_page if arguments.page else partial(settle, ask=input, say=print))
    if arguments.keep is not None:
        _keep(arguments.keep, gathered[0])
    return SetName(arguments.name or of_set.name, of_set.back, today), gathered


def _on_page(questions: Doubtful) -> list[Tile | None]:
    from dashboard.enrolment_page import TileQuestion, create_enrolment  # noqa: PLC0415  # Flask, where a page is wanted
    from twinwall.web.http_server import HttpServer  # noqa: PLC0415

    if not questions:
        return []
    asked = [
        TileQuestion(picture.name, encode_picture(picture.image, ".png"), tuple(candidate.tile for candidate in proposal.candidates))
        for picture, proposal in questions
    ]
    answers: queue.SimpleQueue[Tile | None] = queue.SimpleQueue()
    secret = secrets.token_urlsafe(12)
    server = HttpServer(create_enrolment(asked, answers.put, secret), 0)
    server.start()
    tell(f"{len(questions)} tiles are doubtful: open {server.url}/{secret}/ in a browser of this machine")
    given = [answers.get() for _ in questions]
    time.sleep(_LAST_PAGE_S)
    server.stop()
    return given


def _keep(folder: Path, samples: Sequence[LabelledCrop]) -> None:
    for sample in samples:
        if sample.tile is not None:
            target = folder / sample.tile.text
            target.mkdir(parents=True, exist_ok=True)
            write_file(target / f"{sample.name.replace(' ', '-')}.png", encode_picture(sample.image, ".png"), PRIVATE, force=True)


def _progress(count: int, wanted: int) -> None:
    print(f"\r{count} of {wanted} tiles", end="\n" if count == wanted else "", file=sys.stderr, flush=True)
