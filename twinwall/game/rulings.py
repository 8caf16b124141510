"""Rulings of a referee as events of play: a dead hand, a penalty, a result left out of the comparison.

A ruling is part of the recorded play, so a replay gives the same scores. What it changes is the same in every rule set
(``rules.checks``). Who ruled, and in which words, stands in the table's ledger.
"""

from collections.abc import Iterable
from enum import StrEnum

from twinwall.game.payments import Payment, PaymentReason
from twinwall.game.tiles import SEATS, Seat
from twinwall.game.typed_json import Count
from twinwall.values import frozen


class Offence(StrEnum):
    """What a penalty is for."""

    FALSE_WIN = "false-win"
    CONDUCT = "conduct"
    """Anything else: a false claim, a tile of a wall exposed, talk."""


@frozen
class HandRuledDead:
    """A seat's hand is dead: it goes on drawing and discarding, and may not claim, make a kong or win any more."""

    seat: Seat


@frozen
class PenaltyRuled:
    """What an offence costs: ``imp`` are taken from the entrant's comparison, ``points`` are paid to each of the others at the table."""

    seat: Seat
    offence: Offence
    imp: Count
    points: Count


@frozen
class ResultExcluded:
    """Whatever this table scores in this deal is left out of the comparison: its four players get the average."""


@frozen
class SeatsExchanged:
    """In a hand that is over the players of two seats sat in each other's: each score belongs to who sat there. Nothing happens in play."""

    seat: Seat
    other: Seat


Ruled = HandRuledDead | PenaltyRuled | ResultExcluded
"""What a ruling can do while the hand goes on; it may also end it (``HandEnded`` with the reasons ``ruled`` and ``annulled``)."""


def penalty_payments(penalties: Iterable[PenaltyRuled]) -> tuple[Payment, ...]:
    """Who pays what to whom for the penalties of a hand, in the order in which they were ruled."""
    return tuple(
        Payment(PaymentReason.PENALTY, penalty.seat, other, penalty.points)
        for penalty in penalties
        if penalty.points
        for other in SEATS
        if other is not penalty.seat
    )
