"""Publication of released deals by a vault: its own shares to the other holders' vaults, and slips to everybody."""

from __future__ import annotations

from twinwall.custody.key_shares import HolderShares
from twinwall.custody.released_shares import ReleasedShares
from twinwall.custody.vault_outputs import TOLD_AGAIN_S, Output, Publish, ReleaseSlip
from twinwall.wire.mqtt.topics import shares_topic, slips_topic


class SlipPublisher:
    """Puts out what is released, and repeats it for late listeners."""

    def __init__(self, shares: HolderShares, released: ReleasedShares) -> None:
        self._released = released
        self._has_others = len(shares.plan.holders) > 1
        self._shares_topic, self._slips_topic = shares_topic(shares.plan.event), slips_topic(shares.plan.event)
        self._told_at_s = 0.0

    def release(self, n: int) -> list[Output]:
        """Tell this holder's released share, and the slip where it was the last; what an earlier run has released is sent again at the
        start."""
        share = self._released.release(n)
        shares: list[Output] = [Publish(self._shares_topic, share)] if self._has_others else []
        return shares + self._put_out(n)

    def hear(self, payload: bytes) -> list[Output]:
        """Another holder's share was released, or something says so: only one that is committed counts. Raises DealError or
        DocumentError."""
        n = self._released.hear(payload)
        return [] if n is None else self._put_out(n)

    def take(self, payload: bytes) -> list[Output]:
        """The centre's vaults have released a deal. Raises DealError or DocumentError for what is no slip of this event."""
        n = self._released.take_slip(payload)
        return [] if n is None else [ReleaseSlip(n, payload), Publish(self._slips_topic, payload)]

    @property
    def out(self) -> frozenset[int]:
        """The deals whose slips are out."""
        return self._released.out

    def tell_again(self, now_s: float) -> list[Output]:
        """All that is released, where it is time."""
        if now_s - self._told_at_s < TOLD_AGAIN_S:
            return []
        self._told_at_s = now_s
        shares = [Publish(self._shares_topic, share) for share in self._released.own]
        return [*shares, *(Publish(self._slips_topic, slip) for slip in self._released.slips)]

    def _put_out(self, n: int) -> list[Output]:
        slip = self._released.slip(n)
        return [] if slip is None else [ReleaseSlip(n, slip), Publish(self._slips_topic, slip)]
