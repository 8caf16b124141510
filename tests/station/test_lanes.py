"""Walls built at a machine with lanes (hardware/README.md, stage D): the whole way from its drum to the wall."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from controller.state.sides import OpenDeal
from controller.state.table_state import Setup
from firmware_bridge.electrics.wired_core import Electrics
from firmware_bridge.electrics.wired_machine import BY_HAND
from firmware_bridge.electrics.wiring import Input
from firmware_bridge.link.events import Done, OperationRequest
from firmware_bridge.link.session import FeederLink, LinkSettings
from firmware_bridge.messages import DeviceEvent, Feed, Place, Recirculate, Sensors, TileAtGate
from simulator.feeder_simulator import CoreFirmware, FeederSimulator
from simulator.firmware_choice import firmware_named
from simulator.mechanics import FaultPlan, Mechanics, MechanicsSettings
from simulator.scene import WindowTile
from simulator.tabletop import NotPossibleError, PhysicalTile
from tableside.station.confirmed_places import ConfirmedPlaces, ConfirmedPlacesFile
from tableside.station.lane_machine import LaneMachine
from tableside.station.settings import StationSection
from tableside.station.station import Station
from tableside.station.tasks import INTO_WELL, Do, Task
from tests.station.test_building_by_hand import run_to
from tests.support.firmware.core_board import built
from tests.support.link.desk import Desk
from tests.support.link.pair import LANES
from tests.support.narrowed import present
from tests.support.station.hands import PLACES, HandBench, Mishaps, Pace, any_heap
from tests.support.wire.brokers import eventually

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
    setup, deal, tiles = any_heap(seed, missing)
    return LaneBench(setup, deal, tiles, seed, faults=faults or FaultPlan(unread=0.01), pace=pace or Pace())


def shows(bench: LaneBench, do: Do) -> None:
    bench.run(lambda: bench.screens[-1].task.do is do)


def finish(bench: LaneBench) -> None:
    bench.build(1200.0)
    assert bench.wrong_positions() == []


def go_on(bench: LaneBench) -> None:
    """The next tiles come, each to its place."""
    enough = bench.person.state.memory.placed + 30
    bench.run(lambda: bench.person.state.memory.placed >= enough)
    lying = {(seat, place): tile.face for seat, wall in enumerate(bench.walls) for place, tile in wall.items()}
    assert lying == {at: present(bench.deal.wanted(at)).text for at in lying}


def test_a_wall_whose_tiles_a_machine_brings_is_the_wall_of_the_deal() -> None:
    bench = table_with_lanes(1)
    finish(bench)
    assert bench.boots == 1
    assert {screen.task.do for screen in bench.screens} <= {Do.CONNECT, Do.REST, Do.READING, Do.PUT}, (
        "nothing is touched and no face is shown"
    )


@pytest.mark.parametrize("cut_power", [LaneBench.board_power_cut, LaneBench.feeder_power_cut])
def test_the_machines_board_and_the_station_may_lose_their_power_at_any_moment(cut_power: Callable[[LaneBench], None]) -> None:
    bench = table_with_lanes(2)
    for cut in range(1, 5):
        run_to(bench, 8 * cut, 0.23 * cut)
        cut_power(bench)
    go_on(bench)


@pytest.mark.parametrize("seed", [44, 52, 69])
def test_the_well_is_open_whenever_tiles_are_to_go_into_it(seed: int) -> None:
    """After a loss of power the door's place was taken from a report that came while it moved. The hands look at it (``LaneBench``)."""
    bench, rng = table_with_lanes(seed), Random(seed)
    run_to(bench, rng.randrange(4, 40), rng.uniform(0, 1.7))
    bench.board_power_cut()
    run_to(bench, 0, 20.0)
    assert Do.RECOVER in bench.touched


def test_a_touch_counts_also_where_the_station_was_kept_from_looking_for_longer_than_a_tile_takes() -> None:
    """It took the drum for empty, for which nothing is to be touched: at a machine twenty times as fast at most touches."""
    bench = table_with_lanes(2)
    run_to(bench, 8)
    bench.board_power_cut()
    shows(bench, Do.RECOVER)
    assert bench.led_by.confirm(bench.person, bench.screens[-1].task.number, bench.now_s + 5.0)


