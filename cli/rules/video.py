"""``twinwall record SOURCE``: records the hands of a video, a folder of frames or a camera over any table, without a mat or a hall. Which
seats drew what a camera cannot know: the record leaves concealed draws open."""

import re
import time
from argparse import ArgumentTypeError, Namespace
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from functools import partial
from hashlib import sha256
from math import isfinite
from os.path import realpath
from pathlib import Path
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from cli.record_files import records_file
from cli.rules.record import LOG, RecordingFolder, question_pictures, question_words
from cli.usage import FORCE, PUBLISHED, UsageError, argument, new_file, refuse_existing, refuse_no_file, takes, tell, write_file
from controller.recorder.hand_answers import DecodedHand
from controller.recorder.observation_file import ObservedHand, ordinary_hand, rounded
from controller.recorder.video_hands import VideoHand, hand_number, parted
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen
from twinwall.wire.durable_file import in_turn
from vision.anytable.beginning import FIRST_EVERY_MS, NoTableError, found_table, learn
from vision.anytable.drawing import drawn_place, drawn_reading
from vision.anytable.plane import TablePlane, plane_of_corners
from vision.anytable.sources import CameraSource, PictureSource, TimedFrame, pictures_at, source_of
from vision.anytable.watcher import TableWatcher
from vision.cameras.port import encode_picture, without_user
from vision.finder.found import Finder
from vision.finder.tile_finder import TileFinder
from vision.mat_observation import MatObservation
from vision.model.classifier import Classifier
from vision.model.judge import GeneralJudge, Judge, OverheadJudge, ProfileJudge
from vision.model.learning_judge import LearningJudge
from vision.model.profile import load_profile
from vision.table.lens import Points

_EAST = ("bottom", "right", "top", "left")
"""The sides of the picture, by place."""
_PROGRESS_EVERY_S = 5.0
_ONE_MOVE_MS, _HIDDEN_MS = 10_000, 2000
"""Moves of a camera with less time between them are one; a longer time without a picture of the table is said."""
_MANY_PRINTS = 8
_HELP = """Record the hands of a video file, a folder of frames or a camera (v4l2:0, picamera2:0, a phone's stream at rtsp://… or http://…)
over any table. twinwall record SOURCE is the same. The table is found by its tiles; Ctrl-C ends a recording, and what was seen until then
is decoded."""


def _tile(said: str) -> tuple[float, float]:
    width, cross, height = said.partition("x")
    size = (float(width), float(height)) if cross else (26.0, 36.0 * float(width) / 26.0)
    if not all(10 <= side <= 100 for side in size):
        raise ArgumentTypeError(f"{said} is no tile: write its width and height in mm, 10 to 100, such as 26x36")
    return size


def _corners(said: str) -> tuple[tuple[float, float], ...]:
    points = [tuple(map(float, point.split(","))) for point in said.split()]
    if len(points) != len(_EAST) or any(len(point) != 2 or not all(map(isfinite, point)) for point in points):
        raise ValueError
    return tuple((x, y) for x, y in points)


@takes(
    argument("source", "a video file, a folder of frames, or a camera such as v4l2:0 or rtsp://…"),
    argument("--rules", "the rule set that was played", required=True, metavar="NAME"),
    argument("--out", "the hand record, or the list of several; a picture beside it", type=new_file, metavar="FILE", required=True),
    argument(
        "--keep", "keep observations and pictures of doubts, for twinwall record answer; a second run goes on", type=Path, metavar="FOLDER"
    ),
    argument("--east", "the side of the picture where East sits (where the first discard came from)", choices=_EAST),
    argument("--round", "the round's wind (%(default)s)", choices=[seat.value for seat in SEATS], default="E"),
    argument("--corners", "the table's corners in px: upper left, then clockwise", type=_corners, metavar="'X,Y X,Y X,Y X,Y'"),
    argument("--table-mm", "side of the square table of --corners (%(default)s)", type=float, default=700.0, metavar="MM"),
    argument("--tile", "width and height of a tile in mm (26x36)", type=_tile, default=(26.0, 36.0), metavar="WxH"),
    argument("--every-ms", "time between two pictures that are looked at (%(default)s)", type=int, default=250, metavar="MS"),
    argument(
        "--profile",
        "auto (the default) learns the set on the way; or the profile of an enrolled set (twinwall tiles enrol)",
        default="auto",
    ),
    FORCE,
    about=_HELP,
)
def record(arguments: Namespace) -> bool:
    """0 when every hand is recorded to its end without a question, 1 when somebody must be asked, 2 when there is no hand."""
    try:
        source = source_of(arguments.source)
    except ValueError as error:
        also = "; an observation file is decoded by twinwall record decode" if Path(arguments.source).suffix in (".json", ".jsonl") else ""
        raise UsageError(f"{error}{also}") from None
    arguments.source = without_user(arguments.source)  # it is kept and printed
    with closing(source) if isinstance(source, CameraSource) else nullcontext():
        return recorded(arguments, source, TileFinder(), Classifier())


