"""Videos of whole hands, recorded as ``twinwall record`` does it, compared with what was played and with where no tile was. A variant
changes a video's pictures as if people filmed in other ways than the benchmark's camera."""

import base64
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from benchmarks.anytable.matching import TrueTile, matched
from controller.recorder.observation_file import ordinary_hand, rounded
from controller.recorder.signals import Decoded
from controller.recorder.video_hands import VideoHand, hand_number, parted
from tests.support.recorder.played_hands import played
from twinwall.game.play_events import Claimed, HandLaidOpen, HandShown, KongDeclared, PlayEvent, TileDiscarded
from twinwall.game.tiles import round_wind
from twinwall.values import frozen
from vision.anytable.beginning import FIRST_EVERY_MS, NoTableError, found_table, learn
from vision.anytable.sources import TimedFrame, VideoFile
from vision.anytable.watcher import TableWatcher
from vision.finder.found import CELL_PX, Finder, FoundTile, TileForm
from vision.mat_observation import MatObservation
from vision.model.classifier import Classifier
from vision.model.judge import GeneralJudge
from vision.model.learning_judge import LearningJudge

Picture = NDArray[np.uint8]
_FINGER_S, _CUT_S = 12.0, 25.0


def varied(frames: Iterable[TimedFrame], variant: str, lasts_ms: int) -> Iterator[TimedFrame]:
    """Yield the frames of a video as changed by one of ``VARIANTS``; "cut" leaves some out in the middle."""
    half_s, cut_ms = lasts_ms / 2000, 1000 * _CUT_S * (variant == "cut")
    for frame in frames:
        after_s = frame.at_ms / 1000 - half_s
        if not 0 <= 1000 * after_s < cut_ms:
            at_ms = frame.at_ms - int(cut_ms) * (after_s > 0)
            yield replace(frame, at_ms=at_ms, image=np.asarray(VARIANTS[variant](frame.image, after_s), np.uint8))


def _moved(image: Picture, after_s: float) -> MatLike:
    """Turn and push the camera in the middle, for two seconds."""
    share = min(max(after_s / 2, 0.0), 1.0)
    height, width = image.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 4 * share, 1 - 0.03 * share) + np.array([(0, 0, 35), (0, 0, -20)]) * share
    return cv2.warpAffine(image, turn, (width, height), borderMode=cv2.BORDER_REPLICATE) if share else image


def _finger(image: Picture, after_s: float) -> MatLike:
    """Cover most of the lens with a finger for some seconds."""
    if not 0 <= after_s < _FINGER_S:
        return image
    height, width = image.shape[:2]
    covered = cv2.ellipse(image.copy(), (width * 2 // 5, height // 2), (width * 9 // 20, height * 3 // 5), 20, 0, 360, (70, 85, 140), -1)
    return cv2.GaussianBlur(covered, (0, 0), 12)


def _flicker(image: Picture, after_s: float) -> MatLike:
    """Change light and white balance all the time."""
    tint = 0.12 * np.sin(after_s / 23)
    gain = (1 + 0.35 * np.sin(after_s / 7)) * np.array((1 + tint, 1.0, 1 - tint))
    return np.asarray(np.clip(image * gain, 0, 255), np.uint8)


def _slant(image: Picture, _: float) -> MatLike:
    """Look at an angle."""
    height, width = image.shape[:2]
    square, seen = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]), np.array([(0.12, 0.06), (0.88, 0.06), (1, 1), (0, 1)])
    square, seen = ((corners * (width, height)).astype(np.float32) for corners in (square, seen))
    slant = cv2.getPerspectiveTransform(square, seen)
    return cv2.warpPerspective(image, slant, (width, height), borderMode=cv2.BORDER_REPLICATE)


