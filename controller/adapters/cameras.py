"""The two cameras as adapters in threads of their own: they look when asked, and post what was seen.

No frame and no decision leaves this module: the gate's reader answers one question at a time, the
mat's reader votes over frames until every slot of a watch is settled. While nothing new lies on the
mat only the part around the slots is looked at; what settles a watch is always a whole frame, in which
the markers were seen. A camera that gives nothing of use is told as lost with what is wrong, once for each thing that is, and
once as found again; while nobody asks for a look it is tried whether it has come back.
"""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from controller.state.messages import CameraFound, CameraLost, GateLook, GateSeen, Message, SlotsSeen
from controller.state.watches import Watch
from twinwall.game.tiles import Tile
from vision.cameras.port import Camera, CameraFault, CameraFrame, CameraLostError
from vision.mat import Slot
from vision.model.agreement import agreed
from vision.reading import Read, ReadRefusal, Reason
from vision.table.lens import MatView
from vision.table.slots import Presence
from vision.table.table_reader import TableReader
from vision.table.votes import SlotVotes

GATE, TABLE = "gate-camera", "table-camera"
RETRY_S = 0.2
IDLE_RETRY_S = 1.0
"""A lost camera of which nothing is wanted is tried so often whether it is back."""
FAILURES_TO_TELL = 5
"""A lost camera that fails in another way so often in a row is told anew."""
WHOLE_FRAME_NS = 500_000_000
"""However long a watch waits, a whole frame looks so often whether camera and mat still lie as they did."""
FRAMES_TO_GIVE_UP = 20
"""Frames on which what is watched for lies there and votes still do not settle, before a person is asked."""
HIDDEN_FRAMES_TO_GIVE_UP = 60
"""Frames on which an arm or something else hides what is watched for, before a person is asked."""

UNPLACED_FRAMES = 20
"""Frames in a row in which the mat was not found, before the camera counts as lost."""
PUSHED_MM = 10.0
"""A mat that lies so far from where it was calibrated is noted in the log."""
UNLIT_LOOKS = 6
"""Looks in a row that were dark or washed out, before the camera counts as lost: more than one tile's."""

_UNLIT = {
    Reason.DARK: (CameraFault.DARK, "tile after tile is dark: see to the gate's lamp and to the camera's exposure"),
    Reason.GLARE: (
        CameraFault.GLARE,
        "tile after tile is washed out by light: look for a reflection, and see to the lamp and the camera's exposure",
    ),
}
"""What the log says of a gate without light. A refusal's own words may name what the tile probably is, which is nobody's to read; for the
same reason the log says where an error arose and of which type it is, and not what it says."""

_UNPLACED = {Reason.DARK: CameraFault.DARK, Reason.GLARE: CameraFault.GLARE}
"""Why the mat is not found in frame after frame; else its markers are covered, or the camera looks elsewhere."""

Post = Callable[[Message], None]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Question:
    look: GateLook
    after_ns: int


class GateProfile(Protocol):
    """Reads the tiles of one set (``vision.gate.gate_reader.GateReader``)."""

    def read(self, frame: CameraFrame) -> Read | ReadRefusal:
        """The tile in the window, or why there is no read."""
        ...


class CameraWorker:
    """A thread that takes the latest request; an earlier one that has not been begun is dropped."""

    def __init__(self, name: str, camera: Camera, what: str, post: Post) -> None:
        self._camera, self._what, self._post = camera, what, post
        self._changed = threading.Condition()
        self._stopped = False
        self._lost: bool | None = None
        """None until the first frame or failure: a controller that starts again must tell either."""
        self._why: CameraFault | None = None
        self._failures = 0
        self._untried = True
        """Whether a frame alone would tell that the camera is there: at first, and when it gave none."""
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """End after the frame being looked at."""
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped:
            try:
                if self._is_asked():
                    self._work()
                elif not self._stopped:
                    self._camera.frame_after(time.monotonic_ns())
                    self._tell_found()
            except CameraLostError as error:
                self._tell_lost(error.fault, str(error))
                self._untried = True
                self._rest()
            except Exception as error:
                where = "".join(traceback.format_tb(error.__traceback__))
                log.error("%s: a frame could not be read (%s)\n%s", self._what, type(error).__name__, where)
                self._tell_lost(CameraFault.FAILED, "a frame could not be read")
                self._rest()

    def _asked(self) -> bool:
        """Whether anything is to be looked at."""
        raise NotImplementedError

    def _work(self) -> None:
        """Look at it."""
        raise NotImplementedError

    def _is_asked(self) -> bool:
        """Wait until there is something to look at; False when the camera itself is to be tried meanwhile, and at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._untried or self._asked())
            return self._asked() and not self._stopped

    def _rest(self) -> None:
        """Leave a camera alone that has just failed: shortly where a look is waited for."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped, RETRY_S)
            self._changed.wait_for(lambda: self._stopped or self._asked(), IDLE_RETRY_S)

    def _tell_lost(self, why: CameraFault, reason: str) -> None:
        """Tell it where it is not known; a fault that gives way to another one only when that stays."""
        self._untried = False
        self._failures = self._failures + 1 if self._lost and why is not self._why else 0
        if self._lost and self._failures < FAILURES_TO_TELL:
            return
        log.warning("%s: %s", self._what, reason)
        self._lost, self._why, self._failures = True, why, 0
        self._post(CameraLost(self._what, why.value))

    def _tell_found(self) -> None:
        self._untried, self._failures = False, 0
        if self._lost is not False:
            self._lost = False
            self._post(CameraFound(self._what))