@frozen
class _Hand:
    observed: ObservedHand
    decoded: DecodedHand
    video: VideoHand

    def __str__(self) -> str:
        events, asked = self.decoded.events, {question.number for question in self.decoded.open}
        certain = sum(event.number not in asked and not event.left_open for event in events)
        return (
            f"hand {self.observed.n}: {len(events)} events, {certain} of them certain, {len(self.decoded.open)} questions, "
            f"{'to its end' if self.decoded.decoder.complete else 'but its end was not seen'}"
        )


def recorded(arguments: Namespace, source: PictureSource, finder: Finder, classifier: Classifier) -> bool:
    out: Path = arguments.out
    shown, keep = out.with_suffix(".jpg"), arguments.keep or out
    refuse_no_file(out)
    if shown == out:
        raise UsageError("--out must not end in .jpg: the picture gets that name")
    own = re.fullmatch(r"hand-\d+\.jsonl?|observations\.jsonl", out.name) and realpath(keep / out.name) == realpath(out)
    if own or realpath(arguments.source) in map(realpath, (out, shown, out.parent, keep)):
        raise UsageError(
            f"{out if own else arguments.source} would be written over: name another file with --out, or another folder with --keep"
        )
    if not arguments.force:
        refuse_existing([out, shown])
    rules = rule_set(arguments.rules)
    if arguments.every_ms < 1 or not 100 <= arguments.table_mm <= 3000:
        raise UsageError("--every-ms is at least 1, --table-mm 100 to 3000")
    judge = _judge(arguments, classifier)
    with RecordingFolder(arguments.keep, arguments.source, _first_picture(source) if arguments.keep else "") as kept:
        watch = _Watch(arguments, source, (finder, classifier, judge), kept)
        hands = _hands(arguments, watch, kept)
        if source.cut_short:
            tell(source.cut_short)
        content = records_file([hand.observed.record(hand.decoded.events) for hand in hands])
        try:
            if hands:
                write_file(out, content, PUBLISHED, force=arguments.force)
        except UsageError:  # nothing else may have it
            print(content.decode())
            raise
        shown = shown if hands else out.with_suffix(".no-hand.jpg")  # nothing else has this name: a second run needs no --force
        if watch.best is not None:
            write_file(shown, watch.best, PUBLISHED, force=True)
        if not hands:
            raise UsageError(f"no hand was played in {arguments.source}{f': {shown} shows what was read' if watch.best else ''}")
        if source.lasts_ms is None:
            kept.drop_frames()
        else:
            _keep_pictures(hands, watch, kept)
    for hand in hands:
        tell(str(hand))
        for event in hand.decoded.events:
            if event.left_open:
                tell(f"  event {event.number} is left open: no camera tells it")
        for question in hand.decoded.open:
            tell(f"  {question_words(question)}")
    if isinstance(judge, LearningJudge) and (unknown := sorted(set(rules.tiles) - set(judge.learnt))):
        tell(f"not learnt, as they were not seen or may be another kind: {' '.join(kind.text for kind in unknown)}")
    tell(
        f"{out} holds the record{f', {shown} shows what was read' if watch.best else ''}. Concealed draws are left open: no "
        "camera sees them"
    )
    tell(f"twinwall record replay {out} plays it by the rules")
    tell(
        "with --keep FOLDER its questions are answered in the browser, which shows its replay"
        if kept.folder is None
        else f"questions and replay in the browser: twinwall record answer {quote(str(kept.folder))} --out {quote(str(out))}"
    )
    return all(hand.decoded.decoder.complete and not hand.decoded.open for hand in hands)


def _first_picture(source: PictureSource) -> str:
    """The digest of a file's first picture: it tells two videos of one name apart, and stays when a file grows."""
    first = None if source.lasts_ms is None else next(source.frames(FIRST_EVERY_MS), None)
    return "" if first is None else sha256(first.image.tobytes()).hexdigest()


def _judge(arguments: Namespace, classifier: Classifier) -> Judge:
    general = GeneralJudge(classifier.limits)
    if arguments.profile == "auto":
        return LearningJudge(general)
    return OverheadJudge(ProfileJudge(load_profile(Path(arguments.profile), classifier.digest)), general)


