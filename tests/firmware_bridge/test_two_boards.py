"""Two boards in one process, each in a thread of its own, as where a station and its machine are tried together."""

import threading

import pytest

from firmware_bridge.link.events import LinkDown
from firmware_bridge.pty import PtyServer
from tests.support.link.pair import LANES, Pair


def test_a_board_keeps_its_own_time_while_another_one_runs() -> None:
    """A library call gives other threads the processor: a board that took the other's clock found its host silent, for ever."""
    pair, other, stop = Pair(machine=LANES).linked(), Pair(machine=LANES), threading.Event()

    def run() -> None:
        while not stop.is_set():
            other.firmware.handle_timer(other.firmware.now_s + 0.002)

    beside = threading.Thread(target=run)
    beside.start()
    try:
        pair.run_for(100.0)
    finally:
        stop.set()
        beside.join()
    assert pair.all(LinkDown) == []


def test_a_lines_time_stands_still_where_it_is_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    wall_s = [100.0]
    monkeypatch.setattr("firmware_bridge.pty.time.monotonic", lambda: wall_s[0])
    server = PtyServer(lambda _: (b"", 1.0))
    times = [server.now_s() for wall_s[0] in (100.0, 100.1, 101.0, 160.0)]
    server.stop()
    assert times == pytest.approx([100.0, 100.1, 100.2, 100.2])
