"""Table reader: reads slots of the mat in a frame from above as bare, hidden or a tile, and votes over frames (``SlotVotes``).

Markers place the mat, a finder finds the tiles, and the classifier names those on the requested slots, with probabilities. Votes over
frames and the rules of play decide which to believe. Between whole frames a part of one is enough, read where they showed the mat.

Probabilities of frames multiply. In addition, two frames must put the same kind first and one must be sure of it, or nearly sure if no
frame's judge knows the set's faces: in steady glare all frames err alike, so repetition does not make an unsure kind certain. Two frames of
a tile at rest may share one look (``vision.table.table_reader``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import partial

import cv2
import numpy as np

from twinwall.art.mat import Mat, Slot
from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.values import frozen
from vision.calibration.mat_calibration import Drift, MatCalibration, drift
from vision.calibration.mat_pieces import edge_px
from vision.cameras.port import CameraFrame, Region
from vision.model.classifier import Classifier
from vision.model.judge import GeneralJudge, Judge, OverheadJudge
from vision.model.learning_judge import LearningJudge
from vision.reading import ReadRefusal, Reason, shares_of
from vision.table.kept_views import KeptView, KeptViews
from vision.table.lens import SQUARE, MatView, Points
from vision.table.markers import marker_corners
from vision.table.mat_finder import MatFinder
from vision.table.place_picture import place_picture
from vision.table.placement import MatPlacement
from vision.table.seen_mat import QUIET_HALF_MM, MatFollower, PlacedMat
from vision.table.slot_places import on_mat
from vision.table.slots import Found, Presence, SlotFrame
from vision.table.tile_pose import TilePose

_FAINT = 0.5
"""Below this clearness only a sure read counts as a tile: a few doubtful reads of a part of one must not add up."""
_REACH_MM, _LOOKED_MM = 37.0, 130.0
"""How far around a slot a part of a picture must show the mat, and how far a whole one is searched: with less the finder misses faces
washed out by light."""
_MANY_SLOTS = 40
"""From this number of slots on, the whole mat is searched."""
_BLOCK_PX = 16
"""Regions begin and end at multiples of this, so that a JPEG of a part has the same blocks as one of the whole."""


@frozen
class SlotReading:
    """One slot in one frame. ``shares`` are the calibrated probabilities of the likely kinds; empty if nothing was classified. ``reason``
    is None if the reading is sure enough alone, else why not; ``knows_the_set``: the judge knows this set's faces."""

    slot: Slot
    presence: Presence
    reason: Reason | None = None
    shares: Mapping[Tile, float] = field(default_factory=dict)
    knows_the_set: bool = False

    @property
    def tile(self) -> Tile | None:
        """The likeliest kind; None if nothing was classified, or it is no tile."""
        return None if self.reason is Reason.NOT_A_TILE else max(self.shares, key=self.shares.__getitem__, default=None)

    @property
    def occupied(self) -> bool:
        return self.presence is Presence.TILE


