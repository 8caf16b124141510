"""Hashes of passwords: Argon2id (RFC 9106) in PHC string form, with their own salt and cost. One guess costs 64 MiB and three passes, the
second recommendation of RFC 9106 (section 4). Only a fixed number of guesses run at a time, so a flood of passwords fills neither the
memory nor all processors."""

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
"""The cost of a guess: memory in KiB, passes, and parallel lanes."""
_AT_A_TIME = threading.BoundedSemaphore(2)


class PasswordError(ValueError):
    """A refused password; the message says what is accepted."""


def hash_password(password: str, salt: bytes, cost: Mapping[str, int]) -> str:
    """The hash of a new password, with ``salt`` of fresh random bytes; raises PasswordError for one too short or too long."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise PasswordError(
            f"the password has {len(password)} characters: take {SHORTEST_PASSWORD} to {LONGEST_PASSWORD}, three random words for example"
        )
    kdf = Argon2id(salt=salt, length=32, iterations=cost["iterations"], lanes=cost["lanes"], memory_cost=cost["memory_cost"])
    with _AT_A_TIME:
        return kdf.derive_phc_encoded(_content(password))


def password_fits(password: str, kept: str) -> bool:
    if len(password) > LONGEST_PASSWORD:
        return False
    try:
        with _AT_A_TIME:
            Argon2id.verify_phc_encoded(_content(password), kept)
    except InvalidKey:
        return False
    return True


def _content(password: str) -> bytes:
    """One Unicode form, because keyboards compose letters differently."""
    return unicodedata.normalize("NFC", password).encode()