HELD_UP: list[tuple[Do, float, Callable[[LaneBench, bool], None]]] = [
    (Do.SHUT_LID, 0.0, lambda bench, held: bench.lanes.hands.set_lid(held, bench.now_s)),
    (Do.RELEASE_STOP, 0.3, lambda bench, held: bench.lanes.hands.set_estop(held, bench.now_s)),
    (Do.FREE_DRUM, 0.8, lambda bench, held: bench.lanes.hands.block_drum(bench.now_s, blocked=held)),
    (Do.CONNECT, 1.6, lambda bench, held: bench.line.disconnect("gone") if held else bench.line.connect(bench.now_s)),
]


def test_what_holds_the_machine_up_is_on_the_screen_until_it_is_over() -> None:
    bench = table_with_lanes(4)
    for number, (says, seconds, hold_up) in enumerate(HELD_UP, 1):
        run_to(bench, 12 * number, seconds)
        hold_up(bench, True)
        shows(bench, says)
        run_to(bench, 0, 3.0)
        hold_up(bench, False)
    go_on(bench)


def test_of_two_faults_at_once_people_say_once_that_they_are_dealt_with() -> None:
    bench = table_with_lanes(4)
    run_to(bench, 12)
    for held in (True, False):
        for *_, hold_up in HELD_UP[:2]:
            hold_up(bench, held)
        run_to(bench, 0, 1.0)
    run_to(bench, 20)
    assert bench.touched.count(Do.LOOK) == 1


def test_tiles_that_stick_are_loosened_and_double_feeds_go_back() -> None:
    bench = table_with_lanes(5, faults=FaultPlan(unread=0.05, jam=0.05, jam_needs_hand=0.0, double_feed=0.05, face_down=0.05))
    for _ in range(2):
        go_on(bench)


def test_a_missing_tile_is_named() -> None:
    bench = table_with_lanes(6, missing=("4p",))
    bench.run(lambda: bench.screens[-1].task.do is Do.FILL, 1800.0)
    bench.run(lambda: any("4p" in fault.sentence for fault in bench.state.faults), 1800.0)


def test_a_board_may_lose_its_power_while_it_opens_its_well() -> None:
    bench = table_with_lanes(4)
    run_to(bench, 12)
    for held in (True, False):
        HELD_UP[0][2](bench, held)
        run_to(bench, 0, 0.5)
    bench.run(lambda: bool(bench.led_by.moving()))
    bench.board_power_cut()
    go_on(bench)


def test_the_disk_has_each_tile_on_its_way_before_it_is_led_and_in_a_hand_until_the_next() -> None:
    bench = table_with_lanes(9)
    submit, known = bench.led_by.submit, list[bool]()

    def submitted(request: OperationRequest) -> None:
        known.append(bench.kept.in_hand or not isinstance(request.command, Place | Recirculate))
        submit(request)

    bench.led_by.submit = submitted
    bench.run(lambda: bench.person.state.memory.placed == 5)
    assert [bench.person.state.memory.in_hand, len(bench.person.state.memory.asked)] == [True, 1]
    assert len(known) > 2
    assert all(known)


def with_a_full_lane() -> LaneBench:
    bench = table_with_lanes(8)
    run_to(bench, 12)
    bench.board.touch(Input.CELL_FULL + 1, True)
    shows(bench, Do.EMPTY_LANE)
    return bench


def test_a_lane_that_is_not_empty_takes_the_next_tile_once_it_is_and_people_do_not_begin_again() -> None:
    bench = with_a_full_lane()
    put = next(screen.task for screen in reversed(bench.screens) if screen.task.do is Do.PUT and screen.task.seat == 1)
    assert (bench.screens[-1].task.seat, bench.screens[-1].task.place) == (1, put.place), "the tile may be the last one of this lane"
    run_to(bench, 0, 5.0)
    bench.board.touch(Input.CELL_FULL + 1, False)
    go_on(bench)
    assert bench.boots == 1


def test_a_board_that_loses_its_power_before_a_full_lane_leads_no_later_tile_there() -> None:
    bench = with_a_full_lane()
    bench.board_power_cut()
    bench.run(lambda: bench.boots == 2)
    bench.board.touch(Input.CELL_FULL + 1, False)
    go_on(bench)


