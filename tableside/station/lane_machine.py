"""The machine that brings tiles to a station: its gate replaces the frame, and it leads each tile into the lane of a seat. The station's
firmware still has people in place of sensors. Its drives at the gate go to the machine's board as operations, without I/O here. If an
operation fails, the place of its tile is unknown, and the station begins again as after a power cut. While the machine cannot continue, the
screen says what people have to do."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from firmware_bridge.electrics.wired_machine import GateReading
from firmware_bridge.link.events import Done, FeederEvent, FeederStatus, LinkDown, LinkUp, NotAFeeder, OperationRefused, OperationRequest
from firmware_bridge.messages import (
    Clear,
    CloseWell,
    Command,
    Fault,
    FaultCode,
    Feed,
    Flags,
    Hold,
    NakCode,
    OpenWell,
    Place,
    Recirculate,
    Reject,
    Result,
    TileAtGate,
    Where,
)
from tableside.station.manual_feeder import ManualFeeder
from tableside.station.tasks import IN_HAND, INTO_WELL, Do, Task

log = logging.getLogger(__name__)
TILE_ORDERS = (Place, Recirculate, Reject)
_STUCK: Mapping[int, Do] = {Where.GATE: Do.FREE_GATE, Where.DIVERTER: Do.FREE_DIVERTER, Where.DRUM: Do.FREE_DRUM, Where.WELL: Do.FREE_WELL}


@dataclass(slots=True)
class LaneMachine:
    """The known state of the machine; ``submit`` and ``request_status`` reach its board."""

    submit: Callable[[OperationRequest], None]
    request_status: Callable[[], None]
    _reading: GateReading | None = None
    """Of the tile in its gate."""
    _led: bool = False
    """Whether a tile has come to its destination and out of its lane."""
    _again: Place | None = None
    """An order refused because something is in its lane: its tile is still in the gate, and goes there once the lane is free."""
    _last_of: dict[int, int] = field(default_factory=dict)
    """Each seat's place for the last tile out of its lane."""
    _doubt: bool = False
    _empty: bool = False
    _heard: bool = False
    """Whether its state is known."""
    _feeds: bool = False
    _opened: bool = False
    _last: int = 0
    _open: dict[int, Command] = field(default_factory=dict)
    """Operations that have not ended."""
    _faults: dict[FaultCode, int] = field(default_factory=dict)
    """Each fault with its place; the table if that is unknown."""
    _held: Do | None = Do.CONNECT
    """What to do about its halt, or about a silent board."""
    _period_s: float = 1.75
    """Time from tile to tile, from the board."""
    _ask_s: float = 0.0
    """When its state is asked for next."""
    _brought_s: float = 0.0
    """When there last was a tile, or none was wanted."""

    def order(self, command: Command) -> None:
        """Order something under the next number."""
        self._last += 1
        self._open[self._last] = command
        if isinstance(command, TILE_ORDERS):
            self._reading = None
        self.submit(OperationRequest(self._last, command))

    def take(self, event: FeederEvent) -> None:
        """Handle an event of the line to the board."""
        match event:
            case LinkUp():
                self._last = max(self._last, event.last_operation)
                self._period_s = event.capabilities.gate_period_ms / 1000
                lost = self._again is not None and not event.same_boot  # meanwhile another tile may have come into its gate
                self._again = None if lost else self._again
                self._doubt |= bool(event.unknown) or lost
                for number in event.unknown:
                    self._open.pop(number, None)
            case LinkDown() | NotAFeeder():
                log.error("the machine with lanes: %s", event.reason)
                self._heard, self._held = False, Do.CONNECT if isinstance(event, LinkDown) else Do.EXCHANGE
            case FeederStatus():
                self._take_status(event)
            case TileAtGate() if self._again is None:
                self._reading = GateReading(event.width, event.edges, event.back)
            case Done() | OperationRefused():
                self._end(event)
            case Fault():
                log.error("the machine with lanes: %s, where %d (PROTOCOL.md)", event.code.name, event.where)
                self._faults[event.code] = event.where
                self._doubt = True
        if not isinstance(event, FeederStatus):
            self.request_status()

    def attend(self, person: ManualFeeder, now_s: float) -> bool:
        """Let the manual feeder and the machine follow each other; return whether the station must begin again."""
        if person.state.doing is Do.RECOVER:  # people put back what was on its way: how it ends is no matter any more
            self._open = {number: self._open[number] for number in self.moving()}
            self._led, self._again = False, None
            self._last_of.clear()
        if self._led and person.state.doing in IN_HAND:  # the station may learn later than the machine where its tile goes
            self._led = False
            person.led(now_s)
            if person.state.late is not None:
                self._last_of.update([person.state.late])
        if self._reading is not None:
            person.shown(now_s, reading=self._reading)
        if now_s >= self._ask_s:
            self._ask_s = now_s + self._period_s
            self.request_status()
        doubt, self._doubt = self._doubt or person.state.doubts, False
        if not doubt:
            person.emptied(now_s, none_left=self._empty)
            self._follow(person)
        if not self._empty or person.task.do is not Do.SHOW:
            self._brought_s = now_s
        return doubt

    def task(self, person: ManualFeeder, now_s: float) -> Task:
        """The screen's request, of the manual feeder or of the machine; touches do not concern what the machine leads."""
        task = person.task
        if task.do is Do.RAISE:
            return task
        if self._held is not None:
            return Task(self._held)
        if self._faults:
            stuck = (_STUCK[where] for where in self._faults.values() if where in _STUCK)
            return Task(next(stuck, Do.LOOK), task.number if task.do is Do.RECOVER else 0)
        if self._again is not None:
            seat = self._again.seat
            return Task(Do.EMPTY_LANE, 0, seat, self._last_of.get(seat, -1))
        if task.do in INTO_WELL and (not self._opened or self.moving()):
            return Task(Do.REST)
        if self._empty and task.do is Do.SHOW and now_s - self._brought_s > self._period_s:
            return Task(Do.FILL)
        if task.do is Do.PUT:
            return replace(task, number=0)
        return Task(Do.READING) if task.do in IN_HAND | {Do.SHOW, Do.FETCH} else task

    def confirm(self, person: ManualFeeder, number: int, now_s: float, missing: int = 0) -> bool:
        """As ``ManualFeeder.confirm``; or the machine's halt has been dealt with, if the screen asks for that."""
        shown = self.task(person, now_s)
        if number != person.task.number or (shown.do is person.task.do and shown.number):
            return person.confirm(number, now_s, missing)
        clears = [Clear(fault) for fault in sorted(self._faults) if shown.number]
        for clear in clears:
            self.order(clear)
        return bool(clears)

    def _follow(self, person: ManualFeeder) -> None:
        if not self._heard or self._faults or self.moving():
            return
        state = person.state
        opens = state.memory.door_open or state.doing in INTO_WELL
        if self._opened is not opens:
            self._opened, self._feeds = opens, False
            self.order(OpenWell() if opens else CloseWell())
        elif self._feeds is not state.feeds:
            self._feeds = state.feeds
            self.order(Feed() if state.feeds else Hold())

    def moving(self) -> set[int]:
        """Operations that must end before the next one can be ordered."""
        return {number for number, command in self._open.items() if not isinstance(command, TILE_ORDERS)}

    def _take_status(self, status: FeederStatus) -> None:
        self._empty = status.drum_empty
        self._held = Do.RELEASE_STOP if Flags.ESTOP in status.flags else Do.SHUT_LID if Flags.LID_OPEN in status.flags else None
        self._doubt |= bool(status.faults - self._faults.keys())
        self._faults = {code: self._faults.get(code, Where.TABLE) for code in status.faults}
        again = self._again
        if again is not None and again.seat not in status.bypass and not status.report.waiting[again.seat]:
            self._again = None
            self.order(again)
        if self._heard or self.moving():  # what is under way tells where its door ends
            return
        self._heard = True
        self._feeds, self._opened = Flags.FEEDING in status.flags, Flags.WELL_OPEN in status.flags
        if status.gate_occupied and self._reading is None and self._again is None and not self._open:
            self._reading = GateReading(0, 0, 0)  # it was there before the station, and goes back to the drum

    def _end(self, event: Done | OperationRefused) -> None:
        command = self._open.pop(event.operation, None)
        if command is None:
            return
        if isinstance(command, Place) and isinstance(event, OperationRefused) and event.code is NakCode.OCCUPIED:
            self._again = command
            return
        good = isinstance(event, Done) and event.result is Result.OK
        clears = isinstance(command, Clear)
        self._led |= good and isinstance(command, TILE_ORDERS)
        self._heard &= good and not clears
        self._doubt |= not (good or clears)
