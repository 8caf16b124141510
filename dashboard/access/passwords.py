"""Hashes of passwords: Argon2id (RFC 9106) in the PHC string form, which carries its own salt and cost.

One guess costs 64 MiB and three passes, the second recommendation of RFC 9106 (section 4). A fixed number of guesses at a time
are worked on and no more: a flood of passwords fills neither the memory nor all processors.
"""

import threading
import unicodedata
from collections.abc import Mapping

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

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
