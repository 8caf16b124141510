"""Which phones have the station's screen: those that their server let in, until the table's own screen takes it back.

The server of the phones, on this computer, asks for the screen in a phone's name and lets phones in and out; it ends a phone's role
when the station says that the screen was taken back.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

IDLE_S = 900.0
"""A screen that no phone has asked for in so long is the table's own again."""
_REMEMBERED = 64


class PhoneScreens:
    """The phone that has each screen of a builder, by the screen's and the phone's names; safe to call from several threads."""

    def __init__(self, changed: Callable[[], None] = lambda: None, clock: Callable[[], float] = time.monotonic) -> None:
        """``changed`` is called when a page should look again."""
        self._changed, self._clock = changed, clock
        self._lock = threading.RLock()
        self._heard: dict[str, tuple[str, float]] = {}
        """By screen: its phone, and when that one was heard last."""
        self._ended: deque[tuple[str, str]] = deque(maxlen=_REMEMBERED)

    def let_in(self, screen: str, phone: str) -> bool:
        """Whether a phone that asks now may see its screen; it has been heard then."""
        with self._lock:
            if (screen, phone) in self._ended:
                return False
            was_out = self.out
            self._heard[screen] = phone, self._clock()
        if not was_out:
            self._changed()
        return True

    def gone(self, screen: str, phone: str) -> None:
        """The phone has its role no more."""
        with self._lock:
            if self._heard.get(screen, ("", 0.0))[0] == phone:
                del self._heard[screen]
        self._changed()

    @property
    def out(self) -> bool:
        """Whether a phone has a screen."""
        with self._lock:
            return any(self._clock() - heard_s < IDLE_S for _, heard_s in self._heard.values())

    def take_back(self) -> None:
        """No phone that has a screen now has it any more."""
        with self._lock:
            self._ended.extend((screen, phone) for screen, (phone, _) in self._heard.items())
            self._heard.clear()
        self._changed()
