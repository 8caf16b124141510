"""Turn clock: how long the seat whose turn it is may take to draw, and then to discard; a notice first, then a call for the referee.

The clock starts again with each event of the hand. It stands still while the referee is called, play is halted, the deal is fouled, the
director has paused the session or the table does not see what players do, and after that gives the whole time again. A called meld, kong,
win or hand has its own limit. Slow play halts nothing: the referee decides. Nothing here depends on a concealed tile.
"""

from collections.abc import Iterator

from controller.hand import referee
from controller.state.faults import UNREAD, forbids_motion
from controller.state.messages import Decision, Refused
from controller.state.playing import Hand, PlayStage
from controller.state.table_state import FEEDER, TABLE_CAMERA, Setup, TableState
from controller.state.timers import TurnTimer, WantedTimer
from twinwall.game.play import Phase, PlayState
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import TurnNoticed

LEAST_NOTICE_SHARE = 0.5
"""A limit shorter than twice the notice is noticed when so much of it has passed."""


def sees_play(state: TableState) -> bool:
    """Whether the table sees what players do: the feeder moves, the camera over the mat works, and no tile waits to be named by the
    referee. Else a seat may have done long ago what the table waits for, or cannot do it."""
    return not ({FEEDER, TABLE_CAMERA} & state.lost or any(fault.code == UNREAD or forbids_motion(fault.code) for fault in state.faults))


def play_running(setup: Setup, state: TableState) -> PlayState | None:
    """The play of the hand while time counts; None before and after it, and while a clock stands still."""
    playing = state.playing
    stands_still = playing.fouled or playing.halted or playing.referee or state.paused or not sees_play(state)
    return None if setup.paper or playing.stage is not PlayStage.PLAYING or stands_still else playing.hand.play


def on_the_clock(setup: Setup, state: TableState) -> Seat | None:
    """The seat that is to draw through its open gate, or to discard; None while there is none, or the clock stands still."""
    hand, play = state.playing.hand, play_running(setup, state)
    if not setup.turn_limit_s or play is None or _called(hand):
        return None
    draws = play.phase is Phase.DRAW and hand.unlock is not None
    return play.turn if draws or setup.rules.permissions(play).discard is not None else None


def _called(hand: Hand) -> bool:
    """Whether something was called that is still to be laid."""
    return any(each is not None for each in (hand.window, hand.kong, hand.win, hand.claim))


def is_noticed(setup: Setup, state: TableState) -> Seat | None:
    """The seat that was warned that its time runs out."""
    hand = state.playing.hand
    return on_the_clock(setup, state) if hand.noticed == len(hand.events) else None


def wanted(setup: Setup, state: TableState) -> Iterator[WantedTimer]:
    """The timers of the turn."""
    hand, deal = state.playing.hand, state.playing.deal
    if deal is None or on_the_clock(setup, state) is None:
        return
    events = len(hand.events)
    if hand.noticed != events:
        yield WantedTimer(TurnTimer(deal.n, events, over=False), setup.turn_limit_s - _notice_s(setup), wall=False)
    if hand.overdue != events:
        yield WantedTimer(TurnTimer(deal.n, events, over=True), setup.turn_limit_s, wall=False)


def fired(setup: Setup, state: TableState, timer: TurnTimer) -> Decision:
    """A timer of the turn has run."""
    seat, hand, deal = on_the_clock(setup, state), state.playing.hand, state.playing.deal
    if seat is None or deal is None or (timer.deal, timer.events) != (deal.n, len(hand.events)):
        return Refused(f"the turn of deal {timer.deal} after {timer.events} events is over")
    if not timer.over:
        return (TurnNoticed(seat, _notice_s(setup)),)
    sentence = f"{seat.name.title()} has not drawn or discarded within {setup.turn_limit_s:g} s"
    return referee.violated(state, seat, referee.SLOW_PLAY, sentence)


def _notice_s(setup: Setup) -> float:
    return min(setup.turn_notice_s, setup.turn_limit_s * LEAST_NOTICE_SHARE)
