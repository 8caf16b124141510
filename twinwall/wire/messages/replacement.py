"""Order of the staff to go on at a table whose controller was lost with its disk: what the new controller's journal continues.

The dashboard signs it from its own copy of the table's ledger: where that ends, which deals the table has finished, and which hand was
in play. It stands in the first line of the new journal, so an owner of the server's key and the former journal can check it there. The
signature is the server's. So the order proves what the server says of its accounts, and no more.
"""

from __future__ import annotations

from msgspec import Struct

from twinwall.game.documents import DocumentError, Reading
from twinwall.game.typed_json import Count, Digest, Text
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.signing import SignatureError, Signer, open_document, sign_document
from twinwall.wire.names import name_key

PURPOSE = "twinwall-replacement-1"
SERVER = "server"


class ReplacementOrder(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag=PURPOSE):
    """In this ``event`` a new controller goes on after line ``seq`` of the ``journal``, the last one that the server has.

    ``finished`` are the deals that the table has finished, in its order. ``n`` is the deal whose hand was in play, 0 for none: that hand
    is annulled. ``ordered`` and ``confirmed`` are the accounts; with a hand in play there are two, else the second may be empty.
    """

    event: Text
    journal: Text
    seq: Count
    digest: Digest
    finished: tuple[Count, ...]
    n: Count
    reason: Text
    ordered: Text
    confirmed: str = ""

    @property
    def former(self) -> LedgerPosition:
        """Where the former journal ends."""
        return LedgerPosition(self.journal, self.seq, self.digest)

    @property
    def persons(self) -> tuple[str, ...]:
        """The persons, each once."""
        return tuple({name_key(name): name for name in (self.ordered, self.confirmed) if name}.values())


def write_replacement(signer: Signer, event: str, table: str, order: ReplacementOrder) -> bytes:
    """The order as the dashboard hands it out, one line."""
    return sign_document(signer, PURPOSE, event, table, order)


def read_replacement(payload: bytes, event: str, table: str, server: bytes) -> ReplacementOrder:
    """Read an order for this table; raises DocumentError, also where one person stands for both during a hand."""
    with Reading("the order to replace the controller cannot be read"):
        order = open_document(PURPOSE, event, table, payload, {SERVER: server}, shape=ReplacementOrder)
    if order.event != event:
        raise DocumentError(f"the order to replace the controller is of the event {order.event!r}, not of {event!r}")
    if order.n and len(order.persons) < 2:
        raise SignatureError(
            f"the order to replace the controller is of {order.ordered!r} alone, and deal {order.n} was in play: another account has to "
            "confirm it"
        )
    return order
