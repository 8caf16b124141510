"""Orders of the hall's server to a vault: make deals, keep the start, begin a session, unlock.

The server signs each order for one vault, by that vault's public key, and for one start of its process (``boot``), with a rising
counter. So an order means nothing at another vault, after the vault's next start, or a second time. What a vault does
with an order is decided in ``twinwall.custody``.
"""

from typing import Annotated

import msgspec

from twinwall.game.deals.encoding import encode_parts
from twinwall.game.typed_json import Count, Digest, HexText, Number, Text
from twinwall.values import Shape
from twinwall.wire.messages.sealing import SealingKey, open_with, seal_to
from twinwall.wire.messages.signing import SignatureError, open_document

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
