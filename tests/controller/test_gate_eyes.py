"""The gate's eyes: each set of tiles is read by its own profile."""

from __future__ import annotations

import queue
from dataclasses import dataclass

import numpy as np
import pytest

from controller.cameras import GATE, UNLIT_LOOKS, GateEyes
from controller.messages import CameraFound, CameraLost, GateLook, GateSeen, Message
from twinwall.game.tiles import Tile
from vision.camera import Frame, Region
from vision.reading import Read, Reason, Refusal


class BlankCamera:
    """Frames with nothing on them."""

    def frame_after(self, moment_ns: int, region: Region | None = None) -> Frame:
        return Frame(np.zeros((4, 4, 3), dtype=np.uint8), moment_ns + 1, moment_ns + 2)

    def close(self) -> None:
        pass


@dataclass
class Knowing:
    """A profile that gives the same answer to every frame."""

    answer: Read | Refusal

    def read(self, frame: Frame) -> Read | Refusal:
        return self.answer


def test_a_tile_is_read_by_the_profile_of_its_set() -> None:
    posted: queue.SimpleQueue[Message] = queue.SimpleQueue()
    profiles = {1: Knowing(Read(Tile.P5, 0.99, False)), 2: Knowing(Refusal(Reason.UNSURE, "worn"))}
    eyes = GateEyes(BlankCamera(), profiles, posted.put)
    eyes.start()
    answers: list[Message] = []
    for number, back in ((1, 1), (2, 2), (3, 1)):
        eyes.read(GateLook(number, 0, back), 0)
        while not (answers and isinstance(answers[-1], GateSeen) and answers[-1].number == number):
            answers.append(posted.get(timeout=20))
    eyes.stop()
    told = [(seen.number, seen.tile, seen.reason) for seen in answers if isinstance(seen, GateSeen)]
    assert told == [(1, Tile.P5, ""), (2, None, "unsure"), (3, Tile.P5, "")]


@pytest.mark.parametrize("reason", [Reason.DARK, Reason.GLARE])
def test_a_camera_that_shows_only_dark_or_glare_is_told_as_lost_while_its_looks_are_still_answered(reason: Reason) -> None:
    posted: queue.SimpleQueue[Message] = queue.SimpleQueue()
    profile = Knowing(Refusal(reason, "look at the lamp"))
    eyes = GateEyes(BlankCamera(), {1: profile}, posted.put)
    eyes.start()
    told: list[Message] = []

    def look(number: int) -> None:
        eyes.read(GateLook(number, 0, 1), 0)
        while not (told and isinstance(told[-1], GateSeen) and told[-1].number == number):
            told.append(posted.get(timeout=20))

    for number in range(UNLIT_LOOKS + 2):
        look(number)
    assert [message for message in told if not isinstance(message, GateSeen)] == [CameraFound(GATE), CameraLost(GATE)]
    profile.answer = Read(Tile.P5, 0.99, False)
    look(100)
    eyes.stop()
    assert [message for message in told if not isinstance(message, GateSeen)][-1] == CameraFound(GATE)
    assert sum(isinstance(message, GateSeen) for message in told) == UNLIT_LOOKS + 3
