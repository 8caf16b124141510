"""Statement of a table to the vault, signed with the table's key: its sealing key, its ledger's head, the deals it holds.

The ledger is chained by hash, so a signature under its head vouches for every line before it: a broker can hold lines back but
cannot invent progress. The statement tells nothing of the play and is repeated with every heartbeat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from twinwall.game.documents import DocumentError, DocumentFields, integer_of
from twinwall.wire.canonical_json import FormError
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.sealing import SEALING_KEY_SIZE
from twinwall.wire.messages.signing import SignatureError, Signer, open_signed

FORMAT = "twinwall-statement-1"
_DIGEST_SIZE = 32


class StatementError(ValueError):
    """A statement that is not the table's, or not written as here; the message says which."""


@dataclass(frozen=True, slots=True)
class Statement:
    """``key`` opens what is sealed to this table; ``head`` is the last line of its ledger; ``holds`` are the
    numbers of the deals it can go on with by itself; ``counter`` rises from statement to statement under one key."""

    key: bytes
    head: LedgerPosition
    holds: tuple[int, ...]
    counter: int


def write_statement(signer: Signer, event: str, table: str, statement: Statement) -> bytes:
    """The statement as it travels."""
    head = statement.head
    document = {
        "format": FORMAT,
        "key": statement.key.hex(),
        "journal": head.journal,
        "seq": head.seq,
        "digest": head.digest,
        "holds": list(statement.holds),
        "counter": statement.counter,
    }
    return signer.sign(FORMAT, event, table, document)


def read_statement(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes]) -> Statement:
    """Read a statement of this table; ``trusted`` holds its public key under its name. Raises StatementError."""
    try:
        fields = DocumentFields(open_signed(FORMAT, event, table, payload, trusted), "the statement")
        fields.constant("format", FORMAT)
        if (by := fields.words("by")) != table:
            raise StatementError(f"the statement of table {table!r} is signed by {by!r}")
        statement = Statement(
            key=fields.hex("key", SEALING_KEY_SIZE),
            head=LedgerPosition(fields.words("journal"), fields.integer("seq", 0), fields.hex("digest", _DIGEST_SIZE).hex()),
            holds=tuple(integer_of(n, fields.label("holds")) for n in fields.items("holds")),
            counter=fields.integer("counter", 0),
        )
        fields.done()
    except (SignatureError, FormError, DocumentError) as error:
        raise StatementError(f"the statement of table {table!r} is refused: {error}") from None
    return statement
