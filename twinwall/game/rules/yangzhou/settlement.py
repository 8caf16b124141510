"""Who pays a win: discards and self-draws, the liability for a full flush, and the limited stake. "揚州の麻雀" (blog, 27 November 2015):
点数 for payments, the paragraph on 包 after 複合役 for the liability, 円子 for the stake. A liable seat pays for the whole win, whoever
discarded."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

from twinwall.game.play import PlayState
from twinwall.game.play_events import Meld, MeldType, Payment, PaymentReason, penalty_payments, totals
from twinwall.game.rule_set import Fan, Win
from twinwall.game.rules.yangzhou.options import YangzhouOptions
from twinwall.game.rules.yangzhou.patterns import FULL_FLUSH
from twinwall.game.tiles import SEATS, Seat

_LIABLE_MELD = 2
"""Index of the exposed meld that makes the discarder of its chow liable."""


def is_full_flush(fans: Sequence[Fan]) -> bool:
    """Whether a seat can be liable for the win (清一色)."""
    return any(fan.id == FULL_FLUSH for fan in fans)


def liable(melds: Sequence[Meld]) -> Seat | None:
    """The seat whose discard was chowed as the third exposed meld (包); ``melds`` in the order made."""
    exposed = [meld for meld in melds if meld.type is not MeldType.CONCEALED_KONG]
    if len(exposed) <= _LIABLE_MELD or exposed[_LIABLE_MELD].type is not MeldType.CHOW:
        return None
    return exposed[_LIABLE_MELD].source


@lru_cache(maxsize=4096)
def gains(winner: Seat, source: Seat | None, payer: Seat | None, total: int) -> Mapping[Seat, int]:
    """What each seat gets for one win by ``win_payments``."""
    return MappingProxyType(totals(win_payments(winner, source, payer, total)))


def win_payments(winner: Seat, source: Seat | None, payer: Seat | None, total: int) -> tuple[Payment, ...]:
    """Who pays a hand of ``total`` points: the discarder ``source`` twice, or each other seat once (None). A liable ``payer`` pays all of
    it alone."""
    others = [seat for seat in SEATS if seat is not winner]
    whole = len(others) * total if source is None else 2 * total
    if payer is not None and payer is not source:
        return (Payment(PaymentReason.LIABILITY, payer, winner, whole),)
    if source is not None:
        return (Payment(PaymentReason.WIN, source, winner, whole),)
    return tuple(Payment(PaymentReason.WIN, seat, winner, total) for seat in others)


def payments(state: PlayState, wins: Mapping[Seat, Win], options: YangzhouOptions) -> tuple[Payment, ...]:
    """Who pays whom when the hand ends with ``wins`` (none if drawn), with penalties. Several winners on one tile are each paid in full; if
    the stake does not suffice, the nearest to the payer is paid first."""
    source = None if state.turn in wins else state.turn
    due = [
        payment
        for winner, win in wins.items()
        for payment in win_payments(winner, source, liable(state.seat(winner).melds) if is_full_flush(win.fans) else None, win.total)
    ]
    paid = due if options.stake is None else _within(due, options.stake)
    return tuple(payment for payment in (*paid, *penalty_payments(state.penalties)) if payment.amount)


def _within(due: Sequence[Payment], stake: int) -> list[Payment]:
    """The payments that a seat with ``stake`` points can make, the nearest winner first."""
    left = dict.fromkeys(SEATS, stake)
    paid = []
    for payment in sorted(due, key=_distance):
        assert payment.source is not None
        amount = min(payment.amount, left[payment.source])
        left[payment.source] -= amount
        paid.append(replace(payment, amount=amount))
    return paid


def _distance(payment: Payment) -> int:
    assert payment.source is not None
    assert payment.to is not None
    return payment.source.turns_until(payment.to)
