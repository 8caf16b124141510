"""What the table should be doing, as a function of what it knows.

Adapters compare this with what they are doing and follow. After a restart the same state gives
the same outputs again: operations are sent again under their numbers (the feeder answers from
memory), lamps are lit again, timers start anew. Nothing here looks at a concealed tile once the
wall is ready.
"""

from __future__ import annotations

from dataclasses import dataclass

from controller import build, play, survey
from controller.apply import DEAL_REFUSED
from controller.keys import Lamps
from controller.state import HAND_TILES, Pending, Setup, Stage, TableState
from twinwall.game.play import Phase
from twinwall.game.tiles import SEATS, Seat
from vision.mat import Slot

WINDOW, LEASE, STARVED, PAUSE, SHOW = "claim-window", "lease", "starved", "pause", "show"
PAUSE_S = 0.1
LEASE_SHARE = 0.5
"""An open draw gate is unlocked again when half its lease has passed."""


@dataclass(frozen=True, slots=True)
class Timer:
    """A length of time to be told of: in play time (which a rehearsal may scale), or in wall time for safety."""

    name: str
    seconds: float
    wall: bool


@dataclass(frozen=True, slots=True)
class Watch:
    """What to look for on the table: told when all ``slots`` hold a tile."""

    name: str
    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Outputs:
    """All that leaves the controller, but for the ledgers."""

    operations: tuple[Pending, ...]
    lamps: Lamps
    gate_frame: tuple[int, int] | None
    watch: Watch | None
    timers: tuple[Timer, ...]
    status: bool
    next_deal: bool


def outputs_of(setup: Setup, state: TableState) -> Outputs:
    """What should be going on in this state."""
    watched = play.watched(state)
    return Outputs(
        operations=state.pending,
        lamps=_lamps(setup, state),
        gate_frame=build.wants_frame(setup, state),
        watch=None if watched is None else Watch(*watched),
        timers=_timers(setup, state),
        status=survey.wants_status(state),
        next_deal=state.stage in (Stage.IDLE, Stage.CLOSED) and all(fault.code == DEAL_REFUSED for fault in state.faults),
    )


def _timers(setup: Setup, state: TableState) -> tuple[Timer, ...]:
    hand, deal = state.hand, state.deal
    timers = []
    if hand.window is not None and hand.window.open and deal is not None:
        timers.append(Timer(f"{WINDOW}:{deal.n}.{hand.window.number}", setup.claim_window_s, wall=False))
    if hand.unlock is not None:
        timers.append(Timer(f"{LEASE}:{hand.unlock}", setup.unlock_lease_s * LEASE_SHARE, wall=True))
    if state.build.starved and not state.build.decoys:
        timers.append(Timer(f"{STARVED}:{state.last_event}", setup.drum_empty_s, wall=True))
    watched = play.watched(state)
    if watched is not None and play.is_exposure(watched[0]) and not state.referee:
        timers.append(Timer(f"{SHOW}:{watched[0]}", setup.show_timeout_s, wall=True))
    if state.build.blocked:
        timers.append(Timer(f"{PAUSE}:{state.next_operation}", PAUSE_S, wall=True))
    return tuple(timers)


def _lamps(setup: Setup, state: TableState) -> Lamps:
    fault = bool(state.faults or state.referee or state.fouled)
    turn, call = _lit_seats(setup, state)
    deal, window = state.deal, state.hand.window
    if deal is None:
        return Lamps(fault=fault, buzzer=fault)
    open_window = window is not None and window.open
    return Lamps(
        turn=frozenset(map(deal.place, turn)),
        call=frozenset(map(deal.place, call)),
        window=open_window,
        fault=fault,
        buzzer=fault,
    )


def _lit_seats(setup: Setup, state: TableState) -> tuple[frozenset[Seat], frozenset[Seat]]:
    """Whose turn lamp and whose call lamp are lit."""
    hand, play_state = state.hand, state.hand.play
    if state.stage is Stage.TAKING:
        return frozenset(seat for seat in SEATS if sum(taken is seat for taken, _ in hand.taken) < HAND_TILES), frozenset()
    if state.stage is Stage.SETTLING and hand.payments is not None:
        proposer = frozenset({hand.payments.seat})
        return (frozenset(SEATS) - proposer if hand.proposed else proposer), frozenset()
    if state.stage is not Stage.PLAYING or play_state is None or state.fouled:
        return frozenset(), frozenset()
    window = hand.window
    if window is not None:
        if window.open:
            return frozenset(), frozenset(window.bound)
        first = frozenset(window.granted[:1])
        return first, first
    if play_state.phase is Phase.SHOW and play_state.winner is not None:
        return frozenset({play_state.winner}), frozenset({play_state.winner})
    drawing = play_state.phase is Phase.DRAW and hand.unlock is not None
    discarding = setup.rules.permissions(play_state).discard
    if drawing or discarding is not None:
        return frozenset({play_state.turn}), frozenset()
    return frozenset(), frozenset()
