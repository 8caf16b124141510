"""One table without physics: the controller of a real table, with no person at its keys and no machine below it. Journal, ledgers, deals
from the vaults, seat check, claims, payments and rulings are the controller's own. What feeder, cameras and players would do follows from
the table's state alone. A step is either a message for the controller (a key, a timer) or the events that feeder and cameras would have led
to. The times are those of people at a table; a faster play divides them. Pure."""

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from controller.adapters.clock import Clock
from controller.adapters.follower import Adapters, Follower, nothing
from controller.hand.play import CALLS
from controller.ledger.journal_events import Events, HandTileTaken, OperationDone, OperationIssued
from controller.ledger.publisher import Publisher
from controller.state.messages import ClaimWindowTimer, KeyPressed, Message, TimerFired
from controller.state.sides import HAND_TILES, OpenDeal, PlayStage, WallStage, Window
from controller.state.table_state import Setup, TableState, may_begin
from controller.table_loop import Books, Deals, Table
from firmware_bridge.link.events import OperationRequest
from firmware_bridge.messages import Raise
from simulator.players.hand_in_memory import play_in_memory
from twinwall.game.play import PlayState
from twinwall.game.play_events import (
    Claim,
    Claimed,
    HandRuledDead,
    KongDeclared,
    PenaltyRuled,
    PlayEvent,
    ResultExcluded,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
)
from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen
from twinwall.wire.events.hand_events import GateUnlocked, KongCalled, RiichiCalled, SharedTileLifted
from twinwall.wire.events.wall_events import Building, Cleared, ClearingBegan, WallRaised, WallReady
from twinwall.wire.shapes.panel import Key

PROGRESS_EVERY = 34
"""Tiles between two lines that say how far a wall is built."""
TILE_S = 0.6
"""A tile's way through the gate, as at the reference table."""
TAKING_S, CLEARING_S, DRAW_S, DISCARD_S, CALL_S, LAY_S, SHOW_S, CONFIRM_S = 20.0, 25.0, 1.5, 4.0, 1.0, 2.0, 8.0, 5.0
_KEYS: Mapping[Claim, Key] = {claim: key for key, claim in CALLS.items()}
_RULED = (PenaltyRuled, HandRuledDead, ResultExcluded)


@frozen
class Step:
    """What happens ``after_s`` seconds of play: a message for the controller, or events that need no decision of it."""

    after_s: float
    message: Message | None = None
    events: Events = ()


def wall_step(setup: Setup, state: TableState, placed: int) -> Step | None:
    """What the machine does next, when ``placed`` tiles are in place; None while it waits for a deal or for the hand in play."""
    making = state.making
    if making.deal is None:
        return None
    match making.stage:
        case WallStage.BUILDING if placed < len(making.deal.positions):
            to = min(placed + PROGRESS_EVERY, len(making.deal.positions))
            return Step((to - placed) * TILE_S, events=(Building(to, len(making.deal.positions)),))
        case WallStage.BUILDING:
            return Step(TILE_S, events=(WallReady(making.deal.n, making.deal.check, making.deal.digest),))
        case WallStage.READY if _may_rise(setup, state):
            return Step(CLEARING_S, events=_raising(state, making.deal))
        case _:
            return None


def _may_rise(setup: Setup, state: TableState) -> bool:
    free = state.playing.stage in (PlayStage.NONE, PlayStage.CLOSED)
    return free and may_begin(setup, state.seats, paused=state.paused)


def _raising(state: TableState, deal: OpenDeal) -> Events:
    """The table is cleared of the hand before, if there was one, and the walls rise."""
    tiles = len(deal.positions)
    cleared = (ClearingBegan(deal.n, 0), Cleared(deal.n, tiles)) if state.playing.stage is PlayStage.CLOSED else ()
    operation = state.next_operation
    return *cleared, OperationIssued(operation, Raise(), None), OperationDone(operation, "ok"), WallRaised(deal.n)


def hand_step(setup: Setup, state: TableState, hand: tuple[PlayEvent, ...]) -> Step | None:
    """What the players do next, ``hand`` being the whole hand as they play it; None while no hand is in play or they wait."""
    playing = state.playing
    if playing.deal is None or playing.halted:
        return None
    match playing.stage:
        case PlayStage.TAKING:
            return _taking(setup, state)
        case PlayStage.PLAYING:
            return _playing(setup, state, playing.deal, hand)
        case PlayStage.SETTLING:
            return _settling(state, playing.deal)
        case PlayStage.NONE | PlayStage.CLOSED:
            return None


def _taking(setup: Setup, state: TableState) -> Step | None:
    if state.playing.hand.taken or not may_begin(setup, state.seats, paused=state.paused):
        return None
    return Step(TAKING_S, events=tuple(HandTileTaken(seat, index) for seat in SEATS for index in range(HAND_TILES)))


def _playing(setup: Setup, state: TableState, deal: OpenDeal, hand: tuple[PlayEvent, ...]) -> Step | None:
    play, window = state.playing.hand.play, state.playing.hand.window
    done = sum(not isinstance(event, _RULED) for event in state.playing.hand.events)
    if play is None or done >= len(hand):
        return None
    coming = hand[done]
    if window is not None and window.open:
        return _in_window(setup, deal, window, coming)
    if setup.rules.illegal(play, coming) is not None:  # a ruling has changed the hand: the referee ends it
        return Step(CALL_S, KeyPressed(deal.place(play.turn), Key.REFEREE))
    return _at_turn(deal, play, coming)


def _in_window(setup: Setup, deal: OpenDeal, window: Window, coming: PlayEvent) -> Step:
    """Claims are open: who wants the tile presses its key, then the window has its length."""
    called = _called(coming)
    if called is not None and called[0] not in window.bound:
        return Step(CALL_S, KeyPressed(deal.place(called[0]), _KEYS[called[1]]))
    return Step(setup.claim_window_s - CALL_S * bool(window.bound), TimerFired(ClaimWindowTimer(deal.n, window.number)))


