"""``twinwall tiles enrol``: makes the profile of one tile set, from pictures in folders or from the table's own gate. Folders named as
kinds label their pictures. Pictures without labels, and those of a gate, are named by the model, by likeness and by the count of four; at a
gate a person is asked about the doubtful ones. ``twinwall tiles enrol --table``: a set's pictures from the table's own gate, named by the
reader and, where it doubts, by a person. ``controller.collecting`` feeds the whole set past the gate; the pictures stay in this process's
memory. A person settles doubtful tiles on a page, or in the terminal, where each is drawn in coloured half blocks."""

import json
import queue
import secrets
import sys
import time
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cli.tiles.cameras import open_gate_camera
from cli.usage import JSON, PRIVATE, PUBLISHED, UsageError, argument, new_file, one_of, refuse_no_file, takes, tell, write_file
from config import load
from controller.collecting import Collecting, CollectingStage, Message, PictureTaken, step
from controller.settings import TableSettings
from firmware_bridge.feeder_connection import FeederConnection
from firmware_bridge.link.events import FeederEvent, OperationRequest
from twinwall.game.tiles import ALL_TILES, COPIES, NotationError, Tile, TileRow, parse_tile, parse_tiles
from vision.cameras.port import Camera, CameraLostError, encode_picture, use_one_thread
from vision.enrol.enrol import Doubtful, Enrolment, Gathered, SetName, enrol, enrol_again, gather, has_kinds, name_pictures
from vision.enrol.evaluate import LabelledCrop, remarks
from vision.enrol.examples import Doubt
from vision.gate.rectify import cut_large, find_tile
from vision.model.classifier import Classifier
from vision.model.crop_view import fit_crop
from vision.model.profile import load_profile
from vision.reading import ReadRefusal

_TICK_S = 0.25


def collected(settings: TableSettings, camera: Camera, back: int, wanted: int) -> list[LabelledCrop]:
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
        corners = find_tile(image)
        if isinstance(corners, ReadRefusal):
            return PictureTaken(found=False, why=corners.detail)
        pictures.append(LabelledCrop(f"tile {len(pictures) + 1}", None, cut_large(image, corners)))
        end = "\n" if len(pictures) == wanted else ""
        print(f"\r{len(pictures)} of {wanted} tiles", end=end, file=sys.stderr, flush=True)
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
        pictures = collected(settings, camera, of_set.back, COPIES * len(wanted))
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


_SEED = 1
"""Seed of the enrolment: the same pictures give the same profile."""
_MOST_BACK = 255

_HELP = """Make the profile of a tile set from pictures of its tiles: FOLDER/<kind>/*.jpg, crops tight to a tile, one or more of
each kind; a folder whose name is no kind holds what is no tile of the set (flowers, backs). Pictures in FOLDER itself, crops or
gate frames, are named by the reader, at most four of a kind. An example that is doubtful is left out and named on standard error.
Exit 1 when a kind has no example left; no profile is written then."""


def _kinds(text: str) -> TileRow:
    try:
        tiles = parse_tiles(text)
    except NotationError as error:
        raise ArgumentTypeError(str(error)) from None
    if not tiles:
        raise ArgumentTypeError('no kinds: write them as in "123456789m EE"')
    return tuple(sorted(set(tiles)))


def _back(text: str) -> int:
    if not text.isdecimal() or int(text) > _MOST_BACK:
        raise ArgumentTypeError(f"backs have numbers from 0 to {_MOST_BACK}, as in the table's settings, not {text!r}")
    return int(text)


