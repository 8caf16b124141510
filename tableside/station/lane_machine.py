"""The machine that brings tiles to a station: its gate stands in place of the frame, and it leads each tile into the lane of a seat.

The station's firmware still has people in place of sensors. What it drives at the gate goes to the machine's board as operations, without
I/O here. Where one of these does not end well it is unknown where its tile is: the station then begins again, as after a power cut.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from firmware_bridge.electrics.edges import GateReading
from firmware_bridge.link.events import Done, FeederEvent, FeederStatus, LinkDown, LinkUp, OperationRefused, OperationRequest
from firmware_bridge.messages import (
    Clear,
    CloseWell,
    Command,
    Estop,
    Fault,
    FaultCode,
    Feed,
    Flags,
    Hold,
    Lid,
    OpenWell,
    Place,
    Recirculate,
    Reject,
    Result,
    TileAtGate,
)
from tableside.station.manual_feeder import ManualFeeder

TILE_ORDERS = (Place, Recirculate, Reject)
_UNMEASURED = GateReading(0, 0, 0, returned=False)
"""A tile that was in the gate before the station: it goes back to the drum."""


@dataclass(slots=True)
class LaneMachine:
    """What is known of the machine; ``submit`` and ``request_status`` reach its board."""

    submit: Callable[[OperationRequest], None]
    request_status: Callable[[], None]
    _reading: GateReading | None = None
    """Of the tile in its gate."""
    _led: bool = False
    """A tile has come where it was led to, and out of its lane."""
    _doubt: bool = False
    _empty: bool = False
    _heard: bool = False
    """Its state is known."""
    _feeds: bool = False
    _opened: bool = False
    _last: int = 0
    _open: dict[int, Command] = field(default_factory=dict)
    """Operations that have not ended."""
    _asked: bool = False
    """People have been asked for what was on its way, since that was in doubt."""
    _faults: set[FaultCode] = field(default_factory=set)

    def order(self, command: Command) -> None:
        """Have something done, under the next number."""
        self._last += 1
        self._open[self._last] = command
        if isinstance(command, TILE_ORDERS):
            self._reading = None
        self.submit(OperationRequest(self._last, command))

    def take(self, event: FeederEvent) -> None:
        """What the line to the board says."""
        match event:
            case LinkUp():
                self._last = max(self._last, event.last_operation)
                self._doubt = self._doubt or bool(event.unknown)
                for number in event.unknown:
                    self._open.pop(number, None)
                self.request_status()
            case LinkDown():
                self._heard = False
            case FeederStatus():
                self._take_status(event)
            case TileAtGate():
                self._reading = GateReading(event.width, event.edges, event.back, returned=False)
                self.request_status()
            case Done() | OperationRefused():
                self._end(event)
            case Fault() | Lid(open=True) | Estop(on=True):
                self._faults.add(event.code if isinstance(event, Fault) else FaultCode.LID if isinstance(event, Lid) else FaultCode.ESTOP)
                self._doubt = True
            case _:
                pass

    def attend(self, person: ManualFeeder, now_s: float) -> bool:
        """Let the manual feeder and the machine follow each other; whether the station has to begin again."""
        if person.recovers:
            self._forget_tiles()
        if self._led:
            self._led = False
            person.led(now_s)
        if self._reading is not None:
            person.shown(now_s, reading=self._reading)
        doubt, self._doubt = self._doubt or person.doubts, False
        if not doubt:
            person.emptied(now_s, none_left=self._empty)
            self._follow(person)
        return doubt

    def _follow(self, person: ManualFeeder) -> None:
        """Have drum and door run as they are wanted, and go on after a fault when people have done what was asked for."""
        self._asked = self._asked or person.recovers
        if not self._heard or self.moving():
            return
        if self._faults and self._asked and not person.recovers:
            for fault in sorted(self._faults):
                self.order(Clear(fault))
            self._faults.clear()
        elif not self._faults and self._opened is not person.opens:
            self._opened, self._feeds = person.opens, False
            self.order(OpenWell() if person.opens else CloseWell())
        elif not self._faults and self._feeds is not person.feeds:
            self._feeds = person.feeds
            self.order(Feed() if person.feeds else Hold())

    def moving(self) -> set[int]:
        """Operations after which alone the next one can be ordered."""
        return {number for number, command in self._open.items() if not isinstance(command, TILE_ORDERS)}

    def _take_status(self, status: FeederStatus) -> None:
        self._empty = status.drum_empty
        if self._heard:
            return
        self._heard = True
        self._feeds, self._opened = Flags.FEEDING in status.flags, Flags.WELL_OPEN in status.flags
        self._faults |= status.faults
        self._doubt = self._doubt or bool(self._faults)
        if status.gate_occupied and self._reading is None:
            self._reading = _UNMEASURED

    def _end(self, event: Done | OperationRefused) -> None:
        command = self._open.pop(event.operation, None)
        good = isinstance(event, Done) and event.result is Result.OK
        if command is None:
            return
        self._led = self._led or (good and isinstance(command, TILE_ORDERS))
        self._heard = self._heard and good and not isinstance(command, Clear)
        self._doubt = self._doubt or not good or isinstance(command, Clear)  # a machine that stood still could not open its well
        self.request_status()

    def forget(self) -> None:
        """The station begins again."""
        self._forget_tiles()
        self._asked = False

    def _forget_tiles(self) -> None:
        """People put back what was on its way: how it ends is no matter any more."""
        self._open = {number: self._open[number] for number in self.moving()}
        self._led = False
