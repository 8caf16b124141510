"""How a table gets its journal's key back from the vaults: each vault has one piece, and all pieces make the key.

The key is in the table's memory. For its loss, the pieces are stored beside the journal, each sealed to one vault (HPKE), so no vault alone
opens a journal. A table without the key sends the pieces in its statements. After a person has accepted the new boot keys at a vault, it
answers with its piece, sealed to the new sealing key, and the last line that it knows of the table's ledger. A table without network asks
by a request that a referee carries.

A vault's challenge to a table: random bytes that the table's next statements repeat. They prove that the holder of the boot keys made
the statement now, neither recorded nor assembled from others' public keys. The vault signs challenges, so that others cannot collect
answers. A challenge also names the vault's sealing key for the table's journal key.
"""

from collections.abc import Callable, Mapping
from dataclasses import field

from twinwall.game.deals.encoding import encode_parts
from twinwall.game.documents import DocumentError, Reading, canonical_json, parse_object
from twinwall.game.typed_json import Count, Digest, HexText, plain, read_as
from twinwall.values import Shape, frozen
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootKeys, NamesBootKeys, open_signed_twice
from twinwall.wire.messages.signing import SealingKey, Signer, open_named_document, open_with, seal_to, sign_document, vault_sealing_key

KEPT_FORMAT = "twinwall-kept-journal-key-1"
GIVEN_FORMAT = "twinwall-journal-key-1"


class StoredJournalKey(Shape, tag_field="format", tag=KEPT_FORMAT):
    """A stored piece of the journal's key, sealed to the vault's sealing key ``to``."""

    to: Digest
    sealed: HexText


class GivenJournalKey(Shape, tag_field="format", tag=GIVEN_FORMAT):
    """A vault's answer: its piece, sealed to the table's sealing key ``to``, and the last line of the table's ledger that a head covered
    (``seq`` 0: none)."""

    to: Digest
    sealed: HexText
    journal: str
    seq: Count
    digest: Digest

    @property
    def known(self) -> LedgerPosition:
        """The end of the table's ledger that the vault knows."""
        return LedgerPosition(self.journal, self.seq, self.digest)


@frozen
class GivenKeyPiece:
    """An opened answer of the vault ``by``: its piece, and the end of the table's ledger that it knows."""

    by: str
    piece: bytes = field(repr=False)
    known: LedgerPosition


def seal_for_vault(key: bytes, vault: bytes, event: str, table: str) -> bytes:
    """The file with ``key`` sealed to the vault's sealing key, for this event and table."""
    return canonical_json(plain(StoredJournalKey(vault.hex(), seal_to(vault, key, _bound(KEPT_FORMAT, event, table)).hex())))


def read_stored_key(content: bytes) -> StoredJournalKey:
    """Read the file; raises DocumentError."""
    with Reading("it is no kept key of a journal"):
        return read_as(parse_object(content), StoredJournalKey)


def open_stored_piece(sealed: str, key: SealingKey, event: str, table: str) -> bytes:
    """At the vault: open the piece that a table has stored; raises DocumentError."""
    opened = open_with(key, bytes.fromhex(sealed), _bound(KEPT_FORMAT, event, table))
    if opened is None:
        raise DocumentError(f"the journal key that table {table!r} has kept was not sealed to this vault for this table and event")
    return opened


def give_journal_key(signer: Signer, event: str, table: str, key: bytes, *, to: bytes, known: LedgerPosition | None) -> bytes:
    """The vault's answer, which only the holder of ``to`` can open."""
    where = known or LedgerPosition("")
    sealed = seal_to(to, key, _bound(GIVEN_FORMAT, event, table)).hex()
    return sign_document(signer, GivenJournalKey(to.hex(), sealed, where.journal, where.seq, where.digest), event, table)


def take_journal_key(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes], own: SealingKey) -> GivenKeyPiece:
    """At the table: open a vault's answer; raises DocumentError."""
    with Reading("the journal key from the vault is refused"):
        by, given = open_named_document(payload, GivenJournalKey, trusted, event, table)
    opened = open_with(own, bytes.fromhex(given.sealed), _bound(GIVEN_FORMAT, event, table))
    if opened is None:
        raise DocumentError("the journal key from the vault was sealed to other boot keys than this table's")
    return GivenKeyPiece(by, opened, given.known)


def _bound(purpose: str, event: str, table: str) -> bytes:
    return encode_parts(purpose, event, table)


class KeyRequest(NamesBootKeys, tag_field="format", tag="twinwall-key-request-1"):
    """A request that a phone carries to the vaults; ``kept`` has the stored pieces (hex) by vault. It is signed as a statement, without
    challenge and head. A vault gives the key only to accepted boot keys and learns nothing of play; a repeated request gets an answer for
    the same boot keys, useless to others."""

    kept: dict[str, HexText]

    @classmethod
    def of(cls, keys: BootKeys, kept: Mapping[str, str]) -> "KeyRequest":
        return cls(keys.sealing.hex(), keys.signing.hex(), dict(kept))


def read_key_request(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes]) -> KeyRequest:
    """Read a request of this table; ``trusted`` has its identity key under its name. Raises DocumentError."""
    with Reading(f"the key request of table {table!r} is refused"):
        return open_signed_twice(payload, KeyRequest, trusted, event, table)


CHALLENGE_SIZE = 16
RENEWED_AFTER_S = 10.0


class Challenge(Shape, tag_field="format", tag="twinwall-challenge-2"):
    """16 random bytes and the vault's sealing key, in hex."""

    challenge: HexText
    sealing_key: Digest


def write_challenge(signer: Signer, event: str, table: str, challenge: str) -> bytes:
    return sign_document(signer, Challenge(challenge, vault_sealing_key(signer).public.hex()), event, table)


def read_challenge(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes]) -> tuple[str, Challenge]:
    """The vault that sent a challenge, and the challenge; raises DocumentError."""
    return open_named_document(payload, Challenge, trusted, event, table)


class Challenges:
    """One vault's challenges: each table gets a new one every ten seconds, and its latest two count."""

    def __init__(self, fresh: Callable[[], bytes]) -> None:
        """``fresh`` returns ``CHALLENGE_SIZE`` random bytes."""
        self._fresh = fresh
        self._latest: dict[str, tuple[str, ...]] = {}
        self._renewed_at_s: dict[str, float] = {}

    def renew(self, table: str, now_s: float) -> str | None:
        """A new challenge for the table if the last one is old enough, else None."""
        if table in self._latest and now_s - self._renewed_at_s[table] < RENEWED_AFTER_S:
            return None
        self._latest[table] = (self._fresh().hex(), *self._latest.get(table, ())[:1])
        self._renewed_at_s[table] = now_s
        return self._latest[table][0]

    def current(self, table: str, now_s: float) -> str:
        """The table's latest challenge; makes the first."""
        return self.renew(table, now_s) or self._latest[table][0]

    def counts(self, table: str, challenge: str) -> bool:
        """Whether this is one of the table's latest two."""
        return challenge in self._latest.get(table, ())
