"""Encryption of journal lines on disk (ChaCha20-Poly1305, RFC 8439, under a key derived from the journal's key), and salts of ledger lines.

The nonce is random and precedes the ciphertext. A line's number would not do: after a power cut, lines of an incomplete decision are
removed and their numbers used for other content.

A line says so little that a reader of its hash and the hash before could try all tiles and milliseconds in seconds; a salt prevents that.
Salts follow from the journal's key, so a lost ledger file can be computed again from the journal. The journals of one boot may share the
key: the journal's id makes their salts differ.
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
NONCE_SIZE = 12
_PURPOSE = b"twinwall-journal-line-1"


class LineCipher:
    """Encrypts and decrypts the lines of one journal."""

    def __init__(self, key: bytes, fresh: Callable[[int], bytes]) -> None:
        """``key`` has ``LINE_KEY_SIZE`` bytes; ``fresh`` returns random bytes."""
        self._aead = ChaCha20Poly1305(HKDF(SHA256(), LINE_KEY_SIZE, None, _PURPOSE).derive(key))
        self._fresh = fresh

    def encrypt(self, content: bytes, bound: bytes) -> bytes:
        """Nonce and ciphertext; decrypting needs the same ``bound``."""
        nonce = self._fresh(NONCE_SIZE)
        return nonce + self._aead.encrypt(nonce, content, bound)

    def decrypt(self, sealed: bytes, bound: bytes) -> bytes:
        """The content; raises DocumentError."""
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
        """The salt of a journal's line ``seq`` in hex: HMAC-SHA256 of purpose, number and journal id, cut to ``SALT_SIZE`` bytes."""
        return hmac.digest(self.key, _SALT_PURPOSE + seq.to_bytes(8) + journal.encode(), "sha256")[:SALT_SIZE].hex()
