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
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cli.tiles.cameras import open_gate_camera
from cli.usage import PRIVATE, UsageError, tell, write_file
from config import load
from controller.collecting import Collecting, CollectingStage, Message, PictureTaken, step
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


def collected(settings: TableSettings, camera: Camera, reader: GateReader, back: int, wanted: int) -> list[LabelledCrop]:
    """Feed one set past the gate; its pictures, in the order in which its tiles came. Raises UsageError with what to do where it does not
    come to its end."""
    pictures: list[LabelledCrop] = []
    posted: queue.SimpleQueue[FeederEvent] = queue.SimpleQueue()
    feeder = FeederConnection(settings.feeder.port, settings.feeder.baud_rate, posted.put)

    def look() -> PictureTaken:
        try:
            image = camera.frame_after(time.monotonic_ns()).image
        except CameraLostError as lost:
            return PictureTaken(found=False, why=str(lost))
        corners = reader.find(image)
        if isinstance(corners, ReadRefusal):
            return PictureTaken(found=False, why=corners.detail)
        pictures.append(LabelledCrop(f"tile {len(pictures) + 1}", None, cut_large(image, corners)))
        _progress(len(pictures), wanted)
        return PictureTaken(found=True)

    feeder.start()
    try:
        state = Collecting(back, wanted)
        while state.stage not in {CollectingStage.ENDED, CollectingStage.FAILED}:
            waiting = [_next(posted)]
            while waiting:  # a message and all that follows from it at once
                state, actions = step(state, waiting.pop(0), time.monotonic())
                for action in actions:
                    match action:
                        case OperationRequest():
                            feeder.submit(action)
                        case "status":
                            feeder.request_status()
                        case "picture":
                            waiting.append(look())
    finally:
        feeder.stop()
    if state.stage is CollectingStage.FAILED:
        raise UsageError(state.sentence)
    return pictures


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
        pictures = collected(settings, camera, GateReader(classifier), of_set.back, COPIES * len(wanted))
    gathered = name_pictures(pictures, wanted, classifier, _on_page if arguments.page else partial(settle, ask=input, say=print))
    if arguments.keep is not None:
        _keep(arguments.keep, gathered[0])
    return SetName(arguments.name or of_set.name, of_set.back, today), gathered


def _on_page(questions: Doubtful) -> list[Tile | None]:
    from dashboard.enrolment_page import TileQuestion, create_enrolment  # noqa: PLC0415  # Flask, where a page is wanted
    from twinwall.web.loopback_server import HttpServer  # noqa: PLC0415

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
