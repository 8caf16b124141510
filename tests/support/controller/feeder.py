"""Fake feeder at the port: tiles move from place to place, operations are answered once, boots differ."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from controller.wall.placing import gate_of, is_exchanged
from firmware_bridge.link import events as port
from firmware_bridge.link.events import OperationRequest
from firmware_bridge.messages import (
    ALL_SEATS,
    PLACE_EDGES,
    REAR_GATE,
    REAR_PLACES,
    Bypass,
    Capabilities,
    Clear,
    CloseWell,
    Command,
    Container,
    DeviceEvent,
    Drawn,
    Dump,
    FaultCode,
    Feed,
    FeederState,
    Flags,
    HelloAck,
    Hold,
    Lid,
    Lock,
    NakCode,
    OpenWell,
    Place,
    PutBack,
    Raise,
    Recirculate,
    Reject,
    Release,
    Renew,
    ResetReason,
    Result,
    Return,
    StatusCounters,
    StatusState,
    Taken,
    TileAtGate,
    Unlock,
    Well,
)
from twinwall.game.tiles import Tile


@dataclass(frozen=True)
class OtherBack:
    """A tile of another set than the first: its face, and the colour of its back."""

    face: Tile | str
    back: int = 2


Face = Tile | str | OtherBack
"""What is on a tile: a kind, or in words something that is none; its back is of the first set's colour unless it says so."""


def face_of(tile: Face) -> Tile | str:
    """What the camera sees of a tile."""
    return tile.face if isinstance(tile, OtherBack) else tile


def back_of(tile: Face) -> int:
    """What the gate senses of a tile."""
    return tile.back if isinstance(tile, OtherBack) else 1


Position = tuple[int, int]
Move = Callable[[], None]

LANE = (Place, Bypass, Release, Recirculate, Reject)
GATE = (Place, Bypass, Recirculate, Reject)


@dataclass
class Job:
    """An operation taken on; ``tile`` is what it carries once it carries something."""

    operation: int
    command: Command
    tile: Face | None = None
    arrived: bool = False
    """It lies in its shuttle's chute."""


