"""Attention to the holders' vaults: which of them the table has not heard for longer than a vault ever is silent.

Each vault sends a challenge every ten seconds. What the table does about a silent one is left to the table.
"""

from collections.abc import Callable

from controller.state.messages import PartFound, PartLost
from twinwall.wire.events.trouble_events import VAULT_OF
from twinwall.wire.messages.vaults.challenge import RENEWED_AFTER_S

SILENT_AFTER_S = 3 * RENEWED_AFTER_S


class HolderAttention:
    """When each holder's vault was heard last; while the broker is away nothing is counted against a vault."""

    def __init__(self, holders: tuple[str, ...], now_s: Callable[[], float]) -> None:
        """``now_s`` is any clock that goes on."""
        self._now_s = now_s
        self._heard_s = dict.fromkeys(holders, now_s())
        self._lost: set[str] = set()

    def begin(self) -> None:
        """The broker is there: every vault has its time from now."""
        self._heard_s = dict.fromkeys(self._heard_s, self._now_s())

    def heard(self, holder: str) -> None:
        """A challenge of this holder's vault has come."""
        self._heard_s[holder] = self._now_s()

    def changes(self) -> tuple[PartLost | PartFound, ...]:
        """What has changed since the last call; a vault counts as heard until it has been silent for ``SILENT_AFTER_S``."""
        now_s = self._now_s()
        silent = {holder for holder, heard_s in self._heard_s.items() if now_s - heard_s > SILENT_AFTER_S}
        lost = tuple(PartLost(f"{VAULT_OF}{holder}") for holder in sorted(silent - self._lost))
        found = tuple(PartFound(f"{VAULT_OF}{holder}") for holder in sorted(self._lost - silent))
        self._lost = silent
        return lost + found
