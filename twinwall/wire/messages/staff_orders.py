"""Orders to a table that two persons of the staff give: one orders, another confirms at the dashboard, which signs. A replacement names
what a new controller's journal continues after the loss of the old one with its disk; the dashboard takes it from its copy of the ledger.
It is in the new journal's first line, where anybody with the server's key and the former journal can check it. A withdrawal takes a table
out of play. The signature proves only what the server says about its accounts."""

from twinwall.game.documents import DocumentError, Reading
from twinwall.game.typed_json import Count, Digest, Text
from twinwall.values import Shape
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.signing import SignatureError, open_document
from twinwall.wire.names import name_key

SERVER = "server"


class ReplacementOrder(Shape, tag_field="format", tag="twinwall-replacement-1"):
    """In this ``event``, a new controller continues after line ``seq`` of ``journal``, the last one that the server has. ``finished``: the
    deals that the table has finished, in order. ``n``: the deal in play, whose hand is annulled; 0 for none. ``ordered`` and ``confirmed``:
    the accounts; without a hand in play the second may be empty."""

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
        return LedgerPosition(self.journal, self.seq, self.digest)

    @property
    def persons(self) -> tuple[str, ...]:
        return tuple({name_key(name): name for name in (self.ordered, self.confirmed) if name}.values())


def read_replacement(payload: bytes, event: str, table: str, server: bytes) -> ReplacementOrder:
    """Read an order for this table; raises DocumentError, also if one person both ordered and confirmed it during a hand."""
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
    """Withdraw a table that plays deal ``n``; ``ordered`` and ``confirmed`` are two persons' accounts."""

    n: Count
    ordered: Text
    confirmed: Text

    @property
    def persons(self) -> tuple[str, ...]:
        return tuple({name_key(name): name for name in (self.ordered, self.confirmed)}.values())


def read_withdrawal(payload: bytes, event: str, table: str, server: bytes) -> WithdrawalOrder:
    """Read an order for this table; raises DocumentError, also if one person both ordered and confirmed it."""
    with Reading("the order to withdraw cannot be read"):
        order = open_document(payload, WithdrawalOrder, {SERVER: server}, event, table)
    if len(order.persons) < 2:
        raise SignatureError(f"the order to withdraw is of {order.ordered!r} alone: another account has to confirm it")
    return order
