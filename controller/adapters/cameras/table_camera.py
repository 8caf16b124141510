"""Camera above the table: votes over frames until every slot of a watch is settled.

While nothing new is on the mat, only the part around the slots is read. Only a whole frame in which the markers were found settles a watch.
What the table does not believe is reported again when other tiles are seen there.
"""

import time
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from controller.adapters.cameras.camera_thread import CameraThread, Post, log
from controller.state.messages import SlotsSeen
from controller.state.questions import DoubtedPlace, Pictures, SlotQuestion
from controller.state.table_state import TABLE_CAMERA
from controller.state.watches import Awaits, Watch
from twinwall.game.tiles import Tile
from twinwall.wire.events.trouble_events import MAT_OF, TableSubject
from twinwall.wire.messages.commands import CameraCondition
from twinwall.wire.messages.tile_question import ShownCall
from vision.cameras.port import Camera, CameraFault, CameraFrame
from vision.mat import Area, Slot
from vision.reading import Reason
from vision.table.lens import MatView
from vision.table.place_picture import SHOWN_AREAS
from vision.table.slots import Presence
from vision.table.table_reader import SlotVotes, TableReader

WHOLE_FRAME_NS = 500_000_000
"""Longest time between two whole frames, which check that camera and mat are still in place."""
FRAMES_TO_GIVE_UP = 20
"""Frames with something on the watched slots but without settled votes, before a person is asked."""
HIDDEN_FRAMES_TO_GIVE_UP = 60
"""Frames in which an arm or something else hides the watched slots, before a person is asked."""

UNPLACED_FRAMES = 20
"""Frames in a row without the mat, before the camera counts as lost."""
PUSHED_MM = 10.0
"""Least shift of a mat from its calibrated place that is logged."""
OBSERVED_EVERY_NS = 300_000_000
"""Least time between two whole frames for another caller."""
PICTURE_EVERY_NS = 10_000_000_000
"""Time between two measurements of the picture's light and sharpness."""
_STEP = 8
"""Step, in px, between the pixels for the picture's mean light."""
_UNPLACED = {Reason.DARK: CameraFault.DARK, Reason.GLARE: CameraFault.GLARE}
"""Why the mat is not found in frame after frame; otherwise its markers are covered, or the camera looks elsewhere."""


