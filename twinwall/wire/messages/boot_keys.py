"""Signatures of a ledger's heads (``read_head`` checks them) and of statements, under a table's boot keys, which the vault announces.

The two keys are in memory from one power cut to the next. The sealing key opens deals that are sealed to the table. The signing key proves
that a message comes from the running table, not from a copy of its disk. The vault accepts both under one fingerprint.

A head is journal, number and hash of a ledger line; the hash chain makes it cover all earlier lines. A table sends one after each batch of
lines, and readers store only lines that a head covers.

Only the vault knows which boot keys it has accepted. Its signed announcement names every table with a key, so that readers can check heads;
a table that is missing has no key, or it was revoked.

A statement to a vault has the boot keys, the vault's challenge, the ledger's head and the deals held, and reveals nothing of play. It is
signed under the identity key (on disk) and the boot signing key (in memory), so neither a copy of the disk nor a recorded statement
suffices.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, TypeVar

import msgspec

from twinwall.game.documents import DocumentError, Reading, parse_object
from twinwall.game.typed_json import Count, Digest, Number, Text, read_as, sent
from twinwall.values import Shape, frozen
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.signing import (
    KEY_SIZE,
    SEALING_KEY_SIZE,
    VAULT,
    SealingKey,
    SignatureError,
    Signer,
    fingerprint,
    is_signed,
    open_document,
    open_signed,
    purpose_of,
)

BOOT_SECRETS_SIZE = SEALING_KEY_SIZE + KEY_SIZE


@frozen
class BootKeys:
    """The public keys: ``sealing`` (X25519), to which deals are sealed, and ``signing`` (Ed25519)."""

    sealing: bytes
    signing: bytes

    @property
    def fingerprint(self) -> str:
        """Sixteen digits of both keys that two people can compare."""
        return fingerprint(self.sealing + self.signing)


@frozen
class BootSecrets:
    """The secret keys, which only the table has."""

    sealing: SealingKey
    signer: Signer

    @classmethod
    def from_bytes(cls, table: str, secrets: bytes) -> "BootSecrets":
        """Keys from ``BOOT_SECRETS_SIZE`` random bytes, which sign in the name of ``table``."""
        return cls(SealingKey(secrets[:SEALING_KEY_SIZE]), Signer(table, secrets[SEALING_KEY_SIZE:]))

    @property
    def public(self) -> BootKeys:
        return BootKeys(self.sealing.public, self.signer.public)


class NamesBootKeys(Shape):
    """The public boot keys in every document that is signed twice."""

    sealing_key: Digest
    signing_key: Digest

    @property
    def keys(self) -> BootKeys:
        return BootKeys(bytes.fromhex(self.sealing_key), bytes.fromhex(self.signing_key))


_N = TypeVar("_N", bound=NamesBootKeys)


def sign_twice(identity: Signer, boot: Signer, document: NamesBootKeys, event: str, table: str) -> bytes:
    """Sign a document under the identity key and the boot signing key."""
    purpose, written = purpose_of(type(document)), sent(document)
    return identity.sign(purpose, event, table, {**written, "boot": boot.signature(f"{purpose}-boot", event, table, written)})


def open_signed_twice(payload: bytes, shape: type[_N], trusted: Mapping[str, bytes], event: str, table: str) -> _N:
    """Read a document of ``sign_twice`` for this table; ``trusted`` has its identity key under its name. Raises DocumentError and
    SignatureError."""
    purpose = purpose_of(shape)
    document = open_signed(purpose, event, table, payload, trusted)
    by, boot = document.pop("by"), document.pop("boot", None)
    if by != table:
        raise SignatureError(f"signed by {by!r}")
    read = read_as(document, shape)
    if not is_signed(read.keys.signing, f"{purpose}-boot", event, table, document, signature=boot):
        raise SignatureError(f"it names the boot keys {read.keys.fingerprint} without a signature under them")
    return read


class LedgerKind(StrEnum):
    """A table's ledgers: both have the journal's id, each has its own line numbers."""

    EVENTS = "events"
    PUBLIC = "public"


class SignedPosition(Shape):
    """Line ``seq`` of a journal and its hash."""

    journal: Text
    seq: Number
    digest: Digest

    @property
    def position(self) -> LedgerPosition:
        return LedgerPosition(self.journal, self.seq, self.digest)


class Head(SignedPosition, tag_field="format", tag="twinwall-head-1"):
    """The head of a ledger."""

    ledger: LedgerKind


def read_head(payload: bytes, event: str, table: str, key: bytes) -> Head:
    """Read a head of this table's ledger ``events``, signed under its boot signing key; raises DocumentError."""
    with Reading(f"a head of table {table!r} is refused"):
        head = open_document(payload, Head, {table: key}, event, table)
    if head.ledger is not LedgerKind.EVENTS:
        raise DocumentError(f"a head of table {table!r} is refused: it is of the ledger {head.ledger.value!r}, not 'events'")
    return head


