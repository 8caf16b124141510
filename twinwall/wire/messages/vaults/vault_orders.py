"""Orders of the hall's server to a vault (make deals, keep the start, begin a session, unlock), and what the vault answers.

The server signs each order for one vault, by that vault's public key, and for one start of its process (``boot``), with a rising
counter. So an order means nothing at another vault, after the vault's next start, or a second time. What a vault does
with an order is decided in ``twinwall.custody``.

The vault signs its answers. It says where it stands at each change and every few seconds, with or without listeners. An answer to an order
names the order's counter, so a recorded answer answers no later order.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

import msgspec

from twinwall.game.deals.encoding import encode_parts
from twinwall.game.typed_json import Count, Digest, HexText, Number, Text
from twinwall.values import Shape
from twinwall.wire.messages.signing import SealingKey, SignatureError, open_document, open_named_document, open_with, seal_to

SERVER = "server"
BOOT_SIZE = 16
"""Random bytes that a vault draws at each start of its process."""
MOST_SPREAD = 64

_PASSPHRASE = "twinwall-passphrase-1"  # noqa: S105  # what the seal is for
_FILLED_TO = 256
"""Bytes to which a passphrase is filled up, so that the sealed one does not tell how long it is."""
SealedPassphrase = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{2})*\Z")]
"""A passphrase that was sealed by ``seal_passphrase``; empty where it is given at the vault itself."""


class MakeDeals(Shape, tag_field="order", tag="make-deals"):
    """Draw a seed for this plan (its file's text), encrypt it with the passphrase, and commit to it."""

    plan: Text
    passphrase: SealedPassphrase = ""


class FixStart(Shape, tag_field="order", tag="start"):
    """Keep this start for good: the published commitments and the start, each the text of its file."""

    commitments: Text
    start: Text


class SessionTable(Shape):
    """A table that plays, the public key with which it signs, and the hand with which it begins; after the last it plays on from the
    first (0: it begins with the first). A ``paper`` table is given no deal: its walls are built from printed sheets."""

    name: Text
    identity: Digest
    begins: Annotated[int, msgspec.Meta(ge=0, le=16)] = 0
    paper: bool = False


class BeginSession(Shape, tag_field="order", tag="session"):
    """Give the deals of this session to these tables. ``start`` is the event's start code; the tables of a group stay within ``spread``
    deals of each other."""

    start: Digest
    session: Number
    tables: tuple[SessionTable, ...]
    groups: tuple[tuple[Text, ...], ...]
    spread: Annotated[int, msgspec.Meta(ge=1, le=MOST_SPREAD)] = 1


class UnlockSeed(Shape, tag_field="order", tag="unlock"):
    """Open the seed again after the vault was started."""

    passphrase: SealedPassphrase = ""


AnyOrder = MakeDeals | FixStart | BeginSession | UnlockSeed


class VaultOrder(Shape, tag_field="format", tag="twinwall-vault-order-1"):
    """One order: ``boot`` is the vault's present start, ``counter`` rises with each order that the server sends to it."""

    boot: HexText
    counter: Count
    order: AnyOrder


def read_order(payload: bytes, vault_key: bytes, server: bytes) -> VaultOrder:
    """Read an order to this vault; raises DocumentError where the server has not signed it for this vault."""
    try:
        return open_document(payload, VaultOrder, {SERVER: server}, table=vault_key.hex())
    except SignatureError:
        raise SignatureError("an order came that the server's key has not signed for this vault: it has no effect") from None


def seal_passphrase(passphrase: str, to: bytes, vault_key: bytes, boot: str) -> str:
    """The passphrase for one start of one vault, in hex; ``to`` is the vault's sealing key."""
    return seal_to(to, passphrase.encode().ljust(_FILLED_TO, b"\0"), _bound(vault_key, boot)).hex()


def open_passphrase(sealed: str, key: SealingKey, vault_key: bytes, boot: str) -> str | None:
    """What ``seal_passphrase`` sealed; None where it is for another vault, for an earlier start of this one, or altered."""
    opened = open_with(key, bytes.fromhex(sealed), _bound(vault_key, boot))
    try:
        return None if opened is None else opened.rstrip(b"\0").decode()
    except UnicodeDecodeError:
        return None


def _bound(vault_key: bytes, boot: str) -> bytes:
    return encode_parts(_PASSPHRASE, vault_key, bytes.fromhex(boot))


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
