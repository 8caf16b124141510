"""Seeds, the keys of deals, and the commitments published before the event (``commit``). A seed gives one key per deal. The commitments
bind all keys without revealing them, so each deal's keys can be released alone. Custody keeps the seeds.

The Merkle tree of RFC 6962 (section 2.1) over the commitments: root, path of a leaf, root from a path. Leaves and nodes have different
hash prefixes, so a node cannot pass for a leaf. Leaves count from 0 here, deals from 1 elsewhere.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from msgspec import Struct
from msgspec import field as named

from twinwall.game.deals.encoding import DealDocument, DealError, Sha256, encode_parts, sha256
from twinwall.game.deals.plan import Plan
from twinwall.game.typed_json import HexBytes, Number, Words, plain, read_document
from twinwall.values import frozen


def _leaf_digest(leaf: bytes) -> Sha256:
    return sha256(b"\x00" + leaf)


def _node_digest(left: bytes, right: bytes) -> Sha256:
    return sha256(b"\x01" + left + right)


def _left_size(size: int) -> int:
    """The leaves left of the root: the largest power of two below ``size``."""
    power: int = 1 << ((size - 1).bit_length() - 1)
    return power


def tree_root(leaves: Sequence[bytes]) -> Sha256:
    """The root of at least one leaf."""
    if not leaves:
        raise ValueError("a commitment tree needs at least one leaf")
    if len(leaves) == 1:
        return _leaf_digest(leaves[0])
    split = _left_size(len(leaves))
    return _node_digest(tree_root(leaves[:split]), tree_root(leaves[split:]))


def tree_path(leaves: Sequence[bytes], index: int) -> tuple[Sha256, ...]:
    """The sibling digests from the leaf to the root (RFC 6962, section 2.1.1)."""
    if len(leaves) == 1:
        return ()
    split = _left_size(len(leaves))
    if index < split:
        return (*tree_path(leaves[:split], index), tree_root(leaves[split:]))
    return (*tree_path(leaves[split:], index - split), tree_root(leaves[:split]))


def path_length(size: int, index: int) -> int:
    """The number of digests in a leaf's path, in a tree of ``size`` leaves."""
    if size == 1:
        return 0
    split = _left_size(size)
    return 1 + (path_length(split, index) if index < split else path_length(size - split, index - split))


def root_from_path(leaf: bytes, index: int, size: int, path: Sequence[Sha256]) -> Sha256:
    """The root that leaf and path give; the path must have ``path_length(size, index)`` digests."""
    if size == 1:
        return _leaf_digest(leaf)
    split = _left_size(size)
    if index < split:
        return _node_digest(root_from_path(leaf, index, split, path[:-1]), path[-1])
    return _node_digest(path[-1], root_from_path(leaf, index - split, size - split, path[:-1]))


SEED_SIZE = 80
"""Bytes of a seed and of a key: 640 bits, because a wall of 136 tiles needs 617."""


class DealKey(HexBytes):
    """One holder's key of one deal."""

    SIZE = SEED_SIZE


@frozen
class Seed:
    """One holder's secret, 80 random bytes; ``repr`` never shows it."""

    content: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.content) != SEED_SIZE:
            raise DealError(f"a seed is exactly {SEED_SIZE} bytes, not {len(self.content)}: head -c {SEED_SIZE} /dev/urandom makes one")

    @property
    def commitment(self) -> Sha256:
        """The published digest of the seed."""
        return sha256(encode_parts("twinwall-seed-1", self.content))

    def key(self, plan_digest: bytes, holder: str, n: int) -> DealKey:
        """The holder's key of deal ``n``, 80 bytes."""
        return DealKey(hashlib.shake_256(encode_parts("twinwall-key-1", self.content, plan_digest, holder, n)).digest(SEED_SIZE))


def key_commitment(plan_digest: bytes, holder: str, n: int, key: bytes) -> Sha256:
    """The published digest of one holder's key of deal ``n``."""
    return sha256(encode_parts("twinwall-commit-1", plan_digest, holder, n, key))


def leaf_of(plan: Plan, n: int, keys: tuple[bytes, ...]) -> bytes:
    """Leaf ``n`` of the commitment tree; ``keys`` in the plan's order of holders."""
    plan_digest = plan.digest
    return b"".join(key_commitment(plan_digest, holder, n, key) for holder, key in zip(plan.holders, keys, strict=True))


