"""Encryption of lines that lie on a disk: ChaCha20-Poly1305 (RFC 8439) under a key derived from the journal's key.

The nonce is random and stands before the ciphertext. The number of a line would not do for it: lines of a decision that a power cut
left incomplete are cut off, and their numbers are given again to other content.
"""

from __future__ import annotations

from collections.abc import Callable

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from twinwall.game.documents import DocumentError

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
