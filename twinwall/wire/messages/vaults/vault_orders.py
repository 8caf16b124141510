"""Orders of the hall's server to a vault (make deals, keep the start, begin a session, unlock), and the vault's answers. The server signs
each order for one vault (its public key), one start of its process (``boot``) and a rising counter, so that no order can be used elsewhere
or again. The vault signs its answers, reports its state at each change and every few seconds, and names the order's counter in an answer.
``twinwall.custody`` carries orders out."""

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
"""Random bytes that identify a start of the vault's process."""
MOST_SPREAD = 64

_PASSPHRASE = "twinwall-passphrase-1"  # noqa: S105  # what the seal is for
_FILLED_TO = 256
"""Bytes to which a passphrase is padded, so that its seal does not reveal its length."""
SealedPassphrase = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{2})*\Z")]
"""A passphrase of ``seal_passphrase``; empty if it is typed at the vault."""


class MakeDeals(Shape, tag_field="order", tag="make-deals"):
    """Draw a seed for this plan (its file's text), encrypt it with the passphrase, and commit to it."""

    plan: Text
    passphrase: SealedPassphrase = ""


class FixStart(Shape, tag_field="order", tag="start"):
    """Keep this start for good: the published commitments and the start, each as its file's text."""

    commitments: Text
    start: Text


class SessionTable(Shape):
    """A table of the session: its public key, and the hand with which it begins (0: the first; after the last it continues from the first).
    A ``paper`` table gets no deal: its walls are printed."""

    name: Text
    identity: Digest
    begins: Annotated[int, msgspec.Meta(ge=0, le=16)] = 0
    paper: bool = False


class BeginSession(Shape, tag_field="order", tag="session"):
    """Give this session's deals to these tables. ``start``: the start code; ``spread``: how many deals the tables of a group may be
    apart."""

    start: Digest
    session: Number
    tables: tuple[SessionTable, ...]
    groups: tuple[tuple[Text, ...], ...]
    spread: Annotated[int, msgspec.Meta(ge=1, le=MOST_SPREAD)] = 1


class UnlockSeed(Shape, tag_field="order", tag="unlock"):
    """Open the seed again after a restart of the vault."""

    passphrase: SealedPassphrase = ""


AnyOrder = MakeDeals | FixStart | BeginSession | UnlockSeed


class VaultOrder(Shape, tag_field="format", tag="twinwall-vault-order-1"):
    """One order: ``boot`` is the vault's present start, ``counter`` rises with each order to it."""

    boot: HexText
    counter: Count
    order: AnyOrder


def read_order(payload: bytes, vault_key: bytes, server: bytes) -> VaultOrder:
    """Read an order to this vault; raises DocumentError unless the server signed it for this vault."""
    try:
        return open_document(payload, VaultOrder, {SERVER: server}, table=vault_key.hex())
    except SignatureError:
        raise SignatureError("an order came that the server's key has not signed for this vault: it has no effect") from None


def seal_passphrase(passphrase: str, to: bytes, vault_key: bytes, boot: str) -> str:
    """Seal a passphrase (hex) for one start of one vault; ``to`` is the vault's sealing key."""
    return seal_to(to, passphrase.encode().ljust(_FILLED_TO, b"\0"), _bound(vault_key, boot)).hex()


def open_passphrase(sealed: str, key: SealingKey, vault_key: bytes, boot: str) -> str | None:
    """Open what ``seal_passphrase`` sealed; None if it is for another vault, for an earlier start, or altered."""
    opened = open_with(key, bytes.fromhex(sealed), _bound(vault_key, boot))
    try:
        return None if opened is None else opened.rstrip(b"\0").decode()
    except UnicodeDecodeError:
        return None


def _bound(vault_key: bytes, boot: str) -> bytes:
    return encode_parts(_PASSPHRASE, vault_key, bytes.fromhex(boot))


class VaultRefusal(StrEnum):
    """Why a vault refuses an order; a sentence accompanies it."""

    PLAN = "plan"
    """The plan cannot be read, or does not name this vault's holder in his place."""
    STARTED = "started"
    """The event has a start, so its plan is final."""
    NO_PASSPHRASE = "no-passphrase"  # noqa: S105  # a reason
    SHORT_PASSPHRASE = "short-passphrase"  # noqa: S105  # a reason
    WRONG_PASSPHRASE = "wrong-passphrase"  # noqa: S105  # a reason
    TOO_MANY_TRIES = "too-many-tries"
    NO_DEALS = "no-deals"
    """No deals were made here."""
    OTHER_PLAN = "other-plan"
    """The start is of another plan than the committed one."""
    OTHER_COMMITMENTS = "other-commitments"
    """The commitments do not contain this vault's, or do not belong together."""
    OTHER_START = "other-start"
    """The event has another start already."""
    PUBLIC = "public"
    """The public value does not have the form that the plan requires."""
    NO_START = "no-start"
    LOCKED = "locked"
    """The seed was not opened since the vault's last start."""
    SESSION = "session"
    """The session's tables, groups or number are impossible."""
    IN_PLAY = "in-play"
    """A table of the last session is playing a deal."""
    SESSION_PLAYED = "session-played"
    """Other tables or groups have played deals of this session."""


class VaultStanding(Shape, tag_field="answer", tag="standing"):
    """A vault's state; ``start`` is the start code. Empty texts and 0: not yet known."""

    boot: HexText
    sealing_key: Digest
    holder: Text
    event: str = ""
    plan: str = ""
    start: str = ""
    session: Count = 0
    locked: bool = False


class DealsMade(Shape, tag_field="answer", tag="deals-made"):
    """The holder's part of the commitments: of his seed, and of his keys in the order of the deals."""

    to: Count
    plan: Digest
    holder: Text
    seed: Digest
    c: tuple[Digest, ...]


class StartStored(Shape, tag_field="answer", tag="start-kept"):
    """The vault has stored this start, by its code, and takes no other."""

    to: Count
    code: Digest


class SessionBegun(Shape, tag_field="answer", tag="session-begun"):
    """The vault gives this session's deals to the order's tables."""

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


AnyAnswer = VaultStanding | DealsMade | StartStored | SessionBegun | SeedUnlocked | OrderRefused


class VaultAnswer(Shape, tag_field="format", tag="twinwall-vault-answer-1"):
    """One answer; ``counter`` rises with each of this vault."""

    counter: Count
    answer: AnyAnswer


def read_answer(payload: bytes, trusted: Mapping[str, bytes]) -> tuple[str, VaultAnswer]:
    """The vault's account and its answer; ``trusted`` has the vaults' keys by account. Raises DocumentError."""
    return open_named_document(payload, VaultAnswer, trusted)
