"""Seeds, the key of each deal, and the commitments that are published before the event.

A holder's seed gives one key per deal. The commitments bind every key and tell nothing about it, so one deal's keys can be
released alone. Seeds come in as bytes: where they lie and who may read them is left to custody.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from twinwall.game.deals.encoding import DIGEST_SIZE, DealError, encode_parts, sha256
from twinwall.game.deals.merkle import tree_path, tree_root
from twinwall.game.deals.plan import Plan
from twinwall.game.documents import DocumentFields, hex_of, integer_of, list_of, object_of, parse_object

SEED_SIZE = 80
"""Bytes of a seed and of a key: 640 bits, because a wall of 136 tiles needs 617 (contracts, "Deals")."""

COMMITMENTS_FORMAT = "twinwall-commitments-1"
PART_FORMAT = "twinwall-commitment-part-1"


@dataclass(frozen=True, slots=True)
class Seed:
    """One holder's secret: exactly 80 random bytes, never shown by ``repr``."""

    content: bytes = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse another length."""
        if len(self.content) != SEED_SIZE:
            raise DealError(f"a seed is exactly {SEED_SIZE} bytes, not {len(self.content)}")

    @property
    def commitment(self) -> bytes:
        """What is published of the seed."""
        return sha256(encode_parts("twinwall-seed-1", self.content))

    def key(self, plan_digest: bytes, holder: str, n: int) -> bytes:
        """The holder's key of deal ``n``, 80 bytes."""
        return hashlib.shake_256(encode_parts("twinwall-key-1", self.content, plan_digest, holder, n)).digest(SEED_SIZE)


def key_commitment(plan_digest: bytes, holder: str, n: int, key: bytes) -> bytes:
    """What is published of one holder's key of deal ``n``."""
    return sha256(encode_parts("twinwall-commit-1", plan_digest, holder, n, key))


def leaf_of(plan: Plan, n: int, keys: tuple[bytes, ...]) -> bytes:
    """Leaf ``n`` of the commitment tree from the keys in the plan's order of holders."""
    plan_digest = plan.digest
    return b"".join(key_commitment(plan_digest, holder, n, key) for holder, key in zip(plan.holders, keys, strict=True))


def deal_keys(plan: Plan, seeds: Mapping[str, Seed], n: int) -> tuple[bytes, ...]:
    """Every holder's key of deal ``n``, in the plan's order; refuses a holder without a seed and a seed without a holder."""
    for name in seeds:
        if name not in plan.holders:
            raise DealError(f"there is a seed for {name!r}, who is no holder of the plan ({', '.join(plan.holders)})")
    for holder in plan.holders:
        if holder not in seeds:
            raise DealError(f"the seed of the holder {holder!r} is missing")
    plan_digest = plan.digest
    return tuple(seeds[holder].key(plan_digest, holder, plan.deal(n).n) for holder in plan.holders)


