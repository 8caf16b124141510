"""The slip, which opens one deal and proves it (``verify_deal``) with its keys, their path to the root, digest and check; and shares, one
holder's key of a deal.

Anybody with plan and start can check a slip without other deals; a table checks its deal against a slip before a tile moves. An error names
the part that is not the committed one.

All holders' shares open a deal. Each share can be checked alone, so a wrong one shows which holder sent it. Custody decides who gets
shares, and when.
"""

from collections.abc import Mapping
from enum import StrEnum

from twinwall.game.deals.deal import Deal, deal_check, deal_from_keys, walls_digest
from twinwall.game.deals.encoding import DealDocument, DealError, Sha256
from twinwall.game.deals.keys import (
    SEED_SIZE,
    Commitments,
    DealKey,
    Seed,
    commit,
    deal_keys,
    key_commitment,
    leaf_of,
    path_length,
    root_from_path,
)
from twinwall.game.deals.plan import Plan
from twinwall.game.deals.start import Start, StartedPlan
from twinwall.game.typed_json import Number, Words


class SlipPart(StrEnum):
    """The part of a deal or slip that is not the committed one."""

    PLAN = "plan"
    START = "start"
    ROOT = "root"
    PUBLIC = "public"
    KEY = "key"
    PATH = "path"
    DIGEST = "digest"
    CHECK = "check"


class VerificationError(DealError):
    """A deal or slip is not the committed one; ``part`` says what differs."""

    def __init__(self, n: int, part: SlipPart, sentence: str) -> None:
        super().__init__(f"deal {n}, {part.value}: {sentence}")
        self.n = n
        self.part = part


class Slip(DealDocument, tag_field="format", tag="twinwall-slip-1"):
    """What opens deal ``n``. Keys are secret until every table has finished the deal, so ``repr`` omits them."""

    called = "the slip"

    n: Number
    public: Words
    keys: tuple[DealKey, ...]
    path: tuple[Sha256, ...]
    digest: Sha256
    check: Sha256

    def __repr__(self) -> str:
        return f"Slip(n={self.n}, digest={self.digest.hex()})"


def make_slip(plan: Plan, seeds: Mapping[str, Seed], n: int, public: str, commitments: Commitments | None = None) -> Slip:
    """Make the slip of deal ``n``; known ``commitments`` save computing them."""
    known = commit(plan, seeds) if commitments is None else commitments
    keys = deal_keys(plan, seeds, n)
    deal = deal_from_keys(plan, known.root, public, n, keys)
    return Slip(n=n, public=public, keys=keys, path=known.path(n), digest=deal.digest, check=deal.check)


def verify_slip(started: StartedPlan, slip: Slip) -> Deal:
    """Make the deal that a slip opens; raises VerificationError, which names public value, key, path, digest or check. Keys and path can
    only be checked together. If they miss the root, the path is blamed when the keys give the slip's digest and check, otherwise a key."""
    plan, root, n = started.plan, started.start.root, slip.n
    _check_lengths(plan, slip)
    if slip.public != started.start.public:
        raise VerificationError(
            n, SlipPart.PUBLIC, f"the slip is made with the public value {slip.public!r}, the event's start fixed {started.start.public!r}"
        )
    deal = deal_from_keys(plan, root, slip.public, n, slip.keys)
    if _root_of(plan, slip) != root:
        if (deal.digest, deal.check) == (slip.digest, slip.check):
            raise VerificationError(n, SlipPart.PATH, "the keys are right, but the path does not lead from them to the root")
        raise VerificationError(n, SlipPart.KEY, "the keys are not those committed under this root (or plan or root are another event's)")
    if deal.digest != slip.digest:
        raise VerificationError(n, SlipPart.DIGEST, "the keys and the public value are the committed ones, but give other walls")
    if deal.check != slip.check:
        raise VerificationError(n, SlipPart.CHECK, "keys, path and digest agree, but the check value is another")
    return deal


def start_of_slip(plan: Plan, slip: Slip) -> Start:
    """The start that a slip implies: the root of its keys and path, and its public value. Raises VerificationError. It proves nothing until
    it is compared with the event's start code."""
    _check_lengths(plan, slip)
    return Start(plan.digest, _root_of(plan, slip), slip.public)


def _check_lengths(plan: Plan, slip: Slip) -> None:
    n, size = slip.n, len(plan.deals)
    plan.deal(n)
    if len(slip.keys) != len(plan.holders) or any(len(key) != SEED_SIZE for key in slip.keys):
        raise VerificationError(n, SlipPart.KEY, f"the plan needs one key of {SEED_SIZE} bytes for each holder ({', '.join(plan.holders)})")
    if len(slip.path) != path_length(size, n - 1):
        raise VerificationError(
            n, SlipPart.PATH, f"the path has {len(slip.path)} digests, a plan of {size} deals needs {path_length(size, n - 1)}"
        )


