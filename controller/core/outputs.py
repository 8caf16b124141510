"""Outputs: lamps, open gate, watches, the question to the referee, timers and feeder operations as a function of the table's state.

The follower compares them with what the adapters do. After a restart the same state gives the same outputs: operations are sent again under
their numbers (the feeder answers from memory), lamps are lit, timers start again. No output depends on a concealed tile once the wall is
ready.
"""

from controller.assigning import is_between_hands
from controller.core import waits
from controller.hand import clocks, draw_gates, table_observations, watching
from controller.hand.decoding import asked_about, hand_to_decode
from controller.hand.paper_hand import wants_sheets
from controller.ledger.journal_events import OperationIssued
from controller.state.faults import DEAL_REFUSED, UNREAD, WAIT_FAULTS, WELL_COUNT
from controller.state.messages import (
    ClaimWindowTimer,
    ExposureTimer,
    GateLook,
    LeaseTimer,
    PauseTimer,
    StarvedTimer,
    WantedTimer,
    WellShortTimer,
)
from controller.state.questions import AskedNow
from controller.state.sides import HAND_TILES, Hand, PlayStage
from controller.state.table_state import Setup, TableState, are_awaited
from controller.state.waits import Waiting
from controller.state.watches import HandToDecode, Watch
from controller.wall import build, clearing, survey
from firmware_bridge.messages import Place, Release
from twinwall.game.play import Phase, PlayState
from twinwall.game.rule_set import Permissions
from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen
from twinwall.wire.events.trouble_events import TableSubject
from twinwall.wire.shapes.panel import Lamps

PAUSE_S = 0.1
LEASE_SHARE = 0.5
"""An open draw gate is renewed after this share of its lease."""


@frozen
class Outputs:
    """All outputs of the controller except the ledgers."""

    operations: tuple[OperationIssued, ...]
    lamps: Lamps
    gate_looks: tuple[GateLook, ...]
    watch: Watch | None
    timers: tuple[WantedTimer, ...]
    status: bool
    next_deal: bool
    decoded: HandToDecode | None
    asked: AskedNow
    waits: tuple[Waiting, ...]
    """Waits about which staff have not been called."""


def outputs_of(setup: Setup, state: TableState) -> Outputs:
    watch = None if setup.paper else watching.watched(setup, state)
    return Outputs(
        operations=state.pending,
        lamps=_lamps(setup, state),
        gate_looks=build.wants_frames(setup, state),
        watch=watch,
        timers=_timers(setup, state, watch),
        status=survey.wants_status(setup, state),
        next_deal=_wants_deal(setup, state),
        decoded=hand_to_decode(setup, state, watch),
        asked=_asked(setup, state, watch),
        waits=waits.uncalled(setup, state),
    )


def _asked(setup: Setup, state: TableState, watch: Watch | None) -> AskedNow:
    question, records, deal = table_observations.question(state, watch), asked_about(setup, state), state.playing.deal
    if deal is None:
        return AskedNow(question, records)
    subjects = sorted(call.about for call in state.playing.referee if call.seat is None and isinstance(call.about, TableSubject))
    violations = tuple((deal.n, seat, what) for seat, what in state.playing.violations)
    return AskedNow(question, records, violations, tuple((deal.n, about) for about in subjects))


def _wants_deal(setup: Setup, state: TableState) -> bool:
    """Whether trays and machine are ready for the next deal; without trays, whether its sheets may be opened."""
    if setup.paper:
        return wants_sheets(setup, state)
    return survey.trays_are_free(setup, state) and all(fault.code in (DEAL_REFUSED, UNREAD, *WAIT_FAULTS) for fault in state.faults)