@dataclass(frozen=True, slots=True)
class Commitments:
    """What is published before the public value is fixed: of each seed, of each key, and the root over all."""

    plan_digest: bytes
    seeds: Mapping[str, bytes]
    keys: tuple[tuple[bytes, ...], ...]
    """``keys[n - 1]`` holds c[h, n] in the plan's order of holders."""

    @property
    def leaves(self) -> tuple[bytes, ...]:
        """The leaves of deals 1, 2, 3 …"""
        return tuple(b"".join(commitments) for commitments in self.keys)

    @property
    def root(self) -> bytes:
        """R: the root over all deals."""
        return tree_root(self.leaves)

    def path(self, n: int) -> tuple[bytes, ...]:
        """The path of deal ``n`` from its leaf to the root."""
        return tree_path(self.leaves, n - 1)

    def to_json(self) -> dict[str, object]:
        """The published file: all digests in lower-case hex."""
        return {
            "format": COMMITMENTS_FORMAT,
            "plan": self.plan_digest.hex(),
            "seeds": {holder: digest.hex() for holder, digest in self.seeds.items()},
            "deals": [{"n": n, "c": [digest.hex() for digest in row]} for n, row in enumerate(self.keys, start=1)],
            "root": self.root.hex(),
        }

    @classmethod
    def from_json(cls, text: bytes | str) -> Commitments:
        """Read the published file; refuses unknown keys and a root that is not over its own leaves."""
        name = "the commitments"
        fields = DocumentFields(parse_object(text, name), name)
        fields.constant("format", COMMITMENTS_FORMAT)
        plan_digest = fields.hex("plan", DIGEST_SIZE)
        seeds = {
            holder: hex_of(value, f"the seed of {holder!r} in {name}", DIGEST_SIZE) for holder, value in fields.mapping("seeds").items()
        }
        keys = tuple(_row(line, n, len(seeds)) for n, line in enumerate(fields.items("deals"), start=1))
        root = fields.hex("root", DIGEST_SIZE)
        fields.done()
        if not keys:
            raise DealError(f"{name} have no deals")
        commitments = cls(plan_digest, seeds, keys)
        if commitments.root != root:
            raise DealError(f"'root' of {name} is not the root over its own deals")
        return commitments


def _row(line: object, n: int, holders: int) -> tuple[bytes, ...]:
    name = f"deal {n} of the commitments"
    fields = DocumentFields(object_of(line, name), name)
    row = tuple(hex_of(value, fields.label("c"), DIGEST_SIZE) for value in list_of(fields.take("c"), fields.label("c")))
    if integer_of(fields.take("n"), fields.label("n")) != n:
        raise DealError(f"{fields.label('n')} must be {n}")
    if len(row) != holders:
        raise DealError(f"{fields.label('c')} must have one digest for each of the {holders} holders, not {len(row)}")
    fields.done()
    return row


@dataclass(frozen=True, slots=True)
class CommitmentPart:
    """What one holder publishes from his own seed alone: the seed's commitment, and that of each of his keys in the order of the
    deals. All holders' parts make the commitments."""

    plan_digest: bytes
    holder: str
    seed: bytes
    keys: tuple[bytes, ...]

    def to_json(self) -> dict[str, object]:
        """The part's file."""
        return {
            "format": PART_FORMAT,
            "plan": self.plan_digest.hex(),
            "holder": self.holder,
            "seed": self.seed.hex(),
            "c": [digest.hex() for digest in self.keys],
        }

    @classmethod
    def from_json(cls, text: bytes | str) -> CommitmentPart:
        """Read a part; refuses unknown keys."""
        name = "the part of the commitments"
        fields = DocumentFields(parse_object(text, name), name)
        fields.constant("format", PART_FORMAT)
        part = cls(
            plan_digest=fields.hex("plan", DIGEST_SIZE),
            holder=fields.words("holder"),
            seed=fields.hex("seed", DIGEST_SIZE),
            keys=tuple(hex_of(digest, fields.label("c"), DIGEST_SIZE) for digest in fields.items("c")),
        )
        fields.done()
        return part


def commit_part(plan: Plan, holder: str, seed: Seed) -> CommitmentPart:
    """What a holder commits to; raises DealError for one whom the plan does not name."""
    if holder not in plan.holders:
        raise DealError(f"there is a seed for {holder!r}, who is no holder of the plan ({', '.join(plan.holders)})")
    digest = plan.digest
    keys = tuple(key_commitment(digest, holder, deal.n, seed.key(digest, holder, deal.n)) for deal in plan.deals)
    return CommitmentPart(digest, holder, seed.commitment, keys)


def combine_parts(plan: Plan, parts: Iterable[CommitmentPart]) -> Commitments:
    """The commitments from one part of each holder; raises DealError where a part is missing, doubled, or of another plan."""
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
    """The commitments of a plan; ``seeds`` by holder's name, one for each holder."""
    return combine_parts(plan, [commit_part(plan, holder, seed) for holder, seed in seeds.items()])
