"""Salt of the lines of a table's ledger: 16 bytes a line that follow from the journal's key, the journal and the line's number.

A line says little: who discarded what, and when. A reader who knows its hash and the hash of the line before tries all tiles and
milliseconds in seconds. With a salt the hash tells nothing until the line itself is shown. The salts follow from the journal's key, so that
a ledger stays a pure function of the journal: a file that is lost is computed again to the same bytes. The key stays in memory from boot
to boot, so journals of one boot may share it: the journal's id makes their salts differ.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

from twinwall.wire.line_cipher import LINE_KEY_SIZE

SALT_SIZE = 16
_PURPOSE = b"twinwall-line-salt-2"


@dataclass(frozen=True, slots=True)
class LineSalts:
    """The salts of the ledgers of one boot's journals; ``key`` is the journals', ``LINE_KEY_SIZE`` random bytes."""

    key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.key) != LINE_KEY_SIZE:
            raise ValueError(f"a journal's key has {LINE_KEY_SIZE} bytes, not {len(self.key)}")

    def __call__(self, journal: str, seq: int) -> str:
        """The salt of a journal's line ``seq``, in hex: HMAC-SHA256 of purpose, number and the journal's id, cut to ``SALT_SIZE`` bytes."""
        return hmac.digest(self.key, _PURPOSE + seq.to_bytes(8) + journal.encode(), "sha256")[:SALT_SIZE].hex()
