"""Walls built at a machine with lanes (hardware/README.md, stage D): the whole way from its drum to the wall."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.messages import Feed, Place, Recirculate, Sensors, TileAtGate
from simulator.feeder_simulator import FeederSimulator
from simulator.firmware_choice import firmware_named
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.physical_tiles import NotPossibleError
from tableside.station.confirmed_places import ConfirmedPlacesFile
from tableside.station.settings import StationSection
from tableside.station.station import Station
from tableside.station.tasks import Do
from tests.support.firmware.core_board import built
from tests.support.link.desk import Desk
from tests.support.link.pair import LANES
from tests.support.station.lanes import SIZES, LaneBench, table_with_lanes
from tests.support.wire.brokers import eventually


def run_to(bench: LaneBench, operations: int, seconds: float = 0.0) -> None:
    """Until so many operations have been issued, and so long after that."""
    bench.run(lambda: bench.operations >= operations)
    end_s = bench.now_s + seconds
    bench.run(lambda: bench.now_s >= end_s)


def open_lid(bench: LaneBench, seconds: float) -> None:
    """Open it, and shut it after so long."""
    for opened in (True, False):
        bench.lanes.hands.set_lid(opened, bench.now_s)
        run_to(bench, 0, seconds)


def finish(bench: LaneBench) -> None:
    bench.build(1200.0)
    assert bench.wrong_positions() == []


def test_a_wall_whose_tiles_a_machine_brings_is_the_wall_of_the_deal() -> None:
    bench = table_with_lanes(1)
    finish(bench)
    assert bench.begun == 1
    assert {screen.task.do for screen in bench.screens} <= {Do.REST, Do.READING, Do.PUT}, "nothing is touched and no face is shown"


@pytest.mark.parametrize("cut_power", [LaneBench.board_power_cut, LaneBench.feeder_power_cut])
def test_the_machines_board_and_the_station_may_lose_their_power_at_any_moment(cut_power: Callable[[LaneBench], None]) -> None:
    bench = table_with_lanes(2)
    for cut in range(1, 5):
        run_to(bench, 8 * cut, 0.23 * cut)
        cut_power(bench)
    finish(bench)


@pytest.mark.parametrize("seconds", [0.0, 0.3, 0.8, 1.6])
def test_the_lid_may_be_opened_while_a_tile_is_on_its_way(seconds: float) -> None:
    bench = table_with_lanes(4)
    run_to(bench, 12, seconds)
    open_lid(bench, 3.0)
    finish(bench)
    assert bench.begun > 1


def test_tiles_that_stick_are_loosened_and_double_feeds_go_back() -> None:
    finish(table_with_lanes(5, faults=FaultPlan(unread=0.05, jam=0.05, jam_needs_hand=0.0, double_feed=0.05, face_down=0.05)))


def test_a_missing_tile_is_named() -> None:
    bench = table_with_lanes(6, missing=("4p",))
    bench.run(lambda: any("4p" in fault.sentence for fault in bench.state.faults), 1800.0)


def test_a_board_may_lose_its_power_while_it_opens_its_well() -> None:
    bench = table_with_lanes(4)
    run_to(bench, 12)
    open_lid(bench, 0.5)
    bench.run(lambda: bool(bench.led_by.moving()))
    bench.board_power_cut()
    finish(bench)


def test_the_last_tile_out_of_a_lane_may_be_in_a_hand_until_the_next_one() -> None:
    bench = table_with_lanes(7)
    bench.run(lambda: bench.person.memory.placed == 5)
    assert [bench.person.memory.in_hand, len(bench.person.memory.asked)] == [True, 1]


def test_a_board_with_trays_leads_no_tile_and_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    machine = FeederSimulator(MechanicsSettings(), 1, FaultPlan(), link=tmp_path / "machine", firmware=firmware_named("core"))
    station = Station(tmp_path / "station", ConfirmedPlacesFile(tmp_path / "places"), (1, 2), SIZES, machine=tmp_path / "machine")
    machine.start()
    station.start()
    try:
        eventually(lambda: "tray places is 37, not 1" in caplog.text, "what the board has otherwise is said")
    finally:
        station.stop()
        machine.stop()


@pytest.mark.parametrize(
    ("more", "says"),
    [({"builders": 2}, "one machine brings all tiles"), ({"machine": Path("/dev/ttyUSB0")}, "are one port")],
)
def test_a_machine_that_cannot_be_led_so_is_refused(more: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        StationSection(**{"feeder_link": Path("/dev/ttyUSB0"), "machine": Path("/dev/ttyUSB1"), "memory": Path("m")} | more)


@pytest.mark.parametrize("firmware", ["core", "host"])
def test_a_station_leads_a_machine_at_a_serial_port(tmp_path: Path, firmware: str) -> None:
    built("host", "twinwall-feeder-host")
    drive = firmware_named(firmware)
    machine = FeederSimulator(replace(LANES, speed=4.0), 1, FaultPlan(unread=0.0), link=tmp_path / "machine", firmware=drive)
    places = ConfirmedPlacesFile(tmp_path / "places")
    station = Station(tmp_path / "station", places, (1, 2), SIZES, machine=tmp_path / "machine")
    machine.start()
    station.start()
    try:
        with Desk(str(tmp_path / "station")) as desk:
            desk.submit(1, Feed())
            assert desk.wait(TileAtGate).width == pytest.approx(260, abs=5)
            desk.submit(2, Place(2, 5))
            eventually(lambda: _taken(machine, 2), "a tile lies at the lane's end")
            desk.wait(TileAtGate)
            assert desk.ended(3, Recirculate()).sensors == Sensors.GATE_LEFT | Sensors.DRUM_IN
            assert 2 in desk.done
        assert places.load().trays == (0, 0, 1 << 5, 0)
    finally:
        station.stop()
        machine.stop()


def _taken(machine: FeederSimulator, seat: int) -> bool:
    try:
        machine.take_from_lane(seat)
    except NotPossibleError:
        return False
    return True
