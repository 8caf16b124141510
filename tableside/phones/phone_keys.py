"""The keys of a table on phones: presses go to the table's controller in order, and its lamps come back. A press counts once: the phone
names it, and repeats it under that name if there is no answer and the key is touched again. A press is dropped if it was under way longer
than ``LATE_S`` or waits for the controller longer than ``FRESH_S``, because a late claim is another claim."""

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable

from twinwall.wire.shapes.panel import Key, KeyLamps, NumberedPress, PressList

FRESH_S = 1.5
LATE_S = 2.0
"""A phone receives the lamps twice a second, and sends with each press the last number received, so this allows 1.5 s for a slow network.
"""
_REMEMBERED = 256


class SentLamps:
    """When the lamps were sent to one phone, by numbers from 1; the age of a press follows without the phone's clock."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._changed = threading.Lock()
        self._told_s: deque[float] = deque(maxlen=_REMEMBERED)
        self._number = 0

    def next(self) -> int:
        """The number of the lamps sent now."""
        with self._changed:
            self._number += 1
            self._told_s.append(self._clock_s())
            return self._number

    def is_late(self, number: int) -> bool:
        """Whether a press that came now may be too old; ``number`` is that of the lamps last received by its phone."""
        with self._changed:
            back = self._number - number
            known = number > 0 and 0 <= back < len(self._told_s)
            return not known or self._clock_s() - self._told_s[-1 - back] >= LATE_S


class TableKeys:
    """The presses and lamps of one table; phones' connections and controller's requests call from their own threads."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        """``clock_s`` never goes back."""
        self.run = secrets.token_hex(8)
        """A name that no earlier server had."""
        self._clock_s = clock_s
        self._changed = threading.Condition()
        self._presses: deque[tuple[float, NumberedPress]] = deque(maxlen=_REMEMBERED)
        self._names: deque[str] = deque(maxlen=_REMEMBERED)
        self._number = 0
        self._lamps = KeyLamps()
        self._version = 1
        self._asked_s: float | None = None

    def press(self, name: str, place: int, key: Key, *, late: bool = False) -> bool:
        """Accept a press by its name; False if it is ``late``, or while no controller listens. A repeated one counts once."""
        with self._changed:
            if name in self._names:
                return True
            if late or not self.is_heard:
                return False
            self._names.append(name)
            self._number += 1
            self._presses.append((self._clock_s(), NumberedPress(self._number, place, key)))
            self._changed.notify_all()
            return True

    def presses(self, run: str, after: int, timeout_s: float) -> PressList:
        """Fresh presses with numbers above ``after`` of ``run``, or all for another run; waits for one."""
        with self._changed:
            self._asked_s = self._clock_s() + timeout_s
            after = after if run == self.run else 0
            self._changed.wait_for(lambda: self._number > after, timeout_s)
            self._asked_s = self._clock_s()
            fresh = [press for at_s, press in self._presses if press.number > after and self._clock_s() - at_s < FRESH_S]
            return PressList(self.run, fresh)

    @property
    def is_heard(self) -> bool:
        """Whether the controller asks for presses."""
        return self._asked_s is not None and self._clock_s() - self._asked_s < FRESH_S

    def show(self, lamps: KeyLamps) -> None:
        with self._changed:
            if lamps != self._lamps:
                self._lamps, self._version = lamps, self._version + 1
                self._changed.notify_all()

    def lamps(self, after: int, timeout_s: float) -> tuple[int, KeyLamps]:
        """Version and lamps once the version is above ``after``, or after the timeout."""
        with self._changed:
            self._changed.wait_for(lambda: self._version > after, timeout_s)
            return self._version, self._lamps
