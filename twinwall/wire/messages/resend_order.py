"""The centre's order to a venue: send lines of a table's ledger again. The venue's server answers it from the event's store."""

from __future__ import annotations

from msgspec import Struct, to_builtins

from twinwall.wire.canonical_json import Count, FormError, Text, canonical, read_as, read_object


class ResendOrder(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag="twinwall-resend-1"):
    """Lines ``first`` to ``last``, both included, of a journal; a signed head of the last of them comes after them."""

    event: Text
    table: Text
    journal: Text
    first: Count
    last: Count


def write_resend_order(order: ResendOrder) -> bytes:
    """The order as it travels."""
    return canonical(to_builtins(order))


def read_resend_order(payload: bytes) -> ResendOrder:
    """Read an order; raises FormError."""
    order = read_as(read_object(payload), ResendOrder)
    if not 1 <= order.first <= order.last:
        raise FormError(f"lines {order.first} to {order.last} are no range from 1")
    return order
