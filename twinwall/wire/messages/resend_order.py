"""The centre's order to a venue: send lines of a table's ledger again. The venue's server answers it from the event's store."""

from __future__ import annotations

from msgspec import Struct, to_builtins

from twinwall.game.documents import DocumentError, canonical_json, parse_object
from twinwall.game.typed_json import Count, Text, read_as

LAST_LINE = 2**53 - 1
"""No ledger is longer: a whole number that every reader of JSON can hold."""


class ResendOrder(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag="twinwall-resend-1"):
    """Lines ``first`` to ``last``, both included, of a journal.

    The venue sends them, and then the signed head of the last line that it sent. Where no head of the last of them is kept, it goes on to
    the next line that has one, or ends at the last that has. With a later head alone a gap that is longer than an order never closes.
    """

    event: Text
    table: Text
    journal: Text
    first: Count
    last: Count


def write_resend_order(order: ResendOrder) -> bytes:
    """The order as it travels."""
    return canonical_json(to_builtins(order))


def read_resend_order(payload: bytes) -> ResendOrder:
    """Read an order; raises DocumentError."""
    order = read_as(parse_object(payload), ResendOrder)
    if not 1 <= order.first <= order.last <= LAST_LINE:
        raise DocumentError(f"lines {order.first} to {order.last} are no range from 1 to {LAST_LINE}")
    return order
