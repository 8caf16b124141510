"""Effect of the referee's rulings on a hand's result: played, adjusted or left out, and its penalties.

A ruling during the hand is in the scores that the table recorded; only what the comparison must know is read here. A ruling after
the hand changes what it counts for, never what was recorded. The later ruling stands, and one that another
revokes counts for nothing; all are kept with referee, words and time.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import takewhile

from twinwall.event.hands import HandSummary
from twinwall.event.results import Basis
from twinwall.game.play_events import EndReason, HandEnded, PenaltyRuled, ResultExcluded, penalty_payments, totals
from twinwall.game.tiles import Seat
from twinwall.values import frozen
from twinwall.wire.messages.ruling import Ruling


@frozen
class GivenRuling:
    """A ruling and when its table took it."""

    ruling: Ruling
    at: datetime


@frozen
class Verdict:
    """What a hand counts for.

    Attributes:
        basis: whether its scores are compared as played, as the referee adjusted them, or not at all.
        scores: of each seat, penalties in points included; what a table scored that is left out is of no account.
        imp: IMP taken from the entrants of these seats; only seats with a penalty are named.
        rulings: all that were given on this hand, in order.
    """

    basis: Basis
    scores: Mapping[Seat, int]
    imp: Mapping[Seat, int]
    rulings: tuple[GivenRuling, ...]


def rulings_of(hand: HandSummary) -> tuple[GivenRuling, ...]:
    """The rulings on a hand in the order in which its table took them."""
    return tuple(GivenRuling(event.body, event.at) for event in hand.events if isinstance(event.body, Ruling))


def verdict(hand: HandSummary) -> Verdict | None:
    """What a hand counts for after all rulings on it; None while it is not over."""
    if hand.scores is None or hand.reason is None or hand.ended is None:
        return None
    given = rulings_of(hand)
    basis, scores = basis_of(hand.reason), dict(hand.scores)
    if not given:
        return Verdict(basis, scores, {}, ())
    imp: Counter[Seat] = Counter()
    before_end, revoked = _rulings_before_end(hand), revoked_among(given)
    for number, each in enumerate(given):
        if number >= before_end and each.ruling.identity in revoked:
            continue
        effects = each.ruling.effects
        penalties = [effect for effect in effects if isinstance(effect, PenaltyRuled)]
        for penalty in penalties:
            imp[penalty.seat] += penalty.imp
        if number >= before_end:
            paid = totals(penalty_payments(penalties))
            scores = {seat: score + paid[seat] for seat, score in scores.items()}
            ended = next((effect for effect in effects if isinstance(effect, HandEnded)), None)
            if ended is not None:
                basis, scores = basis_of(ended.reason), dict(ended.scores)
        if any(isinstance(effect, ResultExcluded) for effect in effects):
            basis = Basis.AVERAGE
    return Verdict(basis, scores, {seat: points for seat, points in imp.items() if points}, given)


def revoked_among(given: Sequence[GivenRuling]) -> frozenset[str]:
    """The ids of rulings that later ones revoke."""
    return frozenset(each.ruling.revokes for each in given if each.ruling.revokes)


def revocable(hand: HandSummary) -> tuple[GivenRuling, ...]:
    """The rulings on a hand that can be revoked: those given after it was over that stand and revoke nothing themselves."""
    if hand.ended is None:
        return ()
    given = rulings_of(hand)
    revoked = revoked_among(given)
    later = given[_rulings_before_end(hand) :]
    return tuple(each for each in later if not each.ruling.revokes and each.ruling.identity not in revoked)


def basis_of(reason: EndReason) -> Basis:
    """What the scores of a hand rest on by how it ended."""
    match reason:
        case EndReason.RULED:
            return Basis.ADJUSTED
        case EndReason.ANNULLED:
            return Basis.AVERAGE
        case EndReason.WON | EndReason.DRAWN | EndReason.ENTERED:
            return Basis.PLAYED


def _rulings_before_end(hand: HandSummary) -> int:
    """How many rulings the table took before the hand was over."""
    played = takewhile(lambda event: not isinstance(event.body, HandEnded), hand.events)
    return sum(isinstance(event.body, Ruling) for event in played)
