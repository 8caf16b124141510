"""A host link and the feeder's firmware joined by a line that can be bad, all in simulated time."""

import heapq
from collections.abc import Callable
from random import Random
from typing import Self, TypeVar

from firmware_bridge.board.table_record import LANE_SIZES
from firmware_bridge.electrics.wired_core import Electrics, WiredCore
from firmware_bridge.link.events import Done, FeederEvent, FeederStatus, LinkUp, OperationRefused, OperationRequest
from firmware_bridge.link.session import FeederLink, KnownBoot, LinkSettings
from firmware_bridge.messages import (
    BringUp,
    Clear,
    Command,
    DeviceEvent,
    Fault,
    FaultCode,
    Feed,
    FeederState,
    Hold,
    Lid,
    NakCode,
    Place,
    Raise,
    Result,
    Stop,
    TileAtGate,
)
from simulator.feeder_simulator import CoreFirmware
from simulator.mechanics import FaultPlan, Mechanics, MechanicsSettings
from simulator.tabletop import PhysicalTile, tile_set
from tests.support.narrowed import of_type

Disturbance = Callable[[bytes, Random], list[tuple[float, bytes]]]
"""What a line makes of a piece of bytes: pieces with a delay in seconds each."""

LINE_DELAY_S = 0.001
READABLE = FaultPlan(unread=0.0)
FAST = MechanicsSettings(speed=20.0)
LANES = MechanicsSettings(lanes=True, **LANE_SIZES)

Wanted = TypeVar("Wanted", bound=FeederEvent)


def clean(piece: bytes, _random: Random) -> list[tuple[float, bytes]]:
    """A line that does nothing to its bytes."""
    return [(0.0, piece)]


class FineFirmware(CoreFirmware):
    """Lets no more than a millisecond pass at a time."""

    look_ahead_s = 0.001


