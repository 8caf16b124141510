"""What a referee's ruling does to a hand, as events of play: dead hands, penalties, results that do not count.

A ruling is part of the play that is recorded, so that a replay gives the same scores. Who ruled, and in
which words, stands in the table's ledger. What these events change is the same in every rule set and
decided in ``twinwall.game.rules.ruling_checks``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from twinwall.game.payments import Payment, PaymentReason
from twinwall.game.tiles import SEATS, Seat


class Offence(StrEnum):
    """What a penalty is for."""

    FALSE_WIN = "false-win"
    CONDUCT = "conduct"
    """Anything else: a false claim, a tile of a wall exposed, talk."""


@dataclass(frozen=True, slots=True)
class HandRuledDead:
    """A seat's hand is dead: it goes on drawing and discarding, and may not claim, make a kong or win any more."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PenaltyRuled:
    """What an offence costs: ``imp`` are taken from the entrant's comparison, ``points`` are paid to each of the others at the table."""

    seat: Seat
    offence: Offence
    imp: int
    points: int


@dataclass(frozen=True, slots=True)
class ResultExcluded:
    """Whatever this table scores in this deal is left out of the comparison: its four players get the average."""


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
