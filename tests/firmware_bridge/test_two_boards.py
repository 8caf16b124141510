"""Two boards in one process, each in a thread of its own, as where a station and its machine are tried together."""

import threading

from firmware_bridge.link.events import LinkDown
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