class GateCameraWorker(CameraWorker):
    """Reads the tile in the gate's window by the profile of the set that it belongs to, from a frame or from several that agree."""

    def __init__(self, camera: Camera, readers: Mapping[int, GateProfile], post: Post, *, frames: int = 1, gate: int = 0) -> None:
        """``readers`` are the profiles by the colour of the backs; ``post`` takes one GateSeen for each question that is not overtaken.

        Of at most ``frames`` frames two must agree and none contradict; with 1 a single frame decides.
        """
        super().__init__("gate eyes", camera, f"{GATE}-{gate}" if gate else GATE, post)
        self._readers, self._frames = readers, frames
        self._question: _Question | None = None
        self._unlit = 0

    def read(self, look: GateLook, after_ns: int) -> None:
        """Ask for a reading of the tile in the gate, from an exposure begun after ``after_ns``."""
        with self._changed:
            self._question = _Question(look, after_ns)
            self._changed.notify()

    def _asked(self) -> bool:
        return self._question is not None

    def _work(self) -> None:
        question = self._question
        if question is None:
            return
        look = question.look
        result = self._answer(self._readers[look.back], question.after_ns)
        self._judge_light(result)
        with self._changed:
            if self._question is question:
                self._question = None
        if isinstance(result, Read):
            self._post(GateSeen(look.number, look.frame, result.tile, result.probability, "", result.others, result.second))
        else:
            self._post(GateSeen(look.number, look.frame, None, 0.0, result.reason.value))

    def _judge_light(self, result: Read | ReadRefusal) -> None:
        """A camera that only shows dark or glare is no camera: whoever looks after the table must know, while tiles go round unread."""
        unlit = isinstance(result, ReadRefusal) and result.reason in _UNLIT
        self._unlit = self._unlit + 1 if unlit else 0
        if isinstance(result, ReadRefusal) and self._unlit >= UNLIT_LOOKS:
            self._tell_lost(*_UNLIT[result.reason])
        else:
            self._tell_found()

    def _answer(self, reader: GateProfile, after_ns: int) -> Read | ReadRefusal:
        """What the frames say together; no more are taken than it needs."""
        least = min(2, self._frames)
        answers: list[Read | ReadRefusal] = []
        while True:
            frame = self._camera.frame_after(after_ns)
            after_ns = frame.exposure_end_ns
            answers.append(reader.read(frame))
            result = agreed(answers, least=least)
            wanting = least - sum(isinstance(answer, Read) for answer in answers)
            if isinstance(result, Read) or wanting > self._frames - len(answers) or wanting <= 0:
                return result


class GateCameraWorkers:
    """The eyes of all gates: each looks at its own."""

    def __init__(self, eyes: Sequence[GateCameraWorker]) -> None:
        """``eyes`` in the order of the gates."""
        self._eyes = tuple(eyes)

    def start(self) -> None:
        """Begin to work."""
        for each in self._eyes:
            each.start()

    def stop(self) -> None:
        """End after the frames being looked at."""
        for each in self._eyes:
            each.stop()

    def read(self, look: GateLook, after_ns: int) -> None:
        """Ask the eyes of the look's gate."""
        self._eyes[look.gate].read(look, after_ns)


