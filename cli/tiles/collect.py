"""Collection of a whole set's pictures at the reading gate, for ``twinwall tiles enrol --table``: feeder and camera around
``controller.collecting``.

Pictures stay in this process's memory; nothing is written or sent.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cli.errors import UsageError
from controller.collecting import Action, AskStatus, Collecting, CollectingStage, Message, PictureTaken, TakePicture, TimePassed, step
from firmware_bridge.feeder_connection import FeederConnection
from firmware_bridge.link.events import FeederEvent, OperationRequest
from firmware_bridge.link.settings import LinkSettings
from vision.cameras.port import Camera, CameraLostError
from vision.enrol.gather import Unnamed
from vision.gate.gate_reader import GateReader
from vision.gate.rectify import cut_large
from vision.reading import ReadRefusal

_TICK_S = 0.25


@dataclass(slots=True)
class Collector:
    """Pictures of the tiles of one set, in the order in which they came to the gate."""

    camera: Camera
    reader: GateReader
    report: Callable[[int], None]
    pictures: list[Unnamed] = field(default_factory=list)

    def collect(self, port: str, baud_rate: int, back: int, wanted: int, link: LinkSettings | None = None) -> None:
        """Feed the set once; raises UsageError with what to do when it does not come to its end."""
        posted: queue.SimpleQueue[FeederEvent] = queue.SimpleQueue()
        feeder = FeederConnection(port, baud_rate, posted.put, settings=link or LinkSettings())
        feeder.start()
        try:
            state = Collecting(back, wanted)
            while state.stage not in {CollectingStage.ENDED, CollectingStage.FAILED}:
                state = self._round(state, _next(posted), feeder)
        finally:
            feeder.stop()
        if state.stage is CollectingStage.FAILED:
            raise UsageError(state.sentence)

    def _round(self, state: Collecting, message: Message, feeder: FeederConnection) -> Collecting:
        """One message and all that follows from it at once."""
        waiting = [message]
        while waiting:
            state, actions = step(state, waiting.pop(0), time.monotonic())
            waiting.extend(answer for action in actions if (answer := self._do(action, feeder)) is not None)
        return state

    def _do(self, action: Action, feeder: FeederConnection) -> Message | None:
        match action:
            case OperationRequest():
                feeder.submit(action)
            case AskStatus():
                feeder.request_status()
            case TakePicture():
                return self._look()
        return None

    def _look(self) -> PictureTaken:
        try:
            image = self.camera.frame_after(time.monotonic_ns()).image
        except CameraLostError as lost:
            return PictureTaken(found=False, why=str(lost))
        corners = self.reader.find(image)
        if isinstance(corners, ReadRefusal):
            return PictureTaken(found=False, why=corners.detail)
        self._keep(cut_large(image, corners))
        return PictureTaken(found=True)

    def _keep(self, picture: NDArray[np.uint8]) -> None:
        self.pictures.append(Unnamed(f"tile {len(self.pictures) + 1}", picture))
        self.report(len(self.pictures))


def _next(posted: queue.SimpleQueue[FeederEvent]) -> Message:
    try:
        return posted.get(timeout=_TICK_S)
    except queue.Empty:
        return TimePassed()
