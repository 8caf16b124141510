"""Test deal: builds a wall for no hand, returns each tile to the reading gate, and reads it a second time.

The controller's own build runs until the wall is ready. Then every position is RETURNed and read again. A difference means that a tile was
misread once or is in a wrong place. A test deal writes no journal and raises no wall.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from controller.adapters.clock import Clock
from controller.adapters.follower import Adapters, FeederPort, Follower, nothing
from controller.core.apply import apply
from controller.core.decide import decide, due_events
from controller.core.outputs import outputs_of
from controller.ledger.journal_events import Events, TileRead
from controller.state.messages import GateLook, GateSeen, Message, Refused, StatusTimer, TimerFired
from controller.state.sides import OpenDeal, Position, WallStage
from controller.state.table_state import Setup, TableState
from firmware_bridge.link import events as feeder
from firmware_bridge.link.events import OperationRequest
from firmware_bridge.messages import (
    ALL_SEATS,
    Clear,
    Command,
    Container,
    DeviceEvent,
    Dump,
    FaultCode,
    Hold,
    Recirculate,
    Return,
    TileAtGate,
)
from twinwall.game.tiles import Tile
from twinwall.values import frozen
from twinwall.wire.events.wall_events import ControllerStarted

_ANSWER_S = 30.0
"""Longer than any motion of the machine."""
_LINK_S = 15.0
_TURN_S = 0.2

Wanted = TypeVar("Wanted", bound=Message)


class TrialError(Exception):
    """A test deal could not be finished; the message says why."""


@frozen
class TrialReport:
    """Result of one test deal; positions are (place 0–3, index)."""

    build_s: float
    read_back_s: float
    shown: int
    """Tiles that came to the gate during the build."""
    refused: int
    """Those that were not read at their first look."""
    positions: int
    agreed: int
    differing: tuple[Position, ...]
    unread: tuple[Position, ...]
    """Positions whose tile could not be read on its return."""
    faults: tuple[str, ...]
    """Codes of the faults that called staff during the build."""

    @property
    def good(self) -> bool:
        """Whether no second reading differs."""
        return not self.differing


@dataclass
class Trial:
    """Test deals on one machine, one after the other. ``take``: the next message of feeder, gate camera and clock, or None after these
    seconds; ``tell``: progress. A build that is not ready after ``patience_s`` is given up."""

    setup: Setup
    port: FeederPort
    acknowledge: Callable[[int], None]
    gate: Callable[[GateLook, int], None]
    clock: Clock
    take: Callable[[float], Message | None]
    post: Callable[[Message], None]
    tell: Callable[[str], None]
    monotonic_s: Callable[[], float]
    patience_s: float = 300.0
    _state = TableState()
    _operation = _shown = _refused = 0
    _faults: set[str] = field(default_factory=set, init=False)
    _up: feeder.LinkUp | None = field(default=None, init=False)

    def run(self, deal: OpenDeal) -> TrialReport:
        """Build a deal, read it again, and return every tile to the drum; raises TrialError if that is impossible."""
        up = self._met()
        self._empty()
        begun_s = self.monotonic_s()
        placed = self._build(deal, up)
        self._operation = self._state.next_operation
        built_s = self.monotonic_s()
        self._do(Hold())
        differing, unread = self._read_back(placed)
        self._empty()
        return TrialReport(
            build_s=round(built_s - begun_s, 1),
            read_back_s=round(self.monotonic_s() - built_s, 1),
            shown=self._shown,
            refused=self._refused,
            positions=len(placed),
            agreed=len(placed) - len(differing) - len(unread),
            differing=tuple(differing),
            unread=tuple(unread),
            faults=tuple(sorted(self._faults)),
        )

    def _met(self) -> feeder.LinkUp:
        if self._up is None:
            self._up = self._wait(feeder.LinkUp, _LINK_S, "the feeder does not answer")
            self._operation = self._up.last_operation
        return self._up

    def _empty(self) -> None:
        """Return everything to the drum, except tiles at the gate, and clear standing faults."""
        for code in sorted(self._status().faults - {FaultCode.NONE}):
            self._do(Clear(code))
        self._do(Hold())
        for container in (Container.TRAY, Container.MAGAZINE):
            self._do(Dump(container, ALL_SEATS))

    def _read_back(self, placed: dict[Position, Tile]) -> tuple[list[Position], list[Position]]:
        """Return every position, upper places first, and list those that differ and those not read."""
        differing, unread = [], []
        for gate in sorted(self._status().gates):
            self._do(Recirculate(gate))
        for count, position in enumerate(sorted(placed), start=1):
            seen = self._seen_again(position)
            if seen is None:
                unread.append(position)
            elif seen is not placed[position]:
                differing.append(position)
            self._do(Recirculate(self.setup.capabilities.gate_of_seat(position[0])))
            if count % 34 == 0:
                self.tell(f"{count} of {len(placed)} read again")
        return differing, unread

    def _status(self) -> feeder.FeederStatus:
        self.port.request_status()
        return self._wait(feeder.FeederStatus, _ANSWER_S, "the feeder does not tell its status")

    def _seen_again(self, position: Position) -> Tile | None:
        operation = self._order(Return(*position))
        tile: TileAtGate | None = None
        ended = False
        while tile is None or not ended:
            message = self._wait(
                (TileAtGate, feeder.Done, feeder.OperationRefused), _ANSWER_S, f"{position} does not come back to the gate"
            )
            if isinstance(message, TileAtGate):
                tile = message if message.operation == operation else tile
            else:
                ended |= self._ended(message, operation, Return(*position))
        for frame in range(self.setup.frames_before_recirculating):
            self.gate(GateLook(tile.number, tile.back, gate=tile.gate, frame=frame), time.monotonic_ns())
            seen = self._wait(GateSeen, _ANSWER_S, "the gate camera gives no reading")
            if seen.read.tile is not None:
                return seen.read.tile
        return None

    def _order(self, command: Command) -> int:
        self._operation += 1
        self.port.submit(OperationRequest(self._operation, command))
        return self._operation

    def _do(self, command: Command) -> None:
        operation = self._order(command)
        while not self._ended(self._wait((feeder.Done, feeder.OperationRefused), _ANSWER_S, f"{command} does not end"), operation, command):
            pass

    @staticmethod
    def _ended(message: Message, operation: int, command: Command) -> bool:
        if isinstance(message, feeder.OperationRefused) and message.operation == operation:
            raise TrialError(f"the feeder refuses {command}: {message.code.name}")
        return isinstance(message, feeder.Done) and message.operation == operation

    def _wait(self, kind: type[Wanted] | tuple[type[Wanted], ...], within_s: float, otherwise: str) -> Wanted:
        """Return the next message of a kind; acknowledge the feeder's events meanwhile."""
        end_s = self.monotonic_s() + within_s
        while self.monotonic_s() < end_s:
            message = self.take(_TURN_S)
            if isinstance(message, DeviceEvent):
                self.acknowledge(message.number)
            if isinstance(message, kind):
                return message
        raise TrialError(f"{otherwise}, {within_s:g} s long")

    def _build(self, deal: OpenDeal, up: feeder.LinkUp) -> dict[Position, Tile]:
        """Build by the controller's own functions, without journal and ledgers, until the wall is ready; return each position's tile."""
        self._follower = Follower(Adapters(self.port, nothing, self.gate, nothing, self.clock, self.clock), self.post)
        started = ControllerStarted("trial", "trial", resumed=False, first_operation=self._operation + 1)
        self._state = apply(self.setup, TableState(), started)
        self._shown, self._refused, self._faults = 0, 0, set()
        end_s = self.monotonic_s() + self.patience_s
        self._take(up)
        self._take(deal)
        while self._state.making.stage is not WallStage.READY:
            self._follower.carry_out(outputs_of(self.setup, self._state))
            self.acknowledge(self._state.last_event)
            message = self.take(_TURN_S)
            if message is not None:
                self._take(message)
            if self.monotonic_s() > end_s:
                placed, called = len(self._state.making.build.placed), ", ".join(sorted(self._faults)) or "there was no call"
                raise TrialError(f"the wall was not ready after {self.patience_s:g} s: {placed} positions filled, {called}")
        return dict(self._state.making.build.placed)

    def _take(self, message: Message) -> None:
        self._note(message)
        decision = decide(self.setup, self._state, message)
        self._apply(() if isinstance(decision, Refused) else decision)
        while self._state.making.stage is not WallStage.READY and (events := due_events(self.setup, self._state)):
            self._apply(events)
        for fault in self._state.faults:
            if fault.code not in self._faults:
                self.tell(f"{fault.code}: {fault.sentence}")
                self._faults.add(fault.code)

    def _apply(self, events: Events) -> None:
        for event in events:
            self._state = apply(self.setup, self._state, event)

    def _note(self, message: Message) -> None:
        match message:
            case TileAtGate():
                self._shown += 1
            case GateSeen(GateLook(frame=0), TileRead(tile=None)):
                self._refused += 1
            case TimerFired(StatusTimer()):
                self._follower.status_due()
            case feeder.FeederStatus() | feeder.LinkDown():
                self._follower.status_came()