def _root_of(plan: Plan, slip: Slip) -> Sha256:
    return root_from_path(leaf_of(plan, slip.n, slip.keys), slip.n - 1, len(plan.deals), slip.path)


def check_planned(deal: Deal, plan: Plan) -> None:
    """Raise VerificationError unless the deal is the plan's deal of its number."""
    planned = plan.deal(deal.n)
    if (deal.event, deal.session, deal.hand, deal.rules) != (plan.event, planned.session, planned.hand, planned.rules):
        raise VerificationError(deal.n, SlipPart.PLAN, "event, session, hand or rules are not those of the plan")


def verify_deal(deal: Deal, slip: Slip, started: StartedPlan) -> None:
    """A table's check before a tile moves: walls → digest, keys → check, keys → leaf → path → root, all of one start. Raises
    VerificationError for the first part that fails."""
    start = started.start
    if deal.n != slip.n:
        raise VerificationError(deal.n, SlipPart.KEY, f"the slip opens deal {slip.n}")
    check_planned(deal, started.plan)
    if deal.root != start.root:
        raise VerificationError(deal.n, SlipPart.ROOT, f"the deal is made for the root {deal.root.hex()}, published is {start.root.hex()}")
    if deal.public != start.public:
        raise VerificationError(
            deal.n, SlipPart.PUBLIC, f"the deal is made with the public value {deal.public!r}, the event's start fixed {start.public!r}"
        )
    if walls_digest(deal.walls, deal.rest) != deal.digest:
        raise VerificationError(deal.n, SlipPart.DIGEST, "the walls do not give the deal's digest")
    if deal_check(start.root, deal.n, deal.digest, slip.keys) != deal.check:
        raise VerificationError(deal.n, SlipPart.CHECK, "digest and keys do not give the deal's check value")
    remade = verify_slip(started, slip)
    if remade.digest != deal.digest:
        raise VerificationError(deal.n, SlipPart.DIGEST, "the walls are not those that the keys give")


class Share(DealDocument, tag_field="format", tag="twinwall-share-1"):
    """One holder's key of deal ``n``, the commitments of all holders' keys of that deal, and their path to the root. The key is secret
    until every table has finished the deal, so ``repr`` omits it."""

    called = "the share"

    n: Number
    holder: Words
    key: DealKey
    leaf: tuple[Sha256, ...]
    path: tuple[Sha256, ...]

    def __repr__(self) -> str:
        return f"Share(n={self.n}, holder={self.holder!r})"


def make_share(plan: Plan, holder: str, seed: Seed, n: int, commitments: Commitments) -> Share:
    """The share of deal ``n`` of the holder with this seed; ``commitments`` are the published ones."""
    key = seed.key(plan.digest, holder, plan.deal(n).n)
    return Share(n, holder, key, commitments.keys[n - 1], commitments.path(n))


def shares_of_slip(plan: Plan, slip: Slip) -> tuple[Share, ...]:
    """The shares in a slip, in the plan's order of holders; valid if ``verify_slip`` accepts the slip."""
    plan_digest = plan.digest
    named = tuple(zip(plan.holders, slip.keys, strict=True))
    leaf = tuple(key_commitment(plan_digest, holder, slip.n, key) for holder, key in named)
    return tuple(Share(slip.n, holder, key, leaf, slip.path) for holder, key in named)


def verify_share(started: StartedPlan, share: Share) -> None:
    """Check a share alone: leaf → path → root of the start, key → its commitment in the leaf. Raises VerificationError."""
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
    """The slip and deal that all holders' checked shares open; raises DealError if one is missing."""
    plan, start = started.plan, started.start
    if missing := [holder for holder in plan.holders if holder not in shares]:
        raise DealError(f"the share of {missing[0]!r} is missing")
    first = shares[plan.holders[0]]
    keys = tuple(shares[holder].key for holder in plan.holders)
    deal = deal_from_keys(plan, start.root, start.public, first.n, keys)
    return Slip(first.n, start.public, keys, first.path, deal.digest, deal.check), deal


class GatheredShares:
    """Collects shares of several deals and checks each."""

    def __init__(self, started: StartedPlan) -> None:
        self._started = started
        self._shares: dict[int, dict[str, Share]] = {}

    def add(self, share: Share) -> None:
        """Check and keep a share; raises VerificationError."""
        verify_share(self._started, share)
        self._shares.setdefault(share.n, {})[share.holder] = share

    def holders(self, n: int) -> frozenset[str]:
        return frozenset(self._shares.get(n, {}))

    def missing(self, n: int) -> tuple[str, ...]:
        """The holders whose share of deal ``n`` is missing, in the plan's order."""
        return tuple(holder for holder in self._started.plan.holders if holder not in self._shares.get(n, {}))

    def opened(self, n: int) -> tuple[Slip, Deal] | None:
        """What the shares of deal ``n`` open; None while one is missing."""
        return None if self.missing(n) else combine_shares(self._started, self._shares[n])

    def drop(self, n: int) -> None:
        self._shares.pop(n, None)