class _Watch:
    """Watches a source from where earlier runs have ended, and says how far it is."""

    def __init__(
        self, arguments: Namespace, source: PictureSource, reading: tuple[Finder, Classifier, Judge], kept: RecordingFolder
    ) -> None:
        self.source, self.every_ms = source, arguments.every_ms
        self._arguments, self._kept = arguments, kept
        self._finder, self._classifier, self._judge = reading
        self.planes: list[tuple[int, TablePlane]] = []
        """The table's plane from a time on."""
        self.best: bytes | None = None
        """The picture on which most tiles were read, with what was read."""
        self._most = 0
        self._watcher: TableWatcher | None = None

    def outlines_mm(self) -> list[Points]:
        """The outlines of the faces that have been found since this was asked last."""
        return [] if self._watcher is None else self._watcher.outlines_mm()

    def observations(self) -> Iterator[MatObservation]:
        """Those of earlier runs and then of this one, until the source ends or somebody presses Ctrl-C."""
        last_ms = -1
        for observation in self._kept.before():
            last_ms = observation.at_ms
            yield observation
        if last_ms >= 0 and self.source.lasts_ms is None:
            tell(
                f"{self._arguments.keep} holds a recording of this camera, which is decoded; for a new one name another folder with --keep"
            )
            return
        plane = self._found()
        lasts_ms = self.source.lasts_ms  # a camera's pictures are seen once
        if isinstance(self._judge, LearningJudge) and lasts_ms is not None and last_ms < lasts_ms:
            try:
                plane = learn(self._learnt_from(), self.every_ms, self._finder, TableWatcher(plane, self._classifier, self._judge))
            except KeyboardInterrupt:
                raise UsageError("stopped while the faces of the set were learnt: nothing was recorded yet") from None
        watcher = self._watcher = TableWatcher(plane, self._classifier, self._judge, begun=last_ms >= 0)
        self.planes.append((-_ONE_MOVE_MS, watcher.plane))
        try:
            yield from self._watched(watcher, last_ms)
        except KeyboardInterrupt:
            tell("stopped: what was seen until now is decoded")

    def _learnt_from(self) -> Iterator[TimedFrame]:
        """The pictures from which the set is learnt, with how far that is."""
        said_s = time.monotonic()
        tell("learning the faces of the set")
        for frame in self.source.frames(self.every_ms):
            if time.monotonic() - said_s > _PROGRESS_EVERY_S:
                said_s = time.monotonic()
                tell(f"learning the faces of the set: {_clock(frame.at_ms)} of {_clock(self.source.lasts_ms or 0)}")
            yield frame

    def _watched(self, watcher: TableWatcher, last_ms: int) -> Iterator[MatObservation]:
        said_s, seen_ms = (began_s := time.monotonic()), last_ms
        for frame in self.source.frames(self.every_ms, last_ms + 1):
            shown = watcher.observe(frame.image, self._finder.look(frame.image), frame.at_ms)
            if self.planes[-1][1] is not watcher.plane:
                if frame.at_ms - self.planes[-1][0] >= _ONE_MOVE_MS:
                    tell(f"{_clock(frame.at_ms)}: the camera was moved; what was laid meanwhile is in doubt")
                self.planes.append((frame.at_ms, watcher.plane))
            if shown is None:
                continue
            if 0 <= seen_ms < frame.at_ms - self.every_ms - _HIDDEN_MS:
                tell(f"{_clock(seen_ms)} to {_clock(frame.at_ms)}: the table was not in sight; what was laid then is in doubt")
            observation, seen_ms = rounded(shown), frame.at_ms
            self._kept.add(observation)
            if self.source.lasts_ms is None:
                self._kept.add_frame(frame.at_ms, frame.image)
            if self.best is None and watcher.prints >= _MANY_PRINTS:
                tell(f"{watcher.prints} places of the bare table look like tiles: what is read here is wrong; lay a plain cloth on it")
            self._preview(frame.image, watcher, observation)
            if time.monotonic() - said_s > _PROGRESS_EVERY_S:
                said_s = time.monotonic()
                tell(self._progress(frame.at_ms, last_ms, said_s - began_s, len(observation.tiles)))
            yield observation

    def _found(self) -> TablePlane:
        """The table; raises UsageError, which names a page of what the camera saw, where its corners can be clicked."""
        arguments = self._arguments
        if arguments.corners is not None:
            return plane_of_corners(arguments.corners, arguments.table_mm, arguments.tile[0])
        try:
            return found_table(self.source.frames(FIRST_EVERY_MS), self._finder, arguments.tile)
        except NoTableError as error:
            said = f"{error} of {arguments.source} can be read"
            if error.image is not None:
                page = arguments.out.with_suffix(".corners.html")  # nothing else has this name: it is written over
                write_file(page, corner_page(encode_picture(error.image)), PUBLISHED, force=True)
                said = f"{arguments.source}: {error}; {page} shows what the camera saw: if it is the table, click its corners there"
            raise UsageError(f"{said}; {self.source.cut_short}".removesuffix("; ")) from None

    def _preview(self, image: NDArray[np.uint8], watcher: TableWatcher, observation: MatObservation) -> None:
        if self.best is None or len(observation.tiles) > self._most:
            self._most, self.best = len(observation.tiles), drawn_reading(image, watcher)

    def _progress(self, at_ms: int, from_ms: int, took_s: float, tiles: int) -> str:
        lasts_ms = self.source.lasts_ms
        of = "" if lasts_ms is None else f" of {_clock(lasts_ms)}"
        left = "" if lasts_ms is None else f", about {_clock(int(took_s * 1000 * (lasts_ms - at_ms) / max(1, at_ms - from_ms)))} left"
        return f"{_clock(at_ms)}{of}{left}; {tiles} faces seen"


