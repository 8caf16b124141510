"""Announcement of the tables' boot signing keys by the vault: at once when they change, and again for late listeners."""

from __future__ import annotations

from collections.abc import Mapping

from twinwall.custody.release import MemberStanding
from twinwall.wire.messages.announced_keys import Announcement, TableKey, write_announcement
from twinwall.wire.messages.signing import Counter, Signer

KEYS_TOLD_S = 2.0
"""The keys are announced this often: a server that starts shows no line before it knows them."""


class KeyAnnouncer:
    """What was announced last, and when."""

    def __init__(self, signer: Signer, event: str, counter: Counter) -> None:
        """``counter`` must rise across restarts of the vault."""
        self._signer, self._event, self._counter = signer, event, counter
        self._keys: tuple[TableKey, ...] = ()
        self._announcement = b""
        self._told_at_s = 0.0

    def due(self, tables: Mapping[str, MemberStanding], now_s: float) -> bytes | None:
        """The announcement that is to be sent now; None when nothing is."""
        keys = tuple(TableKey(table, standing.keys.signing.hex()) for table, standing in tables.items() if standing.keys is not None)
        if keys != self._keys:
            self._keys = keys
            self._announcement = write_announcement(self._signer, self._event, Announcement(self._counter.next(), keys))
        elif not self._announcement or now_s - self._told_at_s < KEYS_TOLD_S:
            return None
        self._told_at_s = now_s
        return self._announcement
