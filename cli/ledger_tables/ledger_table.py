"""One table without physics: the controller of a real table, with no person at its keys and no machine below it.

Journal, ledgers, deals from the vaults, seat check, claims, payments and rulings are the controller's own. What feeder, cameras and
players would do comes from ``steps``.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime

from cli.ledger_tables.steps import Step, hand_step, wall_step
from controller.adapters.clock import Clock
from controller.adapters.follower import Adapters, Follower, nothing
from controller.ledger.journal_events import Events
from controller.ledger.publisher import Publisher
from controller.state.messages import TimerFired
from controller.state.table_state import Setup, TableState
from controller.table_loop import Books, Deals, Table
from firmware_bridge.link.events import OperationRequest
from simulator.players.hand_in_memory import play_in_memory
from twinwall.game.play_events import PlayEvent
from twinwall.values import frozen
from twinwall.wire.events.wall_events import Building

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
        """The time of day."""
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        """No machine and no person is waited for."""
        return 0.0

    def start(self, timer: str, seconds: float, fire: Callable[[], None]) -> None:
        """Claim windows are closed by ``steps``; nothing else is timed."""

    def follower(self, post: Callable[[TimerFired], None]) -> Follower:
        """What follows the outputs with these."""
        return Follower(Adapters(self, nothing, nothing, nothing, self, self), post)


@frozen
class Pace:
    """How a table plays: ``speed`` times as fast as people do, with habits drawn from ``seed``."""

    seed: int
    speed: float


class LedgerPlay:
    """Plays one table until it is stopped; time comes from ``monotonic_s``."""

    def __init__(self, table: LedgerTable, setup: Setup, pace: Pace, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._table, self._setup, self._pace, self._monotonic_s = table, setup, pace, monotonic_s
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
                self._due[side] = step, now_s + step.after_s / self._pace.speed
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
            played = play_in_memory(setup.table, deal.walls, deal.hand, self._pace.seed, setup.rules, rest=deal.rest)
            self._played = deal.n, played.events
        return self._played[1]


def serve_alone(table: Table, publisher: Publisher) -> None:
    """Serve a table that has no machine and plays nothing by itself, until it has to stop, or to leave and no hand is in play."""
    follower = NoAdapters().follower(table.post)
    table.run(follower, publisher, _acknowledged)


def _acknowledged(_number: int) -> None:
    """There is no feeder that keeps events."""
