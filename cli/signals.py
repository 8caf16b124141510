"""What ends a program that serves: SIGTERM and SIGINT."""

import signal
import threading
from collections.abc import Callable


def stop_on_signals(stop: Callable[[], object]) -> None:
    """Call ``stop`` at SIGTERM and SIGINT."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop())


def until_stopped() -> threading.Event:
    """What is set at SIGTERM and SIGINT."""
    stop = threading.Event()
    stop_on_signals(stop.set)
    return stop
