"""Test deals: a wall is built, read again, and taken apart; differences are named by place."""

import random
from collections import deque
from collections.abc import Callable

import pytest

from controller.ledger.journal_events import TileRead
from controller.state.messages import GateLook, GateSeen, Message
from controller.state.sides import OpenDeal
from controller.trial import Trial, TrialError, TrialReport
from firmware_bridge.messages import FaultCode, Return
from tests.support.controller.feeder import Face, FakeFeeder, face_of
from tests.support.controller.rigs import FakeTime, opened, set_up
from tests.support.game.tables import random_walls
from twinwall.game.tiles import Tile


class Bench:
    """A machine and a gate camera without threads: when no message waits, one thing happens in the world, or time passes; timers may go
    off first where the machine is ``slow``."""

    slow = False

    def __init__(self, seed: int = 1, misread: Callable[[int, Tile], Tile | None] = lambda _showing, tile: tile, missing: int = 0) -> None:
        self._random = random.Random(seed)
        self._inbox: deque[Message] = deque()
        self.time = FakeTime()
        self.setup = set_up()
        faces: list[Face] = list(self.setup.rules.tiles)
        self._random.shuffle(faces)
        self.feeder = FakeFeeder(faces[missing:], self._inbox.append, lambda: self.time.now_s)
        self._misread = misread
        self._showings = 0
        self.told: list[str] = []

    def trial(self, patience_s: float = 300.0) -> Trial:
        ports = self.feeder, self.feeder.acknowledge, self.read, self.time
        return Trial(self.setup, *ports, self._take, self._inbox.append, self.told.append, lambda: self.time.now_s, patience_s)

    def read(self, look: GateLook, after_ns: int) -> None:
        """The gate camera: each showing of a tile may be misread."""
        self._showings += 1
        face = None if self.feeder.gate is None else face_of(self.feeder.gate)
        tile = self._misread(self._showings, face) if isinstance(face, Tile) else None
        self._inbox.append(
            GateSeen(look, TileRead(tile, 0.0 if tile is None else 0.999, "doubtful" if tile is None else "", gate=look.gate))
        )

    def run(self, deal: OpenDeal, patience_s: float = 300.0) -> TrialReport:
        self.feeder.connect()
        return self.trial(patience_s).run(deal)

    def _take(self, within_s: float) -> Message | None:
        if not self._inbox:
            moves = self.feeder.moves()
            if moves and not (self.slow and self._random.random() < 0.5 and self.time.pass_to_next()):
                self._random.choice(moves)()
            elif not self.time.pass_to_next():
                self.time.now_s += within_s
        return self._inbox.popleft() if self._inbox else None


DEAL = opened(random_walls(5))


def test_a_good_machine_reads_every_position_again_as_it_was_built() -> None:
    bench = Bench()
    report = bench.run(DEAL)
    assert report.good
    assert (report.positions, report.agreed, report.unread, report.faults) == (136, 136, (), ())
    assert len(bench.feeder.drum) + (bench.feeder.gate is not None) == 136
    assert not bench.feeder.trays
    assert not bench.feeder.magazines, "no wall was raised"
    assert bench.feeder.raises == 0


def test_a_lid_that_was_open_before_a_test_deal_is_cleared_by_its_start() -> None:
    bench = Bench()
    bench.feeder.standing.add(FaultCode.LID)
    assert bench.run(DEAL).good
    assert not bench.feeder.standing


@pytest.mark.parametrize("slow", [False, True])
def test_the_next_deal_goes_on_with_higher_numbers_whatever_timers_the_first_has_left(slow: bool) -> None:
    bench = Bench()
    bench.slow = slow
    trial = bench.trial()
    bench.feeder.connect()
    assert trial.run(DEAL).good
    assert trial.run(opened(random_walls(6), n=2)).good
    numbers = [number for number, _ in bench.feeder.commands]
    assert numbers == sorted(set(numbers))


def test_two_kinds_that_the_camera_takes_for_each_other_once_are_found() -> None:
    swapped: list[Tile] = []

    def misread(_showing: int, tile: Tile) -> Tile | None:
        """The first look at a 1m and at a 2m takes each for the other: every kind counts four all the same."""
        other = {Tile.M1: Tile.M2, Tile.M2: Tile.M1}.get(tile)
        if other is None or swapped.count(tile) >= bench.setup.frames_to_agree:
            return tile
        swapped.append(tile)
        return other

    bench = Bench(misread=misread)
    report = bench.run(DEAL)
    assert not report.good
    assert (len(report.differing), report.agreed) == (2, 134)


def test_a_tile_that_cannot_be_read_again_is_told_as_that_and_is_no_difference() -> None:
    bench = Bench(misread=lambda showing, tile: None if bench.feeder.trays and tile is Tile.P9 and bench_done(bench) else tile)
    report = bench.run(DEAL)
    assert report.good
    assert (len(report.unread), report.agreed) == (4, 132)


def bench_done(bench: Bench) -> bool:
    """Whether the read-back has begun."""
    return any(isinstance(command, Return) for _, command in bench.feeder.commands)


def test_a_wall_that_is_not_ready_in_time_says_why() -> None:
    bench = Bench(missing=1)
    with pytest.raises(TrialError, match="the wall was not ready after 60 s"):
        bench.run(DEAL, patience_s=60.0)
    assert bench.told, "and what staff were called for was told when it happened"


def test_a_feeder_that_does_not_answer_is_told() -> None:
    bench = Bench()
    with pytest.raises(TrialError, match="the feeder does not answer"):
        bench.trial().run(DEAL)
