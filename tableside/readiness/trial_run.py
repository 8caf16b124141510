"""Runs the trial of four draws at a real table: uses its cameras and keys, and lights the lamp of the place in turn.

At each place a person shows a tile to the reading gate, lays it on the mat, and confirms with the place's key. The trial itself has no I/O:
each function takes what was seen or pressed and returns the new trial. It needs no deal, so it can be made before any event, with any
tiles. The kind read stays in here; the page shows only whether gate and mat agree.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from controller.state.messages import KeyPressed
from tableside.station.camera_worker import Stillness
from twinwall.game.tiles import Tile
from twinwall.values import frozen
from twinwall.wire.shapes.panel import Key, Lamps
from twinwall.wire.shapes.readiness import DrawHint, DrawStep, TrialNow
from vision.cameras.port import Camera, CameraLostError
from vision.gate.gate_reader import GateReader
from vision.mat import Area, Slot
from vision.reading import Read, ReadRefusal, Reason
from vision.table.table_reader import SlotReading, TableReader

log = logging.getLogger(__name__)

PLACES = 4


@frozen
class DrawTrial:
    """``place`` is in turn, ``tile`` is what the gate has read; ``confirms``: whether the table has keys."""

    confirms: bool = True
    place: int = 0
    step: DrawStep = DrawStep.SHOW
    tile: Tile | None = None
    hint: DrawHint = DrawHint.NONE

    @property
    def slot(self) -> Slot:
        return Slot(self.place % PLACES, Area.RIVER, 0)


def read_at_gate(trial: DrawTrial, answer: Read | ReadRefusal) -> DrawTrial:
    """The trial after the gate's camera has seen a tile at rest."""
    if trial.step is not DrawStep.SHOW:
        return trial
    if isinstance(answer, Read):
        return replace(trial, step=DrawStep.LAY, tile=answer.tile, hint=DrawHint.NONE)
    return trial if answer.reason is Reason.EMPTY else replace(trial, hint=DrawHint.UNREAD)


def seen_on_mat(trial: DrawTrial, readings: Sequence[SlotReading]) -> DrawTrial:
    """The trial after the mat's camera has seen ``slot``; without readings it does not see the mat."""
    if trial.step is not DrawStep.LAY:
        return trial
    if not readings:
        return replace(trial, hint=DrawHint.NO_MAT)
    (seen,) = readings
    if seen.tile is None or seen.reason is not None:
        return replace(trial, hint=DrawHint.NONE)
    if seen.tile is not trial.tile:
        return replace(trial, hint=DrawHint.OTHER_TILE)
    laid = replace(trial, step=DrawStep.CONFIRM, hint=DrawHint.NONE)
    return laid if trial.confirms else _next_place(laid)


def confirmed(trial: DrawTrial, place: int) -> DrawTrial:
    """The trial after the CONFIRM key of a place was pressed."""
    if trial.step is not DrawStep.CONFIRM:
        return trial
    return _next_place(trial) if place == trial.place else replace(trial, hint=DrawHint.OTHER_PLACE)


def _next_place(trial: DrawTrial) -> DrawTrial:
    place = trial.place + 1
    return DrawTrial(trial.confirms, place, DrawStep.DONE if place == PLACES else DrawStep.SHOW)


_RETRY_S = 0.5
_WAIT_S = 0.1


class HeardKeys(Protocol):
    """The table's keys and lamps, on phones or pins."""

    def show(self, lamps: Lamps) -> None:
        """Light exactly these lamps."""

    def stop(self) -> None:
        """Stop listening to keys."""


OpenKeys = Callable[[Callable[[KeyPressed], None]], HeardKeys]
"""Opens the keys; calls its argument with each press."""


@frozen
class TrialCameras:
    """The cameras of a table with the readers of the tried set; ``back`` is its backs' number."""

    gate: Camera
    table: Camera
    gate_reader: GateReader
    table_reader: TableReader
    back: int


class TrialRun:
    """One trial."""

    def __init__(self, cameras: TrialCameras, keys: OpenKeys | None) -> None:
        """Without ``keys`` nothing needs confirmation."""
        self._cameras, self._open_keys = cameras, keys
        self._lock = threading.Lock()
        self._trial = DrawTrial(confirms=keys is not None)
        self._trouble = ""
        self._stopped = False
        self._stillness = Stillness()

    @property
    def is_running(self) -> bool:
        with self._lock:
            return not self._stopped and self._trial.step is not DrawStep.DONE

    def now(self) -> TrialNow:
        running = self.is_running
        with self._lock:
            return TrialNow(self._trial.place, self._trial.step, self._trial.hint, running, self._trouble)

    def stop(self) -> None:
        with self._lock:
            self._stopped, self._trouble = True, ""

    def run(self) -> None:
        """Run the whole trial in the caller's thread; an early end's reason is its trouble."""
        keys: HeardKeys | None = None
        try:
            keys = None if self._open_keys is None else self._open_keys(self._press)
            while self.is_running:
                self._look()
                if keys is not None:
                    with self._lock:
                        waits = self._trial.step is DrawStep.CONFIRM
                        lamps = Lamps(turn=frozenset({self._trial.place})) if waits else Lamps()
                    keys.show(lamps)
        except Exception as problem:
            log.exception("the trial of four draws has failed")
            with self._lock:
                self._stopped, self._trouble = True, str(problem) or type(problem).__name__
        finally:
            if keys is not None:
                with suppress(Exception):  # a lamp that cannot be put out leaves no key held
                    keys.show(Lamps())
                keys.stop()

    def _press(self, press: KeyPressed) -> None:
        if press.key is Key.CONFIRM:
            with self._lock:
                self._trial = confirmed(self._trial, press.place)

    def _look(self) -> None:
        """Look once at what the step needs."""
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
            self._trouble = "" if self._stopped else trouble
            if after is not before:
                self._trial = after
