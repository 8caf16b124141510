"""A table that builds, whole and in one thread: the controller's decisions, both ends of the line with their bytes, and the machine.

Time is simulated and jumps from one thing that happens to the next, so a build of a minute and a half takes a fraction of a
second, and the same seed gives the same build. The serial line and the gate's camera have the delays of ``Delays``; disk and
threads are left out. Staff are a function that is called while a fault stands.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial

from controller.adapters.follower import STATUS_DUE, Adapters, Follower, nothing
from controller.core.apply import apply
from controller.core.decide import decide, due_events
from controller.core.outputs import outputs_of
from controller.core.waits import over_times
from controller.ledger.journal_events import JournalEvent, OperationIssued, TileRead
from controller.state.messages import GateLook, GateSeen, KeyPressed, Message, Refused
from controller.state.sides import OpenDeal
from controller.state.table_state import Setup, TableState
from controller.state.waits import Waiting
from controller.table_loop import BATCHED, OPERATIONS_SKIPPED
from firmware_bridge.electrics.wired_core import Electrics, WiredCore
from firmware_bridge.electrics.wired_machine import capabilities_of
from firmware_bridge.link import events as feeder
from firmware_bridge.link.events import OperationRequest
from firmware_bridge.link.session import FeederLink, KnownBoot, LinkSettings
from simulator.feeder_simulator import CoreFirmware
from simulator.mechanics import FaultPlan, Mechanics, MechanicsSettings
from simulator.scene import BACK, WindowTile
from simulator.tabletop import PhysicalTile
from tests.support.narrowed import present
from twinwall.game.tiles import NotationError, Tile, parse_tile
from twinwall.wire.events.wall_events import ControllerStarted, WallReady
from twinwall.wire.shapes.panel import Key

LAST_LINES = 8
"""So many journal entries of a build may wait for the disk together, and are lost with the controller's power."""
_START = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Delays:
    """What stands between the machine and a decision, in seconds: bytes on the line each way, the period of a free-running
    gate camera (an exposure counts that begins after the question), and reading a frame."""

    line_s: float = 0.003
    camera_period_s: float = 1 / 30
    read_s: float = 0.010


class StuckError(AssertionError):
    """The build has not ended within its time; the message tells how it came to that."""


Look = Callable[[WindowTile], tuple[Tile | None, str]]


def true_look(seen: WindowTile) -> tuple[Tile | None, str]:
    """A camera that is never wrong: the tile, or why there is none."""
    if seen.obscured:
        return None, "glare"
    if seen.face == BACK:
        return None, "not-a-tile"
    try:
        return parse_tile(seen.face), ""
    except NotationError:
        return None, "not-a-tile"


