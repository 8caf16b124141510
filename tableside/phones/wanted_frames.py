"""A phone's camera: a caller requests a frame and waits, the phone takes one after the request, and the bytes pass through. The phone skips
what its camera exposed before the request. So the time of the request is a lower bound of the exposure's start on this machine's clock, and
the phone's clock does not matter."""

import threading
import time
from collections.abc import Callable

from tableside.phones.phone_messages import FrameWanted, PartNumbers
from twinwall.values import frozen


class NoFrameError(Exception):
    """No phone gives a frame; the message says why, and what to do at the phone."""


@frozen
class PhoneFrame:
    """A picture's bytes (JPEG), its part of the whole picture, and the times between which it was taken (CLOCK_MONOTONIC, ns)."""

    picture: bytes
    part: PartNumbers | None
    told_ns: int
    came_ns: int


class PhoneCamera:
    """The camera of one role; readers and the phone's connection call from their own threads."""

    def __init__(self, name: str, clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        """``name`` is for errors."""
        self._name, self._clock_ns = name, clock_ns
        self._changed = threading.Condition()
        self._reading = threading.Lock()
        self._wanted: FrameWanted | None = None
        self._told_ns: int | None = None
        self._given: PhoneFrame | None = None
        self._numbers = 0
        self._phones = 0
        """Open connections; two while one phone replaces another."""

    def frame(self, part: PartNumbers | None, timeout_s: float) -> PhoneFrame:
        """The next frame; one reader at a time. Raises NoFrameError if no phone gives one in time. The timeout includes the wait for other
        readers: a caller has gone after it, and must not take a frame from the next one."""
        end_ns = self._clock_ns() + round(timeout_s * 1e9)
        if not self._reading.acquire(timeout=timeout_s):
            raise NoFrameError(f"the phone that is {self._name} gives frames to others: ask it less often")
        try:
            return self._next_frame(part, max(end_ns - self._clock_ns(), 0) / 1e9)
        finally:
            self._reading.release()

    def _next_frame(self, part: PartNumbers | None, timeout_s: float) -> PhoneFrame:
        with self._changed:
            self._numbers += 1
            self._wanted, self._told_ns, self._given = FrameWanted(self._numbers, part), None, None
            self._changed.notify_all()
            came = self._changed.wait_for(lambda: self._given is not None, timeout_s)
            self._wanted = None
            if not came or self._given is None:
                raise NoFrameError(self._why_none())
            return self._given

    def phone_came(self) -> None:
        with self._changed:
            self._phones += 1

    def phone_went(self) -> None:
        with self._changed:
            self._phones -= 1

    def next_wanted(self, after: int, timeout_s: float) -> FrameWanted | None:
        """The requested frame with a number above ``after``; None if there is none within the timeout."""
        with self._changed:
            self._changed.wait_for(lambda: self._wanted is not None and self._wanted.number > after, timeout_s)
            if self._wanted is None or self._wanted.number <= after:
                return None
            self._told_ns = self._clock_ns()
            return self._wanted

    def give(self, number: int, picture: bytes, part: PartNumbers | None) -> bool:
        """Deliver the phone's frame; False if it is no longer awaited."""
        with self._changed:
            if self._wanted is None or self._wanted.number != number or self._told_ns is None or self._given is not None:
                return False
            self._given = PhoneFrame(picture, part, self._told_ns, self._clock_ns())
            self._changed.notify_all()
            return True

    @property
    def is_joined(self) -> bool:
        with self._changed:
            return self._phones > 0

    def _why_none(self) -> str:
        if self._phones == 0:
            return f"no phone is connected as {self._name}: let one in by a code, or wake the one that was"
        if self._told_ns is None:
            return f"the phone that is {self._name} is busy with an earlier frame: its network is slow"
        return f"the phone that is {self._name} took no frame: its page must be in front, and the phone unlocked"
