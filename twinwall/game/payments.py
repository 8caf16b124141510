"""Payments at the end of a hand: who pays what to whom, and for what; a seat's score is the total of its payments.

Which payments there are is left to the rule set, and to rulings for penalties.
"""

from collections.abc import Iterable
from enum import StrEnum

from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen


class PaymentReason(StrEnum):
    """What a payment is for (contracts, "Scoring")."""

    WIN = "win"
    KONG = "kong"
    PIG = "pig"
    """A hand with all three suits where one must be lacking (査花猪)."""
    NOT_READY = "not-ready"
    LIABILITY = "liability"
    PENALTY = "penalty"


@frozen
class Payment:
    """Points that one seat pays to another; None : no seat, where the points of a hand need not sum to zero."""

    reason: PaymentReason
    source: Seat | None
    to: Seat | None
    amount: int

    def to_json(self) -> dict[str, object]:
        """The form of the contracts; no seat is null."""
        ends = {"from": self.source, "to": self.to}
        return {
            "reason": self.reason.value,
            **{key: None if seat is None else seat.value for key, seat in ends.items()},
            "amount": self.amount,
        }


def totals(payments: Iterable[Payment]) -> dict[Seat, int]:
    """What each seat gets in all."""
    gains = dict.fromkeys(SEATS, 0)
    for payment in payments:
        if payment.source is not None:
            gains[payment.source] -= payment.amount
        if payment.to is not None:
            gains[payment.to] += payment.amount
    return gains
