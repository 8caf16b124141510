"""Timers of the follower: a cancelled one stays silent, also when another of the same name runs."""

from collections.abc import Callable
from datetime import UTC, datetime

from controller.adapters.follower import Adapters, Follower, nothing
from controller.core.outputs import Outputs
from controller.state.messages import TimerFired
from controller.state.questions import AskedNow
from controller.state.timers import ExposureTimer, WantedTimer
from controller.state.watches import Awaited, Awaits, Watch
from firmware_bridge.link.events import OperationRequest
from twinwall.game.tiles import Seat
from twinwall.wire.shapes.panel import Lamps

SHOW = WantedTimer(ExposureTimer(Watch(Awaited(Awaits.MELD, Seat.EAST, 0), ())), 60.0, wall=True)


class FakeClock:
    """Keeps the timers that were started, to be fired by hand."""

    def __init__(self) -> None:
        self.started: list[Callable[[], None]] = []

    def now(self) -> datetime:
        return datetime(2026, 11, 20, tzinfo=UTC)

    def monotonic_s(self) -> float:
        return 0.0

    def start(self, timer: str, seconds: float, fire: Callable[[], None]) -> None:
        self.started.append(fire)


class NoFeeder:
    """A feeder that is not looked at here."""

    def submit(self, request: OperationRequest) -> None: ...
    def request_status(self) -> None: ...


def outputs(*timers: WantedTimer) -> Outputs:
    return Outputs((), Lamps(), (), None, timers, status=False, next_deal=False, decoded=None, asked=AskedNow(), waits=())


class Bench:
    """A follower with a clock that is fired by hand."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.posted: list[TimerFired] = []
        self.follower = Follower(Adapters(NoFeeder(), nothing, nothing, nothing, self.clock, self.clock), self.posted.append)


def test_a_wanted_timer_is_started_once_and_told_of() -> None:
    bench = Bench()
    bench.follower.follow(outputs(SHOW))
    bench.follower.follow(outputs(SHOW))
    (fire,) = bench.clock.started
    fire()
    assert bench.posted == [TimerFired(SHOW.timer)]


def test_a_timer_that_is_no_longer_wanted_stays_silent() -> None:
    bench = Bench()
    bench.follower.follow(outputs(SHOW))
    bench.follower.follow(outputs())
    bench.clock.started[0]()
    assert bench.posted == []


def test_the_end_of_an_earlier_timer_is_not_taken_for_that_of_a_later_one_of_its_name() -> None:
    """A meld called in one hand and laid, and a minute later another meld of the same seat called in the next hand."""
    bench = Bench()
    bench.follower.follow(outputs(SHOW))
    bench.follower.follow(outputs())
    bench.follower.follow(outputs(SHOW))
    earlier, later = bench.clock.started
    earlier()
    assert bench.posted == []
    later()
    assert bench.posted == [TimerFired(SHOW.timer)]
