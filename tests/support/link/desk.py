"""A port to a feeder and what it has posted, for tests that take events one after the other."""

import queue
import time
from collections.abc import Callable, Sequence
from typing import Self, TypeVar

from firmware_bridge.feeder_connection import FeederConnection
from firmware_bridge.link.events import Done, FeederEvent, OperationRequest
from firmware_bridge.link.session import KnownBoot, LinkSettings
from firmware_bridge.messages import Command
from tests.support.patience import PATIENCE_S

SILENCE_S = 0.3
"""For what never answers; what does may take longer where the computer is busy."""
Wanted = TypeVar("Wanted", bound=FeederEvent)


class Desk:
    """A port and the events that it has posted, in order."""

    def __init__(
        self,
        path: str,
        *,
        known: KnownBoot | None = None,
        auto_acknowledge: bool = True,
        uid: bytes | None = None,
        search: Callable[[], Sequence[str]] = tuple,
        clock: Callable[[], float] = time.monotonic,
        silence_s: float = PATIENCE_S,
    ) -> None:
        self._queue: queue.SimpleQueue[FeederEvent] = queue.SimpleQueue()
        self.done: set[int] = set()
        """The operations whose DONE has been taken, also by a wait for another kind of event."""
        settings = LinkSettings(silence_s=silence_s, uid=uid)
        self.port = FeederConnection(
            path, 115200, self._queue.put, known=known, auto_acknowledge=auto_acknowledge, settings=settings, search=search, clock=clock
        )
        self.port.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.port.stop()

    def submit(self, operation: int, command: Command) -> None:
        self.port.submit(OperationRequest(operation, command))

    def ended(self, operation: int, command: Command) -> Done:
        """Give an operation and take events until it has ended."""
        self.submit(operation, command)
        return self.wait(Done, lambda done: done.operation == operation)

    def wait(self, kind: type[Wanted], also: Callable[[Wanted], bool] = lambda _event: True) -> Wanted:
        """Take events until one of this kind comes; other events do not prolong the wait."""
        end_s = time.monotonic() + PATIENCE_S
        while True:
            event = self._queue.get(timeout=max(end_s - time.monotonic(), 0.0))
            if isinstance(event, Done):
                self.done.add(event.operation)
            if isinstance(event, kind) and also(event):
                return event