def _hands(arguments: Namespace, watch: _Watch, kept: RecordingFolder) -> list[_Hand]:
    """The hands, each decoded when the shuffle after it has been seen; the table is watched meanwhile."""
    with ThreadPoolExecutor(1) as beside:
        decoding = [
            beside.submit(_decoded, arguments, n, partial(VideoHand, observations, arguments.rules, watch.outlines_mm()), watch, kept)
            for n, observations in enumerate(parted(watch.observations()), 1)
        ]
        return [hand for each in decoding if (hand := each.result()) is not None]


def _decoded(arguments: Namespace, n: int, filmed: Callable[[], VideoHand], watch: _Watch, kept: RecordingFolder) -> _Hand | None:
    """Decode a hand, keep it, and of a camera's pictures those of its questions; None where nothing tells where East sits."""
    wind, video = Seat(arguments.round), filmed()
    said = _EAST.index(arguments.east) if arguments.east and n == 1 else None
    if said is None and len(video.first_places()) > 1:
        tell(f"hand {n}: its first discards may be of several seats; it is decoded with East at each of them")
    east = video.east(wind) if said is None else said
    if east is None:
        tell(f"hand {n}: its first discards do not tell where East sits: say it with --east")
        return None
    hand = ordinary_hand("1", arguments.rules, hand_number(east, wind), n)
    with nullcontext() if kept.folder is None else in_turn(kept.folder / LOG):  # answers wait
        given = kept.hand(n, hand, video.observations)
        tell(f"decoding hand {n}, with East at the {_EAST[east]} of the picture")
        decoded, _, _ = video.decoded(hand).read(given)
        kept.decoded(n, hand, decoded)
    found = _Hand(hand, decoded, video)
    if watch.source.lasts_ms is None:
        _keep_pictures([found], watch, kept)
        kept.drop_frames(video.observations[-1].at_ms)
    return found


def _clock(time_ms: int) -> str:
    return f"{max(0, time_ms) // 60_000}:{max(0, time_ms) // 1000 % 60:02}"


def _keep_pictures(hands: Sequence[_Hand], watch: _Watch, kept: RecordingFolder) -> None:
    """Keep the pictures of each question."""
    asked = [(hand, question) for hand in hands for question in hand.decoded.open]
    if kept.folder is None or not watch.planes:
        return
    moments_ms = [at for _, each in asked for at in (each.before_ms, each.after_ms)]
    again = watch.source.lasts_ms is not None
    images = pictures_at(watch.source, moments_ms, watch.every_ms) if again else kept.frames_at(moments_ms)
    for hand, question in asked:
        place = hand.video.seen_at(question.x_mm, question.y_mm)
        names = question_pictures(hand.observed.n, question.x_mm, question.y_mm, question.before_ms)
        for name, at_ms in zip(names, (question.before_ms, question.after_ms), strict=True):
            plane = next((plane for since, plane in reversed(watch.planes) if since <= at_ms), watch.planes[0][1])
            if at_ms in images:
                kept.write(name, drawn_place(images[at_ms], plane, *place))


_CORNER_PAGE = Path(__file__).with_name("corner_page.html")


def corner_page(picture: bytes) -> bytes:
    return _CORNER_PAGE.read_bytes().replace(b"$PICTURE", b64encode(picture))
