"""What ends a program that serves: SIGTERM and SIGINT."""

import signal
import threading
from collections.abc import Callable


def stop_on_signals(*stops: Callable[[], object]) -> None:
    """Call each of ``stops`` at SIGTERM and SIGINT, in this order."""

    def stop(*_: object) -> None:
        for each in stops:
            each()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)


def until_stopped() -> threading.Event:
    """What is set at SIGTERM and SIGINT."""
    stop = threading.Event()
    stop_on_signals(stop.set)
    return stop