def _timers(setup: Setup, state: TableState, watch: Watch | None) -> tuple[WantedTimer, ...]:
    hand, deal, making = state.playing.hand, state.playing.deal, state.making
    timers: list[WantedTimer] = []
    if hand.window is not None and hand.window.open and deal is not None:
        timers.append(WantedTimer(ClaimWindowTimer(deal.n, hand.window.number), setup.claim_window_s, wall=False))
    if hand.unlock is not None:
        timers.append(WantedTimer(LeaseTimer(hand.unlock), setup.unlock_lease_s * LEASE_SHARE, wall=True))
    if making.build.starved is not None and not making.build.decoys:
        timers.append(WantedTimer(StarvedTimer(making.build.starved), setup.drum_empty_s, wall=True))
    short = clearing.waits_for_tiles(making)
    if short is not None and making.deal is not None and not state.has_fault(WELL_COUNT):
        timers.append(WantedTimer(WellShortTimer(making.deal.n, short), setup.well_patience_s, wall=True))
    if watch is not None and watching.is_exposure(watch) and clocks.sees_play(state) and not state.playing.referee:
        timers.append(WantedTimer(ExposureTimer(watch), setup.show_timeout_s, wall=True))
    timers.extend(clocks.wanted(setup, state))
    blocked = (making.build.blocked, state.playing.blocked)
    timers.extend(WantedTimer(PauseTimer(operation), PAUSE_S, wall=True) for operation in blocked if operation is not None)
    return tuple(timers)


def _lamps(setup: Setup, state: TableState) -> Lamps:
    playing = state.playing
    fault = bool(state.faults or playing.referee or playing.fouled)
    turn, call = _lit_seats(setup, state)
    deal, window, wall = playing.deal, playing.hand.window, _wall_in_hand(state)
    if are_awaited(setup, state.seats) and is_between_hands(state):
        return Lamps(turn=state.seats.missing, call=state.seats.wrong, fault=fault, buzzer=fault, wall=wall)
    if deal is None:
        return Lamps(fault=fault, buzzer=fault, wall=wall)
    open_window = window is not None and window.open
    hurried = clocks.hurried(setup, state)
    return Lamps(
        turn=frozenset(map(deal.place, turn)),
        call=frozenset(map(deal.place, call if hurried is None else call | {hurried})),
        window=open_window,
        fault=fault,
        buzzer=fault or hurried is not None,
        wall=wall,
    )


def _wall_in_hand(state: TableState) -> int | None:
    """Return the place of the wall to which the oldest moving tile goes; the place within it is for the screen."""
    moving = (pending.command for pending in state.pending if isinstance(pending.command, Place | Release))
    return next((command.seat for command in moving), None)


def _lit_seats(setup: Setup, state: TableState) -> tuple[frozenset[Seat], frozenset[Seat]]:
    playing, hand, play_state = state.playing, state.playing.hand, state.playing.hand.play
    if playing.stage is PlayStage.TAKING and not setup.leaves(playing.deal):
        return frozenset(seat for seat in SEATS if sum(taken is seat for taken, _ in hand.taken) < HAND_TILES), frozenset()
    if playing.stage is PlayStage.SETTLING and hand.payments is not None:
        proposer = frozenset({hand.payments.seat})
        return (frozenset(SEATS) - proposer if hand.proposed else proposer), frozenset()
    if playing.stage is not PlayStage.PLAYING or play_state is None or playing.fouled:
        return frozenset(), frozenset()
    permissions = setup.rules.permissions(play_state)
    if permissions.turn_up is not None and playing.deal is not None:
        return frozenset(), frozenset({draw_gates.seat_of(playing.deal, permissions.turn_up)})
    if play_state.phase is Phase.SHOW:
        return _lit_to_show(play_state, permissions.show)
    turn, call = _lit_in_play(hand, play_state, permissions)
    return turn, call | permissions.left


def _lit_to_show(play: PlayState, seat: Seat | None) -> tuple[frozenset[Seat], frozenset[Seat]]:
    """A declared winner must show its hand; or, with all call lamps lit, every seat in turn."""
    if seat is None:
        return frozenset(), frozenset()
    return frozenset({seat}), frozenset({seat} if play.winner is seat else SEATS)


def _lit_in_play(hand: Hand, play: PlayState, permissions: Permissions) -> tuple[frozenset[Seat], frozenset[Seat]]:
    """Return the seat in turn, and the seats bound by their calls."""
    window = hand.window
    if window is not None:
        if window.open:
            return frozenset(), frozenset(window.bound)
        first = frozenset(window.granted[:1])
        return first, first
    called = hand.kong or hand.win or hand.riichi or (None if hand.claim is None else play.turn)
    if called is not None:
        return frozenset({called}), frozenset({called})
    drawing = play.phase is Phase.DRAW and hand.unlock is not None
    if drawing or permissions.discard is not None:
        return frozenset({play.turn}), frozenset()
    return frozenset(), frozenset()