class TableKey(Shape):
    """The boot signing key for a table's heads."""

    table: Text
    signing_key: Digest


class Announcement(Shape, tag_field="format", tag="twinwall-keys-1"):
    """All accepted keys; ``counter`` rises with each announcement."""

    counter: Count
    tables: tuple[TableKey, ...]


class AnnouncedKeys:
    """The keys of the latest announcement, for a reader of ledgers."""

    def __init__(self, event: str, vault_key: bytes) -> None:
        self._event = event
        self.vault_key = vault_key
        """The vault's public key, which announcements must be signed under."""
        self._latest: Announcement | None = None
        self._heard = b""
        """The last payload: the vault repeats it every two seconds."""
        self.known: Mapping[str, bytes] = {}
        """Boot signing keys by table."""

    def hear(self, payload: bytes) -> bool:
        """Take an announcement; return whether it changed anything. Raises DocumentError if it is not the vault's."""
        if payload == self._heard:
            return False
        heard = open_document(payload, Announcement, {VAULT: self.vault_key}, self._event)
        self._heard = payload
        if self._latest is not None and heard.counter <= self._latest.counter:
            return False
        self._latest = heard
        self.known = {key.table: bytes.fromhex(key.signing_key) for key in heard.tables}
        return True

    def of(self, table: str) -> bytes | None:
        return self.known.get(table)


class SettledKeys:
    """The tables' identity keys from the settings, for events without a vault."""

    def __init__(self, keys: Mapping[str, bytes]) -> None:
        self._keys = dict(keys)

    def hear(self, payload: bytes) -> bool:  # noqa: ARG002 - no key may be announced here
        return False

    def of(self, table: str) -> bytes | None:
        """The table's identity key; None if the settings do not name the table."""
        return self._keys.get(table)


TableKeys = AnnouncedKeys | SettledKeys


class Statement(NamesBootKeys, tag_field="format", tag="twinwall-statement-4"):
    """A table's statement to the vault ``to``; other vaults ignore it. ``challenge``: the vault's latest that the table received, empty
    before the first. ``journal``, ``seq``, ``digest``: its ledger's last line. ``holds``: deals for which it has what this vault gives.
    ``counter`` rises while the boot keys stay the same. ``journal_key``: the stored piece of its journal's key (hex), sealed to the vault,
    when the table asks for it back."""

    to: Text
    challenge: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{32})?\Z")]
    journal: Text
    seq: Count
    digest: Digest
    holds: tuple[int, ...]
    counter: Count
    journal_key: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{2})*\Z", max_length=512)]

    @classmethod
    def of(
        cls,
        keys: BootKeys,
        challenge: str,
        head: LedgerPosition,
        holds: tuple[int, ...],
        *,
        counter: int,
        journal_key: str = "",
        to: str = VAULT,
    ) -> "Statement":
        return cls(keys.sealing.hex(), keys.signing.hex(), to, challenge, head.journal, head.seq, head.digest, holds, counter, journal_key)

    @property
    def head(self) -> LedgerPosition:
        return LedgerPosition(self.journal, self.seq, self.digest)


def addressee(payload: bytes) -> str | None:
    """The vault that a statement names, without checking signatures; None if there is none."""
    try:
        to = parse_object(payload).get("to")
    except DocumentError:
        return None
    return to if isinstance(to, str) else None


def read_statement(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes]) -> Statement:
    """Read a statement of this table; ``trusted`` has its identity key under its name. Raises DocumentError."""
    with Reading(f"the statement of table {table!r} is refused"):
        return open_signed_twice(payload, Statement, trusted, event, table)
