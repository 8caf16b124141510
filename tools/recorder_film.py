"""Film strips of the recorder: what a camera saw of disturbances, what the decoder held for true, and what it asked.

Each strip is one disturbance in a whole hand of the simulated players. The frames around it are rendered and swept as at a table; the
rest of the hand is told without pictures. ``python -m tools.pictures recorder`` makes the pictures and writes the page.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.played_tables.hand_on_table import HandOnTable
from controller.recorder.hypothesis import Hypothesis
from controller.recorder.signals import Decoded, Question
from simulator.cameras.ground import PX_PER_MM, SIDE_PX
from simulator.cameras.table import TILE_THICKNESS_MM, TableCamera
from simulator.disturbances.kinds import Disturbance, Disturbances
from simulator.scene import Between
from simulator.tabletop import Tabletop
from simulator.world.visible_table import scene
from tests.support.recorder.played_hands import FRAME_MS, decoder_of, followed, messages_of, played
from tests.support.simulator.mat_observations import footprint, lying_tiles, observation
from twinwall.art.mat import Mat, Spot
from twinwall.game.play_events import PlayEvent
from twinwall.values import frozen
from vision.cameras.port import CameraFrame
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile
from vision.model.classifier import Classifier
from vision.table.lens import MatView
from vision.table.placement import MatPlacement
from vision.table.seen_mat import MatFollower
from vision.table.sweeper import MatSweeper

Picture = NDArray[np.uint8]
_BEFORE_MS, _AFTER_MS = 2500, 9500
"""What is rendered around a disturbance."""
_CROP_MM = 95.0
"""Half the side of a crop."""
_GAP_PX = 6
_NEAR = 2
"""A question about an event that is so near to the one that is meant belongs to the film."""
_READ_MS = 2000
_LATER_MS = 1000
_RING_MM = 26.0
_ASKED = (0, 0, 230)
_SURE, _UNSURE, _BACK, _COVERED = (60, 200, 60), (0, 170, 255), (255, 160, 60), (200, 60, 200)
_CHANGES_WITHIN_MS = 1500
MAT = Mat()


@frozen
class Shot:
    """One disturbance to be filmed: in which hand of which rules, at which of its events, and what it is."""

    kind: Disturbance
    rules: str
    hand: int
    disturbed: int
    """Number of the event that is disturbed, from 1."""
    about: int
    """Number of the event that the decoder is asked about."""
    title: str
    words: str
    stays: bool = False
    """Whether what lies over the mat is left there, and the hand is read 2 s after its last event all the same."""


@frozen
class Once(Disturbances):
    """People who disturb in one way on one occasion."""

    occasion: str = ""

    def expected(self, kind: Disturbance) -> float:
        return 1.0 if self.scales.get(kind) else 0.0

    def happens(self, kind: Disturbance, occasion: str) -> bool:
        return occasion == self.occasion and self.expected(kind) > 0

    def count(self, kind: Disturbance, occasion: str) -> int:
        return int(self.happens(kind, occasion))


@frozen
class Held:
    """What a path holds as one event; None: nothing yet. ``waits``: how many draws and tiles it has no explanation for."""

    event: PlayEvent | None
    waits: int


@frozen
class Thought:
    """What the two best paths held as one event at one moment, and how far they were apart in nats."""

    at_ms: int
    best: Held
    rival: Held | None
    apart: float
    margin: float | None
    """That of the event by all its bounds; None while the best path does not hold it."""


@frozen
class FilmedQuestion:
    """A question, with the picture of its place as it was seen last."""

    question: Question
    crop: Picture
    truth: PlayEvent


@frozen
class Film:
    """One disturbance as it went: the pictures side by side, the thoughts at the moments of the pictures, and the questions."""

    shot: Shot
    disturbed_ms: int
    strip: Picture
    thoughts: tuple[Thought, ...]
    published: Decoded | None
    asked: tuple[FilmedQuestion, ...]
    recorded: bool
    """Whether the whole hand is recorded as it was played."""


class Filming:
    """The camera over the table of one shot, its sweep, and the decoder that is told."""

    def __init__(self, shot: Shot, classifier: Classifier) -> None:
        self._shot, self._hand = shot, played(shot.rules, shot.hand)
        occasion = f"{self._hand.to_play.name} {shot.disturbed - 1}"
        table: HandOnTable = self._hand.at_table(Once(1, scales={shot.kind: 1.0}, occasion=occasion))
        if shot.stays:  # nobody takes away what lies over the mat
            table = replace(table, troubles=tuple(replace(each, until_ms=None) for each in table.troubles))
        self._table = table
        if not table.happened:
            raise ValueError(f"nobody disturbs by {shot.kind} at event {shot.disturbed} of {shot.rules} {shot.hand}: choose another event")
        self._at_ms = table.happened[0].at_ms
        self._camera = TableCamera(3, MAT)
        self._follower = MatFollower(MAT, MatPlacement(MAT), TILE_THICKNESS_MM)
        self._sweeper = MatSweeper(MAT, classifier, self._follower)
        self._decoder = decoder_of(self._hand)
        self._crops: dict[int, Picture] = {}
        self._last: tuple[Picture, MatObservation, MatView] | None = None
        self._thoughts: list[Thought] = []

    def film(self) -> Film:
        """Show the hand to the decoder and keep what it thought."""
        followed(self._decoder, messages_of(self._table, seen=self._seen()))
        found = tuple(event.event for event in self._decoder.finish())
        number = self._shot.about
        published = self._decoder.published.get(number)
        moments = self._moments(published)
        strip = np.hstack([np.pad(self._crops[one.at_ms], ((0, 0), (0, _GAP_PX), (0, 0)), constant_values=255) for one in moments])
        asked = tuple(
            FilmedQuestion(question, self._shown(question), self._hand.events[question.number - 1])
            for question in self._decoder.questions
            if abs(question.number - number) <= _NEAR
        )
        return Film(self._shot, self._at_ms, np.asarray(strip[:, :-_GAP_PX]), moments, published, asked, found == self._hand.events)

    def _shown(self, question: Question) -> Picture:
        """The place of a question in the last frame, with a ring round it."""
        assert self._last is not None
        picture, seen, view = self._last
        ((x_px, y_px),) = view.project(np.array([(question.x_mm, question.y_mm)]))
        ringed = picture.copy()
        cv2.circle(ringed, (round(x_px), round(y_px)), round(_RING_MM * PX_PER_MM), _ASKED, 2, cv2.LINE_AA)
        return marked(ringed, seen, view, (question.x_mm, question.y_mm))

    def _seen(self) -> Iterator[MatObservation]:
        """One observation for each frame; those around the disturbance are seen in pictures."""
        read_ms = self._table.events[-1][0] + _READ_MS if self._shot.stays else math.inf
        for at_ms, table, between in self._table.frames(FRAME_MS):
            if at_ms >= read_ms:
                return
            if between.silent:
                continue
            if -_BEFORE_MS <= at_ms - self._at_ms <= _AFTER_MS:
                picture = self._camera.render(scene(table, between))
                swept = self._sweeper.observe(CameraFrame(picture, at_ms * 1_000_000, at_ms * 1_000_000 + 1), at_ms)
                if swept is not None and self._follower.placed is not None:
                    yield swept
                    self._last = picture, swept, self._follower.placed.view
                    self._crops[at_ms] = marked(picture, swept, self._follower.placed.view, self._middle_mm())
                    self._think(at_ms)
            else:
                yield observation(at_ms, table, between)

    def _think(self, at_ms: int) -> None:
        """Note what the decoder holds for true after it has seen the frame."""
        number, beam = self._shot.about, self._decoder.beam
        margin = next((event.margin for event in self._decoder.best() if event.number == number), None)
        apart, rival = beam.rival(number - 1, math.inf)
        other = None if rival is None else held_by(rival, number)
        self._thoughts.append(Thought(at_ms, held_by(beam.best, number), other, apart, margin))

    def _moments(self, published: Decoded | None) -> tuple[Thought, ...]:
        """Before the disturbance, when the two best paths were nearest to one another, and when the event was published, or a second after
        the doubt, or in the last frame."""
        before = [one for one in self._thoughts if one.at_ms < self._at_ms]
        after = [one for one in self._thoughts if one.at_ms >= self._at_ms]
        doubted = [one for one in after if one.rival is not None] or [after[len(after) // 2]]
        least = min(doubted, key=lambda one: one.apart)
        told_ms = math.inf if published is None else max(published.published_ms, least.at_ms + _LATER_MS)
        return before[-1], least, next((one for one in after if one.at_ms >= told_ms), after[-1])

    def _middle_mm(self) -> tuple[float, float]:
        """The middle of what changes on the mat by the disturbance, or of what lies over it."""
        covers = [cover for each in self._table.troubles if isinstance(each.trouble, Between) for cover in each.trouble.covers]
        if covers:
            return covers[0].x_mm, covers[0].y_mm
        tables = list(self._table.tabletops())
        before = poses_on([table for time_ms, table in tables if time_ms < self._at_ms][-1])
        changes = [(time_ms, poses_on(table)) for time_ms, table in tables if time_ms >= self._at_ms]
        begun_ms = next(time_ms for time_ms, poses in changes if poses != before)
        after = [poses for time_ms, poses in changes if time_ms <= begun_ms + _CHANGES_WITHIN_MS][-1]
        middle = np.array([(pose.x_mm, pose.y_mm) for _, pose, _ in after - before or before - after]).mean(axis=0)
        return float(middle[0]), float(middle[1])


def held_by(path: Hypothesis, number: int) -> Held:
    """What a path holds as the event of a number."""
    return Held(path.events[number - 1] if len(path.events) >= number else None, path.waits)


def poses_on(table: Tabletop) -> set[tuple[int, Spot, bool]]:
    """What lies where, and on which side."""
    return {(lying.tile.id, lying.pose, lying.face_down) for lying in lying_tiles(table, MAT)}


def marked(picture: Picture, seen: MatObservation, view: MatView, middle_mm: tuple[float, float]) -> Picture:
    """The part of a frame around a place, with what the sweep said drawn over it."""
    drawn = picture.copy()
    for one in seen.tiles:
        colour = _BACK if not one.face_up else _SURE if one.sure else _UNSURE
        outline = view.project(_corners_mm(one), TILE_THICKNESS_MM)
        cv2.polylines(drawn, [np.rint(outline).astype(np.int32)], isClosed=True, color=colour, thickness=2, lineType=cv2.LINE_AA)
        if one.shares:
            name = max(one.shares, key=lambda kind: one.shares[kind]).text
            x_px, y_px = outline.mean(axis=0).tolist()
            for thickness, shade in ((4, (0, 0, 0)), (1, colour)):
                at = round(x_px) - 14, round(y_px) + 34
                cv2.putText(drawn, name, at, cv2.FONT_HERSHEY_SIMPLEX, 0.5, shade, thickness, cv2.LINE_AA)
    for column, row in seen.covered:
        (at,) = view.project(np.array([(column * COVER_MM, row * COVER_MM)]))
        cv2.circle(drawn, np.rint(at).astype(int).tolist(), 3, _COVERED, -1, cv2.LINE_AA)
    half = round(_CROP_MM * PX_PER_MM)
    ((x_px, y_px),) = view.project(np.array([middle_mm]))
    left, top = (min(max(round(float(value)) - half, 0), SIDE_PX - 2 * half) for value in (x_px, y_px))
    return np.asarray(drawn[top : top + 2 * half, left : left + 2 * half])


def _corners_mm(one: ObservedTile) -> NDArray[np.float64]:
    points = footprint(MAT, Spot(one.x_mm, one.y_mm, one.angle_deg))
    return np.array([points[corner] for corner in (0, 6, 8, 2)])


def name_of(shot: Shot) -> str:
    """The name of a film's files."""
    return f"{shot.kind.value}-{shot.rules}" if shot.stays else shot.kind.value


def keep(film: Film, folder: Path) -> None:
    """Write the strip, and the places that are asked about, as pictures."""
    name, quality = name_of(film.shot), [cv2.IMWRITE_JPEG_QUALITY, 85]
    cv2.imwrite(str(folder / f"{name}.jpg"), film.strip, quality)
    for asked in film.asked:
        cv2.imwrite(str(folder / f"{name}-{asked.question.number}.jpg"), asked.crop, quality)
