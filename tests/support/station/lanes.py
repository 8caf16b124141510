"""A wall built at a machine with lanes: controller, station and the machine's board with their bytes, and hands at the lanes' ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from controller.state.making import OpenDeal
from controller.state.table_state import Setup
from firmware_bridge.electrics.electrics import Electrics
from firmware_bridge.electrics.sizes import BY_HAND
from firmware_bridge.link.events import OperationRequest
from firmware_bridge.link.session import FeederLink
from firmware_bridge.link.settings import LinkSettings
from firmware_bridge.messages import DeviceEvent
from simulator.core_firmware import CoreFirmware
from simulator.mechanics import FaultPlan, Mechanics
from simulator.physical_tiles import NotPossibleError, PhysicalTile
from simulator.scene import WindowTile
from tableside.station.lane_machine import LaneMachine
from tableside.station.tasks import INTO_WELL, Do, Task
from tests.support.link.pair import LANES
from tests.support.station.hands import PLACES, HandBench, Mishaps, Pace, any_heap

SIZES = replace(BY_HAND, bypass_cells=0)


class LaneBench(HandBench):
    """One table at which a machine brings the tiles; ``boots`` counts how often its station has begun."""

    sizes = SIZES

    def __init__(self, setup: Setup, deal: OpenDeal, tiles: Iterable[PhysicalTile], seed: int, *, faults: FaultPlan, pace: Pace) -> None:
        self.lanes = Mechanics(LANES, faults, tiles, seed)
        self.lane_wires = Electrics(self.lanes, 2, 0.0, in_step=True)
        self.board_boots = 0
        self.board_power_cut()
        self.line = FeederLink(LinkSettings(), 77)
        self.line.connect(0.0)
        self.led_by = LaneMachine(self._submit, lambda: self.line.request_status(self.now_s))
        self.order = self.led_by.order
        self.touched: list[Do] = []
        """What people said was done."""
        super().__init__(setup, deal, (), seed, pace=pace, mishaps=Mishaps())
        self.setup = replace(self.setup, capabilities=replace(self.setup.capabilities, bypass_cells=0))
        self._tick()

    def board_power_cut(self) -> None:
        self.board_boots += 1
        self.board = CoreFirmware(self.lane_wires, self.lanes, 500 + self.board_boots, getattr(self, "now_s", 0.0))

    def gate_tile(self, gate: int = 0) -> WindowTile | None:
        return self.lanes.gate_tile(gate)

    def _submit(self, request: OperationRequest) -> None:
        self.line.submit(request, self.now_s)

    def _tick(self) -> None:
        """Once a few milliseconds the machine's board and the line to it come as far as the station."""
        self.board.handle_timer(self.now_s)
        self.line.handle_timer(self.now_s)
        self._exchange()
        self._after(0.02, self._tick)

    def _exchange(self) -> None:
        while True:
            down, up = self.line.data_to_send(), self.board.data_to_send()
            if down:
                self.board.receive(down, self.now_s)
            if up:
                self.line.receive(up, self.now_s)
            while (event := self.line.next_event()) is not None:
                self.led_by.take(event)
                if isinstance(event, DeviceEvent):
                    self.line.acknowledge(event.number, self.now_s)
            if self.led_by.attend(self.person, self.now_s):
                self.kept = replace(self.person.state.memory, in_hand=True)
                self.feeder_power_cut()
            if not down and not up:
                return

    # Hands ---------------------------------------------------------------------------------------------

    def _look(self) -> None:
        shown, task = self.led_by.task(self.person, self.now_s), self.person.task
        self._note_screen(shown)
        if self._busy:
            return
        if shown.number:
            assert shown.do not in INTO_WELL or self.lanes.door_open, "the screen asks for tiles into a shut well"
            self._soon(self.pace.read_s + self.pace.put_s, partial(self._touch, shown))
        elif shown.do is Do.PUT and task.number != self._carried and task.seat in self.line_ends:
            self._soon(self.pace.read_s + self.pace.pick_s, partial(self._take, task))

    @property
    def line_ends(self) -> set[int]:
        """The seats at whose lanes' ends a tile lies."""
        return {seat for seat in range(4) if self.lane_wires.image(2)[1] >> seat & 1}

    def _take(self, task: Task) -> None:
        """A tile out of its lane, and into its place."""
        if self.person.task != task:
            return
        for tile in self._from_lane(task.seat):  # where none lies the hand comes again
            self._carried = task.number
            self.walls[task.seat][task.place] = tile
        self._soon(self.pace.put_s, lambda: None)

    def _from_lane(self, seat: int) -> list[PhysicalTile]:
        """What a hand takes from the end of a lane."""
        try:
            return [self.lanes.hands.take_from_lane(seat, self.now_s)]
        except NotPossibleError:
            return []

    def _touch(self, shown: Task) -> None:
        """What the screen asks for, and Done."""
        if shown != self.led_by.task(self.person, self.now_s):
            return
        if shown.do is Do.RECOVER:
            back = [tile for seat in PLACES for tile in self._from_lane(seat)]
            back += [tile for tile in (self.walls[shown.seat].pop(shown.place, None),) if tile is not None]
            self.lanes.hands.drop_into_well(back, self.now_s)
        else:
            assert shown.do.value.startswith("machine-"), f"these hands only build, and the screen says {shown}"
        self.touched.append(shown.do)
        self._soon(self.pace.touch_s, lambda: self.led_by.confirm(self.person, shown.number, self.now_s))


def table_with_lanes(seed: int, *, missing: tuple[str, ...] = (), faults: FaultPlan | None = None, pace: Pace | None = None) -> LaneBench:
    """Such a table with one set in its drum."""
    setup, deal, tiles = any_heap(seed, missing)
    return LaneBench(setup, deal, tiles, seed, faults=faults or FaultPlan(unread=0.01), pace=pace or Pace())
