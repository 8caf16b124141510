"""Released shares of a vault: its own, those that other holders' vaults have released, and the slips that they make together."""

from __future__ import annotations

from collections.abc import Iterable

from twinwall.custody.key_shares import HolderShares
from twinwall.game.deals import GatheredShares, Share, Slip, shares_of_slip, verify_slip
from twinwall.game.documents import canonical_json


class ReleasedShares:
    """What anybody may know by now of this holder's keys, and by their own vaults' word of the others'."""

    def __init__(self, shares: HolderShares, slips: Iterable[Slip]) -> None:
        """``slips`` are those that an earlier run has put out: their shares need not come again. Raises VerificationError for one
        that is not of this event."""
        self._shares = shares
        self._gathered = GatheredShares(shares.started)
        self._own: dict[int, bytes] = {}
        self.slips: dict[int, bytes] = {}
        """The slips of the deals that all holders have released."""
        for slip in slips:
            verify_slip(shares.started, slip)
            self.slips[slip.n] = canonical_json(slip.to_json())
            for share in shares_of_slip(shares.plan, slip):
                if share.holder != shares.holder:
                    self._gathered.add(share)

    @property
    def own(self) -> tuple[bytes, ...]:
        """This holder's released shares, as they are sent to other vaults; none in a plan with one holder."""
        return tuple(self._own.values()) if len(self._shares.plan.holders) > 1 else ()

    def release(self, n: int) -> bytes:
        """Release this holder's share of deal ``n``: it is over."""
        share = self._shares.share(n)
        self._gathered.add(share)
        self._own[n] = canonical_json(share.to_json())
        return self._own[n]

    def take_slip(self, payload: bytes) -> int | None:
        """Take a slip that somebody else has made; the deal's number where it is new. Raises DealError or DocumentError."""
        slip = Slip.from_json(payload)
        verify_slip(self._shares.started, slip)
        if slip.n in self.slips:
            return None
        self.slips[slip.n] = canonical_json(slip.to_json())
        return slip.n

    def hear(self, payload: bytes) -> int | None:
        """Take a share that another vault has released; the deal's number where it is new. Raises DealError or DocumentError."""
        share = Share.from_json(payload)
        if share.n in self.slips or share.holder == self._shares.holder or share.holder in self._gathered.holders(share.n):
            return None
        self._gathered.add(share)
        return share.n

    def slip(self, n: int) -> bytes | None:
        """The slip of deal ``n``; None until this vault too has released its share, and every other holder's is here."""
        if n not in self.slips:
            opened = self._gathered.opened(n)  # its own share is gathered when it is released
            if opened is None:
                return None
            self.slips[n] = canonical_json(opened[0].to_json())
        return self.slips[n]
