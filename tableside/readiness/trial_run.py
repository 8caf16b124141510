"""Runs the trial of four draws at a real table: asks its cameras, takes its keys, lights the lamp of whose turn it is."""

import threading
import time
from collections.abc import Callable
from typing import Protocol

from tableside.readiness.draw_trial import DrawTrial, confirmed, read_at_gate, seen_on_mat
from tableside.station.camera_worker import Stillness
from twinwall.values import frozen
from twinwall.wire.shapes.readiness import DrawStep, TrialNow
from vision.cameras.port import Camera, CameraLostError
from vision.gate.gate_reader import GateReader
from vision.table.table_reader import TableReader

_RETRY_S = 0.5
_WAIT_S = 0.1


class TrialKeys(Protocol):
    """The keys and lamps of a table, on phones or pins."""

    def light(self, place: int | None) -> None:
        """Light the lamp of the place whose key is waited for, and no other."""

    def stop(self) -> None:
        """Take no key any more."""


OpenKeys = Callable[[Callable[[int], None]], TrialKeys]
"""Gives what it is called with the place of each CONFIRM that is pressed."""


@frozen
class TrialCameras:
    """The cameras of a table with the readers of the set that is tried, ``back`` its backs."""

    gate: Camera
    table: Camera
    gate_reader: GateReader
    table_reader: TableReader
    back: int


class TrialRun:
    """One trial."""

    def __init__(self, cameras: TrialCameras, keys: OpenKeys | None) -> None:
        """Without ``keys`` nothing is to be confirmed."""
        self._cameras, self._open_keys = cameras, keys
        self._lock = threading.Lock()
        self._trial = DrawTrial(confirms=keys is not None)
        self._trouble = ""
        self._stopped = False
        self._stillness = Stillness()

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        with self._lock:
            return not self._stopped and self._trial.step is not DrawStep.DONE

    def now(self) -> TrialNow:
        """How far it is."""
        running = self.is_running
        with self._lock:
            return TrialNow(self._trial.place, self._trial.step, self._trial.hint, running, self._trouble)

    def stop(self) -> None:
        """End it."""
        with self._lock:
            self._stopped = True

    def run(self) -> None:
        """The whole trial, in the caller's thread."""
        keys = None if self._open_keys is None else self._open_keys(self._confirm)
        try:
            while self.is_running:
                self._look()
                if keys is not None:
                    keys.light(self._waits_for())
        finally:
            if keys is not None:
                keys.light(None)
                keys.stop()

    def _confirm(self, place: int) -> None:
        with self._lock:
            self._trial = confirmed(self._trial, place)

    def _waits_for(self) -> int | None:
        with self._lock:
            return self._trial.place if self._trial.step is DrawStep.CONFIRM else None

    def _look(self) -> None:
        """One look at what the step needs."""
        before, trouble = self._trial, ""
        after = before
        try:
            match before.step:
                case DrawStep.SHOW:
                    frame = self._cameras.gate.frame_after(time.monotonic_ns())
                    if self._stillness.take(frame):
                        after = read_at_gate(before, self._cameras.gate_reader.read(frame))
                case DrawStep.LAY:
                    frame = self._cameras.table.frame_after(time.monotonic_ns())
                    after = seen_on_mat(before, self._cameras.table_reader.read(frame, (before.slot,), self._cameras.back))
                case DrawStep.CONFIRM | DrawStep.DONE:
                    time.sleep(_WAIT_S)
        except CameraLostError as lost:
            trouble = str(lost)
            time.sleep(_RETRY_S)
        with self._lock:
            self._trouble = trouble
            if after is not before:
                self._trial = after
