"""Reviews of hands that are over: each is compared with its deal in a process of its own, one after the other.

How long a comparison takes depends on concealed tiles, and the table may play its next hand by then. A thread would take turns with
those of the table. A process of the lowest priority has the processor when no other wants it.

What a comparison finds follows from concealed tiles, and the deal may be sealed: the log does not tell of it, nor when it was found.
``controller.table_loop`` logs a question when the referee is asked.
"""

import logging
import multiprocessing
import os
import queue
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from controller.adapters.cameras.camera_thread import Post
from controller.recorder.at_table.followed_hand import HandReview
from twinwall.wire.events.hand_events import RecordDoubt

log = logging.getLogger(__name__)

MOST_WAITING = 2
"""This many hands wait for their review; of one more the log says that it is not compared."""
_SPAWN = multiprocessing.get_context("spawn")
_LEAST_PRIORITY = 19
_STOP_S = 2.0


def unprotected() -> None:
    """Leaves a process as it is: the table's own keeps no secret of an event."""


class HandReviews(threading.Thread):
    """Posts what reviews doubt; one thread waits for the processes. ``protect`` is the first thing that each of them does; ``compared`` is
    called with the deal of each hand that needs no review any more."""

    def __init__(self, post: Post, protect: Callable[[], object] = unprotected, compared: Callable[[int], None] = lambda _n: None) -> None:
        super().__init__(name="hand reviews", daemon=True)
        self._post, self._protect, self._ended = post, protect, compared
        self._waiting: queue.Queue[HandReview | None] = queue.Queue(MOST_WAITING)
        self._running: SpawnProcess | None = None
        self._lock = threading.Lock()
        self._stopped = False

    def begin(self, review: HandReview) -> None:
        try:
            self._waiting.put_nowait(review)
        except queue.Full:
            log.warning("deal %d: its hand is not compared with the deal, since %d others wait", review.hand.deal.n, MOST_WAITING)
            self._ended(review.hand.deal.n)

    @property
    def waiting(self) -> int:
        return self._waiting.qsize()

    def stop(self) -> None:
        """End the process that runs; its hand and those that wait are not compared, and the log names them."""
        with self._lock:
            self._stopped = True
            if self._running is not None:
                self._running.terminate()
        with suppress(queue.Empty):
            while (left := self._waiting.get_nowait()) is not None:
                log.warning("deal %d: its hand is not compared with the deal, since the table stops", left.hand.deal.n)
        self._waiting.put(None)
        self.join(_STOP_S)

    def run(self) -> None:
        while (review := self._waiting.get()) is not None:
            n = review.hand.deal.n
            match self._compared(review):
                case str() as why:
                    log.error("deal %d: its hand is not compared with the deal (%s)", n, why)
                case doubts:
                    for doubt in doubts:
                        self._post(doubt)
            if not self._stopped:
                self._ended(n)

    def _compared(self, review: HandReview) -> tuple[RecordDoubt, ...] | str:
        """What a process of its own finds, or why it has found nothing."""
        ours, theirs = _SPAWN.Pipe(duplex=False)
        process = _SPAWN.Process(target=_compare, args=(theirs, review, self._protect), daemon=True)
        with self._lock:
            if self._stopped:
                return "the table stops"
            try:
                process.start()
            except Exception as error:
                return f"its process could not be started: {type(error).__name__}"
            self._running = process
        theirs.close()
        try:
            found: tuple[RecordDoubt, ...] | str = ours.recv()
        except (EOFError, OSError):
            found = "its process ended without an answer"
        process.join()
        with self._lock:
            self._running = None
        return found


def _compare(answer: Connection, review: HandReview, protect: Callable[[], object]) -> None:
    """What the process does. A failure is reported without the error's own words, which may name tiles."""
    os.nice(_LEAST_PRIORITY)
    try:
        protect()
        found: tuple[RecordDoubt, ...] | str = review.compare()
    except Exception as error:
        found = f"{type(error).__name__}\n{''.join(traceback.format_tb(error.__traceback__))}"
    answer.send(found)