@contextmanager
def led(machine: FeederSimulator, folder: Path, places: ConfirmedPlacesFile) -> Iterator[Station]:
    station = Station(folder / "station", places, (1, 2), SIZES, machine=folder / "machine")
    machine.start()
    station.start()
    try:
        yield station
    finally:
        station.stop()
        machine.stop()


def test_a_board_with_trays_leads_no_tile_and_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    machine = FeederSimulator(MechanicsSettings(), 1, FaultPlan(), link=tmp_path / "machine", firmware=firmware_named("core"))
    with led(machine, tmp_path, ConfirmedPlacesFile(tmp_path / "places")) as station:
        eventually(lambda: station.screen(0, 0.0)[1].task.do is Do.EXCHANGE, "the screen says so")
        assert "tray places is 37, not 1" in caplog.text


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"builders": 2}, "one machine brings all tiles"),
        ({"machine": Path("/dev/ttyUSB0")}, "are one port"),
        ({"machine": Path("/tmp")}, "no serial device"),
    ],
)
def test_a_machine_that_cannot_be_led_so_is_refused(more: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        StationSection(**{"feeder_link": Path("/dev/ttyUSB0"), "machine": Path("/dev/ttyUSB1"), "memory": Path("m")} | more)


def test_a_station_leads_a_machine_at_a_serial_port(tmp_path: Path) -> None:
    built("host", "twinwall-feeder-host")
    machine = FeederSimulator(
        replace(LANES, speed=2.0), 1, FaultPlan(unread=0.0), link=tmp_path / "machine", firmware=firmware_named("host")
    )
    places = ConfirmedPlacesFile(tmp_path / "places")
    with led(machine, tmp_path, places), Desk(str(tmp_path / "station")) as desk:
        desk.submit(1, Feed())
        assert desk.wait(TileAtGate).width == pytest.approx(260, abs=5)
        desk.submit(2, Place(2, 5))
        eventually(lambda: _taken(machine, 2), "a tile lies at the lane's end")
        desk.wait(TileAtGate)
        assert desk.ended(3, Recirculate()).sensors == Sensors.GATE_LEFT | Sensors.DRUM_IN
        assert 2 in desk.done
        assert places.load().trays == (0, 0, 1 << 5, 0)


def test_what_lay_aside_when_a_table_became_one_with_a_machine_goes_into_the_well(tmp_path: Path) -> None:
    places = ConfirmedPlacesFile(tmp_path / "places")
    places.keep(ConfirmedPlaces(trays=(1, 0, 0, 0), cells=0b10))
    machine = FeederSimulator(replace(LANES, speed=4.0), 1, link=tmp_path / "machine")
    with led(machine, tmp_path, places) as station:
        eventually(lambda: station.screen(0, 0.0)[1].task.do is Do.RECOVER, "the well is open, and the screen asks for it")
        task = station.screen(0, 0.0)[1].task
        assert task.spot == 1
        assert station.confirm(task.number, 0)
        eventually(lambda: places.load() == ConfirmedPlaces(trays=(1, 0, 0, 0)), "it is kept that nothing else lies anywhere")


class SlowDisk(ConfirmedPlacesFile):
    """Takes longer than a board waits for its host."""

    def keep(self, memory: ConfirmedPlaces) -> None:
        time.sleep(1.3)
        super().keep(memory)


def test_a_machine_is_kept_company_while_the_station_waits_for_its_disk(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    machine = FeederSimulator(LANES, 1, FaultPlan(unread=0.0), link=tmp_path / "machine")
    with led(machine, tmp_path, SlowDisk(tmp_path / "places")), Desk(str(tmp_path / "station")) as desk:
        desk.submit(1, Feed())
        desk.wait(TileAtGate)
        desk.submit(2, Place(2, 5))
        eventually(lambda: _taken(machine, 2), "a tile lies at the lane's end")
        assert desk.wait(Done, lambda done: done.operation == 2)
        assert not caplog.messages


def _taken(machine: FeederSimulator, seat: int) -> bool:
    with suppress(NotPossibleError):
        machine.take_from_lane(seat)
        return True
    return False