class TableReader:
    """One camera over one mat."""

    def __init__(
        self,
        mat: Mat,
        classifier: Classifier,
        placement: MatPlacement | None = None,
        judges: Mapping[int, Judge] | None = None,
        *,
        thickness_mm: float = 16.0,
    ) -> None:
        """``placement`` follows the markers; pass one that knows the camera's height or lens, or tolerates covered markers longer.
        ``judges`` read the tiles of enrolled sets, by the number of their backs. ``thickness_mm`` is that of the tiles."""
        self._mat = mat
        self._classifier = classifier
        self._kept = KeptViews(classifier)
        self._general = GeneralJudge(classifier.limits)
        self._judges: dict[int, Judge] = {back: OverheadJudge(judge, self._general) for back, judge in (judges or {}).items()}
        self._thickness_mm = thickness_mm
        self._calibration: MatCalibration | None = None
        self.follower = MatFollower(mat, placement or MatPlacement(mat), thickness_mm)
        """Places the mat and measures its light; a sweeper of the same frames shares it."""
        self._finder = MatFinder(mat, thickness_mm)

    @classmethod
    def calibrated(
        cls, mat: Mat, classifier: Classifier, calibration: MatCalibration | None, judges: Mapping[int, Judge] | None = None
    ) -> TableReader:
        """Return a reader with the lens and height of a calibrated camera, if there is a calibration."""
        if calibration is None:
            return cls(mat, classifier, judges=judges)
        height_mm = calibration.camera_height_mm
        placement = MatPlacement(mat, camera_height_mm=height_mm, lens=calibration.lens, corners_mm=calibration.corners_mm(mat))
        reader = cls(mat, classifier, placement, judges)
        reader._calibration = calibration
        return reader

    @property
    def trouble(self) -> ReadRefusal | None:
        """Why the last frame gave no readings; None if it did."""
        return self.follower.trouble

    @property
    def view(self) -> MatView | None:
        """How the last whole frame showed the mat."""
        placed = self.follower.placed
        return placed.view if placed else None

    @property
    def drift(self) -> Drift | None:
        """How far the mat is from where it was calibrated; None if either place is unknown."""
        view = self.view
        return drift(self._calibration, view, self._mat) if self._calibration and view else None

    def edge_mm(self, frame: CameraFrame) -> float | None:
        """Return the width of the markers' edges in a whole frame, larger if less sharp; None while the mat's place is unknown."""
        view = self.view
        if view is None:
            return None
        grey = np.asarray(cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY), np.uint8)
        corners_mm = self._calibration.corners_mm(self._mat) if self._calibration else marker_corners(self._mat)
        return edge_px(grey, map(view.project, corners_mm.values())) / view.px_per_mm()

    def region(self, slots: Sequence[Slot]) -> Region | None:
        """Return the part of the picture needed to read these slots while the mat stays in place; None if that is unknown. Raises
        ValueError for a slot that the mat does not have."""
        placed = self.follower.placed
        if placed is None:
            return None
        return self._around(placed, slots, _REACH_MM, placed.view.project(SQUARE * QUIET_HALF_MM))

    def _around(self, placed: PlacedMat, slots: Sequence[Slot], reach_mm: float, *also_px: Points) -> Region | None:
        """Return the part of the picture this far around slots, with some other points (n × 2 px); None if it is outside."""
        faces = np.concatenate([on_mat(self._mat.spot(slot), SQUARE * reach_mm) for slot in slots])
        points = np.concatenate((placed.view.project(faces, self._thickness_mm), *also_px)) / _BLOCK_PX
        left, top = (max(int(low), 0) * _BLOCK_PX for low in np.floor(points.min(axis=0)))
        ends = np.ceil(points.max(axis=0)).astype(int) * _BLOCK_PX
        right, bottom = min(int(ends[0]), placed.width_px), min(int(ends[1]), placed.height_px)
        return Region(left, top, right - left, bottom - top) if left < right and top < bottom else None

    def look(self, frame: CameraFrame, slots: Sequence[Slot]) -> tuple[Presence, ...]:
        """Return what is on each slot, in order, without classification; empty if ``trouble`` says why."""
        slot_frame = self._slot_frame(frame, slots)
        found = slot_frame.look(slots).values() if slot_frame else ()
        return tuple(Presence.TILE if isinstance(one, TilePose) else one for one in found)

    def picture(self, frame: CameraFrame, slot: Slot) -> bytes | None:
        """Return a JPEG file of a slot and its neighbours; None while the mat's place is unknown. Raises ValueError for a slot outside of
        ``place_picture.SHOWN_AREAS``."""
        view = self.view
        return None if view is None else place_picture(frame.image, view, self._mat, slot, self._thickness_mm)

    def read(self, frame: CameraFrame, slots: Sequence[Slot], back: int | None = None) -> tuple[SlotReading, ...]:
        """Return readings of the slots, in order; empty if ``trouble`` says why. ``back`` is the number of the set's backs, None if
        unknown; it selects the judge, which for a set not enrolled also learns from earlier tiles. Raises ValueError for a slot that the
        mat does not have."""
        judge = self._general if back is None else self._judges.setdefault(back, LearningJudge(self._general))
        slot_frame = self._slot_frame(frame, slots)
        if slot_frame is None:
            return ()
        still = self._lie_still(slot_frame, slots, frame.exposure_end_ns)
        found = slot_frame.look(slots, {slot: tile.pose for slot, tile in still.items()})
        poses = {slot: one for slot, one in found.items() if isinstance(one, TilePose)}
        self._kept.forget([slot for slot in slots if found[slot] is Presence.EMPTY])
        fresh = {slot: pose for slot, pose in poses.items() if slot not in still}
        looked = self._kept.look(fresh, slot_frame.crops(list(fresh.values())), frame.exposure_end_ns)
        tiles = still | looked
        if isinstance(judge, LearningJudge):
            for tile in looked.values():
                if tile.is_first and not tile.is_washed and tile.pose.clearness >= _FAINT:
                    judge.learn(tile.view, tile.pose.x_mm, tile.pose.y_mm)
        return tuple(self._reading(slot, found[slot], tiles.get(slot), judge) for slot in slots)

    def _lie_still(self, slot_frame: SlotFrame, slots: Sequence[Slot], exposed_ns: int) -> dict[Slot, KeptView]:
        """Return the tiles that rest where they were, look the same, and have nothing over them."""
        poses = self._kept.usable(slots, exposed_ns)
        crops = slot_frame.crops(list(poses.values()))
        return self._kept.used_again(dict(zip(poses, crops, strict=True)), exposed_ns)

    def _slot_frame(self, frame: CameraFrame, slots: Sequence[Slot]) -> SlotFrame | None:
        seen = self.follower.seen_in(frame)
        if seen is None:
            return None
        cloth = seen.placed.bare_slots(frame.image, seen.corner, seen.light)
        few = slots if len(slots) < _MANY_SLOTS else ()
        around = self._around(seen.placed, few, _LOOKED_MM) if few and frame.region is None else None
        return SlotFrame(
            cloth, partial(self._finder.found, frame, seen, around, [(spot.x_mm, spot.y_mm) for spot in map(self._mat.spot, few)])
        )

    def _reading(self, slot: Slot, found: Found, tile: KeptView | None, judge: Judge) -> SlotReading:
        """Return the reading of one slot. A face whose marks are washed out looks like a white dragon, or its remains like other marks."""
        if tile is None or not isinstance(found, TilePose):
            presence = Presence.TILE if isinstance(found, TilePose) else found
            return SlotReading(slot, presence, Reason.EMPTY if presence is Presence.EMPTY else Reason.COVERED)
        answer = judge.decide(tile.view)
        reason = answer.reason if isinstance(answer, ReadRefusal) else None
        ranked = judge.rank(tile.view, len(Tile))
        is_blank = ranked[0].tile is Tile.WHITE
        if tile.is_washed and (reason is Reason.UNSURE or is_blank):
            reason = Reason.GLARE
        if reason not in (None, Reason.GLARE) and found.clearness < _FAINT:
            return SlotReading(slot, Presence.HIDDEN, Reason.COVERED)
        return SlotReading(slot, Presence.TILE, reason, shares_of(ranked), judge.knows_the_set)