class Pair:
    """Host and feeder; time passes from one due moment to the next, in ``run_until`` alone."""

    kind: type[CoreFirmware] = CoreFirmware
    boot_id = 7000

    def __init__(
        self,
        *,
        machine: MechanicsSettings = FAST,
        tiles: tuple[PhysicalTile, ...] | None = None,
        faults: FaultPlan = READABLE,
        seed: int = 1,
        line: Disturbance = clean,
        settings: LinkSettings | None = None,
        known: KnownBoot | None = None,
    ) -> None:
        self.now_s = 100.0
        self.machine = machine
        self.mechanics = Mechanics(machine, faults, tile_set(0) if tiles is None else tiles, seed, self.now_s)
        self.wires = Electrics(self.mechanics, 1, self.now_s, in_step=True)
        self.firmware = self._boot()
        self.line = line
        self.cut = False
        """Nothing passes any more, in either direction."""
        self.auto_acknowledge = True
        self.events: list[FeederEvent] = []
        self.on_event: Callable[[FeederEvent], None] = lambda _event: None
        self.operation = 0
        self._random = Random(seed)
        self._on_the_way: list[tuple[float, int, bool, bytes]] = []
        self._pieces = 0
        self.restart_host(settings, known)

    # Accidents --------------------------------------------------------------------------------------

    def reboot(self) -> None:
        """The firmware loses power and comes back."""
        self.boot_id += 1
        self.firmware = self._boot()

    def restart_host(self, settings: LinkSettings | None = None, known: KnownBoot | None = None) -> None:
        self.link = FeederLink(settings or LinkSettings(), 42, known)
        self.link.connect(self.now_s)

    # What a test does -------------------------------------------------------------------------------

    def up(self) -> LinkUp:
        return self.wait(LinkUp)

    def linked(self) -> Self:
        self.up()
        return self

    def submit(self, command: Command, operation: int | None = None) -> int:
        """Submit a command under the next number, or under the one given."""
        if operation is None:
            self.operation += 1
            operation = self.operation
        self.link.submit(OperationRequest(operation, command), self.now_s)
        return operation

    def do(self, command: Command, limit_s: float = 30.0) -> Done | OperationRefused:
        return self.answer_to(self.submit(command), limit_s)

    def done(self, command: Command, limit_s: float = 30.0) -> Done:
        return of_type(Done, self.do(command, limit_s))

    def refusal(self, command: Command) -> NakCode:
        return of_type(OperationRefused, self.do(command)).code

    def end_of(self, operation: int) -> Result:
        return of_type(Done, self.answer_to(operation)).result

    def fed(self) -> Self:
        self.up()
        self.do(Feed())
        self.run_until(lambda: bool(self.all(TileAtGate)))
        return self

    def feed_one(self) -> Self:
        """Bring one tile to the gate and no further one."""
        self.submit(Feed())
        self.wait(TileAtGate)
        self.done(Hold())
        return self

    def placed(self, seat: int, *positions: int) -> Self:
        """Place the tiles that come to the gate in these positions, in this order."""
        for position in positions:
            self.run_until(lambda: self.mechanics.gate_tile() is not None)
            self.done(Place(seat, position))
        return self

    def bring_up(self) -> None:
        self.done(Stop())
        self.done(BringUp())

    def stop_and_clear(self) -> None:
        self.done(Stop())
        self.done(Clear(FaultCode.STOP))

    def ready(self) -> None:
        self.run_until(lambda: self.firmware.state is FeederState.READY)

    def faults(self) -> list[tuple[FaultCode, int]]:
        """Every fault that was told, with its place."""
        return [(FaultCode(fault.code), fault.where) for fault in self.all(Fault)]

    def next_fault(self) -> tuple[FaultCode, int]:
        fault = self.wait(Fault)
        return FaultCode(fault.code), fault.where

    def answer_to(self, operation: int, limit_s: float = 30.0) -> Done | OperationRefused:
        def answers() -> list[Done | OperationRefused]:
            return [event for event in self.events if isinstance(event, Done | OperationRefused) and event.operation == operation]

        self.run_until(lambda: bool(answers()), limit_s)
        return answers()[0]

    def status(self) -> FeederStatus:
        self.link.request_status(self.now_s)
        return self.wait(FeederStatus)

    def wait(self, kind: type[Wanted], limit_s: float = 30.0) -> Wanted:
        seen = len(self.all(kind))
        self.run_until(lambda: len(self.all(kind)) > seen, limit_s)
        return self.all(kind)[seen]

    def all(self, kind: type[Wanted]) -> list[Wanted]:
        return [event for event in self.events if isinstance(event, kind)]

    def run_for(self, seconds: float) -> None:
        end_s = self.now_s + seconds
        while self._step(end_s):
            pass
        self.now_s = end_s

    def run_until(self, reached: Callable[[], bool], limit_s: float = 30.0) -> None:
        """Let time pass until something holds; fails when it does not within ``limit_s`` of simulated time."""
        end_s = self.now_s + limit_s
        while not reached():
            assert self._step(end_s), f"not reached within {limit_s} s: {self.firmware.state!r}, last events {self.events[-5:]}"

    # ------------------------------------------------------------------------------------------------

    def _boot(self) -> WiredCore:
        return self.kind(self.wires, self.mechanics, self.boot_id, self.now_s)

    def _step(self, end_s: float) -> bool:
        """Go to the next due moment; False when there is none by ``end_s``."""
        self._exchange()
        due = [time_s for time_s in (self.link.next_timer(), self.firmware.next_timer()) if time_s is not None]
        if self._on_the_way:
            due.append(self._on_the_way[0][0])
        if not due or min(due) > end_s:
            return False
        self.now_s = max(self.now_s, min(due))
        while self._on_the_way and self._on_the_way[0][0] <= self.now_s:
            _, _, to_host, piece = heapq.heappop(self._on_the_way)
            if self.cut:
                continue
            if to_host:
                self.link.receive(piece, self.now_s)
            else:
                self.firmware.receive(piece, self.now_s)
        self.firmware.handle_timer(self.now_s)
        self.link.handle_timer(self.now_s)
        self._exchange()
        return True

    def _exchange(self) -> None:
        while (event := self.link.next_event()) is not None:
            self.events.append(event)
            if isinstance(event, DeviceEvent) and self.auto_acknowledge:
                self.link.acknowledge(event.number, self.now_s)
            self.on_event(event)
        self._put_on_the_way(self.link.data_to_send(), to_host=False)
        self._put_on_the_way(self.firmware.data_to_send(), to_host=True)

    def _put_on_the_way(self, sent: bytes, *, to_host: bool) -> None:
        if not sent or self.cut:
            return
        for delay_s, piece in self.line(sent, self._random):
            self._pieces += 1
            arrival_s = self.now_s + LINE_DELAY_S + delay_s
            heapq.heappush(self._on_the_way, (arrival_s, self._pieces, to_host, piece))


class FinePair(Pair):
    """Every millisecond can be looked at."""

    kind = FineFirmware


def places_in_order(seat: int) -> list[tuple[int, int]]:
    """A seat's 34 wall positions from the last to the first: lower ones of a two-high tray before upper ones."""
    return [(seat, position) for position in range(33, -1, -1)]


def fill_trays(pair: Pair, count: int = 136) -> None:
    """Place so many tiles as they come, wherever there is room; every tile is as good as any other."""
    open_places = [places_in_order(seat) for seat in range(4)]
    left = count

    def place(event: FeederEvent) -> None:
        nonlocal left
        if isinstance(event, TileAtGate) and left:
            left -= 1
            pair.submit(Place(*open_places[left % 4].pop(0)))

    pair.on_event = place
    assert isinstance(pair.do(Feed()), Done)
    placed = len(pair.all(Done)) + count
    pair.run_until(lambda: len(pair.all(Done)) >= placed, 1000.0)
    pair.on_event = lambda _event: None


def raised(machine: MechanicsSettings = FAST) -> Pair:
    """A pair whose walls stand in the magazines."""
    pair = Pair(machine=machine)
    fill_trays(pair)
    pair.done(Raise())
    return pair


def opens_the_lid(pair: Pair) -> None:
    """A person opens the lid and shuts it, and the machine may go on."""
    pair.mechanics.hands.set_lid(True, pair.now_s)
    pair.wait(Lid)
    pair.mechanics.hands.set_lid(False, pair.now_s)
    pair.run_for(0.5)
    pair.done(Clear(FaultCode.LID))
