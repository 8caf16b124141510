"""Hand clock: how long a whole hand may take, from its start until its payments are computed; a notice first, then a call for the referee.

It runs in every seat's turn, claim windows included, and stands still with the clock of the turn. The time that has passed is in the
journal in steps, so a clock that stood still, or a controller that starts again, goes on where it was but for the step that was begun.
A controller that starts again with a limit that has passed already calls the referee at once. He is called once a hand.
Who was slow is not known: no seat is accused, play goes on, and the referee decides. Nothing here depends on a concealed tile.
"""

from collections.abc import Iterator

from controller.hand import referee
from controller.hand.turn_clock import LEAST_NOTICE_SHARE, play_running
from controller.ledger.journal_events import HandTimePassed
from controller.state.messages import Decision, Refused
from controller.state.table_state import Setup, TableState
from controller.state.timers import HandTimer, WantedTimer
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import HandNoticed, HandOverdue
from twinwall.wire.events.trouble_events import TableSubject

STEP_S = 10.0
"""The longest step of the clock."""


def is_noticed(setup: Setup, state: TableState) -> Seat | None:
    """The seat whose turn it is while the hand's time runs out."""
    play, hand = play_running(setup, state), state.playing.hand
    runs_out = not hand.limit_reported and _noticed_s(setup) <= hand.spent_s < setup.hand_limit_s
    return play.turn if play is not None and runs_out else None


def wanted(setup: Setup, state: TableState) -> Iterator[WantedTimer]:
    """The timer of the next step, of no length where the limit has passed already; none without a limit, or once the referee was called."""
    deal, hand = state.playing.deal, state.playing.hand
    if deal is not None and play_running(setup, state) is not None and setup.hand_limit_s and not hand.limit_reported:
        yield WantedTimer(HandTimer(deal.n, hand.spent_s), max(_after(setup, hand.spent_s) - hand.spent_s, 0.0), wall=False)


def fired(setup: Setup, state: TableState, timer: HandTimer) -> Decision:
    """A step of the clock has passed."""
    deal, hand, play = state.playing.deal, state.playing.hand, play_running(setup, state)
    if play is None or deal is None or hand.limit_reported or (timer.deal, timer.spent_s) != (deal.n, hand.spent_s):
        return Refused(f"the clock of the hand of deal {timer.deal} stands still, or has gone on from {timer.spent_s:g} s")
    spent_s = _after(setup, timer.spent_s)
    if spent_s == setup.hand_limit_s:
        return HandOverdue(spent_s), *referee.call_by_table(state, TableSubject.HAND_OVERDUE)
    return (HandNoticed(spent_s, setup.hand_limit_s - spent_s) if spent_s == _noticed_s(setup) else HandTimePassed(spent_s),)


def _after(setup: Setup, spent_s: float) -> float:
    """How much of the time (s) has passed at the end of the next step: a step ends with the notice, and with the limit. The limit where
    it has passed already."""
    mark = _noticed_s(setup) if spent_s < _noticed_s(setup) else setup.hand_limit_s
    return min(spent_s + STEP_S, mark)


def _noticed_s(setup: Setup) -> float:
    """How much of the time has passed at the notice."""
    return setup.hand_limit_s - min(setup.hand_notice_s, setup.hand_limit_s * LEAST_NOTICE_SHARE)
