"""Signed head of a table's ledger: journal, number and hash of a line, under the table's boot signing key.

The ledger is chained by hash, so a head covers its line and every line before it. A table sends one after each batch of lines;
readers store no line that no head covers.
"""

from collections.abc import Mapping
from enum import StrEnum

from twinwall.game.documents import DocumentError, Reading
from twinwall.game.typed_json import Digest, Number, Text
from twinwall.values import Shape
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.signing import open_document


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


def read_head(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes], *, ledger: LedgerKind) -> Head:
    """Read a head of one ledger of this table; ``trusted`` holds the table's boot signing key under its name. Raises DocumentError."""
    with Reading(f"a head of table {table!r} is refused"):
        head = open_document(payload, Head, trusted, event, table)
    if head.ledger is not ledger:
        raise DocumentError(f"a head of table {table!r} is refused: it is of the ledger {head.ledger.value!r}, not {ledger.value!r}")
    return head
