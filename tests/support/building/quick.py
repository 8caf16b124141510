"""Builds without time or bytes: the controller's decisions on messages, a machine of places, and every fault."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from controller.core.apply import apply
from controller.core.decide import decide, due_events
from controller.ledger.journal_events import JournalEvent, TileRead
from controller.state.faults import STAFF_FAULTS, forbids_motion
from controller.state.messages import GateLook, GateSeen, KeyPressed, Message, PauseTimer, Refused, StarvedTimer, TimerFired
from controller.state.sides import OpenDeal
from controller.state.table_state import Setup, TableState
from controller.table_loop import BATCHED, OPERATIONS_SKIPPED
from controller.wall.build import wants_frames
from controller.wall.survey import wants_status
from firmware_bridge.link import events as port
from firmware_bridge.link.events import OperationRequest
from firmware_bridge.messages import Capabilities, Clear, Command, Fault, FaultCode, NakCode, Result, Return, TileAtGate, Where
from tests.support.building.bench import LAST_LINES, StuckError
from tests.support.controller.feeder import GATE, LANE, Face, FakeFeeder, Job, Move, OtherBack, back_of, face_of
from twinwall.game.tiles import Tile
from twinwall.wire.events.wall_events import ControllerStarted, WallReady
from twinwall.wire.shapes.panel import Key

_MAY_BE_LOST = frozenset(BATCHED)


@dataclass(frozen=True, slots=True)
class Chances:
    """Faults per tile, per motion or (the last four) per build."""

    unread: float = 0.01
    doubled: float = 1 / 500
    face_down: float = 1 / 300
    jam: float = 1 / 2000
    disturbed: float = 1 / 1000
    busy: float = 1 / 500
    falls_out: float = 1 / 2000
    feeder_power: float = 0.15
    controller_power: float = 0.15
    line: float = 0.15
    misread: float = 0.1
    missing: float = 0.03
    extra: float = 0.03
    foreign: float = 0.03
    other_set: float = 0.03


class FaultyFeeder(FakeFeeder):
    """The machine of places, with tiles that stick, come in pairs or are dropped too early."""

    def __init__(
        self, faces: list[Face], post: Callable[[port.FeederEvent], None], chance: Random, chances: Chances, sizes: Capabilities
    ) -> None:
        super().__init__(faces, post, lambda: 0.0, sizes)
        self._chance, self._chances = chance, chances
        self.second: dict[int, Face] = {}
        """The other tile of a pair in a gate."""
        self.face_down: set[int] = set()
        """Gates in which a tile lies with its back to the camera."""
        self.showings = 0
        """How many tiles have come to lie in a gate."""
        self.showing: dict[int, int] = {}
        """The latest of them in each gate."""
        self.stuck_tile: Face | None = None
        self._ends: dict[int, Result] = {}
        self.nak = self._at_random
        self.faults = 0

    @property
    def awaited(self) -> set[tuple[int, int]]:
        """Places from which a shuttle is about to take a tile."""
        return {(job.command.seat, job.command.position) for jobs in self._shuttles for job in jobs if isinstance(job.command, Return)}

    def take_out(self) -> None:
        """A hand frees what sticks, and throws it into the drum."""
        if self.stuck_tile is not None:
            self.drum.append(self.stuck_tile)
            self.stuck_tile = None

    def power_cut(self) -> None:
        """As ever; of a pair in a gate one tile stays there."""
        self.drum.extend(self.second.values())
        self.second.clear()
        self._ends.clear()
        super().power_cut()

    def _at_random(self, command: Command) -> NakCode | None:
        if isinstance(command, Clear):
            self.take_out()
            return None
        if self.stuck_tile is not None and isinstance(command, LANE):
            return NakCode.STOPPED
        return NakCode.BUSY if self._chance.random() < self._chances.busy else None

    def _enter_returned(self) -> None:
        gate = self.returned[0][2]
        self.showings += 1
        self.showing[gate] = self.showings
        self.face_down.discard(gate)
        super()._enter_returned()

    def _enter_fed(self, gate: int) -> None:
        self.showings += 1
        self.showing[gate] = self.showings
        face = self.gates[gate] = self.drum.pop(self._chance.randrange(len(self.drum)))
        doubled = bool(self.drum) and self._chance.random() < self._chances.doubled
        if doubled:
            self.second[gate] = self.drum.pop()
        hidden = self._chance.random() < self._chances.face_down
        (self.face_down.add if hidden else self.face_down.discard)(gate)
        self._event(TileAtGate(0, 260, 2 if doubled else 1, 0 if hidden else back_of(face), gate=gate))

    def moves(self) -> list[Move]:
        """What could happen next: nothing while a tile sticks."""
        return [] if self.stuck_tile is not None else super().moves()

    def _finish_lane(self, gate: int) -> None:
        job = self._lanes[gate][0]
        if isinstance(job.command, GATE):
            if gate in self.second:
                self.drum.append(self.second.pop(gate))
            if self._chance.random() < self._chances.jam:
                self._jam(job, gate)
                return
        super()._finish_lane(gate)

    def _jam(self, job: Job, gate: int) -> None:
        self._lanes[gate].popleft()
        for jobs in self._shuttles:
            if job in jobs:
                jobs.remove(job)
        self.stuck_tile, self.gates[gate] = self.gates[gate], None
        self.feeding = False
        self.faults += 1
        self._ends[job.operation] = Result.FAILED
        self._event(Fault(FaultCode.JAM, Where.OTHER_DIVERTER + gate if gate else Where.DIVERTER, job.operation))
        self._done(job.operation)

    def _finish_shuttle(self, place: int) -> None:
        job = self._shuttles[place][0]
        if self._chance.random() < self._chances.disturbed:
            self._ends[job.operation] = Result.DISTURBED
        super()._finish_shuttle(place)

    def _done(self, number: int) -> None:
        self.result = lambda _: self._ends.pop(number, Result.OK)
        super()._done(number)


class QuickBuild:
    """One build; ``events`` counts are what is asked of it afterwards."""

    def __init__(self, setup: Setup, deal: OpenDeal, seed: int, chances: Chances) -> None:
        self.setup, self.deal, self.seed = setup, deal, seed
        self._chance, self._chances = Random(f"faults {seed}"), chances
        self.in_hand: list[Face] = []
        """Tiles that staff hold."""
        self._inbox: deque[Message] = deque()
        self.feeder = FaultyFeeder(self._set(), self._hear, self._chance, chances, setup.capabilities)
        self.state = TableState()
        self._past: deque[TableState] = deque(maxlen=LAST_LINES)
        self._submitted: set[int] = set()
        self._acknowledged = 0
        self._asked: tuple[GateLook, ...] = ()
        self._showings: dict[int, tuple[Tile | None, str]] = {}
        self._fallen: set[tuple[int, int]] = set()
        """Places whose tile has fallen out since the sensors gave their last account."""
        self.ready = False
        self.messages = self.staff_calls = 0
        whole = not self.in_hand  # with a tile missing, one misread for it could never come to light
        self._misread_at = self._chance.randrange(136) if whole and self._hits(chances.misread) else -1
        self._accidents = self._plan()
        self._inbox.append(deal)

    def _hear(self, event: port.FeederEvent) -> None:
        """What the feeder tells; that it has taken an operation on means nothing to the controller."""
        if isinstance(event, port.FeederStatus):
            self._fallen.clear()
        if not isinstance(event, port.Acked):
            self._inbox.append(event)

    def build(self, most: int = 60_000) -> None:
        """Until the wall stands ready; raises StuckError when it never does."""
        self.feeder.connect()
        for step in range(most):
            if self.ready:
                return
            for accident in self._accidents.pop(step, ()):
                accident()
            if self._inbox:
                self._handle(self._inbox.popleft())
            elif moves := self.feeder.moves():
                self._chance.choice(moves)()
            else:
                self._let_time_pass()
        build = self.state.making.build
        raise StuckError(
            f"build {self.seed} never ends: {self.state.making.stage}, {len(build.placed)} placed, gates {build.gates}, "
            f"cells {build.bypass}, pending {self.state.pending}, {self.state.faults}"
        )

    def wrong_positions(self) -> int:
        """How many places of the wall do not hold the tile that the deal wants there; one that fell out after the last account of
        the sensors, on which the wall was called ready, is not among them (``lost``)."""
        return sum(self._face_at(position) is not self.deal.wanted(position) for position in self.deal.positions) - self.lost

    @property
    def lost(self) -> int:
        return sum(position in self.deal.positions and position not in self.feeder.trays for position in self._fallen)

    def _face_at(self, position: tuple[int, int]) -> Tile | str | None:
        face = self.feeder.trays.get(position)
        return None if face is None else face_of(face)

    # The set and its faults --------------------------------------------------------------------------------

    def _set(self) -> list[Face]:
        """The tiles in the drum: the set, sometimes with a tile missing, too many, of no kind or of the other set."""
        tiles: list[Face] = list(self.setup.rules.tiles)
        self._chance.shuffle(tiles)
        if self._hits(self._chances.missing):
            self.in_hand.append(tiles.pop())
        if self._hits(self._chances.extra):
            tiles.append(self._chance.choice(self.setup.rules.tiles))
        if self._hits(self._chances.foreign):
            tiles.append("plum")
        if self._hits(self._chances.other_set):
            tiles.append(OtherBack(self._chance.choice(self.setup.rules.tiles)))
        return tiles

    def _plan(self) -> dict[int, tuple[Callable[[], None], ...]]:
        """At which steps accidents strike."""
        planned: dict[int, tuple[Callable[[], None], ...]] = {}
        chances = self._chances
        falls = sum(self._hits(chances.falls_out) for _ in self.deal.positions)
        for chance, accident in (
            (chances.feeder_power, self._feeder_power),
            (chances.controller_power, self._controller_power),
            (chances.line, self._line),
            *((1.0, self._fall_out) for _ in range(falls)),
        ):
            while self._hits(chance):
                step = self._chance.randrange(1000)
                planned[step] = (*planned.get(step, ()), accident)
                if chance == 1.0:
                    break
        return planned

    def _hits(self, chance: float) -> bool:
        return chance > 0 and self._chance.random() < chance

    # Accidents ---------------------------------------------------------------------------------------------

    def _feeder_power(self) -> None:
        self.feeder.power_cut()
        self._inbox.append(port.LinkDown("the feeder has restarted"))
        self.feeder.connect()

    def _line(self) -> None:
        self.feeder.disconnect()
        for _ in range(self._chance.randrange(6)):
            if moves := self.feeder.moves():
                self._chance.choice(moves)()
        self.feeder.connect()

    def _controller_power(self) -> None:
        """The process dies with its queue; the journal has lost some of its last lines."""
        self.state = self._chance.choice([*self._past, self.state])
        self._past.clear()
        self._inbox.clear()
        self.feeder.host_gone(motors_off=self._hits(0.5))
        for _ in range(self._chance.randrange(4)):
            if moves := self.feeder.moves():
                self._chance.choice(moves)()
        self._submitted.clear()
        self._asked = ()
        self._acknowledged = 0
        first = self.state.next_operation + OPERATIONS_SKIPPED
        self._record((ControllerStarted("quick", "0", True, first),))
        self._past.clear()
        if self.state.making.deal is None:
            self._inbox.append(self.deal)
        self.feeder.new_host(self.state.boot, self.state.last_event)
        self.feeder.connect()
        self._after()

    def _fall_out(self) -> None:
        """A tile leaves its tray, unseen by any edge; not one that a shuttle has set out for."""
        lying = sorted(self.feeder.trays.keys() - self.feeder.awaited)
        if lying:
            position = self._chance.choice(lying)
            self.feeder.drum.append(self.feeder.trays.pop(position))
            self._fallen.add(position)

    # Staff and time ----------------------------------------------------------------------------------------

    def _let_time_pass(self) -> None:
        build = self.state.making.build
        if any(fault.code in STAFF_FAULTS or forbids_motion(fault.code) for fault in self.state.faults):
            self._attend()
        elif build.blocked is not None:
            self._inbox.append(TimerFired(PauseTimer(build.blocked)))
        elif wants_status(self.setup, self.state) and build.starved is None:
            self.feeder.request_status()
        elif build.starved is not None and not build.decoys:
            self._inbox.append(TimerFired(StarvedTimer(build.starved)))
        else:
            self.feeder.request_status()

    def _attend(self) -> None:
        """Staff free what sticks, sort out the reject cell, add what is missing and press CONFIRM."""
        self.staff_calls += 1
        self.feeder.take_out()
        codes = {fault.code for fault in self.state.faults}
        self.in_hand += self.feeder.rejected
        self.feeder.rejected.clear()
        if "missing-tiles" in codes or "unreadable-tile" in codes or "foreign-tile" in codes:
            for face in [face for face in self.in_hand if isinstance(face, Tile)]:
                self.in_hand.remove(face)
                if self.feeder.well_open:
                    self.feeder.push_in([face])
                else:
                    self.feeder.drop_through_lid(face)
        self._inbox.append(KeyPressed(0, Key.CONFIRM))

    # The controller ----------------------------------------------------------------------------------------

    def _handle(self, message: Message) -> None:
        self.messages += 1
        decision = decide(self.setup, self.state, message)
        if not isinstance(decision, Refused):
            self._record(decision)
            while events := due_events(self.setup, self.state):
                self._record(events)
        self._after()

    def _record(self, events: tuple[JournalEvent, ...]) -> None:
        if _MAY_BE_LOST.issuperset(map(type, events)):
            self._past.append(self.state)
        else:
            self._past.clear()
        for event in events:
            self.state = apply(self.setup, self.state, event)
            if isinstance(event, WallReady):
                self.ready = True

    def _after(self) -> None:
        for pending in self.state.pending:
            if pending.operation not in self._submitted:
                self._submitted.add(pending.operation)
                self.feeder.submit(OperationRequest(pending.operation, pending.command))
        if not 0 <= self.state.last_event - self._acknowledged < LAST_LINES:
            self._acknowledged = self.state.last_event
            self._past.clear()
            self.feeder.acknowledge(self._acknowledged)
        looks, asked = wants_frames(self.setup, self.state), self._asked
        self._asked = looks
        for look in looks:
            if look not in asked:
                tile, reason = self._seen(look.gate)
                self._inbox.append(GateSeen(look, TileRead(tile, 0.999 if tile is not None else 0.0, reason, gate=look.gate)))

    def _seen(self, gate: int) -> tuple[Tile | None, str]:
        """What the camera makes of what lies in a gate; every frame of a showing sees the same."""
        lying = self.feeder.gates[gate]
        if lying is None:
            return None, "empty"
        showing = self.feeder.showing[gate]
        if showing not in self._showings:
            self._showings[showing] = self._shown(lying, gate, len(self._showings))
        return self._showings[showing]

    def _shown(self, lying: Face, gate: int, showing: int) -> tuple[Tile | None, str]:
        if gate in self.feeder.second or gate in self.feeder.face_down or self._hits(self._chances.unread):
            return None, "not-a-tile"
        face = face_of(lying)
        if not isinstance(face, Tile):
            return None, "not-a-tile"
        return (self._chance.choice(self.setup.rules.tiles) if showing == self._misread_at else face), ""
