"""Record only: follows an ordinary hand with an unknown deal by the camera above the mat, from start to end. Each frame gives an
observation, which the decoder joins at once, with the keys pressed before it, and which goes into the observation file; frames are not
stored. The decoder's result is written when a person says that the hand is over. If the decoder has not seen the end, the page says so
first, and may continue or keep the hand as far as it was seen. A recording left running is cut off, because it holds the feeder's port. If
it ended before any frame was looked at, nothing is kept."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Protocol

import msgspec
from msgspec.structs import replace

from controller.recorder.decoder import HandDecoder
from controller.recorder.observation_file import ObservedHand, decode_lines, decoded_document, line_of, rounded
from controller.state.messages import KeyPressed
from tableside.readiness.camera_checks import unplaced
from tableside.readiness.recorded_hands import keep_document
from tableside.readiness.trial_run import HeardKeys, OpenKeys
from twinwall.game.play_events import TileDiscarded
from twinwall.game.typed_json import plain
from twinwall.wire.shapes.panel import KeyEdge, Lamps
from twinwall.wire.shapes.readiness import CheckOutcome, HandEnd, RecordingNow, RecordingStage
from vision.cameras.port import Camera, CameraFrame, CameraLostError
from vision.mat_observation import MatObservation
from vision.reading import ReadRefusal

FRAME_S = 0.3
"""Least time between two frames."""
LONGEST_S = 2 * 3600.0
"""Longest recording."""
MOST_BYTES = 64 * 2**20
"""Most bytes of observations: those of 40 minutes at the fastest pace with 80 tiles face up all the time (8 KB each)."""
_MS_NS = 1_000_000
log = logging.getLogger(__name__)


class FrameObserver(Protocol):
    """Reads whole frames (``vision.table.sweeper``)."""

    @property
    def trouble(self) -> ReadRefusal | None:
        """Why the last frame gave nothing, or None."""

    def observe(self, frame: CameraFrame, at_ms: int, back: int | None = None) -> MatObservation | None:
        """What a frame shows on the mat; None if the mat could not be located."""


class HandRecording:
    """One hand; ``run`` is called in its own thread, the others from any."""

    def __init__(
        self,
        hand: ObservedHand,
        camera: Camera,
        observer: FrameObserver,
        back: int,
        new_file: Callable[[], Path],
        *,
        open_keys: OpenKeys | None = None,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        most_bytes: int = MOST_BYTES,
        frame_s: float = FRAME_S,
    ) -> None:
        """``camera`` is above the mat, ``back`` the number of the present set's backs; ``new_file`` makes the file of the observations, of
        ``most_bytes``; ``clock_ns`` is the camera's clock. Raises RuleSetError for unknown rules, and OSError."""
        self._hand, self._camera, self._observer, self._back, self._open_keys = hand, camera, observer, back, open_keys
        self._clock_ns, self._most_bytes, self._frame_s = clock_ns, most_bytes, frame_s
        self._decoder: HandDecoder = hand.decoder()
        self._file = new_file()
        self._changed = threading.Condition()
        self._now = RecordingNow(self._file.stem)
        self._asked: RecordingStage | None = None
        self._keeps = False
        self._first_ns: int | None = None
        self._last_ms = 0
        self._pressed: list[tuple[int, KeyPressed]] = []
        """Presses that are not joined yet, with their time (ns)."""

    @property
    def is_running(self) -> bool:
        return self.now().is_running

    def now(self) -> RecordingNow:
        with self._changed:
            return self._now

    def end(self, end: HandEnd) -> None:
        """End it, by order of a person."""
        self._ask(RecordingStage.STOPPED if end is HandEnd.STOP else RecordingStage.ENDING, keep=end is HandEnd.KEEP)

    def cut_off(self) -> None:
        """End it with the program: what was observed stays, without a record."""
        self._ask(RecordingStage.CUT_OFF)

    def run(self) -> None:
        """Run the whole recording in the caller's thread."""
        keys: HeardKeys | None = None
        try:
            if self._open_keys is not None:
                keys = self._open_keys(self._press)
                keys.show(Lamps())
            self._follow()
        except Exception as problem:
            log.exception("the hand %s is not recorded any more", self._file.stem)
            self._ended(RecordingStage.FAILED, str(problem) or type(problem).__name__)
        finally:
            if keys is not None:
                keys.stop()

    def _follow(self) -> None:
        until_ns = self._clock_ns() + round(LONGEST_S * 1e9)
        try:
            with self._file.open("wb") as lines:
                lines.write(msgspec.json.encode(plain(self._hand)) + b"\n")
                lines.flush()  # also a hand of which nothing was seen is decoded from its file
                while self.is_running:
                    self._look(lines)
                    self._wait()
                    if self.is_running and self._clock_ns() >= until_ns:
                        self._ended(RecordingStage.CUT_OFF)
                    elif self.is_running and lines.tell() >= self._most_bytes:
                        self._ended(RecordingStage.FULL)
        except OSError as problem:
            self._ended(RecordingStage.FAILED, f"{self._file} cannot be written: {problem.strerror}")

    def _look(self, lines: BinaryIO) -> None:
        began_ns = self._clock_ns()
        try:
            frame = self._camera.frame_after(began_ns)
        except CameraLostError as lost:
            self._unseen(CheckOutcome.AWAY, str(lost), began_ns)
            return
        if self._first_ns is None:
            self._first_ns = frame.exposure_end_ns
        at_ms = (frame.exposure_end_ns - self._first_ns) // _MS_NS
        observation = self._observer.observe(frame, at_ms, self._back)
        if observation is None:
            check = unplaced(self._observer.trouble)
            self._unseen(check.outcome, check.detail, began_ns)
            return
        observation = rounded(observation)
        for key in self._keys_until(at_ms):
            lines.write(line_of(key) + b"\n")
            self._decoder.key_pressed(key)
        lines.write(line_of(observation) + b"\n")
        lines.flush()
        self._decoder.see(observation)
        self._last_ms = at_ms
        discards = sum(isinstance(event.event, TileDiscarded) for event in self._decoder.published.values())
        self._change(frames=self._now.frames + 1, discards=discards, last_frame=CheckOutcome.MAT, detail="")

    def _press(self, press: KeyPressed) -> None:
        with self._changed:
            self._pressed.append((self._clock_ns(), press))

    def _keys_until(self, at_ms: int) -> list[KeyEdge]:
        """The keys pressed up to a frame, in order; a late one counts from the frame before."""
        with self._changed:
            first_ns, pressed = self._first_ns or 0, self._pressed
            edges = [KeyEdge(max((at_ns - first_ns) // _MS_NS, self._last_ms), press.place, press.key) for at_ns, press in pressed]
            joined = [edge for edge in edges if edge.at_ms <= at_ms]
            self._pressed = [one for one, edge in zip(pressed, edges, strict=True) if edge.at_ms > at_ms]
            return sorted(joined, key=lambda edge: edge.at_ms)

    def _unseen(self, outcome: CheckOutcome, detail: str, began_ns: int) -> None:
        missed_s = max((self._clock_ns() - began_ns) / 1e9, self._frame_s)
        self._change(last_frame=outcome, detail=detail, unseen_s=self._now.unseen_s + missed_s)

    def _wait(self) -> None:
        """Wait until the next frame is due, or a person asks for something."""
        with self._changed:
            self._changed.wait_for(lambda: self._asked is not None, self._frame_s)
            asked, self._asked = self._asked, None
        if asked is RecordingStage.ENDING:
            self._change(stage=asked)
            self._end()
        elif asked is not None:
            self._ended(asked)

    def _end(self) -> None:
        """Decode the whole hand from its file, as ``twinwall record decode`` does; the live decoder continues if the hand does."""
        began_ns = self._clock_ns()
        with self._file.open("rb") as lines:
            _, decoded = decode_lines(lines)
        if not decoded.decoder.complete and not self._keeps:
            unseen_s = self._now.unseen_s + (self._clock_ns() - began_ns) / 1e9
            self._change(stage=RecordingStage.RECORDING, early=True, unseen_s=unseen_s)
            return
        document = decoded_document(self._hand, decoded)
        keep_document(self._file, document | {"unseen_s": round(self._now.unseen_s, 1)})
        self._change(stage=RecordingStage.RECORDED)

    def _ended(self, stage: RecordingStage, detail: str = "") -> None:
        """End without a record. A discarded hand, or one without a frame, then leaves no file."""
        if stage is RecordingStage.STOPPED or not self._now.frames:
            with suppress(OSError):  # a disk that is full or away has ended it, with the reason
                self._file.unlink(missing_ok=True)
        self._change(stage=stage, detail=detail)

    def _ask(self, stage: RecordingStage, *, keep: bool = False) -> None:
        with self._changed:
            self._asked, self._keeps = stage, keep
            self._changed.notify_all()

    def _change(self, **changes: object) -> None:
        with self._changed:
            self._now = replace(self._now, **changes)
