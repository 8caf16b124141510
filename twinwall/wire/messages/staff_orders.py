"""Orders of the staff to a table, which two persons give: one ordered it and another confirmed it at the dashboard, which signs both.

A replacement says what the journal of a new controller continues, where one was lost with its disk. The dashboard signs it from its own
copy of the table's ledger. It stands in the first line of the new journal, so an owner of the server's key and the former journal can
check it there. A withdrawal takes a table out of play. The signature is the server's, so an order proves what the server says of its
accounts, and no more.
"""

from twinwall.game.documents import DocumentError, Reading
from twinwall.game.typed_json import Count, Digest, Text
from twinwall.values import Shape
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.signing import SignatureError, open_document
from twinwall.wire.names import name_key

SERVER = "server"


class ReplacementOrder(Shape, tag_field="format", tag="twinwall-replacement-1"):
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


def read_replacement(payload: bytes, event: str, table: str, server: bytes) -> ReplacementOrder:
    """Read an order for this table; raises DocumentError, also where one person stands for both during a hand."""
    with Reading("the order to replace the controller cannot be read"):
        order = open_document(payload, ReplacementOrder, {SERVER: server}, event, table)
    if order.event != event:
        raise DocumentError(f"the order to replace the controller is of the event {order.event!r}, not of {event!r}")
    if order.n and len(order.persons) < 2:
        raise SignatureError(
            f"the order to replace the controller is of {order.ordered!r} alone, and deal {order.n} was in play: another account has to "
            "confirm it"
        )
    return order


class WithdrawalOrder(Shape, tag_field="format", tag="twinwall-withdrawal-1"):
    """A table that plays deal ``n`` is to be withdrawn: ``ordered`` and ``confirmed`` are the accounts of two persons."""

    n: Count
    ordered: Text
    confirmed: Text

    @property
    def persons(self) -> tuple[str, ...]:
        """The persons, each once."""
        return tuple({name_key(name): name for name in (self.ordered, self.confirmed)}.values())


def read_withdrawal(payload: bytes, event: str, table: str, server: bytes) -> WithdrawalOrder:
    """Read an order for this table; raises DocumentError, also where one person stands for both."""
    with Reading("the order to withdraw cannot be read"):
        order = open_document(payload, WithdrawalOrder, {SERVER: server}, event, table)
    if len(order.persons) < 2:
        raise SignatureError(f"the order to withdraw is of {order.ordered!r} alone: another account has to confirm it")
    return order
