"""Clock port: the time of play, and a call when a length of it has passed.

A table uses the system's clock. In a rehearsal the clock is at another address, and it does not let a claim
window end before all players have answered. Safety times (leases, heartbeats) never use this port.
"""

import http.client
import json
import threading
import time
import urllib.parse
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

RETRY_S = 0.2
PATIENCE_S = 120.0
"""How much longer than the time asked for an answer may take (players think) before the question is asked again."""


class Clock(Protocol):
    """What the controller asks of time."""

    def now(self) -> datetime:
        """The present time, in UTC."""

    def monotonic_s(self) -> float:
        """Wall time in seconds, from any beginning: what is waited for is measured by it."""

    def start(self, timer: str, seconds: float, fire: Callable[[], None]) -> None:
        """Call ``fire()`` once, from any thread, when ``seconds`` of play time have passed."""


class SystemClock:
    """Wall time."""

    def now(self) -> datetime:
        """The present time, in UTC."""
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        """CLOCK_MONOTONIC."""
        return time.monotonic()

    def start(self, timer: str, seconds: float, fire: Callable[[], None]) -> None:
        """Fire after ``seconds`` of wall time."""
        thread = threading.Timer(seconds, fire)
        thread.name = f"timer {timer}"
        thread.daemon = True
        thread.start()


class RemoteClock(SystemClock):
    """A clock asked over HTTP: ``POST {url}/timers`` with ``{"id", "seconds"}`` answers when the time has passed.

    While nothing answers the question is asked again, so a clock that starts late or restarts delays play and breaks nothing.
    """

    def __init__(self, url: str) -> None:
        """``url`` is ``http://host:port``."""
        self._address = urllib.parse.urlsplit(url).netloc
        self._stopped = threading.Event()

    def start(self, timer: str, seconds: float, fire: Callable[[], None]) -> None:
        """Fire when the remote clock says that ``seconds`` of play time have passed."""
        threading.Thread(target=self._wait, args=(timer, seconds, fire), name=f"timer {timer}", daemon=True).start()

    def stop(self) -> None:
        """Give up waiting: no timer fires from now on."""
        self._stopped.set()

    def _wait(self, timer: str, seconds: float, fire: Callable[[], None]) -> None:
        body = json.dumps({"id": timer, "seconds": seconds})
        while not self._stopped.is_set():
            connection = http.client.HTTPConnection(self._address, timeout=seconds + PATIENCE_S)
            try:
                connection.request("POST", "/timers", body, {"Content-Type": "application/json"})
                if connection.getresponse().status == http.client.OK:
                    fire()
                    return
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()
            self._stopped.wait(RETRY_S)
