"""Tries of a login, which are slowed down, and hashes of passwords: Argon2id (RFC 9106) in the PHC string form with its salt and cost.

One guess costs 64 MiB and three passes, the second recommendation of RFC 9106 (section 4). A fixed number of guesses at a time
are worked on and no more: a flood of passwords fills neither the memory nor all processors.
"""

import hmac
import threading
import unicodedata
from collections.abc import Callable, Iterator, Mapping

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from twinwall.game.values import frozen
from twinwall.web.visitor_limits import network_of

SALT_BYTES = 16
SHORTEST_PASSWORD = 10
"""Characters."""
LONGEST_PASSWORD = 200
GUESS: Mapping[str, int] = {"memory_cost": 64 << 10, "iterations": 3, "lanes": 4}
"""What one guess costs: memory in KiB, passes over it, and lanes worked on at once."""
_AT_A_TIME = threading.BoundedSemaphore(2)


class PasswordError(ValueError):
    """A password that is not taken; the message says what is."""


def hash_password(password: str, salt: bytes, cost: Mapping[str, int]) -> str:
    """The hash that is kept of a new password; raises PasswordError for one too short or too long.

    ``salt`` is fresh random bytes.
    """
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise PasswordError(
            f"the password has {len(password)} characters: take {SHORTEST_PASSWORD} to {LONGEST_PASSWORD}, three random words for example"
        )
    kdf = Argon2id(salt=salt, length=32, iterations=cost["iterations"], lanes=cost["lanes"], memory_cost=cost["memory_cost"])
    with _AT_A_TIME:
        return kdf.derive_phc_encoded(_content(password))


def password_fits(password: str, kept: str) -> bool:
    """Whether a password is the one that a hash was made of."""
    if len(password) > LONGEST_PASSWORD:
        return False
    try:
        with _AT_A_TIME:
            Argon2id.verify_phc_encoded(_content(password), kept)
    except InvalidKey:
        return False
    return True


def _content(password: str) -> bytes:
    """One Unicode form, so that keyboards that compose letters differently agree."""
    return unicodedata.normalize("NFC", password).encode()


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

        ``mark`` is that of a browser which has entered the account before; any other counts by its address.
        0 when it need not: the try counts as wrong from then on, so that tries at the same moment are counted too,
        until ``right`` takes it back.
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
