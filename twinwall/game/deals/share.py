"""Share of a deal: one holder's key of it, with what proves against the event's start that it is the committed one.

All holders' shares of a deal open it; without one of them it cannot be made. A share is checked by itself, so a wrong one is known
by its holder. To whom a share is given, and when, is left to custody.
"""

from collections.abc import Mapping

from twinwall.game.deals.deal import Deal, deal_from_keys
from twinwall.game.deals.encoding import DealError, Sha256
from twinwall.game.deals.keys import Commitments, DealKey, Seed, key_commitment
from twinwall.game.deals.merkle import path_length, root_from_path
from twinwall.game.deals.plan import Plan
from twinwall.game.deals.slip import Slip, SlipPart, VerificationError
from twinwall.game.deals.start import StartedPlan
from twinwall.game.typed_json import Number, Words, plain, read_document
from twinwall.values import Shape


class Share(Shape, tag_field="format", tag="twinwall-share-1"):
    """Key of deal ``n`` of one holder, the commitments c of all holders' keys of that deal in the plan's order, and their path to
    the root. The key is secret until every table has finished the deal, so ``repr`` leaves it out."""

    n: Number
    holder: Words
    key: DealKey
    leaf: tuple[Sha256, ...]
    path: tuple[Sha256, ...]

    def __repr__(self) -> str:
        return f"Share(n={self.n}, holder={self.holder!r})"

    def to_json(self) -> dict[str, object]:
        """The share's object."""
        return plain(self)

    @classmethod
    def from_json(cls, text: bytes | str) -> "Share":
        """Read a share; refuses unknown keys and digests or keys of another length."""
        return read_document(text, cls, "the share")


def make_share(plan: Plan, holder: str, seed: Seed, n: int, commitments: Commitments) -> Share:
    """The share of deal ``n`` of the holder whose seed this is; ``commitments`` are the published ones."""
    key = seed.key(plan.digest, holder, plan.deal(n).n)
    return Share(n, holder, key, commitments.keys[n - 1], commitments.path(n))


def shares_of_slip(plan: Plan, slip: Slip) -> tuple[Share, ...]:
    """The shares that a slip holds, in the plan's order of holders; a slip that ``verify_slip`` takes gives good shares."""
    plan_digest = plan.digest
    named = tuple(zip(plan.holders, slip.keys, strict=True))
    leaf = tuple(key_commitment(plan_digest, holder, slip.n, key) for holder, key in named)
    return tuple(Share(slip.n, holder, key, leaf, slip.path) for holder, key in named)


def verify_share(started: StartedPlan, share: Share) -> None:
    """Check a share by itself: leaf → path → root of the start, key → its commitment in the leaf. Raises VerificationError."""
    plan, n, size = started.plan, share.n, len(started.plan.deals)
    plan.deal(n)
    if share.holder not in plan.holders:
        raise VerificationError(n, SlipPart.KEY, f"it is of {share.holder!r}, who is no holder of the plan ({', '.join(plan.holders)})")
    if len(share.leaf) != len(plan.holders) or len(share.path) != path_length(size, n - 1):
        wanted = f"{len(plan.holders)} commitments and a path of {path_length(size, n - 1)} digests"
        raise VerificationError(n, SlipPart.PATH, f"the share of {share.holder!r} does not have {wanted}: it is of another plan")
    if root_from_path(b"".join(share.leaf), n - 1, size, share.path) != started.start.root:
        where = "does not lead to the root of the event's start: it is of another plan or another start"
        raise VerificationError(n, SlipPart.PATH, f"the share of {share.holder!r} {where}")
    if key_commitment(plan.digest, share.holder, n, share.key) != share.leaf[plan.holders.index(share.holder)]:
        raise VerificationError(n, SlipPart.KEY, f"the key of {share.holder!r} is not the one committed: it comes from another seed")


def combine_shares(started: StartedPlan, shares: Mapping[str, Share]) -> tuple[Slip, Deal]:
    """The slip and the deal that all holders' shares of one deal open; ``shares`` are checked already. Raises DealError for a
    holder whose share is missing."""
    plan, start = started.plan, started.start
    if missing := [holder for holder in plan.holders if holder not in shares]:
        raise DealError(f"the share of {missing[0]!r} is missing")
    first = shares[plan.holders[0]]
    keys = tuple(shares[holder].key for holder in plan.holders)
    deal = deal_from_keys(plan, start.root, start.public, first.n, keys)
    return Slip(first.n, start.public, keys, first.path, deal.digest, deal.check), deal


class GatheredShares:
    """The shares of several deals as they come, each checked before it is kept."""

    def __init__(self, started: StartedPlan) -> None:
        self._started = started
        self._shares: dict[int, dict[str, Share]] = {}

    def add(self, share: Share) -> None:
        """Check a share and keep it; raises VerificationError."""
        verify_share(self._started, share)
        self._shares.setdefault(share.n, {})[share.holder] = share

    def holders(self, n: int) -> frozenset[str]:
        """The holders whose share of deal ``n`` is here."""
        return frozenset(self._shares.get(n, {}))

    def missing(self, n: int) -> tuple[str, ...]:
        """The holders whose share of deal ``n`` is not here, in the plan's order."""
        return tuple(holder for holder in self._started.plan.holders if holder not in self._shares.get(n, {}))

    def opened(self, n: int) -> tuple[Slip, Deal] | None:
        """What the shares of deal ``n`` open; None while one is missing."""
        return None if self.missing(n) else combine_shares(self._started, self._shares[n])

    def drop(self, n: int) -> None:
        """Forget the shares of deal ``n``."""
        self._shares.pop(n, None)
