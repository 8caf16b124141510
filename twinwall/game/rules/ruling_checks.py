"""Rulings in the public state, the same in every rule set: which may stand, what they change, and how they end a hand.

A rule set asks here from its own legality and transitions. What a dead hand may still do is left to its ``permissions``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, assert_never

from msgspec.structs import replace

from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import STATED_ENDS, ClaimsPassed, EndReason, HandEnded, HandLaidOpen, HandShown
from twinwall.game.rule_set import Illegal
from twinwall.game.rules.checks import NOT_NOW, WRONG_SCORES, WRONG_TILES, not_now
from twinwall.game.rulings import HandRuledDead, PenaltyRuled, ResultExcluded, Ruled
from twinwall.game.tiles import SEATS, Seat
from twinwall.game.walls import HAND_SIZE

RULED_ALREADY, WRONG_AMOUNT = "ruled-already", "wrong-amount"

State = TypeVar("State", bound=PlayState)


def illegal(state: PlayState, event: Ruled) -> Illegal | None:
    """Why a ruling may not stand; None when it may."""
    if state.phase is Phase.ENDED:
        return Illegal(NOT_NOW, "the hand is over: a ruling can only change what it counts for")
    match event:
        case HandRuledDead(seat):
            return Illegal(RULED_ALREADY, f"the hand of {seat.value} is dead already") if state.seat(seat).dead else None
        case PenaltyRuled():
            if min(event.imp, event.points) < 0 or not (event.imp or event.points):
                return Illegal(WRONG_AMOUNT, f"a penalty costs IMP or points, not {event.imp} IMP and {event.points} points")
            return None
        case ResultExcluded():
            return Illegal(RULED_ALREADY, "the result is left out of the comparison already") if state.excluded else None
        case _:
            assert_never(event)


def usual(state: PlayState, event: ClaimsPassed | Ruled) -> Illegal | None:
    """Why an event may not happen which every rule set judges alike."""
    if isinstance(event, ClaimsPassed):
        return None if state.phase is Phase.CLAIMS else not_now(state, "claims cannot be passed")
    return illegal(state, event)


def ended(state: PlayState, event: HandEnded, problem: Callable[[], Illegal | None]) -> Illegal | None:
    """Why a hand may not end; ``problem`` judges an end that was played."""
    if event.reason in STATED_ENDS:
        return illegal_end(state, event)
    return problem() if set(event.scores) == set(SEATS) else Illegal(WRONG_SCORES, "scores name all four seats")


def shown_wrongly(state: PlayState, event: HandShown | HandLaidOpen) -> Illegal | None:
    """Why a hand that is laid open has the wrong number of tiles."""
    count = HAND_SIZE - 3 * len(state.seat(event.seat).melds)
    if len(event.concealed) == count:
        return None
    return Illegal(WRONG_TILES, f"{event.seat.value} has {count} tiles beside its melds, not {len(event.concealed)}")


def is_shown(state: PlayState, seat: Seat) -> bool:
    """Whether a seat has shown the win that it declared last."""
    return state.phase is Phase.SHOW and state.winner is seat and state.seat(seat).shown is not None


def not_zero_sum(event: HandEnded) -> Illegal | None:
    """Why the scores of rules in which one pays what another gets cannot be."""
    return Illegal(WRONG_SCORES, "what one pays another gets: the scores sum to zero") if sum(event.scores.values()) else None


def illegal_end(state: PlayState, event: HandEnded) -> Illegal | None:
    """Why a hand may not end as people say in ``event`` (its reason is one of ``STATED_ENDS``); None when it may."""
    if state.phase is Phase.ENDED:
        return Illegal(NOT_NOW, "the hand is over already")
    if set(event.scores) != set(SEATS):
        return Illegal(WRONG_SCORES, "scores name all four seats")
    if event.reason is EndReason.ANNULLED and any(event.scores.values()):
        return Illegal(WRONG_SCORES, "an annulled hand has no scores")
    if event.reason is EndReason.ENTERED and state.turn_taken:
        return Illegal(NOT_NOW, "scores are entered for a hand of which no play is recorded")
    return None


def apply(state: State, event: Ruled) -> State:
    """The state after a ruling; where a dead hand was to be shown or had won, the rule set says besides what becomes of the win."""
    match event:
        case HandRuledDead(seat):
            return state.with_seat(seat, replace(state.seat(seat), dead=True))
        case PenaltyRuled():
            return replace(state, penalties=(*state.penalties, event))
        case ResultExcluded():
            return replace(state, excluded=True)
        case _:
            assert_never(event)
