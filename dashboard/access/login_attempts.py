"""How long somebody must wait after wrong passwords, so that guessing is slow and no account is locked out by others.

Wrong passwords are counted for an account together with where they come from, so that they lock neither another account
at that address nor this account elsewhere. All sources of one account together are counted too, against guessing from many
addresses; a browser that has entered this account before counts by itself and does not wait for the others.
Each wrong password beyond the free ones doubles the wait. What was counted is forgotten after a while; the number of
counts is bounded.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from twinwall.visitor_limits import network_of

FREE_TRIES = 5
"""Wrong passwords for an account from one source that cost no wait."""
FREE_TRIES_EVERYWHERE = 30
"""The same from all sources together that are not known to the account."""
FIRST_WAIT_S = 30.0
LONGEST_WAIT_S = 900.0
FORGOTTEN_S = 3600.0
MOST_COUNTS = 4096
NO_SOURCE = ""
"""Stands for all names that no account has: names are no secret, they stand under rulings."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a password comes from: an address, and the device's mark when it has entered this account before."""

    address: str
    device: str | None = None

    @property
    def key(self) -> str:
        """What its tries are counted under."""
        return f"device {self.device}" if self.device else f"address {network_of(self.address)}"


@dataclass(slots=True)
class _Count:
    wrong: int = 0
    last_s: float = 0.0

    def wait_s(self, free: int, now_s: float) -> float:
        """What is left of the wait that the wrong tries have earned."""
        if self.wrong < free:
            return 0.0
        earned = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(self.wrong - free, 16))
        return max(0.0, self.last_s + earned - now_s)


class LoginAttempts:
    """Wrong passwords of late; may be asked from any thread."""

    def __init__(self, monotonic_s: Callable[[], float]) -> None:
        self._monotonic_s = monotonic_s
        self._counts: OrderedDict[tuple[str, str], _Count] = OrderedDict()
        self._mutex = threading.Lock()

    def begin(self, account: str, source: Source) -> float:
        """How long this source must wait before it may try a password for the account.

        0 when it need not: the try counts as wrong from then on, so that tries at the same moment are counted too,
        until ``right`` takes it back.
        """
        with self._mutex:
            now_s = self._monotonic_s()
            counts = {(account, source.key): FREE_TRIES} | ({} if source.device else {(account, ""): FREE_TRIES_EVERYWHERE})
            wait_s = max(self._count(key, now_s).wait_s(free, now_s) for key, free in counts.items())
            if not wait_s:
                for key in counts:
                    self._counts[key] = _Count(self._count(key, now_s).wrong + 1, now_s)
                    self._counts.move_to_end(key)
                while len(self._counts) > MOST_COUNTS:
                    self._counts.popitem(last=False)
            return wait_s

    def right(self, account: str, source: Source) -> None:
        """It was the right password: this source begins again, and the try was none of those from everywhere."""
        with self._mutex:
            self._counts.pop((account, source.key), None)
            everywhere = self._counts.get((account, ""))
            if everywhere is not None and source.device is None:
                everywhere.wrong -= 1

    def _count(self, key: tuple[str, str], now_s: float) -> _Count:
        count = self._counts.get(key)
        if count is None or now_s - count.last_s > FORGOTTEN_S:
            return _Count()
        return count
