"""Clocks of a hand at the table: each gives a notice first, then calls the referee.

Both stop while the referee is called, play is halted, the deal is fouled, the director has paused the session or the table does not see
what players do. Slow play halts nothing: the referee decides. Nothing here depends on a concealed tile.

The turn clock limits the time in which the seat in turn must draw, and then discard. Each event of the hand restarts it, and after a stop
it gives the whole time again. A called meld, kong, win or hand has its own limit.

The hand clock limits the time from the start of the hand to its payments, claim windows included. The journal holds the elapsed time in
steps, so after a stop or a restart the clock continues and loses only the current step. If the limit has passed, the referee is called at
once, and only once a hand. It is unknown who was slow, so no seat is accused.
"""

from collections.abc import Iterator

from controller.hand import referee
from controller.ledger.journal_events import HandTimePassed
from controller.state.faults import UNREAD, stopped
from controller.state.messages import Decision, HandTimer, Refused, TurnTimer, WantedTimer
from controller.state.sides import PlayStage
from controller.state.table_state import FEEDER, TABLE_CAMERA, Setup, TableState
from twinwall.game.play import Phase, PlayState
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import HandNoticed, HandOverdue, TurnNoticed
from twinwall.wire.events.trouble_events import TableSubject

LEAST_NOTICE_SHARE = 0.5
"""For limits shorter than twice the notice, the notice comes after this share of the limit."""
STEP_S = 10.0
"""The longest step of the hand clock."""


def sees_play(state: TableState) -> bool:
    """Whether the table sees what players do: the feeder moves, the table camera works, and no unread tile waits for the referee. Otherwise
    a seat may have done long ago what the table waits for, or cannot do it."""
    return not ({FEEDER, TABLE_CAMERA} & state.lost or stopped(state.faults) or state.has_fault(UNREAD))


def play_running(setup: Setup, state: TableState) -> PlayState | None:
    """Return the play of the hand while time counts; None before and after it, and while the clocks stop."""
    playing = state.playing
    stands_still = playing.fouled or playing.halted or playing.referee or state.paused or not sees_play(state)
    return None if setup.paper or playing.stage is not PlayStage.PLAYING or stands_still else playing.hand.play


def wanted(setup: Setup, state: TableState) -> Iterator[WantedTimer]:
    yield from _turn_timers(setup, state)
    yield from _hand_timers(setup, state)


def hurried(setup: Setup, state: TableState) -> Seat | None:
    hand = state.playing.hand
    noticed = on_the_clock(setup, state) if hand.noticed == len(hand.events) else None
    return noticed or _hand_noticed(setup, state)


def on_the_clock(setup: Setup, state: TableState) -> Seat | None:
    """Return the seat that must draw through its open gate, or discard; None without one, or while the clock stops."""
    hand, play = state.playing.hand, play_running(setup, state)
    to_be_laid = any(each is not None for each in (hand.window, hand.kong, hand.win, hand.claim))
    if not setup.turn_limit_s or play is None or to_be_laid:
        return None
    draws = play.phase is Phase.DRAW and hand.unlock is not None
    return play.turn if draws or setup.rules.permissions(play).discard is not None else None


def _turn_timers(setup: Setup, state: TableState) -> Iterator[WantedTimer]:
    hand, deal = state.playing.hand, state.playing.deal
    if deal is None or on_the_clock(setup, state) is None:
        return
    events = len(hand.events)
    if hand.noticed != events:
        yield WantedTimer(TurnTimer(deal.n, events, over=False), setup.turn_limit_s - _turn_notice_s(setup), wall=False)
    if hand.overdue != events:
        yield WantedTimer(TurnTimer(deal.n, events, over=True), setup.turn_limit_s, wall=False)


def turn_over(setup: Setup, state: TableState, timer: TurnTimer) -> Decision:
    """A timer of the turn has ended: give the notice, or call the referee."""
    seat, hand, deal = on_the_clock(setup, state), state.playing.hand, state.playing.deal
    if seat is None or deal is None or (timer.deal, timer.events) != (deal.n, len(hand.events)):
        return Refused(f"the turn of deal {timer.deal} after {timer.events} events is over")
    if not timer.over:
        return (TurnNoticed(seat, _turn_notice_s(setup)),)
    sentence = f"{seat.name.title()} has not drawn or discarded within {setup.turn_limit_s:g} s"
    return referee.violated(state, seat, referee.SLOW_PLAY, sentence)


def _turn_notice_s(setup: Setup) -> float:
    return min(setup.turn_notice_s, setup.turn_limit_s * LEAST_NOTICE_SHARE)


def _hand_noticed(setup: Setup, state: TableState) -> Seat | None:
    """Return the seat in turn while the hand's time runs out."""
    play, hand = play_running(setup, state), state.playing.hand
    runs_out = not hand.limit_reported and _hand_noticed_s(setup) <= hand.spent_s < setup.hand_limit_s
    return play.turn if play is not None and runs_out else None


def _hand_timers(setup: Setup, state: TableState) -> Iterator[WantedTimer]:
    """Yield the timer of the next step, of length 0 if the limit has passed; none without a limit, or once the referee was called."""
    deal, hand = state.playing.deal, state.playing.hand
    if deal is not None and play_running(setup, state) is not None and setup.hand_limit_s and not hand.limit_reported:
        yield WantedTimer(HandTimer(deal.n, hand.spent_s), max(_hand_after(setup, hand.spent_s) - hand.spent_s, 0.0), wall=False)


def hand_step_over(setup: Setup, state: TableState, timer: HandTimer) -> Decision:
    deal, hand, play = state.playing.deal, state.playing.hand, play_running(setup, state)
    if play is None or deal is None or hand.limit_reported or (timer.deal, timer.spent_s) != (deal.n, hand.spent_s):
        return Refused(f"the clock of the hand of deal {timer.deal} stands still, or has gone on from {timer.spent_s:g} s")
    spent_s = _hand_after(setup, timer.spent_s)
    if spent_s == setup.hand_limit_s:
        return HandOverdue(spent_s), *referee.call_by_table(state, TableSubject.HAND_OVERDUE)
    return (HandNoticed(spent_s, setup.hand_limit_s - spent_s) if spent_s == _hand_noticed_s(setup) else HandTimePassed(spent_s),)


def _hand_after(setup: Setup, spent_s: float) -> float:
    """Return the elapsed time (s) at the end of the next step, which ends at the notice and at the limit; the limit if that has passed."""
    mark = _hand_noticed_s(setup) if spent_s < _hand_noticed_s(setup) else setup.hand_limit_s
    return min(spent_s + STEP_S, mark)


def _hand_noticed_s(setup: Setup) -> float:
    return setup.hand_limit_s - min(setup.hand_notice_s, setup.hand_limit_s * LEAST_NOTICE_SHARE)
