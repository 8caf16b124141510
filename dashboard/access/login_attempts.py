"""How long somebody must wait after wrong passwords, so that guessing is slow and no account is locked out by others.

Wrong passwords are counted for a typed name together with where they come from, so that they lock neither another account
at that address nor this account elsewhere. All sources of one name together are counted too, against guessing from many
addresses; a browser that has entered this account before counts by itself and does not wait for the others.
Each wrong password beyond the free ones doubles the wait, and what was counted is forgotten after a while.

Whether an account has the name is not asked here, so that the waits do not tell it. The counts are in a fixed number of buckets,
found by a hash under the server's secret: no count gives way to others, and which names share a bucket cannot be computed.
Who fills every bucket must try tens of thousands of passwords within the hour, and delays by it only browsers that are new to an account.
"""

import hmac
import threading
from collections.abc import Callable, Iterator

from twinwall.values import frozen
from twinwall.web.visitor_limits import network_of

FREE_TRIES = 5
"""Wrong passwords for a name from one source that cost no wait."""
FREE_TRIES_EVERYWHERE = 30
"""The same from all sources together that are not known to the account."""
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
    """When the try before the last one came."""

    def wait_s(self, free: int, now_s: float) -> float:
        """What is left of the wait that the wrong tries have earned."""
        if self.wrong < free:
            return 0.0
        earned = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(self.wrong - free, 16))
        return max(0.0, self.last_s + earned - now_s)


class LoginAttempts:
    """Wrong passwords of late; may be asked from any thread."""

    def __init__(self, monotonic_s: Callable[[], float], secret: bytes) -> None:
        self._monotonic_s, self._secret = monotonic_s, secret
        self._counts = dict[tuple[str, int], _Count]()
        self._mutex = threading.Lock()

    def begin(self, name: str, address: str, mark: str | None) -> float:
        """How long somebody must wait before the next password for this name, in the one spelling that accounts are found by.

        ``mark`` is that of a browser which has entered the account before; any other counts by its address. 0 when it need not: the try
        counts as wrong from then on, so that tries at the same moment are counted too, until ``right`` takes it back.
        """
        with self._mutex:
            now_s = self._monotonic_s()
            counts = {bucket: (self._count(bucket, now_s), free) for bucket, free in self._buckets(name, address, mark)}
            wait_s = max(count.wait_s(free, now_s) for count, free in counts.values())
            if not wait_s:
                self._counts |= {bucket: _Count(count.wrong + 1, now_s, count.last_s) for bucket, (count, _) in counts.items()}
            return wait_s

    def right(self, name: str, address: str, mark: str | None) -> None:
        """It was the right password: the try is taken back, and the counts of others stay, since what they see would tell the account."""
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