class BuildBench:
    """One table from its first byte on; ``events`` are what its journal would hold."""

    lines_together = LAST_LINES
    """So many journal entries wait for the disk together; the feeder repeats the events behind them every 0.1 s until then."""

    def __init__(
        self,
        setup: Setup,
        deal: OpenDeal,
        tiles: Iterable[PhysicalTile],
        seed: int,
        *,
        machine: MechanicsSettings | None = None,
        faults: FaultPlan | None = None,
    ) -> None:
        self.machine = machine or MechanicsSettings()
        self.setup, self.deal = replace(setup, capabilities=capabilities_of(self.machine)), deal
        self.delays = Delays()
        self.now_s = 0.0
        self.mechanics = Mechanics(self.machine, faults or FaultPlan(), tiles, seed)
        self._wires: Electrics | None = None
        self.boots = self.hosts = 0
        self.firmware = self._boot()
        self.state = TableState()
        self.events: list[JournalEvent] = []
        self.operations = 0
        """How many operations have been issued."""
        self._past: deque[TableState] = deque(maxlen=LAST_LINES)
        self.look: Look = true_look
        self.staff: Callable[[BuildBench], None] = lambda bench: None
        """Called whenever nothing moves by itself while a fault stands, and at most once a second."""
        self.messages = 0
        self.fed_s: float | None = None
        """When the first tile was asked for."""
        self.ready_s: float | None = None
        """When the wall was last called ready."""
        self._planned: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0
        self._staff_due_s = 0.0
        self._begin_host()

    def _begin_host(self) -> None:
        """A process of the controller begins with the state as it is."""
        self.hosts += 1
        self._inbox: deque[Message] = deque()
        self._over_s: dict[Waiting, float] = {}
        self._waits: tuple[Waiting, ...] = ()
        if self.state.making.deal is None:
            self._inbox.append(self.deal)
        self._follower = Follower(Adapters(self, nothing, self.read, nothing, self, self), self._inbox.append)
        self._acknowledged = 0
        known = None if self.state.boot is None else KnownBoot(self.state.boot, self.state.last_event)
        self.link = FeederLink(LinkSettings(), self.hosts, known)
        self.link.connect(self.now_s)

    # What the follower asks for ---------------------------------------------------------------------------

    def submit(self, request: OperationRequest) -> None:
        self.link.submit(request, self.now_s)

    def request_status(self) -> None:
        self.link.request_status(self.now_s)

    def now(self) -> datetime:
        return _START + timedelta(seconds=self.now_s)

    def monotonic_s(self) -> float:
        return self.now_s

    def start(self, timer: str, seconds: float, fire: Callable[[], None]) -> None:
        self._after(seconds, self._to_this_host(fire))

    def read(self, look: GateLook, after_ns: int) -> None:
        """The gate's camera: the first exposure that begins from now on."""
        period_s = self.delays.camera_period_s
        begins_s = period_s * -(-self.now_s // period_s)
        self._after(begins_s + period_s + self.delays.read_s - self.now_s, self._to_this_host(partial(self._seen, look)))

    def gate_tile(self, gate: int = 0) -> WindowTile | None:
        return self.mechanics.gate_tile(gate)

    def tray(self, place: int) -> tuple[PhysicalTile | None, ...]:
        return self.mechanics.tray(place)

    def _seen(self, look: GateLook) -> None:
        seen = self.gate_tile(look.gate)
        tile, reason = (None, "empty") if seen is None else self.look(seen)
        self._inbox.append(GateSeen(look, TileRead(tile, 0.999 if tile is not None else 0.0, reason, gate=look.gate)))

    # Time ----------------------------------------------------------------------------------------------------

    def run(self, until: Callable[[], bool], most_s: float = 600.0) -> None:
        """Go on until something holds; raises StuckError when that takes more than ``most_s`` from now."""
        end_s = self.now_s + most_s
        self._settle()
        while not until():
            if self.now_s > end_s:
                raise StuckError(self.story(f"not within {most_s:g} s"))
            self.step()

    def build(self, most_s: float = 600.0) -> None:
        self.run(lambda: self.ready_s is not None, most_s)

    @property
    def took_s(self) -> float:
        """How long the build has taken, from the first tile asked for until the wall stood ready."""
        return present(self.ready_s) - present(self.fed_s)

    def step(self) -> None:
        """Let the next thing happen, and all that follows from it at the same moment."""
        link_due_s = self.link.next_timer()
        due_s = self.now_s + 1.0 if link_due_s is None else link_due_s
        if self._planned:
            due_s = min(due_s, self._planned[0][0])
        self._run_firmware(due_s)
        while self._planned and self._planned[0][0] <= self.now_s:
            heapq.heappop(self._planned)[2]()
        if link_due_s is not None and link_due_s <= self.now_s:
            self.link.handle_timer(self.now_s)
        self._settle()

    def _run_firmware(self, due_s: float) -> None:
        """Let the firmware run until something else is due: the first of what it says is under way no longer than the line takes."""
        while True:
            self.now_s = max(self.now_s, self.firmware.run(max(self.now_s, due_s)))
            if self.now_s >= due_s or not self._carry_up():
                return
            due_s = min(due_s, self._planned[0][0])

    def _settle(self) -> None:
        """Carry bytes and decide, until nothing more is to be done now."""
        while True:
            while (event := self.link.next_event()) is not None:
                self._inbox.append(event)
            if self._inbox:
                self._handle(self._inbox.popleft())
                continue
            if not self._carry():
                break
        self._over_s = over_times(self.setup, self._over_s, self._waits, self.now_s)
        for each, over_s in self._over_s.items():
            if self.now_s >= over_s:
                self._handle(each)
        if self.state.faults and self.now_s >= self._staff_due_s:
            self._staff_due_s = self.now_s + 1.0
            self.staff(self)

    def _carry(self) -> bool:
        """Put what either end has to say on the line."""
        down = self.link.data_to_send()
        if down:
            self._after(self.delays.line_s, partial(self._to_firmware, self.boots, down))
        return self._carry_up() or bool(down)

    def _carry_up(self) -> bool:
        up = self.firmware.data_to_send()
        if up:
            self._after(self.delays.line_s, self._to_this_host(partial(self._to_host, up)))
        return bool(up)

    def _to_firmware(self, boot: int, received: bytes) -> None:
        if boot == self.boots:
            self.firmware.receive(received, self.now_s)

    def _to_host(self, received: bytes) -> None:
        self.link.receive(received, self.now_s)

    def _after(self, seconds: float, action: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._planned, (self.now_s + seconds, self._count, action))

    # The controller ------------------------------------------------------------------------------------------

    def _handle(self, message: Message) -> None:
        self.messages += 1
        if message == STATUS_DUE:
            self._follower.status_due()
        else:
            if isinstance(message, feeder.FeederStatus | feeder.LinkDown):
                self._follower.status_came()
            decision = decide(self.setup, self.state, message)
            self._record(() if isinstance(decision, Refused) else decision)
        while events := due_events(self.setup, self.state):
            self._record(events)
        outputs = outputs_of(self.setup, self.state)
        self._waits = outputs.waits
        self._follower.carry_out(outputs)
        if not 0 <= self.state.last_event - self._acknowledged < self.lines_together:
            self._acknowledged = self.state.last_event
            self._past.clear()
            self.link.acknowledge(self._acknowledged, self.now_s)

    def _record(self, events: tuple[JournalEvent, ...]) -> None:
        self.events.extend(events)
        if all(isinstance(event, BATCHED) for event in events):
            self._past.append(self.state)
        else:
            self._past.clear()
        for event in events:
            if isinstance(event, OperationIssued):
                self.operations += 1
                self.fed_s = self.now_s if self.fed_s is None else self.fed_s
            if isinstance(event, WallReady):
                self.ready_s = self.now_s
            self.state = apply(self.setup, self.state, event)

    def press(self, key: Key, place: int = 0) -> None:
        self.post(KeyPressed(place, key))

    def post(self, message: Message) -> None:
        self._inbox.append(message)
        self._settle()

    # Accidents -----------------------------------------------------------------------------------------------

    def feeder_power_cut(self) -> None:
        self.firmware = self._boot()

    def controller_power_cut(self, lines_lost: int) -> None:
        """The controller starts anew with what the disk has of its journal: up to so many of the last entries are lost."""
        states = [*self._past, self.state]
        self.state = states[max(len(states) - 1 - lines_lost, 0)]
        self._begin_host()
        self._record((ControllerStarted("bench", "0", True, self.state.next_operation + OPERATIONS_SKIPPED),))
        self._settle()

    def _to_this_host(self, action: Callable[[], None]) -> Callable[[], None]:
        """An action that happens only while the present process of the controller lives."""
        host = self.hosts

        def act() -> None:
            if host == self.hosts:
                action()

        return act

    def _boot(self) -> WiredCore:
        self.boots += 1
        self._wires = self._wires or Electrics(self.mechanics, 1, self.now_s, in_step=True)
        return CoreFirmware(self._wires, self.mechanics, self.boots, self.now_s)

    # What is known afterwards --------------------------------------------------------------------------------

    def wrong_positions(self) -> list[tuple[int, int]]:
        """Places of the trays that hold another tile than the deal wants there."""
        trays = [self.tray(place) for place in range(4)]
        lying = {(place, index): trays[place][index] for place, index in self.deal.positions}
        return [at for at, tile in lying.items() if tile is None or tile.face != self.deal.wanted(at).text]

    def story(self, why: str, last: int = 12) -> str:
        lines = "\n".join(map(str, self.events[-last:]))
        return f"{why}: {self.state.making.stage} at {self.now_s:.1f} s, faults {self.state.faults}\n{lines}"
