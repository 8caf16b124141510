"""Collection of a set: each tile is pictured once, in any order in which the feeder catches them."""

import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from controller.collecting import Collecting, CollectingStage, Message, PictureTaken, step
from firmware_bridge.link.events import FeederEvent, LinkDown, NotAFeeder, OperationRequest
from firmware_bridge.messages import Command, FaultCode, NakCode, Place, Result
from firmware_bridge.messages import Fault as DeviceFault
from tests.support.controller.feeder import Face, FakeFeeder, OtherBack
from tests.support.tiers import some
from twinwall.game.tiles import ALL_TILES, WHOLE_SET, Tile


@dataclass
class Run:
    """A set in a feeder, the step function, and a camera that sees what lies in the gate."""

    faces: list[Face]
    wanted: int = 136
    seed: int = 1
    sees: Callable[[Face | None], bool] = lambda face: face is not None
    pictured: list[Face] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.now_s = 0.0
        self.waiting: deque[Message] = deque()
        self.feeder = FakeFeeder(self.faces, self._post, lambda: self.now_s)
        self.state = Collecting(1, self.wanted)
        self._chance = random.Random(self.seed)

    def _post(self, event: FeederEvent) -> None:
        self.waiting.append(event)

    def to_the_end(self) -> Collecting:
        self.feeder.connect()
        for _ in range(20_000):
            if self.state.stage in {CollectingStage.ENDED, CollectingStage.FAILED}:
                return self.state
            self._round()
        raise AssertionError(f"no end: {self.state}")

    def _round(self) -> None:
        if self.waiting:
            self._take(self.waiting.popleft())
        elif moves := list(self.feeder.moves()):
            self._chance.choice(moves)()
        else:
            self.now_s += 0.5
            self._take(None)

    def _take(self, message: Message) -> None:
        number = getattr(message, "number", None)
        self.state, actions = step(self.state, message, self.now_s)
        if isinstance(number, int):
            self.feeder.acknowledge(number)
        for action in actions:
            match action:
                case OperationRequest():
                    self.feeder.submit(action)
                case "status":
                    self.feeder.request_status()
                case "picture":
                    found = self.sees(self.feeder.gate)
                    if found and self.feeder.gate is not None:
                        self.pictured.append(self.feeder.gate)
                    self.waiting.append(PictureTaken(found, "" if found else "nothing there"))


@pytest.mark.parametrize("seed", some(range(4), 2))
def test_every_tile_of_the_set_is_pictured_once_and_lies_in_the_drum_at_the_end(seed: int) -> None:
    run = Run(list(WHOLE_SET), seed=seed)
    state = run.to_the_end()
    assert (state.stage, state.taken) == (CollectingStage.ENDED, 136)
    assert Counter(run.pictured) == Counter(WHOLE_SET)
    assert not run.feeder.trays
    assert len(run.feeder.drum) + (run.feeder.gate is not None) == 136


@pytest.mark.parametrize("stop", ["drum", "operation", "refusal"])
def test_a_feeder_in_which_nothing_moves_ends_the_collection_and_says_so(stop: str) -> None:
    run = Run(list(WHOLE_SET))
    run.feeder.stuck, run.feeder.hangs = stop == "drum", stop == "operation"
    run.feeder.nak = lambda command: NakCode.BUSY if stop == "refusal" and isinstance(command, Place) else None
    state = run.to_the_end()
    assert (state.stage, state.sentence[:26]) == (CollectingStage.FAILED, "Nothing has moved for 60 s")
    assert run.now_s < 120.0


def test_a_set_that_lacks_tiles_ends_when_the_drum_is_empty() -> None:
    state = Run(list(WHOLE_SET[:-3])).to_the_end()
    assert (state.stage, state.taken) == (CollectingStage.ENDED, 133)


def test_tiles_of_the_other_set_go_round_and_are_never_pictured() -> None:
    suits = list(WHOLE_SET[:108])
    run = Run([*suits, *(OtherBack(tile) for tile in suits[:20])], wanted=108)
    assert run.to_the_end().stage is CollectingStage.ENDED
    assert Counter(run.pictured) == Counter(suits)


def test_a_tile_that_the_camera_does_not_find_is_shown_again_later() -> None:
    chance = random.Random(7)
    run = Run(list(WHOLE_SET), sees=lambda face: face is not None and chance.random() > 0.3)
    assert run.to_the_end().stage is CollectingStage.ENDED
    assert Counter(run.pictured) == Counter(WHOLE_SET)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        pytest.param(Run(list(WHOLE_SET), sees=lambda _: False), "look at lamp, lens and camera", id="a camera that finds nothing"),
        pytest.param(Run([OtherBack(tile) for tile in ALL_TILES]), "backs than 1", id="a set that is not in the drum"),
    ],
)
def test_what_pictures_cannot_be_taken_of_is_told_by_its_cause(run: Run, said: str) -> None:
    state = run.to_the_end()
    assert (state.stage, said in state.sentence) == (CollectingStage.FAILED, True)


def test_a_feeder_that_holds_a_wall_is_left_alone() -> None:
    run = Run(list(WHOLE_SET))
    run.feeder.magazines[2, 7] = Tile.P5
    state = run.to_the_end()
    assert state.stage is CollectingStage.FAILED
    assert "end the hands" in state.sentence
    assert not run.feeder.commands


def test_a_lid_that_was_open_before_pictures_are_taken_is_cleared_by_their_start() -> None:
    run = Run(list(WHOLE_SET))
    run.feeder.standing.add(FaultCode.LID)
    assert run.to_the_end().stage is CollectingStage.ENDED
    assert not run.feeder.standing


def test_a_refusal_for_the_moment_is_tried_again_and_loses_no_tile() -> None:
    refusals = deque([NakCode.BUSY, NakCode.UNACKNOWLEDGED] * 5)

    def nak(command: Command) -> NakCode | None:
        return refusals.popleft() if isinstance(command, Place) and refusals else None

    run = Run(list(WHOLE_SET))
    run.feeder.nak = nak
    assert run.to_the_end().stage is CollectingStage.ENDED
    assert Counter(run.pictured) == Counter(WHOLE_SET)


@pytest.mark.parametrize("trouble", ["lost", "restarted", "failed", "fault"])
def test_whatever_happens_to_the_feeder_is_told_with_what_to_do(trouble: str) -> None:
    run = Run(list(WHOLE_SET))
    run.feeder.connect()
    while run.state.taken < 5:
        run._round()
    match trouble:
        case "lost":
            run.feeder.disconnect()
        case "restarted":
            run.feeder.power_cut()
        case "failed":
            run.feeder.result = lambda _: Result.FAILED
        case _:
            run.waiting.append(DeviceFault(FaultCode.JAM, 0x10, 0, 99))
    state = run.to_the_end()
    assert state.stage is CollectingStage.FAILED
    assert state.sentence
    taken = len(run.pictured)
    assert step(state, PictureTaken(found=True), 0.0) == (state, ())
    assert len(run.pictured) == taken


@pytest.mark.parametrize(
    ("heard", "words"),
    [
        ([], "look at its cable"),
        ([LinkDown("another program has it open")], "another program has it open"),
        ([NotAFeeder("it is a modem")], "it is a modem"),
    ],
)
def test_a_feeder_that_never_answers_is_not_waited_for(heard: list[Message], words: str) -> None:
    state = Collecting(1, 136)
    for number, message in enumerate([None, *heard, *[None] * 30]):
        state, actions = step(state, message, 100.0 + number)
        assert not actions
    assert state.stage is CollectingStage.FAILED
    assert words in state.sentence
