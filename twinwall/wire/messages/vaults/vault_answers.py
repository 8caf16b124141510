"""Answers of a vault to the hall's server, signed by the vault: where it stands, and what came of each order.

A vault says where it stands at each change and every few seconds, with or without listeners. An answer to an order names the order's
counter, so a recorded answer answers no later order.
"""

from collections.abc import Mapping
from enum import StrEnum

from twinwall.game.typed_json import Count, Digest, HexText, Text
from twinwall.values import Shape
from twinwall.wire.messages.signing import open_named_document


class VaultRefusal(StrEnum):
    """Why a vault does not carry an order out; a sentence comes beside it."""

    PLAN = "plan"
    """The plan cannot be read, or does not name this vault's holder in its place."""
    STARTED = "started"
    """The event has a start: its plan is not changed any more."""
    NO_PASSPHRASE = "no-passphrase"  # noqa: S105  # a reason
    SHORT_PASSPHRASE = "short-passphrase"  # noqa: S105  # a reason
    WRONG_PASSPHRASE = "wrong-passphrase"  # noqa: S105  # a reason
    TOO_MANY_TRIES = "too-many-tries"
    NO_DEALS = "no-deals"
    """No deals were made here."""
    OTHER_PLAN = "other-plan"
    """The start is of another plan than the committed one."""
    OTHER_COMMITMENTS = "other-commitments"
    """What this vault committed to is not in the commitments, or they do not belong together."""
    OTHER_START = "other-start"
    """The event has another start already."""
    PUBLIC = "public"
    """The public value does not have the form that the plan names."""
    NO_START = "no-start"
    LOCKED = "locked"
    """The seed is not open since the vault's last start."""
    SESSION = "session"
    """The session's tables, groups or number cannot be so."""
    IN_PLAY = "in-play"
    """A table of the last session is playing a deal."""
    SESSION_PLAYED = "session-played"
    """Deals of this session were played by other tables or in other groups."""


class VaultStanding(Shape, tag_field="answer", tag="standing"):
    """Where a vault stands. Empty texts and 0 stand for what there is not yet; ``start`` is the start code."""

    boot: HexText
    sealing_key: Digest
    holder: Text
    event: str = ""
    plan: str = ""
    start: str = ""
    session: Count = 0
    locked: bool = False


class DealsMade(Shape, tag_field="answer", tag="deals-made"):
    """The holder's part of the commitments: of his seed, and of each of his keys in the order of the deals."""

    to: Count
    plan: Digest
    holder: Text
    seed: Digest
    c: tuple[Digest, ...]


class StartKept(Shape, tag_field="answer", tag="start-kept"):
    """The vault has this start, by its code, and takes no other."""

    to: Count
    code: Digest


class SessionBegun(Shape, tag_field="answer", tag="session-begun"):
    """The deals of this session go to the tables that the order named."""

    to: Count
    session: Count


class SeedUnlocked(Shape, tag_field="answer", tag="unlocked"):
    """The seed is open."""

    to: Count


class OrderRefused(Shape, tag_field="answer", tag="refused"):
    """The order has no effect."""

    to: Count
    reason: VaultRefusal
    sentence: Text


AnyAnswer = VaultStanding | DealsMade | StartKept | SessionBegun | SeedUnlocked | OrderRefused


class VaultAnswer(Shape, tag_field="format", tag="twinwall-vault-answer-1"):
    """One answer; ``counter`` rises with each that this vault sends."""

    counter: Count
    answer: AnyAnswer


def read_answer(payload: bytes, trusted: Mapping[str, bytes]) -> tuple[str, VaultAnswer]:
    """The vault's account and its answer; ``trusted`` are the vaults' keys by account. Raises DocumentError."""
    return open_named_document(payload, VaultAnswer, trusted)