class TableCameraWorker(CameraWorker):
    """Watches slots of the mat until all of them (or any, as the watch says) hold a tile that the votes settle."""

    def __init__(self, camera: Camera, reader: TableReader, frame_interval_s: float, post: Post) -> None:
        """Frames are asked for every ``frame_interval_s`` while a watch stands."""
        super().__init__("table eyes", camera, TABLE, post)
        self._reader, self._frame_interval_s = reader, frame_interval_s
        self._watch: tuple[Watch, int] | None = None
        self._whole_ns = -WHOLE_FRAME_NS
        self._unplaced = 0
        self._noted: MatView | None = None

    def watch(self, watch: Watch | None, after_ns: int) -> None:
        """Look for this from now on, at exposures begun after ``after_ns``; None: look no more."""
        with self._changed:
            self._watch = None if watch is None else (watch, after_ns)
            self._changed.notify()

    def _asked(self) -> bool:
        return self._watch is not None

    def _work(self) -> None:
        current = self._watch
        if current is not None:
            self._look(current)

    def _look(self, current: tuple[Watch, int]) -> None:
        watch, after_ns = current
        votes, full_frames, hidden_frames = SlotVotes(), 0, 0
        while self._watch is current and not self._stopped:
            frame = self._frame(watch, after_ns, nothing_new=full_frames == 0)
            after_ns = frame.exposure_end_ns
            readings = self._reader.read(frame, watch.slots, watch.back)
            self._tell_of_mat()
            lying = [reading for reading in readings if reading.occupied]
            if lying and (watch.any_of or len(lying) == len(watch.slots)):
                full_frames += 1
                votes.add(lying)
                tiles = {reading.slot: votes.settled(reading.slot) for reading in lying}
                also = self._also(frame, watch)
                if frame.region is None and None not in tiles.values() and Presence.HIDDEN not in also.values():
                    self._tell(watch, current, tiles | _lying(also))
                    return
                if full_frames == FRAMES_TO_GIVE_UP:
                    self._post(SlotsSeen(watch, tiles | _lying(also)))
                    votes, full_frames = SlotVotes(), 0
            elif not watch.any_of and any(reading.presence is Presence.HIDDEN for reading in readings):
                hidden_frames += 1
                if hidden_frames == HIDDEN_FRAMES_TO_GIVE_UP:
                    self._post(SlotsSeen(watch, dict.fromkeys(watch.slots)))
                    hidden_frames = 0
            else:
                votes, full_frames, hidden_frames = SlotVotes(), 0, 0
            time.sleep(self._frame_interval_s)

    def _frame(self, watch: Watch, after_ns: int, *, nothing_new: bool) -> CameraFrame:
        """The part around the watch's slots while nothing new lies there, unless it is time for a whole frame; else a whole one."""
        waiting = nothing_new and after_ns - self._whole_ns < WHOLE_FRAME_NS
        frame = self._camera.frame_after(after_ns, self._reader.region(watch.slots) if waiting else None)
        if frame.region is None:
            self._whole_ns = frame.exposure_end_ns
        return frame

    def _tell_of_mat(self) -> None:
        """A camera that sends frames without the mat in them, one after the other, is as good as lost: somebody must look at it."""
        trouble = self._reader.trouble
        self._unplaced = 0 if trouble is None else self._unplaced + 1
        if trouble is None:
            self._tell_found()
            self._note_drift()
        elif self._unplaced >= UNPLACED_FRAMES:
            self._tell_lost(_UNPLACED.get(trouble.reason, CameraFault.NO_MAT), trouble.detail)

    def _note_drift(self) -> None:
        """For the log: reading follows the markers, but a camera or mat that was pushed should hang and lie as it did."""
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

    def _also(self, frame: CameraFrame, watch: Watch) -> dict[Slot, Presence]:
        """What the slots that were to be told of show."""
        shown = self._reader.look(frame, watch.also) if watch.also else ()
        return dict(zip(watch.also, shown, strict=False))

    def _tell(self, watch: Watch, current: tuple[Watch, int], tiles: Mapping[Slot, Tile | None]) -> None:
        with self._changed:
            if self._watch is current:
                self._watch = None
        self._post(SlotsSeen(watch, tiles))


def _lying(shown: Mapping[Slot, Presence]) -> dict[Slot, Tile | None]:
    """The slots on which something lies, as they are told; what an arm hides has not been taken away."""
    return {slot: None for slot, presence in shown.items() if presence is not Presence.EMPTY}
