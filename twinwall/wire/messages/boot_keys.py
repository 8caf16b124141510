"""Boot keys of a table, their announcement, and the heads that a table signs with them.

The pair lives in memory from one power cut to the next. The sealing key opens the deals that are sealed to the table; the signing key
proves that a statement or a head comes from the running table and not from a copy of its disk. The vault accepts both together, under one
fingerprint. What a table tells a vault with them is signed twice: under its identity key, which lies on its disk, and under the boot
signing key.

A head is journal, number and hash of a line of a table's ledger. The ledger is chained by hash, so a head covers its line and every line
before it. A table sends one after each batch of lines; readers store no line that no head covers.

The vault alone knows which boot keys it has accepted. It signs their announcement; readers of ledgers learn them here and check the
tables' heads with them. The announcement names every table that has a key; one that it leaves out has none, or had it revoked.

A statement of a table to one vault has its boot keys, the vault's challenge, its ledger's head and the deals it holds. It carries two
signatures: one under the table's identity key, which lies on its disk, and one under the boot signing key, which is in memory alone. Both
cover both boot keys and the challenge, so neither a copy of the disk nor a recorded statement will do. The ledger is chained by hash, so
the head vouches for every line before it. The statement tells nothing of the play.
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
    """The public halves: ``sealing`` is what deals are sealed to (X25519), ``signing`` checks the boot signatures (Ed25519)."""

    sealing: bytes
    signing: bytes

    @property
    def fingerprint(self) -> str:
        """Sixteen digits for both keys that two people can compare."""
        return fingerprint(self.sealing + self.signing)


@frozen
class BootSecrets:
    """The secret halves, held by the table alone."""

    sealing: SealingKey
    signer: Signer

    @classmethod
    def from_bytes(cls, table: str, secrets: bytes) -> "BootSecrets":
        """The pair made from ``BOOT_SECRETS_SIZE`` random bytes, signing in the name of ``table``."""
        return cls(SealingKey(secrets[:SEALING_KEY_SIZE]), Signer(table, secrets[SEALING_KEY_SIZE:]))

    @property
    def public(self) -> BootKeys:
        """The document for the vault."""
        return BootKeys(self.sealing.public, self.signer.public)


class NamesBootKeys(Shape):
    """What every document that is signed twice holds: the public halves of the table's boot keys."""

    sealing_key: Digest
    signing_key: Digest

    @property
    def keys(self) -> BootKeys:
        """The boot keys."""
        return BootKeys(bytes.fromhex(self.sealing_key), bytes.fromhex(self.signing_key))


_N = TypeVar("_N", bound=NamesBootKeys)


def sign_twice(identity: Signer, boot: Signer, document: NamesBootKeys, event: str, table: str) -> bytes:
    """The document as it travels, signed under the identity key and under the boot signing key; its ``format`` is its tag."""
    purpose, written = purpose_of(type(document)), sent(document)
    return identity.sign(purpose, event, table, {**written, "boot": boot.signature(f"{purpose}-boot", event, table, written)})


def open_signed_twice(payload: bytes, shape: type[_N], trusted: Mapping[str, bytes], event: str, table: str) -> _N:
    """Read what ``sign_twice`` wrote for this table; ``trusted`` holds its identity key under its name. Raises DocumentError and
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
    """Which of a table's ledgers: both have the journal's id, each has its own numbers."""

    EVENTS = "events"
    PUBLIC = "public"


class SignedPosition(Shape):
    """Line ``seq`` of a journal has this hash."""

    journal: Text
    seq: Number
    digest: Digest

    @property
    def position(self) -> LedgerPosition:
        """Where the ledger stands after the line."""
        return LedgerPosition(self.journal, self.seq, self.digest)


class Head(SignedPosition, tag_field="format", tag="twinwall-head-1"):
    """The head of a ledger."""

    ledger: LedgerKind


def read_head(payload: bytes, event: str, table: str, key: bytes) -> Head:
    """Read a head of the ledger of this table's ``events``, signed under its boot signing key. Raises DocumentError."""
    with Reading(f"a head of table {table!r} is refused"):
        head = open_document(payload, Head, {table: key}, event, table)
    if head.ledger is not LedgerKind.EVENTS:
        raise DocumentError(f"a head of table {table!r} is refused: it is of the ledger {head.ledger.value!r}, not 'events'")
    return head


class TableKey(Shape):
    """The boot signing key under which a table's heads count."""

    table: Text
    signing_key: Digest


class Announcement(Shape, tag_field="format", tag="twinwall-keys-1"):
    """All keys at one moment; ``counter`` rises from announcement to announcement."""

    counter: Count
    tables: tuple[TableKey, ...]


class AnnouncedKeys:
    """The reader's end: the keys of the latest announcement."""

    def __init__(self, event: str, vault_key: bytes) -> None:
        """Nothing is known before the first announcement."""
        self._event = event
        self.vault_key = vault_key
        """The vault's public key, under which announcements count."""
        self._latest: Announcement | None = None
        self._heard = b""
        """The last one as it came: the vault repeats it every two seconds."""
        self.known: Mapping[str, bytes] = {}
        """The boot signing keys of all tables that have one."""

    def hear(self, payload: bytes) -> bool:
        """Take an announcement; whether it changed anything. Raises DocumentError for one that is not the vault's."""
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
        """The table's boot signing key; None where the vault has announced none."""
        return self.known.get(table)


class SettledKeys:
    """The reader's end where no vault announces keys: the tables' identity keys, which the settings name."""

    def __init__(self, keys: Mapping[str, bytes]) -> None:
        self._keys = dict(keys)

    def hear(self, payload: bytes) -> bool:  # noqa: ARG002 - no key may be announced here
        """No announcement changes anything."""
        return False

    def of(self, table: str) -> bytes | None:
        """The table's identity key; None for a table that the settings do not name."""
        return self._keys.get(table)


TableKeys = AnnouncedKeys | SettledKeys


class Statement(NamesBootKeys, tag_field="format", tag="twinwall-statement-4"):
    """``challenge`` is the vault's latest that the table has heard, empty before the first; ``head`` is the last line of its ledger;
    ``holds`` are the numbers of the deals of which it has what this vault gives; ``counter`` rises from statement to statement under one
    pair of keys. ``journal_key`` is what the table has kept of its journal's key, sealed to the vault (hex), where it asks for it; else
    empty. ``to`` is the name of the vault; another vault leaves the statement alone."""

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
        """The statement of a table with these boot keys, whose ledger ends at ``head``."""
        return cls(keys.sealing.hex(), keys.signing.hex(), to, challenge, head.journal, head.seq, head.digest, holds, counter, journal_key)

    @property
    def head(self) -> LedgerPosition:
        """Where the table's ledger ends."""
        return LedgerPosition(self.journal, self.seq, self.digest)


def addressee(payload: bytes) -> str | None:
    """The vault that a statement names, its signatures not checked; None where it names none."""
    try:
        to = parse_object(payload).get("to")
    except DocumentError:
        return None
    return to if isinstance(to, str) else None


def read_statement(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes]) -> Statement:
    """Read a statement of this table; ``trusted`` holds its identity key under its name. Raises DocumentError."""
    with Reading(f"the statement of table {table!r} is refused"):
        return open_signed_twice(payload, Statement, trusted, event, table)