@takes(
    one_of(
        argument("--from", "pictures of the set's tiles", dest="folder", type=Path, metavar="FOLDER"),
        argument("--table", "feed the set once past this table's gate camera", type=Path, metavar="SETTINGS"),
        required=True,
    ),
    argument("--set", "with --table: which of its two sets (default first)", choices=("first", "second")),
    argument("--keep", "with --table: keep the pictures, to enrol from again", type=Path, metavar="FOLDER"),
    argument("--page", "with --table: settle doubtful tiles in a browser, not in the terminal", action="store_true"),
    argument("--out", "the profile to write, or to replace", type=new_file, required=True, metavar="PROFILE"),
    argument("--kinds", 'the kinds that the set has, as in "123456789m"', type=_kinds, default=ALL_TILES, metavar="TILES"),
    argument("--only", "enrol these kinds again; PROFILE keeps its others and its limits", type=_kinds, metavar="TILES"),
    argument("--name", "what people call the set, as in the table's settings; the file's name if left out"),
    argument("--back", "the number by which the feeder tells the set's backs", type=_back, metavar="N"),
    argument("--model", "another model file than the committed one", type=Path, metavar="MODEL"),
    JSON,
    about=_HELP,
)
def run(arguments: Namespace) -> bool:
    """0 when a profile was written, 1 when a kind has no example left."""
    if arguments.folder is not None and (arguments.page or arguments.keep or arguments.set):
        raise UsageError("--set, --keep and --page go with --table: there are no questions about the pictures of --from")
    refuse_no_file(arguments.out)
    rng = np.random.default_rng(_SEED)
    try:
        classifier = Classifier(arguments.model) if arguments.model else Classifier()
        before = load_profile(arguments.out, classifier.digest, name=arguments.name, back=arguments.back) if arguments.only else None
        called, (samples, left_out) = _gathered(arguments, classifier)
        enrolment = (
            enrol(classifier, samples, arguments.kinds, called, rng)
            if before is None
            else enrol_again(classifier, before, samples, arguments.only, rng)
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    return finish(arguments.out, enrolment, (*left_out, *enrolment.left_out), as_json=arguments.json)


def _gathered(arguments: Namespace, classifier: Classifier) -> tuple[SetName, Gathered]:
    kinds, today = arguments.only or arguments.kinds, datetime.now(UTC).date()
    if arguments.folder is not None:
        for remark in remarks(arguments.folder) if has_kinds(arguments.folder) else ():
            tell(f"note: {remark}")
        return SetName(arguments.name or arguments.out.stem, arguments.back, today), gather(arguments.folder, kinds, classifier)

    return from_table(arguments, kinds, classifier, today)


def finish(out: Path, enrolment: Enrolment, left_out: Sequence[Doubt], *, as_json: bool) -> bool:
    """Name what was left out, write the profile where there is one, and say what it holds."""
    for doubt in left_out:
        tell(f"left out: {_in_words(doubt)}")
    profile = enrolment.profile
    if profile is not None:
        write_file(out, profile.to_bytes(), PUBLISHED, force=True)
    else:
        missing = " ".join(tile.text for tile in enrolment.missing)
        tell(f"no example is left of {missing}: add pictures, or say with --kinds which kinds the set has")
    if as_json:
        print(json.dumps(_as_json(out, enrolment, left_out), ensure_ascii=False))
    elif profile is not None:
        examples = sum(len(kind.examples) for kind in profile.kinds.values())
        print(f"{out}: the set {profile.name!r}, {len(profile.kinds)} kinds, {examples} examples")
    return profile is not None


def _in_words(doubt: Doubt) -> str:
    said = f" (said to be {doubt.tile.text})" if doubt.tile is not None else ""
    likely = f"; likely {doubt.likely.text}" if doubt.likely is not None else ""
    return f"{doubt.name}{said}: {doubt.why}{likely}"


def _as_json(out: Path, enrolment: Enrolment, left_out: Sequence[Doubt]) -> dict[str, object]:
    profile = enrolment.profile
    written: dict[str, object] = {"profile": None}
    if profile is not None:
        limits = profile.limits
        written = {
            "profile": str(out),
            "set": profile.name,
            "back": profile.back,
            "digest": profile.digest,
            "model": profile.model,
            "examples": {tile.text: len(profile.kinds[tile].examples) for tile in sorted(profile.kinds)},
            "limits": {"likeness": limits.likeness, "margin": limits.margin},
        }
    return {
        **written,
        "left_out": [
            {"name": doubt.name, "said": _text(doubt.tile), "likely": _text(doubt.likely), "why": doubt.why} for doubt in left_out
        ],
        "missing": [tile.text for tile in enrolment.missing],
    }


def _text(tile: Tile | None) -> str | None:
    return None if tile is None else tile.text
