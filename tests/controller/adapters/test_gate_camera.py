"""Gate camera worker: each set of tiles is read by its own profile."""

import queue
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from controller.adapters.cameras.gate_cameras import GATE, UNLIT_LOOKS, GateCameraWorker, ReadGate, ask_gate
from controller.ledger.journal_events import TileRead
from controller.state.messages import GateLook, GateSeen, Message, PartFound, PartLost
from tests.support.patience import PATIENCE_S
from tests.support.vision.cameras import ShownPictures
from twinwall.game.tiles import Tile
from vision.cameras.port import CameraFrame
from vision.reading import Candidate, Read, ReadRefusal, Reason


@contextmanager
def reading(*readers: ReadGate, frames: int = 1) -> Iterator[tuple[Callable[[int, int], TileRead], list[Message]]]:
    """A worker that reads sets 1, 2 … by these profiles: what it answers to a look of a number at a set, and all that it tells."""
    posted, told = queue.SimpleQueue[Message](), list[Message]()
    worker = GateCameraWorker(ShownPictures(), dict(enumerate(readers, 1)), posted.put, frames=frames)

    def look(number: int, back: int = 1) -> TileRead:
        worker.read(GateLook(number, back), 0)
        while not (told and isinstance(seen := told[-1], GateSeen) and seen.look.number == number):
            told.append(posted.get(timeout=PATIENCE_S))
        return seen.read

    worker.start()
    yield look, told
    worker.stop()


class Answers:
    """Reads by a profile whose answers change from frame to frame; the last one stays."""

    def __init__(self, *answers: Read | ReadRefusal) -> None:
        self.answers, self.asked = answers, 0

    def __call__(self, frame: CameraFrame) -> Read | ReadRefusal:
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


def test_a_tile_is_read_by_the_profile_of_its_set() -> None:
    with reading(Answers(Read(Tile.P5, 0.99, False)), Answers(ReadRefusal(Reason.UNSURE, "worn"))) as (look, _):
        told = [look(number, back) for number, back in ((1, 1), (2, 2), (3, 1))]
    assert [(read.tile, read.reason) for read in told] == [(Tile.P5, ""), (None, "unsure"), (Tile.P5, "")]


@pytest.mark.parametrize("reason", [Reason.DARK, Reason.GLARE])
def test_a_camera_of_dark_or_glare_alone_is_told_as_lost_and_looks_are_answered(reason: Reason, caplog: pytest.LogCaptureFixture) -> None:
    profile = Answers(ReadRefusal(reason, "light has washed the marks away; 7p at 61.0%"))
    with reading(profile) as (look, told):
        for number in range(UNLIT_LOOKS + 2):
            look(number, 1)
        assert [message for message in told if not isinstance(message, GateSeen)] == [PartFound(GATE), PartLost(GATE, reason.value)]
        profile.answers = (Read(Tile.P5, 0.99, False),)
        look(100, 1)
    assert [message for message in told if not isinstance(message, GateSeen)][-1] == PartFound(GATE)
    assert sum(isinstance(message, GateSeen) for message in told) == UNLIT_LOOKS + 3
    assert "lamp" in caplog.text, "the log says what to do"
    assert "7p" not in caplog.text, "the log does not say what a tile of the wall probably is"


@pytest.mark.parametrize("reason", list(Reason))
def test_neither_message_nor_log_says_what_a_refused_tile_may_be(reason: Reason, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    refusal = ReadRefusal(reason, "between 7p and 6p of this set", (Candidate(Tile.P7, 0.6), Candidate(Tile.P6, 0.3)))
    with reading(Answers(refusal)) as (look, told):
        for number in range(UNLIT_LOOKS + 1):
            look(number, 1)
    assert told[-1] == GateSeen(GateLook(UNLIT_LOOKS, 1), TileRead(None, 0.0, reason.value))
    assert not re.search("[67]p|P[67]", f"{told} {caplog.text}")


def read(frame: CameraFrame) -> Read | ReadRefusal:
    """A reader with a defect that names a tile."""
    raise KeyError(Tile.P7.text)


def test_the_log_says_where_a_readers_defect_is_and_not_what_lay_in_the_gate(caplog: pytest.LogCaptureFixture) -> None:
    posted = queue.SimpleQueue[Message]()
    worker = GateCameraWorker(ShownPictures(), {1: read}, posted.put)
    worker.start()
    worker.read(GateLook(1, 1), 0)
    while posted.get(timeout=PATIENCE_S) != PartLost(GATE, "failed"):
        pass
    worker.stop()
    assert "KeyError" in caplog.text
    assert "in read" in caplog.text
    assert "7p" not in caplog.text


SIX, SEVEN, GLARE = Read(Tile.P6, 0.99, False), Read(Tile.P7, 0.99, False), ReadRefusal(Reason.GLARE, "a reflection")


@pytest.mark.parametrize(
    ("answers", "frames", "told", "asked"),
    [
        ((SIX, SEVEN), 1, Tile.P6, 1),
        ((SIX, SIX), 2, Tile.P6, 2),
        ((SIX, SEVEN), 2, None, 2),
        ((GLARE, SIX), 2, None, 1),
        ((SIX, SIX), 3, Tile.P6, 2),
        ((SIX, GLARE, SIX), 3, Tile.P6, 3),
        ((GLARE, GLARE), 3, None, 2),
        ((SIX, SEVEN, SIX), 3, None, 2),
    ],
)
def test_two_frames_must_agree_and_are_enough(answers: tuple[Read | ReadRefusal, ...], frames: int, told: Tile | None, asked: int) -> None:
    reader = Answers(*answers)
    with reading(reader, frames=frames) as (look, _):
        assert (look(1, 1).tile, reader.asked) == (told, asked)


def test_every_gates_tile_is_read_by_its_own_camera_and_a_lost_one_is_told_by_its_number() -> None:
    posted = queue.SimpleQueue[Message]()
    workers = [
        GateCameraWorker(ShownPictures(), {1: Answers(Read(tile, 0.99, False))}, posted.put, gate=gate)
        for gate, tile in enumerate((Tile.P5, Tile.M1))
    ]
    for worker in workers:
        worker.start()
    ask_gate(workers, GateLook(7, 1, gate=1), 0)
    ask_gate(workers, GateLook(8, 1), 0)
    told: list[Message] = []
    while sum(isinstance(message, GateSeen) for message in told) < 2:
        told.append(posted.get(timeout=PATIENCE_S))
    for worker in workers:
        worker.stop()
    assert {(seen.look.number, seen.read.tile) for seen in told if isinstance(seen, GateSeen)} == {(7, Tile.M1), (8, Tile.P5)}
    assert {message.what for message in told if isinstance(message, PartFound)} == {GATE, f"{GATE}-1"}
