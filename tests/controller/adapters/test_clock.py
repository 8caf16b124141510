"""Time in the adapters: the clock port, wall time or asked of another process, and timers of the follower."""

import json
import queue
import threading
from collections.abc import Iterator
from functools import partial
from http.server import ThreadingHTTPServer

import pytest

from controller.adapters.clock import RemoteClock, SystemClock
from controller.adapters.follower import Adapters, Follower, nothing
from controller.core.outputs import Outputs
from controller.state.messages import ExposureTimer, TimerFired, WantedTimer
from controller.state.questions import AskedNow
from controller.state.watches import Awaited, Awaits, Watch
from firmware_bridge.link.events import OperationRequest
from tests.support.answering import Answering
from tests.support.controller.rigs import FakeTime
from tests.support.patience import PATIENCE_S
from twinwall.free_ports import free_ports
from twinwall.game.tiles import Seat
from twinwall.wire.shapes.panel import Lamps


class ClockServer(ThreadingHTTPServer):
    """Answers a timer once ``passed`` is set; before, ``refusals`` times with an error."""

    daemon_threads = True

    def __init__(self, port: int = 0, refusals: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.asked: queue.Queue[tuple[str, dict[str, object]]] = queue.Queue()
        self.passed = threading.Event()
        self.refusals = refusals
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def stop(self) -> None:
        self.passed.set()
        self.shutdown()
        self._thread.join()
        self.server_close()


class Handler(Answering):
    server: ClockServer

    def do_POST(self) -> None:
        self.server.asked.put((self.path, json.loads(self.content())))
        if self.server.refusals:
            self.server.refusals -= 1
            self.answer(503)
            return
        self.server.passed.wait(PATIENCE_S)
        self.answer()


@pytest.fixture
def server() -> Iterator[ClockServer]:
    server = ClockServer()
    yield server
    server.stop()


def test_the_remote_clock_is_asked_for_the_timer_and_fires_when_it_answers(server: ClockServer) -> None:
    fired: queue.Queue[str] = queue.Queue()
    clock = RemoteClock(server.url)
    clock.start("claim-window:1.4", 3.0, partial(fired.put, "claim-window:1.4"))
    assert server.asked.get(timeout=PATIENCE_S) == ("/timers", {"id": "claim-window:1.4", "seconds": 3.0})
    assert fired.empty()
    server.passed.set()
    assert fired.get(timeout=PATIENCE_S) == "claim-window:1.4"
    clock.stop()


def test_an_error_is_asked_again_and_fires_once() -> None:
    server, fired = ClockServer(refusals=1), queue.Queue[str]()
    server.passed.set()
    clock = RemoteClock(server.url)
    clock.start("t", 1.0, partial(fired.put, "t"))
    assert fired.get(timeout=PATIENCE_S) == "t"
    assert server.asked.qsize() == 2
    assert fired.empty()
    clock.stop()
    server.stop()


def test_a_clock_that_starts_late_only_delays() -> None:
    (port,) = free_ports(1)
    fired: queue.Queue[str] = queue.Queue()
    clock = RemoteClock(f"http://127.0.0.1:{port}")
    clock.start("t", 1.0, partial(fired.put, "t"))
    server = ClockServer(port)
    server.passed.set()
    assert fired.get(timeout=PATIENCE_S) == "t"
    clock.stop()
    server.stop()


def test_a_stopped_clock_asks_no_more() -> None:
    fired: queue.Queue[str] = queue.Queue()
    clock = RemoteClock("http://127.0.0.1:9")
    clock.stop()
    clock.start("t", 0.0, partial(fired.put, "t"))
    for thread in threading.enumerate():
        if thread.name == "timer t":
            thread.join(PATIENCE_S)
    assert fired.empty()


def test_only_the_timer_whose_time_has_come_fires() -> None:
    fired: queue.Queue[str] = queue.Queue()
    SystemClock().start("in an hour", 3600.0, partial(fired.put, "in an hour"))
    SystemClock().start("soon", 0.03, partial(fired.put, "soon"))
    assert fired.get(timeout=PATIENCE_S) == "soon"
    assert fired.empty()
    assert SystemClock().now().tzinfo is not None


SHOW = WantedTimer(ExposureTimer(Watch(Awaited(Awaits.MELD, Seat.EAST, 0), ())), 60.0, wall=True)


class NoFeeder:
    """A feeder that is not looked at here."""

    def submit(self, request: OperationRequest) -> None: ...
    def request_status(self) -> None: ...


def outputs(*timers: WantedTimer) -> Outputs:
    return Outputs((), Lamps(), (), None, timers, status=False, next_deal=False, decoded=None, asked=AskedNow(), waits=())


class Bench:
    """A follower with a clock that is fired by hand."""

    def __init__(self) -> None:
        self.time = FakeTime()
        self.posted: list[TimerFired] = []
        self.follower = Follower(Adapters(NoFeeder(), nothing, nothing, nothing, self.time, self.time), self.posted.append)


def test_a_wanted_timer_is_started_once_and_told_of() -> None:
    bench = Bench()
    bench.follower.carry_out(outputs(SHOW))
    bench.follower.carry_out(outputs(SHOW))
    assert len(bench.time.started) == 1
    assert bench.time.pass_to_next()
    assert bench.posted == [TimerFired(SHOW.timer)]


def test_a_timer_that_is_no_longer_wanted_stays_silent_also_where_one_of_its_name_was_started_since() -> None:
    """A meld called in one hand and laid, and a minute later another meld of the same seat called in the next hand."""
    bench = Bench()
    bench.follower.carry_out(outputs(SHOW))
    bench.follower.carry_out(outputs())
    bench.follower.carry_out(outputs(SHOW))
    assert bench.time.pass_to_next()
    assert bench.posted == []
    assert bench.time.pass_to_next()
    assert bench.posted == [TimerFired(SHOW.timer)]
