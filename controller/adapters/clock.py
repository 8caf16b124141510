"""Clock port: the time of play, and a call after a duration.

A table uses the system's clock. A rehearsal's clock is at another address, and does not let a claim window end before all players have
answered. Safety times (leases, heartbeats) never use this port.
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
"""How much longer than the requested time an answer may take (players think) before the request is repeated."""


class Clock(Protocol):
    def now(self) -> datetime:
        """The present time, in UTC."""

    def monotonic_s(self) -> float:
        """Wall time in seconds from an arbitrary start, to measure waits."""

    def start(self, timer: str, seconds: float, fire: Callable[[], None]) -> None:
        """Call ``fire()`` once, from any thread, after ``seconds`` of play time."""


class SystemClock:
    """Wall time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        return time.monotonic()

    def start(self, timer: str, seconds: float, fire: Callable[[], None]) -> None:
        thread = threading.Timer(seconds, fire)
        thread.name = f"timer {timer}"
        thread.daemon = True
        thread.start()


class RemoteClock(SystemClock):
    """A clock over HTTP: ``POST {url}/timers`` with ``{"id", "seconds"}`` answers when the time has passed.

    Without an answer the request is repeated, so a clock that starts late or restarts only delays play.
    """

    def __init__(self, url: str) -> None:
        self._address = urllib.parse.urlsplit(url).netloc
        self._stopped = threading.Event()

    def start(self, timer: str, seconds: float, fire: Callable[[], None]) -> None:
        """Call ``fire()`` when the remote clock says that ``seconds`` of play time have passed."""
        threading.Thread(target=self._wait, args=(timer, seconds, fire), name=f"timer {timer}", daemon=True).start()

    def stop(self) -> None:
        """Stop waiting: no timer fires from now on."""
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
