"""Salt of the lines of a table's ledger, and encryption of lines that lie on a disk: ChaCha20-Poly1305 (RFC 8439) under a key
derived from the journal's key.

The nonce is random and stands before the ciphertext. The number of a line would not do for it: lines of a decision that a power cut
left incomplete are cut off, and their numbers are given again to other content.

A line says little: who discarded what, and when. A reader who knows its hash and the hash of the line before tries all tiles and
milliseconds in seconds. With a salt the hash tells nothing until the line itself is shown. The salts follow from the journal's key, so that
a ledger stays a pure function of the journal: a file that is lost is computed again to the same bytes. The key stays in memory from boot
to boot, so journals of one boot may share it: the journal's id makes their salts differ.
"""

import hmac
from collections.abc import Callable
from dataclasses import field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from twinwall.game.documents import DocumentError
from twinwall.values import frozen

LINE_KEY_SIZE = 32
"""Bytes of a journal's key."""
NONCE_SIZE = 12
_PURPOSE = b"twinwall-journal-line-1"


class LineCipher:
    """Encrypts and decrypts the lines of one journal."""

    def __init__(self, key: bytes, fresh: Callable[[int], bytes]) -> None:
        """``key`` has ``LINE_KEY_SIZE`` bytes; ``fresh`` gives a number of random bytes."""
        self._aead = ChaCha20Poly1305(HKDF(SHA256(), LINE_KEY_SIZE, None, _PURPOSE).derive(key))
        self._fresh = fresh

    def encrypt(self, content: bytes, bound: bytes) -> bytes:
        """Nonce and ciphertext; it opens again only with the same ``bound``."""
        nonce = self._fresh(NONCE_SIZE)
        return nonce + self._aead.encrypt(nonce, content, bound)

    def decrypt(self, sealed: bytes, bound: bytes) -> bytes:
        """What was encrypted; raises DocumentError."""
        try:
            return self._aead.decrypt(sealed[:NONCE_SIZE], sealed[NONCE_SIZE:], bound)
        except (InvalidTag, ValueError):
            raise DocumentError("it does not open with this journal's key: altered, or of another journal") from None


SALT_SIZE = 16
_SALT_PURPOSE = b"twinwall-line-salt-2"


@frozen
class LineSalts:
    """The salts of the ledgers of one boot's journals; ``key`` is the journals', ``LINE_KEY_SIZE`` random bytes."""

    key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.key) != LINE_KEY_SIZE:
            raise ValueError(f"a journal's key has {LINE_KEY_SIZE} bytes, not {len(self.key)}")

    def __call__(self, journal: str, seq: int) -> str:
        """The salt of a journal's line ``seq``, in hex: HMAC-SHA256 of purpose, number and the journal's id, cut to ``SALT_SIZE`` bytes."""
        return hmac.digest(self.key, _SALT_PURPOSE + seq.to_bytes(8) + journal.encode(), "sha256")[:SALT_SIZE].hex()
