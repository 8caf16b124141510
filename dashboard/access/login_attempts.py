"""How long to wait after wrong passwords, so that guessing is slow and no one can lock others out. Wrong passwords are counted for a typed
name and its source together, so they lock neither another account at that address nor this account elsewhere. All sources of one name are
also counted together, against guessing from many addresses. A browser that has entered this account before has its own count and does not
wait for others. Each wrong password beyond the free ones doubles the wait; counts expire. Whether the account exists plays no part, so
waits do not reveal it. The counts are in a fixed number of buckets, found by a hash with the server's secret: no count displaces another,
and no one can compute which names share a bucket. To fill every bucket somebody must try tens of thousands of passwords within the hour;
that delays only browsers new to an account."""

import hmac
import threading
from collections.abc import Callable, Iterator

from twinwall.values import frozen
from twinwall.web.visitor_limits import network_of

FREE_TRIES = 5
"""Wrong passwords for a name from one source that cause no wait."""
FREE_TRIES_EVERYWHERE = 30
"""The same for all sources together that the account does not know."""
FIRST_WAIT_S = 30.0
LONGEST_WAIT_S = 900.0
FORGOTTEN_S = 3600.0
BUCKETS = 4096
"""For each of the three kinds of counts: by address, by known browser, and from everywhere."""


@frozen
class _Count:
    wrong: int = 0
    last_s: float = 0.0
    before_s: float = 0.0
    """Time of the try before the last one."""

    def wait_s(self, free: int, now_s: float) -> float:
        """The remaining wait after the wrong tries."""
        if self.wrong < free:
            return 0.0
        earned = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(self.wrong - free, 16))
        return max(0.0, self.last_s + earned - now_s)


class LoginAttempts:
    """Recent wrong passwords; any thread may call."""

    def __init__(self, monotonic_s: Callable[[], float], secret: bytes) -> None:
        self._monotonic_s, self._secret = monotonic_s, secret
        self._counts = dict[tuple[str, int], _Count]()
        self._mutex = threading.Lock()

    def begin(self, name: str, address: str, mark: str | None) -> float:
        """How long to wait before the next password for this name (in the spelling by which accounts are found); 0 for no wait. ``mark`` is
        that of a browser that has entered the account before; others are counted by address. A try counts as wrong, so that tries at the
        same moment count too, until ``right`` takes it back."""
        with self._mutex:
            now_s = self._monotonic_s()
            counts = {bucket: (self._count(bucket, now_s), free) for bucket, free in self._buckets(name, address, mark)}
            wait_s = max(count.wait_s(free, now_s) for count, free in counts.values())
            if not wait_s:
                self._counts |= {bucket: _Count(count.wrong + 1, now_s, count.last_s) for bucket, (count, _) in counts.items()}
            return wait_s

    def right(self, name: str, address: str, mark: str | None) -> None:
        """Take back a try with the right password. The counts of others stay, because a change would reveal the account."""
        with self._mutex:
            for bucket, _ in self._buckets(name, address, mark):
                count = self._counts[bucket]
                self._counts[bucket] = _Count(count.wrong - 1, count.before_s, count.before_s)

    def _buckets(self, name: str, address: str, mark: str | None) -> Iterator[tuple[tuple[str, int], int]]:
        """Where this try is counted, and how many wrong ones are free there."""
        everywhere = {f"address {network_of(address)}": FREE_TRIES, "everywhere": FREE_TRIES_EVERYWHERE}
        for source, free in ({f"browser {mark}": FREE_TRIES} if mark else everywhere).items():
            digest = hmac.digest(self._secret, f"login {source} {name}".encode(), "sha256")
            yield (source.split()[0], int.from_bytes(digest) % BUCKETS), free

    def _count(self, bucket: tuple[str, int], now_s: float) -> _Count:
        count = self._counts.get(bucket, _Count())
        return _Count() if now_s - count.last_s > FORGOTTEN_S else count