class FakeFeeder:
    """One machine, and the host's end of the line to it."""

    def __init__(
        self, faces: list[Face], post: Callable[[port.FeederEvent], None], now_s: Callable[[], float], sizes: Capabilities | None = None
    ) -> None:
        self.post, self._now_s = post, now_s
        self.capabilities = sizes or Capabilities()
        self.drum: list[Face] = list(faces)
        self.gates: list[Face | None] = [None] * self.capabilities.gates
        self.returned: deque[tuple[Face, int, int]] = deque()
        """Tiles on their way back, with the RETURN that brings them and the gate."""
        self.cells: dict[int, Face] = {}
        self.trays: dict[Position, Face] = {}
        self.magazines: dict[Position, Face] = {}
        self.rejected: list[Face] = []
        self.out: list[Face] = []
        """Tiles that people have taken and not pushed in again."""
        self.raises = 0
        self.lifted: dict[int, tuple[Position, Face]] = {}
        self.feeding = self.well_open = False
        self.locks: dict[int, float] = {}
        self.most_cells_used = 0
        self.stuck = False
        """Whether the drum turns and catches nothing."""
        self.hangs = self.feels_nothing = False
        self.standing: set[FaultCode] = set()
        """Whether it takes operations on and ends none; whether it never says what its sensors feel."""
        self.answers_first = False
        """Whether the answer to a RETURN overtakes the event of its tile: on the line either may come first."""
        self.boot = 101
        self.commands: list[tuple[int, Command]] = []
        """Every operation taken on, once each, over all boots."""
        self.nak: Callable[[Command], NakCode | None] = lambda _: None
        """A reason of the test's own to refuse a command."""
        self.result: Callable[[Command], Result] = lambda _: Result.OK
        self.sensors: Callable[[port.FeederStatus], port.FeederStatus] = lambda status: status
        """What the level sensors make of the truth."""
        self._forget()
        self._in_flight: dict[int, OperationRequest] = {}
        self._status_wanted = False
        self._reported = 0
        self._known_boot: int | None = None
        self.up = False

    def _forget(self) -> None:
        """What a machine does not know after it starts."""
        self._answers: dict[int, port.Done | port.OperationRefused] = {}
        self._accepted: set[int] = set()
        self._highest = self._number = self._drawn = self.well_count = 0
        self._kept: list[DeviceEvent] = []
        self._lanes: tuple[deque[Job], ...] = tuple(deque() for _ in range(self.capabilities.gates))
        self._pockets: tuple[deque[Job], ...] = tuple(deque() for _ in range(self.capabilities.gates))
        self._shuttles: tuple[deque[Job], ...] = tuple(deque() for _ in range(4 * self.capabilities.shuttles))
        self._others: deque[Job] = deque()

    @property
    def gate(self) -> Face | None:
        return self.gates[0]

    # What a table calls -----------------------------------------------------------------------------------

    def submit(self, request: OperationRequest) -> None:
        self._in_flight[request.operation] = request
        if self.up:
            self._perform(request)

    def request_status(self) -> None:
        self._status_wanted = True
        self._tell_status()

    def acknowledge(self, number: int) -> None:
        if self.up:
            self._kept = [event for event in self._kept if event.number > number]

    # The line -----------------------------------------------------------------------------------------------

    def connect(self) -> None:
        """The link comes up: HELLO, then what was kept, then what is in flight."""
        same = self.boot == self._known_boot
        unknown = () if same or self._known_boot is None else tuple(self._in_flight)
        if not same:
            self._in_flight = {} if self._known_boot is not None else self._in_flight
            self._reported = 0
        self._known_boot, self.up = self.boot, True
        hello = HelloAck(1, 1, b"feeder 1", self.boot, ResetReason.POWER_ON, bytes(8), bytes(8), self._highest, 1)
        self.post(port.LinkUp(hello, same, self._highest, self.capabilities, unknown))
        for event in self._kept:
            self._tell(event)
        for request in list(self._in_flight.values()):
            self._perform(request)
        self._tell_status()

    def disconnect(self) -> None:
        self.up = False
        self.post(port.LinkDown("the line was cut"))

    def host_gone(self, *, motors_off: bool) -> None:
        """The host's process is dead; after a second without it the drum stops."""
        self.up = False
        self._in_flight.clear()
        self._status_wanted = False
        self.feeding = self.feeding and not motors_off

    def new_host(self, boot: int | None, last_event: int) -> None:
        """A process that remembers this much opens the port."""
        self._known_boot, self._reported = boot, last_event

    def power_cut(self) -> None:
        """Everything on its way falls into the drum, memory is lost, locks spring shut."""
        self.drum.extend(self._carried())
        self.drum.extend(face for face, _, _ in self.returned)
        self.returned.clear()
        self.feeding, self.up = False, False
        self.locks.clear()
        self.boot += 1
        self._forget()
        for number, face in enumerate(self.gates):
            if face is not None:
                self._event(TileAtGate(0, 260, 1, back_of(face), gate=number))

    def restart(self) -> None:
        self.power_cut()
        self.connect()

    # Hands ------------------------------------------------------------------------------------------------

    def take(self, place: int, index: int) -> None:
        self.out.append(self.magazines.pop((place, index)))
        self._event(Taken(place, index))

    def lift(self, place: int) -> Face:
        """A player lifts the tile behind an open gate: a draw gate, or from ``REAR_GATE`` on a rear gate."""
        assert self.is_open(place), f"gate {place} is locked"
        first = self.capabilities.wall_places - REAR_PLACES if place >= REAR_GATE else 0
        position = min((seat, index) for seat, index in self.magazines if seat == place % REAR_GATE and index >= first)
        face = self.magazines.pop(position)
        self.lifted[place] = (position, face)
        self.out.append(face)
        del self.locks[place]
        self._drawn += 1
        self._event(Drawn(place))
        return face

    def put_back(self, place: int) -> None:
        position, face = self.lifted.pop(place)
        self.magazines[position] = face
        self.out.remove(face)
        self._event(PutBack(place))

    def push_in(self, faces: list[Face]) -> None:
        """Somebody pushes tiles into the well, which counts them."""
        assert self.well_open, "the well is shut"
        self.drum.extend(faces)
        self.well_count += len(faces)
        self._event(Well(self.well_count))

    def drop_through_lid(self, face: Face) -> None:
        """Somebody opens the lid, drops a tile into the drum and shuts it; nothing counts it."""
        self._event(Lid(True))
        self.drum.append(face)
        self._event(Lid(False))

    def is_open(self, place: int) -> bool:
        return self.locks.get(place, -1.0) > self._now_s()

    @property
    def everything(self) -> list[Face]:
        """All tiles, wherever they are in the machine."""
        carried = self._carried()
        back = [face for face, _, _ in self.returned]
        lying = [face for face in self.gates if face is not None]
        places = [*self.cells.values(), *self.trays.values(), *self.magazines.values()]
        return [*self.drum, *lying, *carried, *back, *places, *self.rejected]

    def _carried(self) -> list[Face]:
        """What is between a gate and a tray."""
        jobs = {job.operation: job for jobs in (*self._lanes, *self._shuttles) for job in jobs}
        return [job.tile for job in jobs.values() if job.tile is not None]

    # Motion -----------------------------------------------------------------------------------------------

    def moves(self) -> list[Move]:
        if self.hangs:
            return []
        possible: list[Move] = []
        possible += [partial(self._finish_lane, gate) for gate, lane in enumerate(self._lanes) if lane]
        possible += [partial(self._exchange, gate) for gate, pocket in enumerate(self._pockets) if pocket]
        for shuttle, jobs in enumerate(self._shuttles):
            if jobs and (jobs[0].arrived or isinstance(jobs[0].command, Return)):
                possible.append(partial(self._finish_shuttle, shuttle))
        fed = self.feeding and self.drum and not self.stuck and not self.well_open and len(self._kept) < 32
        for gate, lying in enumerate(self.gates):
            if lying is None and self.returned and self.returned[0][2] == gate:
                possible.append(self._enter_returned)
            elif lying is None and fed:
                possible.append(partial(self._enter_fed, gate))
        if self._others:
            possible.append(self._finish_other)
        return possible

    def _enter_fed(self, gate: int) -> None:
        face = self.gates[gate] = self.drum.pop(0)
        self._event(TileAtGate(0, 260, 1, back_of(face), gate=gate))

    def _enter_returned(self) -> None:
        face, operation, gate = self.returned.popleft()
        self.gates[gate] = face
        if self.answers_first:
            self._done(operation)
        self._event(TileAtGate(0, 260, 1, back_of(face), operation, gate))
        if not self.answers_first:
            self._done(operation)

    def _finish_lane(self, gate: int) -> None:
        job = self._lanes[gate].popleft()
        if isinstance(job.command, GATE):
            job.tile, self.gates[gate] = self.gates[gate], None
        elif isinstance(job.command, Release):
            job.tile = self.cells.pop(job.command.cell)
        assert job.tile is not None
        match job.command:
            case Place() | Release():
                if is_exchanged(self.capabilities, job.command):
                    self._pockets[gate].append(job)
                else:
                    self._arrive(job)
                return
            case Bypass(cell):
                self.cells[cell] = job.tile
                self.most_cells_used = max(self.most_cells_used, len(self.cells))
            case Reject():
                self.rejected.append(job.tile)
            case _:
                self.drum.append(job.tile)
        self._done(job.operation)

    def _exchange(self, gate: int) -> None:
        self._arrive(self._pockets[gate].popleft())

    def _arrive(self, job: Job) -> None:
        """A tile lies in its chute: the shuttle takes it after those that have come before."""
        jobs = self._shuttles[self._shuttle_of(job.command)]
        jobs.remove(job)
        jobs.insert(sum(each.arrived or isinstance(each.command, Return) for each in jobs), job)
        job.arrived = True

    def _shuttle_of(self, command: Command) -> int:
        assert isinstance(command, Place | Release | Return)
        return self.capabilities.shuttle_of(command.seat, command.position)

    def _finish_shuttle(self, shuttle: int) -> None:
        job = self._shuttles[shuttle].popleft()
        match job.command:
            case Return(seat, position):
                self.returned.append((self.trays.pop((seat, position)), job.operation, self.capabilities.gate_of_seat(seat)))
            case Place(seat, position) | Release(_, seat, position):
                assert job.tile is not None
                assert (seat, position) not in self.trays, "a tile was dropped on another one"
                self.trays[seat, position] = job.tile
                self._done(job.operation)
            case _:
                raise AssertionError(job)

    def _finish_other(self) -> None:
        job = self._others.popleft()
        match job.command:
            case Raise():
                wall = self.capabilities.wall_places
                self.magazines = {position: face for position, face in self.trays.items() if position[1] < wall}
                self.trays = {position: face for position, face in self.trays.items() if position[1] >= wall}
                self.raises += 1
            case Dump(container, seat):
                places = self.magazines if container is Container.MAGAZINE else self.trays
                self.drum.extend(places.pop(position) for position in list(places) if seat in (ALL_SEATS, position[0]))
            case OpenWell() | CloseWell():
                self.well_open = isinstance(job.command, OpenWell)
            case _:
                raise AssertionError(job)
        self._done(job.operation)

    # Operations -------------------------------------------------------------------------------------------

    def _perform(self, request: OperationRequest) -> None:
        number, command = request.operation, request.command
        if number in self._answers:
            self._answer(number, self._answers[number])
            return
        if number in self._accepted:
            return
        if number <= self._highest:
            self._answer(number, port.OperationRefused(number, NakCode.STALE))
            return
        self._highest = number
        refusal = self.nak(command) or self._refusal(command)
        if refusal is not None:
            self._answer(number, port.OperationRefused(number, refusal))
            return
        self._accepted.add(number)
        self.commands.append((number, command))
        self._take_on(number, command)

    def _take_on(self, number: int, command: Command) -> None:
        match command:
            case Feed() | Hold():
                self.feeding = isinstance(command, Feed)
            case Unlock(seat, lease_ms) | Renew(seat, lease_ms):
                self.locks[seat] = self._now_s() + lease_ms / 1000
            case Lock(seat):
                for gate in [*self.locks] if seat == ALL_SEATS else [seat]:
                    self.locks.pop(gate, None)
            case Clear(fault):
                self.standing.discard(fault)
            case _:
                self._enqueue(Job(number, command))
                self.post(port.Acked(number))
                return
        self._done(number)

    def _enqueue(self, job: Job) -> None:
        command = job.command
        if isinstance(command, LANE):
            self._lanes[gate_of(self.capabilities, command)].append(job)
        if isinstance(command, Place | Release | Return):
            self._shuttles[self._shuttle_of(command)].append(job)
        if isinstance(command, Raise | OpenWell | CloseWell | Dump):
            self._others.append(job)
        if isinstance(command, OpenWell):
            self.feeding, self.well_count = False, 0
        if isinstance(command, Dump):
            self.locks.clear()

    def _refusal(self, command: Command) -> NakCode | None:
        match command:
            case Place():
                return self._no_gate_tile(command) or self._no_room(command)
            case Bypass(cell):
                return self._no_gate_tile(command) or (NakCode.OCCUPIED if self._will_be_filled(cell) else None)
            case Recirculate() | Reject():
                return self._no_gate_tile(command)
            case Release(cell):
                return self._no_room(command) if self._will_be_filled(cell) else NakCode.EMPTY
            case Return(seat, position):
                return self._no_return(seat, position)
            case Raise():
                return NakCode.OCCUPIED if self.magazines else NakCode.BUSY if any(self._shuttles) else None
            case Feed():
                return NakCode.WELL_OPEN if self.well_open else None
            case Unlock(seat):
                unheard = any(isinstance(event, Drawn | PutBack) and event.seat == seat for event in self._kept)
                return NakCode.UNACKNOWLEDGED if unheard else None
            case Renew(seat):
                return None if self.is_open(seat) else NakCode.NOT_OPEN
            case _:
                return None

    def _will_be_filled(self, cell: int) -> bool:
        """Whether a cell will hold a tile when the lane comes to the next job."""
        filled = cell in self.cells
        for job in self._lanes[self.capabilities.gate_of_cell(cell)]:
            if isinstance(job.command, Bypass | Release) and job.command.cell == cell:
                filled = isinstance(job.command, Bypass)
        return filled

    def _no_gate_tile(self, command: Command) -> NakCode | None:
        gate = gate_of(self.capabilities, command)
        if gate >= self.capabilities.gates:
            return NakCode.NO_SUCH_PLACE
        if any(isinstance(job.command, GATE) for job in self._lanes[gate]):
            return NakCode.BUSY
        return NakCode.NO_TILE if self.gates[gate] is None else None

    def _no_room(self, command: Place | Release) -> NakCode | None:
        seat, position = command.seat, command.position
        coming = {job.command.position for job in self._of_seat(seat) if isinstance(job.command, Place | Release)}
        if (seat, position) in self.trays or position in coming:
            return NakCode.OCCUPIED
        below = self.capabilities.support_below(position)
        on_its_way = below in coming and self.capabilities.gates == 1
        if below is not None and (seat, below) not in self.trays and not on_its_way:
            return NakCode.UNSUPPORTED
        if len(self._shuttles[self._shuttle_of(command)]) > self.capabilities.shuttle_queue:
            return NakCode.BUSY
        return NakCode.BUSY if self._pocket_is_full(command) else None

    def _pocket_is_full(self, command: Place | Release) -> bool:
        if not is_exchanged(self.capabilities, command):
            return False
        gate = gate_of(self.capabilities, command)
        coming = sum(is_exchanged(self.capabilities, job.command) for job in self._lanes[gate])
        return coming + len(self._pockets[gate]) >= self.capabilities.pocket_places

    def _of_seat(self, seat: int) -> Iterator[Job]:
        """What is on its way to a seat's tray, or back from it."""
        for shuttle in range(seat, len(self._shuttles), 4):
            yield from self._shuttles[shuttle]

    def _no_return(self, seat: int, position: int) -> NakCode | None:
        if self.returned or any(self._of_seat(seat)) or any(isinstance(job.command, Return) for jobs in self._shuttles for job in jobs):
            return NakCode.BUSY
        if (seat, position) not in self.trays:
            return NakCode.EMPTY
        above = self.capabilities.covered_by(position)
        return NakCode.COVERED if above is not None and (seat, above) in self.trays else None

    # Telling ----------------------------------------------------------------------------------------------

    def _done(self, number: int) -> None:
        command = next(command for operation, command in reversed(self.commands) if operation == number)
        self._answer(number, port.Done(self.result(command), PLACE_EDGES, 1, operation=number))

    def _answer(self, number: int, answer: port.Done | port.OperationRefused) -> None:
        self._answers[number] = answer
        if self.up and self._in_flight.pop(number, None) is not None:
            self.post(answer)

    def _event(self, event: DeviceEvent) -> None:
        self._number += 1
        event = replace(event, number=self._number)
        self._kept.append(event)
        self._tell(event)

    def _tell(self, event: DeviceEvent) -> None:
        if self.up and event.number > self._reported:
            self._reported = event.number
            self.post(event)

    def _tell_status(self) -> None:
        if self.up and self._status_wanted and not self.feels_nothing:
            self._status_wanted = False
            self.post(self.sensors(self._status()))

    def _status(self) -> port.FeederStatus:
        flags = {
            Flags.GATE_OCCUPIED: any(face is not None for face in self.gates),
            Flags.DRUM_EMPTY: not self.drum,
            Flags.FEEDING: self.feeding,
            Flags.WELL_OPEN: self.well_open,
        }
        report = StatusState(
            snapshot=0,
            state=FeederState.FEEDING if self.feeding else FeederState.READY,
            flags=Flags(sum(flag for flag, on in flags.items() if on)),
            faults=sum(1 << fault for fault in self.standing),
            open_locks=sum(1 << gate for gate in self.locks),
            bypass=sum(1 << cell for cell in self.cells),
            waiting=(0, 0, 0, 0),
            well=self.well_count,
            last_operation=self._highest,
            boot_id=self.boot,
            gates=sum(1 << number for number, face in enumerate(self.gates) if face is not None),
        )
        trays, magazines = (
            tuple(frozenset(index for at, index in places if at == place) for place in range(4)) for places in (self.trays, self.magazines)
        )
        return port.FeederStatus(report, trays, magazines, replace(StatusCounters(0, *(0 for _ in range(11))), drawn=self._drawn))
