"""Table reader: reads requested slots of the mat from a frame taken from above as bare, hidden, or a tile of some kind.

Markers place the mat in the picture, a finder has the tiles on it, and each at a slot asked for is classified. The
answers are observations with probabilities; votes over frames and the rules of play decide which of them to believe.
Between whole frames a part of one is enough: it is read where the last whole frames showed the mat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import cv2
import numpy as np

from twinwall.art.mat import Mat, Slot
from twinwall.game.tiles import Tile
from twinwall.values import frozen
from vision.calibration.mat_calibration import Drift, MatCalibration, drift
from vision.calibration.mat_figures import edge_px
from vision.calibration.mat_pieces import SeenMarker
from vision.cameras.port import CameraFrame, Region
from vision.model.classifier import Classifier
from vision.model.judge import GeneralJudge, Judge, OverheadJudge
from vision.model.learning_judge import LearningJudge
from vision.reading import Candidate, ReadRefusal, Reason
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

_LEAST_CANDIDATE = 1e-4
_FAINT = 0.5
"""Clearness below which only a sure read counts as a tile: a few doubtful reads of a piece of one must not add up."""
_REACH_MM, _LOOKED_MM = 37.0, 130.0
"""What of the mat around a slot a part of a picture shows, and what of a whole one is looked at: with less around it the finder misses
faces that light has washed out."""
_MANY_SLOTS = 40
"""For this number of slots the whole mat is looked at."""
_BLOCK_PX = 16
"""Regions begin and end at multiples of this, so that a JPEG of a part has the same blocks as one of the whole."""


@frozen
class TableGeometry:
    """Facts of a table: camera height over the mat and tile thickness in mm."""

    camera_height_mm: float = 1600.0
    tile_thickness_mm: float = 16.0


@frozen
class SlotReading:
    """One slot in one frame.

    ``tile`` is the likeliest kind with its calibrated ``probability`` and ``candidates`` all kinds of
    some likelihood, best first. ``reason`` is None for a reading sure enough to stand by itself, else
    why it is not; ``tile`` is None where nothing was classified or what lies there is no tile. ``knows_the_set``: by a judge
    that knows this set's faces.
    """

    slot: Slot
    presence: Presence
    tile: Tile | None = None
    probability: float = 0.0
    reason: Reason | None = None
    candidates: tuple[Candidate, ...] = ()
    knows_the_set: bool = False

    @property
    def occupied(self) -> bool:
        """Whether a tile lies there, whatever it is."""
        return self.presence is Presence.TILE


class TableReader:
    """One camera over one mat."""

    def __init__(
        self,
        mat: Mat,
        classifier: Classifier,
        view: TableGeometry | None = None,
        placement: MatPlacement | None = None,
        judges: Mapping[int, Judge] | None = None,
    ) -> None:
        """``placement`` follows the markers; give one that knows the lens, or says how long covered markers are tolerated.

        ``judges`` read the tiles of enrolled sets, by the numbers of their backs.
        """
        self._mat = mat
        self._classifier = classifier
        self._kept = KeptViews(classifier)
        self._general = GeneralJudge(classifier.limits)
        self._judges: dict[int, Judge] = {back: OverheadJudge(judge, self._general) for back, judge in (judges or {}).items()}
        self._view = view or TableGeometry()
        self._calibration: MatCalibration | None = None
        placement = placement or MatPlacement(mat, camera_height_mm=self._view.camera_height_mm)
        self.follower = MatFollower(mat, placement, self._view.tile_thickness_mm)
        """Places the mat and its light: for a sweep of the same frames (``vision.table.sweeper``)."""
        self._finder = MatFinder(mat, self._view.tile_thickness_mm)

    @classmethod
    def calibrated(
        cls, mat: Mat, classifier: Classifier, calibration: MatCalibration | None, judges: Mapping[int, Judge] | None = None
    ) -> TableReader:
        """A reader with the lens and height of a calibrated camera, where there is a calibration."""
        if calibration is None:
            return cls(mat, classifier, judges=judges)
        height_mm = calibration.camera_height_mm
        placement = MatPlacement(mat, camera_height_mm=height_mm, lens=calibration.lens, corners_mm=calibration.corners_mm(mat))
        reader = cls(mat, classifier, TableGeometry(camera_height_mm=height_mm), placement, judges)
        reader._calibration = calibration
        return reader

    @property
    def trouble(self) -> ReadRefusal | None:
        """Why the last frame said nothing: the mat could not be placed in it. None when it could."""
        return self.follower.trouble

    @property
    def view(self) -> MatView | None:
        """How the last whole frame showed the mat."""
        placed = self.follower.placed
        return placed.view if placed else None

    @property
    def drift(self) -> Drift | None:
        """How far the mat lies from where it was calibrated; None without a calibration or a placement."""
        view = self.view
        return drift(self._calibration, view, self._mat) if self._calibration and view else None

    def edge_mm(self, frame: CameraFrame) -> float | None:
        """How wide the markers' edges look in a whole frame, wider the less sharp it is; None while the mat's place is unknown."""
        view = self.view
        if view is None:
            return None
        grey = np.asarray(cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY), np.uint8)
        corners_mm = self._calibration.corners_mm(self._mat) if self._calibration else marker_corners(self._mat)
        return edge_px(grey, [SeenMarker(number, view.project(corners)) for number, corners in corners_mm.items()]) / view.px_per_mm()

    def region(self, slots: Sequence[Slot]) -> Region | None:
        """The part of the picture that reading these slots takes, as long as the mat lies where the last whole frame had it.

        None while that is not known. Raises ValueError for a slot that the mat does not have.
        """
        placed = self.follower.placed
        if placed is None:
            return None
        return self._around(placed, slots, _REACH_MM, placed.view.project(SQUARE * QUIET_HALF_MM))

    def _around(self, placed: PlacedMat, slots: Sequence[Slot], reach_mm: float, *also_px: Points) -> Region | None:
        """The part of the picture that shows so much around slots, and some other points (n × 2 px); None for what it does not show."""
        faces = np.concatenate([on_mat(self._mat.spot(slot), SQUARE * reach_mm) for slot in slots])
        points = np.concatenate((placed.view.project(faces, self._view.tile_thickness_mm), *also_px)) / _BLOCK_PX
        left, top = (max(int(low), 0) * _BLOCK_PX for low in np.floor(points.min(axis=0)))
        ends = np.ceil(points.max(axis=0)).astype(int) * _BLOCK_PX
        right, bottom = min(int(ends[0]), placed.width_px), min(int(ends[1]), placed.height_px)
        return Region(left, top, right - left, bottom - top) if left < right and top < bottom else None

    def look(self, frame: CameraFrame, slots: Sequence[Slot]) -> tuple[Presence, ...]:
        """What lies on each slot, in the order asked; nothing is classified. Empty where ``trouble`` says why."""
        slot_frame = self._slot_frame(frame, slots)
        found = slot_frame.look(slots).values() if slot_frame else ()
        return tuple(Presence.TILE if isinstance(one, TilePose) else one for one in found)

    def picture(self, frame: CameraFrame, slot: Slot) -> bytes | None:
        """A slot and its neighbours in a whole frame, as a JPEG file; None while the mat's place is unknown.

        Raises ValueError for a slot of which no picture may be shown (``place_picture.SHOWN_AREAS``).
        """
        view = self.view
        return None if view is None else place_picture(frame.image, view, self._mat, slot, self._view.tile_thickness_mm)

    def read(self, frame: CameraFrame, slots: Sequence[Slot], back: int | None = None) -> tuple[SlotReading, ...]:
        """Observations of the slots in the order asked; none at all where ``trouble`` says why.

        ``back`` is the number of the backs of the set that lies there, None where that is not known: by it the tiles are judged, those of
        a set that is not enrolled by its tiles that were read before as well. Raises ValueError for a slot that the mat does not have.
        """
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
        """The tiles that lie where they lay in the frames before and look the same, with nothing over them."""
        poses = self._kept.usable(slots, exposed_ns)
        crops = slot_frame.crops(list(poses.values()))
        return self._kept.used_again(dict(zip(poses, crops, strict=True)), exposed_ns)

    def _slot_frame(self, frame: CameraFrame, slots: Sequence[Slot]) -> SlotFrame | None:
        seen = self.follower.seen_in(frame)
        if seen is None:
            return None
        cloth = seen.placed.bare_slots(frame.image, seen.corner, seen.light)
        around = self._around(seen.placed, slots, _LOOKED_MM) if 0 < len(slots) < _MANY_SLOTS else None
        return SlotFrame(cloth, partial(self._finder.found, frame, seen, around))

    def _reading(self, slot: Slot, found: Found, tile: KeptView | None, judge: Judge) -> SlotReading:
        """What one slot shows, and what the judge makes of the tile on it.

        One whose marks are washed away looks like a white dragon, and what is left of them like other marks.
        """
        if tile is None or not isinstance(found, TilePose):
            presence = Presence.TILE if isinstance(found, TilePose) else found
            return SlotReading(slot, presence, reason=Reason.EMPTY if presence is Presence.EMPTY else Reason.COVERED)
        answer = judge.decide(tile.view)
        reason = answer.reason if isinstance(answer, ReadRefusal) else None
        ranked = judge.rank(tile.view, len(Tile))
        is_blank = ranked[0].tile is Tile.WHITE
        if tile.is_washed and (reason is Reason.UNSURE or is_blank):
            reason = Reason.GLARE
        if reason not in (None, Reason.GLARE) and found.clearness < _FAINT:
            return SlotReading(slot, Presence.HIDDEN, reason=Reason.COVERED)
        candidates = tuple(one for one in ranked if one.probability >= _LEAST_CANDIDATE)
        if not candidates or reason is Reason.NOT_A_TILE:
            return SlotReading(slot, Presence.TILE, None, 0.0, reason, candidates, judge.knows_the_set)
        best = candidates[0]
        return SlotReading(slot, Presence.TILE, best.tile, best.probability, reason, candidates, judge.knows_the_set)
