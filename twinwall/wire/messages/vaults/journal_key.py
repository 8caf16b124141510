"""The key of a table's journal on its way to the vaults and back: one piece to each vault, all of which make the key.

The key lives in the table's memory. For the day on which that memory is lost its pieces lie beside the journal too, one sealed to each
vault (HPKE, as deals are), so that no vault alone opens a journal. A table that has lost the key sends what lies there with its
statements; each vault answers, once a person has allowed the table's new boot keys there, with its piece sealed to the new sealing key,
and with the last line that it knows of the table's ledger. A table that hears no vault asks by a request of its own, which a referee
carries.
"""

from collections.abc import Mapping
from dataclasses import field

from twinwall.game.deals.encoding import encode_parts
from twinwall.game.documents import DocumentError, Reading, canonical_json, parse_object
from twinwall.game.typed_json import Count, Digest, HexText, plain, read_as
from twinwall.values import Shape, frozen
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootKeys, NamesBootKeys, open_signed_twice
from twinwall.wire.messages.signing import SealingKey, Signer, open_named_document, open_with, seal_to, sign_document

KEPT_FORMAT = "twinwall-kept-journal-key-1"
GIVEN_FORMAT = "twinwall-journal-key-1"


class KeptJournalKey(Shape, tag_field="format", tag=KEPT_FORMAT):
    """What lies beside the journal: a piece of its key, sealed to the vault's sealing key ``to``."""

    to: Digest
    sealed: HexText


class GivenJournalKey(Shape, tag_field="format", tag=GIVEN_FORMAT):
    """What a vault gives back: its piece of the key, sealed to the table's sealing key ``to``, and the last line of the table's ledger
    that a head covered (``seq`` 0 where it knows none)."""

    to: Digest
    sealed: HexText
    journal: str
    seq: Count
    digest: Digest

    @property
    def known(self) -> LedgerPosition:
        """Where the vault knows the table's ledger to have stood."""
        return LedgerPosition(self.journal, self.seq, self.digest)


@frozen
class GivenKeyPiece:
    """What the vault ``by`` has given back: its piece of the journal's key, and where it knows the table's ledger to have stood."""

    by: str
    piece: bytes = field(repr=False)
    known: LedgerPosition


def keep_for_vault(key: bytes, vault: bytes, event: str, table: str) -> bytes:
    """The file's bytes: ``key`` sealed to the vault's sealing key, for this event and table."""
    return canonical_json(plain(KeptJournalKey(vault.hex(), seal_to(vault, key, _bound(KEPT_FORMAT, event, table)).hex())))


def read_kept(content: bytes) -> KeptJournalKey:
    """Read the file; raises DocumentError."""
    with Reading("it is no kept key of a journal"):
        return read_as(parse_object(content), KeptJournalKey)


def open_kept(sealed: str, key: SealingKey, event: str, table: str) -> bytes:
    """At the vault: the journal's key from what a table has kept; raises DocumentError."""
    opened = open_with(key, bytes.fromhex(sealed), _bound(KEPT_FORMAT, event, table))
    if opened is None:
        raise DocumentError(f"the journal key that table {table!r} has kept was not sealed to this vault for this table and event")
    return opened


def give_journal_key(signer: Signer, event: str, table: str, key: bytes, *, to: bytes, known: LedgerPosition | None) -> bytes:
    """The vault's answer, which only the holder of ``to`` opens."""
    where = known or LedgerPosition("")
    sealed = seal_to(to, key, _bound(GIVEN_FORMAT, event, table)).hex()
    return sign_document(signer, GivenJournalKey(to.hex(), sealed, where.journal, where.seq, where.digest), event, table)


def take_journal_key(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes], own: SealingKey) -> GivenKeyPiece:
    """At the table: what a vault gives back; raises DocumentError."""
    with Reading("the journal key from the vault is refused"):
        by, given = open_named_document(payload, GivenJournalKey, trusted, event, table)
    opened = open_with(own, bytes.fromhex(given.sealed), _bound(GIVEN_FORMAT, event, table))
    if opened is None:
        raise DocumentError("the journal key from the vault was sealed to other boot keys than this table's")
    return GivenKeyPiece(by, opened, given.known)


def _bound(purpose: str, event: str, table: str) -> bytes:
    return encode_parts(purpose, event, table)


class KeyRequest(NamesBootKeys, tag_field="format", tag="twinwall-key-request-1"):
    """``kept`` is what the table has kept of its journal's key (hex), by the vault to which it is sealed.

    The request goes to the vaults on somebody's phone. It is signed as a statement is, but carries no challenge and no head: a vault that
    takes it gives the key to boot keys that a person has allowed, and learns nothing of what the table has played. One that is shown again
    is answered for the same boot keys, of no use to anybody else.
    """

    kept: dict[str, HexText]

    @classmethod
    def of(cls, keys: BootKeys, kept: Mapping[str, str]) -> "KeyRequest":
        """The request of a table with these boot keys."""
        return cls(keys.sealing.hex(), keys.signing.hex(), dict(kept))


def read_key_request(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes]) -> KeyRequest:
    """Read a request of this table; ``trusted`` holds its identity key under its name. Raises DocumentError."""
    with Reading(f"the key request of table {table!r} is refused"):
        return open_signed_twice(payload, KeyRequest, trusted, event, table)