_MOST_FRAMES = 60
_LEAST_AGREEING, _LEAST_PROBABILITY = 2, 0.99
_FLOOR = 1e-3
"""Least probability of a kind in a frame: one bad frame must not outvote two good ones."""
_NEARLY_SURE = 0.85
"""From this probability on, several frames may settle a kind that each was unsure of."""


class SlotVotes:
    """Votes over the frames of one watch, for all slots read."""

    def __init__(self) -> None:
        self._readings: dict[Slot, list[SlotReading]] = {}

    def add(self, readings: Iterable[SlotReading]) -> None:
        for reading in readings:
            kept = self._readings.setdefault(reading.slot, [])
            kept.append(reading)
            del kept[:-_MOST_FRAMES]

    def emptied(self, slot: Slot) -> bool:
        """Whether the last frames that saw a slot, enough of them, saw it bare."""
        seen = [reading for reading in self._readings.get(slot, ()) if reading.presence is not Presence.HIDDEN][-_LEAST_AGREEING:]
        return len(seen) == _LEAST_AGREEING and all(reading.presence is Presence.EMPTY for reading in seen)

    def settled(self, slot: Slot) -> Tile | None:
        """Return the kind on which the frames settle; None if they are too few, differ or are all unsure. Frames before the slot was last
        seen empty, and those in which it was hidden, do not count."""
        lying: list[SlotReading] = []
        for reading in self._readings.get(slot, ()):
            if reading.presence is not Presence.HIDDEN:
                lying = [*lying, reading] if reading.occupied else []
        named = [reading for reading in lying if reading.tile is not None]
        logs = _log_shares(named)
        best = max(ALL_TILES, key=lambda tile: logs[tile])
        probability = 1 / sum(math.exp(logs[tile] - logs[best]) for tile in ALL_TILES)
        agreeing = [reading for reading in named if reading.tile is best]
        sure = {reading.tile for reading in named if reading.reason is None}
        is_sure = best in sure or (not sure and any(_is_nearly_sure(reading) for reading in agreeing))
        return best if is_sure and len(agreeing) >= _LEAST_AGREEING and probability >= _LEAST_PROBABILITY else None

    def ranked(self, slot: Slot) -> tuple[Tile, ...]:
        """Return all kinds, the likeliest first by the frames alone; the others in canonical order."""
        logs = _log_shares([reading for reading in self._readings.get(slot, ()) if reading.shares])
        return tuple(sorted(ALL_TILES, key=lambda tile: -logs[tile]))


def _log_shares(readings: Sequence[SlotReading]) -> dict[Tile, float]:
    return {tile: sum(math.log(reading.shares.get(tile, 0.0) + _FLOOR) for reading in readings) for tile in ALL_TILES}


def _is_nearly_sure(reading: SlotReading) -> bool:
    """Whether a reading was refused only for a small doubt: not for glare or another fault of the picture, and not by a judge that knows
    the set's faces, since a face unlike all of these is no small doubt."""
    small = reading.reason is Reason.UNSURE and max(reading.shares.values()) >= _NEARLY_SURE
    return small and not reading.knows_the_set