def _called(coming: PlayEvent) -> tuple[Seat, Claim] | None:
    match coming:
        case Claimed(seat, meld):
            return seat, Claim(meld.type.value)
        case WinDeclared(seat, source, _) if source is not None:
            return seat, Claim.WIN
        case _:
            return None


def _at_turn(deal: OpenDeal, play: PlayState, coming: PlayEvent) -> Step:
    match coming:
        case TileDrawn(seat):
            return Step(DRAW_S, events=(GateUnlocked(seat), coming))
        case TileDiscarded(seat, riichi=riichi):
            return Step(DISCARD_S, events=(*((RiichiCalled(seat),) if riichi else ()), coming))
        case KongDeclared(seat):
            return Step(LAY_S, events=(KongCalled(seat), coming))
        case SharedTileTurned():
            return Step(LAY_S, events=(SharedTileLifted(play.turn), coming))
        case WinDeclared(seat, None, None):
            return Step(CALL_S, KeyPressed(deal.place(seat), Key.WIN))
        case Claimed():
            return Step(LAY_S, events=(coming,))
        case _:
            return Step(SHOW_S, events=(coming,))


def _settling(state: TableState, deal: OpenDeal) -> Step | None:
    """The winner enters the payments, and the player at the next place confirms them."""
    payments = state.playing.hand.payments
    if payments is None:
        return None
    place = deal.place(payments.seat)
    return Step(CONFIRM_S, KeyPressed((place + state.playing.hand.proposed) % len(SEATS), Key.CONFIRM))


IDLE_S = 0.2
"""So long a table waits at a time for a message when nothing is due."""


class LedgerTable(Table):
    """A controller to which things happen without anything that senses them."""

    def __init__(self, setup: Setup, books: Books, deals: Deals, clock: Clock, version: str) -> None:
        super().__init__(setup, books, deals, clock, version)
        self.placed = 0
        """Tiles of the wall in the making that are in their places."""

    def happen(self, events: Events) -> None:
        """What feeder and cameras would have led to has happened."""
        self.placed = next((event.placed for event in events if isinstance(event, Building)), self.placed)
        self._record(events)


class NoAdapters:
    """The adapters of a table without physics: whatever the controller asks of feeder and clocks has no effect."""

    def submit(self, request: OperationRequest) -> None:
        """No feeder takes it."""

    def request_status(self) -> None:
        """There are no sensors."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        """No machine and no person is waited for."""
        return 0.0

    def start(self, timer: str, seconds: float, fire: Callable[[], None]) -> None:
        """Claim windows are closed by ``steps``; nothing else is timed."""

    def follower(self, post: Callable[[TimerFired], None]) -> Follower:
        """What follows the outputs with these."""
        return Follower(Adapters(self, nothing, nothing, nothing, self, self), post)


class LedgerPlay:
    """Plays one table until it is stopped, ``speed`` times as fast as people do, with habits drawn from ``seed``."""

    def __init__(
        self, table: LedgerTable, setup: Setup, seed: int, speed: float, monotonic_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._table, self._setup, self._seed, self._speed, self._monotonic_s = table, setup, seed, speed, monotonic_s
        self._due: dict[str, tuple[Step, float]] = {}
        self._played: tuple[int, tuple[PlayEvent, ...]] = (0, ())
        self._building = 0

    def run(self, publisher: Publisher) -> None:
        """Serve the table until it has to stop, or to leave and no hand is in play."""
        follower = NoAdapters().follower(self._table.post)
        while self._table.step(follower, publisher, _acknowledged, self.advance()):
            pass

    def advance(self) -> float:
        """Do what is due; how many seconds until something is due again."""
        state, now_s = self._table.state, self._monotonic_s()
        self._note(state)
        wanted = {"wall": wall_step(self._setup, state, self._table.placed), "hand": hand_step(self._setup, state, self._hand(state))}
        for side, step in wanted.items():
            if step is None:
                self._due.pop(side, None)
            elif self._due.get(side, (None, 0.0))[0] != step:
                self._due[side] = step, now_s + step.after_s / self._speed
        side, (step, due_s) = min(self._due.items(), key=lambda each: each[1][1], default=("", (Step(0.0), now_s + IDLE_S)))
        if side and due_s <= now_s:
            del self._due[side]
            self._do(step)
            return 0.0
        return min(IDLE_S, max(0.0, due_s - now_s))

    def _do(self, step: Step) -> None:
        if step.message is not None:
            self._table.handle(step.message)
        else:
            self._table.happen(step.events)

    def _note(self, state: TableState) -> None:
        """Another wall is begun: none of its tiles is placed."""
        making = state.making.deal
        if making is not None and making.n != self._building:
            self._building, self._table.placed = making.n, 0

    def _hand(self, state: TableState) -> tuple[PlayEvent, ...]:
        """The whole hand of the deal in play, as those who sit there play it."""
        deal = state.playing.deal
        if deal is None:
            return ()
        if self._played[0] != deal.n:
            setup = self._setup
            played = play_in_memory(setup.table, deal.walls, deal.hand, self._seed, setup.rules, rest=deal.rest)
            self._played = deal.n, played.events
        return self._played[1]


def serve_alone(table: Table, publisher: Publisher) -> None:
    """Serve a table that has no machine and plays nothing by itself, until it has to stop, or to leave and no hand is in play."""
    follower = NoAdapters().follower(table.post)
    table.run(follower, publisher, _acknowledged)


def _acknowledged(_number: int) -> None:
    """There is no feeder that keeps events."""
