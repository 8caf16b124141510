"""Order of two persons to withdraw a table during play: one ordered it and another confirmed it at the dashboard, which signs both.

The signature is the server's. So the order proves what the server says of its accounts, and no more.
"""

from __future__ import annotations

from msgspec import Struct

from twinwall.game.documents import Reading
from twinwall.game.typed_json import Count, Text
from twinwall.wire.messages.signing import SignatureError, Signer, open_document, sign_document
from twinwall.wire.names import name_key

PURPOSE = "twinwall-withdrawal-1"
SERVER = "server"


class WithdrawalOrder(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag=PURPOSE):
    """A table that plays deal ``n`` is to be withdrawn: ``ordered`` and ``confirmed`` are the accounts of two persons."""

    n: Count
    ordered: Text
    confirmed: Text

    @property
    def persons(self) -> tuple[str, ...]:
        """The persons, each once."""
        return tuple({name_key(name): name for name in (self.ordered, self.confirmed)}.values())


def write_withdrawal(signer: Signer, event: str, table: str, order: WithdrawalOrder) -> bytes:
    """The order as the dashboard hands it out, one line."""
    return sign_document(signer, PURPOSE, event, table, order)


def read_withdrawal(payload: bytes, event: str, table: str, server: bytes) -> WithdrawalOrder:
    """Read an order for this table; raises DocumentError, also where one person stands for both."""
    with Reading("the order to withdraw cannot be read"):
        order = open_document(PURPOSE, event, table, payload, {SERVER: server}, shape=WithdrawalOrder)
    if len(order.persons) < 2:
        raise SignatureError(f"the order to withdraw is of {order.ordered!r} alone: another account has to confirm it")
    return order