def _small(image: Picture, _: float) -> MatLike:
    """Reduce the picture to 480 rows."""
    return cv2.resize(image, (image.shape[1] * 480 // image.shape[0], 480), interpolation=cv2.INTER_AREA)


def _as_filmed(image: Picture, _: float) -> MatLike:
    return image


VARIANTS: dict[str, Callable[[Picture, float], MatLike]] = {
    "moved": _moved,
    "finger": _finger,
    "flicker": _flicker,
    "slant": _slant,
    "480p": _small,
    "portrait": lambda image, _: cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE),
    "cut": _as_filmed,
    "as filmed": _as_filmed,
}
"""Changes a picture, given its seconds after the middle of the video."""


EVERY_MS = 250
"""The intervals at which ``twinwall record`` looks at a video."""
_LASTING = 4
"""A phantom counts from this many consecutive pictures on: the recorder does not believe a single look."""
_SAME_PX = 10.0
_FORMS = tuple(TileForm)


class VideoTruth:
    """The truth about the frames of one video."""

    def __init__(self, video: Path) -> None:
        self.facts: dict[str, Any] = json.loads(video.with_suffix(".json").read_text(encoding="utf-8"))
        self._looks, self._per_s = self.facts["looks"], self.facts["frames_per_s"]

    def tiles(self, at_ms: int) -> list[TrueTile]:
        """Return the tiles that a frame shows; those that a hand may hide are doubtful."""
        number = self._number(at_ms)
        look = [one for one in self._looks if one["frame"] <= number][-1]
        covered = self.covered(at_ms)
        tiles = []
        for x, y, width, height, angle, lean, form, doubtful in look["tiles"]:
            outline = FoundTile(x, y, width, height, angle, _FORMS[form], 1.0, lean).outline_px()
            around = np.clip(np.concatenate((outline, [(x, y)])) // CELL_PX, 0, np.array(covered.shape[::-1]) - 1).astype(int)
            hidden = bool(covered[around[:, 1], around[:, 0]].any())
            tiles.append(TrueTile(outline, _FORMS[form], None, doubtful or hidden))
        return tiles

    def covered(self, at_ms: int) -> NDArray[np.bool_]:
        """Return the squares that something covers (rows × columns)."""
        rows, columns = self.facts["height"] // CELL_PX, self.facts["width"] // CELL_PX
        packed = self.facts["covered"].get(str(self._number(at_ms)))
        if packed is None:
            return np.zeros((rows, columns), np.bool_)
        bits = np.unpackbits(np.frombuffer(base64.b64decode(packed), np.uint8), count=rows * columns)
        return np.asarray(bits.reshape(rows, columns), np.bool_)

    def _number(self, at_ms: int) -> int:
        return int(min(round(at_ms * self._per_s / 1000), self.facts["frames"] - 1))


@dataclass(slots=True)
class Phantoms:
    """Tiles found in a video where none are, and how long they last."""

    missed: int = 0
    faces: int = 0
    lasting: list[str] = field(default_factory=list)
    _since: list[tuple[FoundTile, int]] = field(default_factory=list)

    def seen(self, at_ms: int, tiles: Sequence[FoundTile], truth: Sequence[TrueTile]) -> None:
        """Add one look."""
        found = matched(tiles, truth)
        self.faces += len(found.found) + len(found.missed)
        self.missed += len(found.missed)
        before, self._since = self._since, []
        for tile in found.phantoms:
            looks = max((count for old, count in before if np.hypot(old.x_px - tile.x_px, old.y_px - tile.y_px) < _SAME_PX), default=0) + 1
            self._since.append((tile, looks))
            if looks == _LASTING:
                self.lasting.append(f"{at_ms} ms: {tile.form} at {tile.x_px:.0f}, {tile.y_px:.0f} px")


@frozen
class Outcome:
    """What is right in a record; pairs are the numbers of right and of all. A part that the record leaves open is right if it names the
    truth."""

    exact: bool
    all_right: bool
    right_as_open: int
    """Events that the record gets wrong but names among what it leaves open."""
    questions: int
    discards: tuple[int, int]
    calls: tuple[int, int]
    shown: tuple[int, int]
    invented: int
    """Discards, calls and shown hands in the record that did not happen."""


@frozen
class RecordedVideo:
    """The results of one video: as it was recorded, and with East's side given."""

    name: str
    surface: str
    seconds: float
    trouble: str
    hands: int
    east_right: bool
    alone: Outcome
    east_said: Outcome
    camera_moves: int
    found: tuple[int, int]
    """True faces in sight: found, and all, over all looks."""
    phantoms: list[str]
    phantoms_observed: list[str]
    """Phantoms that the observations report as tiles."""
    phantoms_sure: list[str]
    """Phantoms that the observations report as surely read faces."""
    look_ms: float
    """Median processor time of finder and watcher for one frame."""


def recorded(video: Path, classifier: Classifier, finder: Finder, variant: str) -> RecordedVideo:
    """Record a variant of a video with a finder."""
    truth, phantoms, observed, sure = VideoTruth(video), Phantoms(), Phantoms(), Phantoms()
    source, watched, look_ms = VideoFile(video), list[TableWatcher](), list[float]()

    def frames(every_ms: int) -> Iterator[TimedFrame]:
        return varied(source.frames(every_ms), variant, source.lasts_ms or 0)

    def observations() -> Iterator[MatObservation]:
        plane, learning = found_table(frames(FIRST_EVERY_MS), finder), LearningJudge(GeneralJudge(classifier.limits))
        plane = learn(frames(EVERY_MS), EVERY_MS, finder, TableWatcher(plane, classifier, learning))
        watcher = TableWatcher(plane, classifier, learning)
        watched.append(watcher)
        for frame in frames(EVERY_MS):
            began_s = time.process_time()
            look = finder.look(frame.image)
            observation = watcher.observe(frame.image, look, frame.at_ms)
            look_ms.append(1000 * (time.process_time() - began_s))
            if observation is None:
                continue
            true = truth.tiles(frame.at_ms)
            phantoms.seen(frame.at_ms, look.tiles, true)
            middles = watcher.plane.project(np.array([(tile.x_mm, tile.y_mm) for tile in observation.tiles]).reshape(-1, 2)).tolist()
            lying = [FoundTile(x, y, 1.0, 1.0, 0.0, TileForm.FACE, 1.0) for x, y in middles]
            observed.seen(frame.at_ms, lying, true)
            sure.seen(frame.at_ms, [one for one, tile in zip(lying, observation.tiles, strict=True) if tile.sure and tile.face_up], true)
            yield rounded(observation)

    hands, trouble = list[VideoHand](), ""
    try:
        for hand in parted(observations()):
            hands.append(VideoHand(hand, truth.facts["rules"], watched[0].outlines_mm()))
    except NoTableError as error:
        trouble = str(error)
    easts = [hand.east() for hand in hands]
    return RecordedVideo(
        name=video.name,
        surface=truth.facts["surface"],
        seconds=truth.facts["frames"] / truth.facts["frames_per_s"],
        trouble=trouble or ("the first discards do not tell where East sits" if None in easts else ""),
        hands=len(hands),
        east_right=easts == [truth.facts["east_side"]],
        alone=_outcome(truth, hands, easts),
        east_said=_outcome(truth, hands, [truth.facts["east_side"] for _ in hands]),
        camera_moves=sum(watcher.moves for watcher in watched),
        found=(phantoms.faces - phantoms.missed, phantoms.faces),
        phantoms=phantoms.lasting,
        phantoms_observed=observed.lasting,
        phantoms_sure=sure.lasting,
        look_ms=round(median(look_ms or [0.0]), 1),
    )


def _outcome(truth: VideoTruth, hands: Sequence[VideoHand], easts: Sequence[int | None]) -> Outcome:
    """Decode the observations as ``twinwall record`` does, and compare."""
    hand, questions, said = played(truth.facts["rules"], truth.facts["number"]), 0, list[Decoded]()
    for n, (video, east) in enumerate(zip(hands, easts, strict=True), 1):
        if east is not None:
            number = hand_number(east, round_wind(hand.to_play.hand))
            decoded = video.decoded(ordinary_hand("1", truth.facts["rules"], number, n))
            questions += len(decoded.open)
            said += decoded.events
    events = [one.event for one in said]
    if len(said) == len(hand.events):
        events = [true if true in one.left_open else one.event for one, true in zip(said, hand.events, strict=True)]
    opened = sum(one.event != event for one, event in zip(said, events, strict=True))
    parts = [agreeing(events, hand.events, kinds) for kinds in ((TileDiscarded,), (Claimed, KongDeclared), (HandShown, HandLaidOpen))]
    discards, calls, shown = (part[:2] for part in parts)
    invented = sum(part[2] for part in parts)
    all_right = invented == 0 and all(right == count for right, count in (discards, calls, shown))
    exact = tuple(one.event for one in said) == hand.events
    return Outcome(exact, all_right, opened, questions, discards, calls, shown, invented)


def agreeing(found: Sequence[PlayEvent], true: Sequence[PlayEvent], kinds: tuple[type, ...]) -> tuple[int, int, int]:
    """Count the events of these kinds that are in both in the same order, the true ones, and the invented ones."""
    one, other = ([_word(event) for event in events if isinstance(event, kinds)] for events in (found, true))
    same = sum(block.size for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks())
    return same, len(other), len(one) - same


def _word(event: PlayEvent) -> str:
    return f"{event.seat} {event.tile}" if isinstance(event, TileDiscarded) else str(event)


def document(videos: Sequence[RecordedVideo]) -> dict[str, object]:
    """Return the figures of some videos."""
    hours = sum(one.seconds for one in videos) / 3600
    return {
        "hands": len(videos),
        "east_right": sum(one.east_right for one in videos),
        "alone": _shares({one.name: one.alone for one in videos}),
        "east_said": _shares({one.name: one.east_said for one in videos}),
        "no_record": {one.name: one.trouble for one in videos if one.trouble},
        "faces_found": _share([one.found for one in videos]),
        "phantoms_an_hour": round(sum(len(one.phantoms) for one in videos) / hours, 2) if hours else None,
        "phantoms_observed_an_hour": round(sum(len(one.phantoms_observed) for one in videos) / hours, 2) if hours else None,
        "phantoms_sure": sum(len(one.phantoms_sure) for one in videos),
        "look_ms": round(median([one.look_ms for one in videos]), 1) if videos else None,
        "by_hand": [asdict(one) for one in videos],
    }


def _share(pairs: Sequence[tuple[int, int]]) -> float:
    return round(sum(right for right, _ in pairs) / max(sum(count for _, count in pairs), 1), 4)


def _shares(outcomes: dict[str, Outcome]) -> dict[str, object]:
    every = list(outcomes.values())
    return {
        "exact": sum(one.exact for one in every),
        "all_right": sum(one.all_right for one in every),
        "right_as_open": sum(one.right_as_open for one in every),
        "discards_right": _share([one.discards for one in every]),
        "calls_right": _share([one.calls for one in every]),
        "shown_hands_right": _share([one.shown for one in every]),
        "invented": sum(one.invented for one in every),
        "questions": sum(one.questions for one in every),
        "wrong_without_question": [name for name, one in outcomes.items() if not one.all_right and not one.questions],
    }