class TableCameraWorker(CameraThread):
    """Watches slots of the mat until all of them (or any, as the watch says) have a tile that the votes settle."""

    def __init__(self, camera: Camera, reader: TableReader, frame_interval_s: float, post: Post) -> None:
        super().__init__("table camera", camera, TABLE_CAMERA, post)
        self._reader, self._frame_interval_s = reader, frame_interval_s
        self._watch: tuple[Watch, int] | None = None
        self._whole_ns = -WHOLE_FRAME_NS
        self._unplaced = 0
        self._noted: MatView | None = None
        self._light_percent: int | None = None
        self._edge_tenths_mm: int | None = None
        self._measured_ns = -PICTURE_EVERY_NS
        self._last_whole: CameraFrame | None = None
        self._bare: tuple[CameraFrame, MatView | None] | None = None
        """The last whole frame before something was laid on the watched slots, and the mat's view in it."""
        self._shown_ns: int | None = None
        """When the first frame with something on the watched slots was taken; None while they are empty."""
        self._moment: tuple[int, int] | None = None
        """Deal and events of the last watch: while they are the same, a tile laid before may still be there."""
        self._whole_to: Callable[[CameraFrame], None] | None = None
        self._handed_ns = -OBSERVED_EVERY_NS
        self.keep: Callable[[Pictures], None] = lambda _pictures: None
        """Takes pictures of a slot with unsettled votes, and of the last discard's place while it is looked for."""

    def watch(self, watch: Watch | None, after_ns: int) -> None:
        """Watch from now on, at exposures begun after ``after_ns``; None: stop. A watch without slots is another's."""
        with self._changed:
            self._watch = None if watch is None or not watch.slots else (watch, after_ns)
            self._changed.notify()

    def whole_frames(self, to: Callable[[CameraFrame], None] | None) -> None:
        """Pass on a whole frame every ``OBSERVED_EVERY_NS``, with or without a watch; None: stop."""
        with self._changed:
            self._whole_to = to
            self._changed.notify()

    def _asked(self) -> bool:
        return self._watch is not None or self._whole_to is not None

    def _work(self) -> None:
        current = self._watch
        if current is not None:
            self._look(current)
            return
        # no watch: take frames for the other caller
        while self._watch is None and self._whole_to is not None and not self._stopped:
            self._hand_on(self._take(time.monotonic_ns()))
            if self._untried:
                self._tell_found()
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or self._watch is not None or self._whole_to is None, OBSERVED_EVERY_NS / 1e9)

    def _hand_on(self, frame: CameraFrame) -> None:
        """Pass a whole frame on to the caller who wants them, unless the last one is recent."""
        to = self._whole_to
        if to is not None and frame.region is None and frame.exposure_end_ns - self._handed_ns >= OBSERVED_EVERY_NS:
            self._handed_ns = frame.exposure_end_ns
            to(frame)

    def _look(self, current: tuple[Watch, int]) -> None:
        watch, after_ns = current
        votes, full_frames, hidden_frames = SlotVotes(), 0, 0
        reported: Mapping[Slot, Tile | None] | None = None
        self._begin(watch)
        while self._watch is current and not self._stopped:
            frame = self._frame(watch, after_ns, nothing_new=full_frames == 0)
            after_ns = frame.exposure_end_ns
            readings = self._reader.read(frame, watch.slots, watch.back)
            self._tell_of_mat()
            self._measure(frame)
            if frame.region is None and watch.awaited.kind is Awaits.LAST_DISCARD:
                self._keep_last_discard(frame, watch)
            lying = [reading for reading in readings if reading.occupied]
            if lying and self._shown_ns is None:
                self._shown_ns = frame.exposure_end_ns
            if lying and (watch.any_of or len(lying) == len(watch.slots)):
                full_frames += 1
                votes.add(lying)
                tiles = {reading.slot: votes.settled(reading.slot) for reading in lying}
                also = self._reader.look(frame, watch.also) if watch.also else ()
                seen = SlotsSeen(watch, tiles | _lying(watch, also), shown_ns=self._shown_ns)
                if frame.region is None and None not in tiles.values() and Presence.HIDDEN not in also:
                    if seen.tiles != reported:
                        self._post(seen)
                    votes, full_frames, reported = SlotVotes(), 0, seen.tiles
                if full_frames == FRAMES_TO_GIVE_UP:
                    for slot in (slot for slot, tile in tiles.items() if tile is None and slot not in watch.answered):
                        self._keep_doubted(watch, slot, votes)
                    self._post(seen)
                    votes, full_frames = SlotVotes(), 0
            elif hidden := [reading.slot for reading in readings if reading.presence is Presence.HIDDEN]:
                hidden_frames += 1
                # Under an arm it is unknown whether the last discard is still there: the table's own time for it expires.
                if hidden_frames == HIDDEN_FRAMES_TO_GIVE_UP and watch.awaited.kind is not Awaits.LAST_DISCARD:
                    if watch.any_of or watch.awaited.kind is Awaits.DISCARD:
                        self._keep_doubted(watch, hidden[0], votes)
                    self._post(SlotsSeen(watch, dict.fromkeys(hidden if watch.any_of else watch.slots), hidden=True))
                    hidden_frames = 0
            else:
                votes, full_frames, hidden_frames = SlotVotes(), 0, 0
                self._shown_ns = self._shown_ns if lying else None
                if frame.region is None and readings and all(reading.presence is Presence.EMPTY for reading in readings):
                    self._bare = frame, self._reader.view
            time.sleep(self._frame_interval_s)

    def _frame(self, watch: Watch, after_ns: int, *, nothing_new: bool) -> CameraFrame:
        """The part around the watch's slots while nothing new is there, unless a whole frame is due; else a whole one."""
        most_ns = WHOLE_FRAME_NS if self._whole_to is None else OBSERVED_EVERY_NS
        waiting = nothing_new and after_ns - self._whole_ns < most_ns
        frame = self._take(after_ns, self._reader.region(watch.slots) if waiting else None)
        if frame.region is None:
            self._whole_ns, self._last_whole = frame.exposure_end_ns, frame
            self._hand_on(frame)
        return frame

    def _begin(self, watch: Watch) -> None:
        """Begin a watch: at another moment of the hand than the last watch's, its slots are empty in the last frame before it."""
        self._shown_ns = None
        moment = None if watch.version is None else (watch.version.deal, watch.version.events)
        if moment != self._moment:
            self._moment = moment
            self._bare = None if self._last_whole is None else (self._last_whole, self._reader.view)

    def _keep_doubted(self, watch: Watch, slot: Slot, votes: SlotVotes) -> None:
        """Keep pictures of a slot and its neighbours, and all kinds in order of the frames' evidence.

        After a shift of camera or mat there is no picture from before, because the river's position in it is unknown. A shown hand has none
        either, because tiles in its row may have been concealed before.
        """
        version = watch.version
        if slot.area not in SHOWN_AREAS or version is None or self._last_whole is None:
            return
        after = self._reader.picture(self._last_whole, slot)
        bare, view = self._bare or (None, None)
        known = bare is not None and view is self._reader.view and slot.area not in (Area.HAND, Area.WIN)
        before = self._reader.picture(bare, slot) if known and bare is not None else None
        if after is not None:
            question = SlotQuestion(version.deal, version.events, slot)
            self.keep(DoubtedPlace(question, votes.ranked(slot), before or b"", after))

    def _keep_last_discard(self, frame: CameraFrame, watch: Watch) -> None:
        """Keep a picture of the place where the last discard is looked for, and of its neighbours in the river."""
        picture = self._reader.picture(frame, watch.slots[0])
        if picture is not None and watch.version is not None:
            self.keep(ShownCall(watch.version.deal, TableSubject.MAT_DIFFERS, picture))

    def condition(self, now_ns: int) -> CameraCondition:
        """What is known of the camera, with light, sharpness, and the shift of camera or mat."""
        moved = self._reader.drift
        moved_mm = None if moved is None else round(moved.most_mm)
        known = super().condition(now_ns)
        return replace(known, light_percent=self._light_percent, moved_mm=moved_mm, edge_tenths_mm=self._edge_tenths_mm)

    def _measure(self, frame: CameraFrame) -> None:
        """Measure the mean light of a whole picture, too coarse to reveal a tile, and the width of the markers' edges."""
        if frame.region is None and frame.exposure_end_ns - self._measured_ns >= PICTURE_EVERY_NS:
            self._measured_ns = frame.exposure_end_ns
            self._light_percent = round(float(frame.image[::_STEP, ::_STEP].mean()) / 25.5) * 10
            edge_mm = None if self._reader.trouble else self._reader.edge_mm(frame)
            self._edge_tenths_mm = None if edge_mm is None else round(10 * edge_mm)

    def _tell_of_mat(self) -> None:
        """Report a camera as lost that sends frame after frame without the mat: somebody must look at it."""
        trouble = self._reader.trouble
        self._unplaced = 0 if trouble is None else self._unplaced + 1
        if trouble is None:
            self._tell_found()
            self._note_drift()
        elif self._unplaced >= UNPLACED_FRAMES:
            why = f"{MAT_OF}{trouble.named}" if trouble.named else _UNPLACED.get(trouble.reason, CameraFault.NO_MAT)
            self._tell_lost(why, trouble.detail)

    def _note_drift(self) -> None:
        """Log a shift: reading follows the markers, but a shifted camera or mat should be put back."""
        if self._reader.view is self._noted:
            return
        self._noted, moved = self._reader.view, self._reader.drift
        if moved is not None and moved.most_mm >= PUSHED_MM:
            log.warning(
                "%s: mat or camera moved by up to %.0f mm and %.1f° since it was calibrated: put it back, or calibrate it again",
                self._what,
                moved.most_mm,
                moved.turn_deg,
            )


def _lying(watch: Watch, shown: Sequence[Presence]) -> dict[Slot, Tile | None]:
    """The other slots of a watch with something on them, as reported; a tile hidden by an arm was not taken away."""
    return {slot: None for slot, presence in zip(watch.also, shown, strict=False) if presence is not Presence.EMPTY}