def deal_keys(plan: Plan, seeds: Mapping[str, Seed], n: int) -> tuple[DealKey, ...]:
    """Every holder's key of deal ``n``, in the plan's order; raises DealError unless holders and seeds match."""
    for name in seeds:
        if name not in plan.holders:
            raise DealError(f"there is a seed for {name!r}, who is no holder of the plan ({', '.join(plan.holders)})")
    for holder in plan.holders:
        if holder not in seeds:
            raise DealError(f"the seed of the holder {holder!r} is missing")
    plan_digest = plan.digest
    return tuple(seeds[holder].key(plan_digest, holder, plan.deal(n).n) for holder in plan.holders)


class _CommittedDeal(Struct, forbid_unknown_fields=True):
    n: Number
    c: tuple[Sha256, ...]


class _CommitmentsFile(Struct, forbid_unknown_fields=True, tag_field="format", tag="twinwall-commitments-1"):
    plan: Sha256
    seeds: dict[str, Sha256]
    deals: list[_CommittedDeal]
    root: Sha256


@frozen
class Commitments:
    """What is published before the public value is fixed: the commitment of each seed and key, and their root."""

    plan_digest: Sha256
    seeds: Mapping[str, Sha256]
    keys: tuple[tuple[Sha256, ...], ...]
    """``keys[n - 1]`` is c[h, n] in the plan's order of holders."""

    @property
    def leaves(self) -> tuple[bytes, ...]:
        return tuple(b"".join(commitments) for commitments in self.keys)

    @property
    def root(self) -> Sha256:
        """R, the root of all deals."""
        return tree_root(self.leaves)

    def path(self, n: int) -> tuple[Sha256, ...]:
        """The path of deal ``n`` from its leaf to the root."""
        return tree_path(self.leaves, n - 1)

    def to_json(self) -> dict[str, object]:
        deals = [_CommittedDeal(n, row) for n, row in enumerate(self.keys, start=1)]
        return plain(_CommitmentsFile(self.plan_digest, dict(self.seeds), deals, self.root))

    @classmethod
    def from_json(cls, text: bytes | str) -> "Commitments":
        """Read the published file; refuses unknown keys and a root that does not fit the leaves."""
        name = "the commitments"
        read = read_document(text, _CommitmentsFile, name)
        if not read.deals:
            raise DealError(f"{name} have no deals")
        for n, deal in enumerate(read.deals, start=1):
            if deal.n != n:
                raise DealError(f"'n' of deal {n} of {name} must be {n}")
            if len(deal.c) != len(read.seeds):
                wanted = f"one digest for each of the {len(read.seeds)} holders"
                raise DealError(f"'c' of deal {n} of {name} must have {wanted}, not {len(deal.c)}")
        commitments = cls(read.plan, read.seeds, tuple(deal.c for deal in read.deals))
        if commitments.root != read.root:
            raise DealError(f"'root' of {name} is not the root over its own deals")
        return commitments


class CommitmentPart(DealDocument, tag_field="format", tag="twinwall-commitment-part-1"):
    """What one holder publishes alone: the commitments of his seed and of his keys, in the order of the deals. All parts together make the
    commitments."""

    called = "the part of the commitments"

    plan_digest: Sha256 = named(name="plan")
    holder: Words
    seed: Sha256
    keys: tuple[Sha256, ...] = named(name="c")


def commit_part(plan: Plan, holder: str, seed: Seed) -> CommitmentPart:
    """A holder's part; raises DealError for a holder whom the plan does not name."""
    if holder not in plan.holders:
        raise DealError(f"there is a seed for {holder!r}, who is no holder of the plan ({', '.join(plan.holders)})")
    digest = plan.digest
    keys = tuple(key_commitment(digest, holder, deal.n, seed.key(digest, holder, deal.n)) for deal in plan.deals)
    return CommitmentPart(digest, holder, seed.commitment, keys)


def combine_parts(plan: Plan, parts: Iterable[CommitmentPart]) -> Commitments:
    """The commitments of one part per holder; raises DealError for a missing or second part, or one of another plan."""
    found: dict[str, CommitmentPart] = {}
    for part in parts:
        if part.holder in found:
            raise DealError(f"there are two parts of the holder {part.holder!r}: give one")
        if part.plan_digest != plan.digest or len(part.keys) != len(plan.deals) or part.holder not in plan.holders:
            raise DealError(f"the part of the holder {part.holder!r} is of another plan: make it again from this one")
        found[part.holder] = part
    for holder in plan.holders:
        if holder not in found:
            raise DealError(f"the seed of the holder {holder!r} is missing")
    ordered = [found[holder] for holder in plan.holders]
    return Commitments(plan.digest, {part.holder: part.seed for part in ordered}, tuple(zip(*(part.keys for part in ordered), strict=True)))


def commit(plan: Plan, seeds: Mapping[str, Seed]) -> Commitments:
    """The commitments of a plan from every holder's seed."""
    return combine_parts(plan, [commit_part(plan, holder, seed) for holder, seed in seeds.items()])
