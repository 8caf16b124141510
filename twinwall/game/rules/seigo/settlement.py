"""Payments at the end of a hand of Seigo (``payments``): wins with riichi sticks, or hands that are not ready. Nothing is carried over
between duplicate hands: there are no counters, and sticks go to the winner or, in a drawn hand, back."""

from collections.abc import Iterator, Mapping

from twinwall.game.play_events import Payment, PaymentReason, penalty_payments
from twinwall.game.rule_set import Win
from twinwall.game.rules.seigo.options import SeigoOptions
from twinwall.game.rules.seigo.shapes import waits
from twinwall.game.rules.seigo.state import SeigoState
from twinwall.game.tiles import COPIES, SEATS, Seat

STICK = 1000
"""Points of a riichi stick."""


def payments(state: SeigoState, wins: Mapping[Seat, Win], options: SeigoOptions) -> tuple[Payment, ...]:
    """Who pays whom when the hand ends in ``state`` with ``wins`` (none if drawn), with penalties."""
    paid = tuple(_wins(state, wins)) if wins else tuple(_not_ready(state, options))
    return (*paid, *penalty_payments(state.penalties))


def _wins(state: SeigoState, wins: Mapping[Seat, Win]) -> Iterator[Payment]:
    """Each win, the nearest to the discarder first; that seat gets the other seats' sticks."""
    winners = sorted(wins, key=state.turn.turns_until)
    for winner in winners:
        for seat in SEATS:
            if wins[winner].payments[seat] < 0:
                yield Payment(PaymentReason.WIN, seat, winner, -wins[winner].payments[seat])
    for seat in sticks_laid(state):
        if seat is not winners[0]:
            yield Payment(PaymentReason.WIN, seat, winners[0], STICK)


def sticks_laid(state: SeigoState) -> tuple[Seat, ...]:
    """Who laid a riichi stick: each seat in riichi, unless its declaring discard was won on."""
    return tuple(seat for seat in SEATS if state.riichi_turn(seat) is not None and seat is not state.declaring)


def _not_ready(state: SeigoState, options: SeigoOptions) -> Iterator[Payment]:
    """ノーテン罰符: seats that are not ready pay those that are; no payment if all or none are."""
    ready = [seat for seat in SEATS if is_ready(state, seat)]
    others = [seat for seat in SEATS if seat not in ready]
    for seat in others:
        for to in ready:
            yield Payment(PaymentReason.NOT_READY, seat, to, options.noten_points // (len(ready) * len(others)))


def is_ready(state: SeigoState, seat: Seat) -> bool:
    """Whether a shown hand waits for a tile of which the seat does not hold all four."""
    own = state.seat(seat)
    if own.dead or own.shown is None:
        return False
    laid = [tile for meld in own.melds for tile in meld.tiles]
    return any(laid.count(tile) + own.shown.count(tile) < COPIES for tile in waits(own.shown, len(own.melds)))
