"""The attendant: sees a fault at the machine, repairs it, and only then presses CONFIRM."""

from collections import Counter

import pytest

from firmware_bridge.electrics.drives import Divert, FeedMotor, Grip, Lane
from firmware_bridge.electrics.edges import Sensor
from firmware_bridge.messages import ResetReason
from simulator.feeder_simulator import FeederSimulator
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.mechanics.machine import Mechanics
from simulator.physical_tiles import PhysicalTile, tile_set
from simulator.workbench import Workbench
from simulator.world.attendant import Attendant
from tests.simulator.mechanics.test_machine import run_until
from twinwall.game.tiles import WHOLE_SET

BACK = 1


class NoFirmware:
    """Nothing drives the machine."""

    path = ""

    def __init__(self, bench: Workbench) -> None:
        self.now_s = bench.clock

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def settle(self, now_s: float) -> None: ...
    def wake(self) -> None: ...
    def reboot(self, reason: ResetReason) -> None: ...
    def unplug(self) -> None: ...
    def plug(self) -> None: ...


class Desk:
    """A feeder without its firmware, a lamp and a key."""

    def __init__(self, tiles: tuple[PhysicalTile, ...], faults: FaultPlan | None = None) -> None:
        self.now_s = 0.0
        plan = faults or FaultPlan(unread=0.0)
        self.feeder = FeederSimulator(MechanicsSettings(), 1, plan, tiles, clock=lambda: self.now_s, firmware=NoFirmware)
        self.machine: Mechanics = self.feeder._mechanics  # the test drives what firmware would
        self.lit = False
        self.confirmed = 0
        self.attendant = Attendant(self.feeder, lambda: self.lit, self._confirm, WHOLE_SET)

    def _confirm(self) -> None:
        self.confirmed += 1

    def lead(self, lane: Lane, seat: int = 0, position: int | None = None) -> None:
        """Bring the next tile somewhere."""
        self.machine.drive(FeedMotor(True), self.now_s)
        if self.machine.gate_tile() is None:
            self.now_s = max(run_until(self.machine, Sensor.GATE).at_s, self.now_s)
        self.machine.drive(Divert(lane, seat), self.now_s)
        self.now_s += 1.0
        self.machine.advance(self.now_s)
        if position is not None:
            self.machine.drive(Grip(seat, None, on=True), self.now_s)
            self.machine.drive(Grip(seat, position, on=False), self.now_s + 1.0)
            self.now_s += 3.0
            self.machine.advance(self.now_s)

    def wait(self, seconds: float) -> None:
        """The attendant looks at the lamp every half second."""
        for _ in range(round(2 * seconds)):
            self.now_s += 0.5
            self.attendant.look(self.now_s)

    def faces(self, place: str) -> Counter[str]:
        return Counter(tile.face for tile in self.feeder.census()[place])


@pytest.fixture
def whole() -> tuple[PhysicalTile, ...]:
    return tile_set(BACK)


def test_nobody_comes_while_the_lamp_is_dark_and_nothing_is_confirmed_that_needs_no_hand(whole: tuple[PhysicalTile, ...]) -> None:
    desk = Desk(whole)
    desk.lead(Lane.CHUTE, 0, 3)
    desk.wait(20)
    desk.lit = True
    desk.wait(20)
    assert desk.confirmed == 0


def test_a_jam_is_freed_and_confirmed(whole: tuple[PhysicalTile, ...]) -> None:
    desk = Desk(whole, FaultPlan(unread=0.0, jam=1.0, jam_needs_hand=1.0))
    desk.lead(Lane.CHUTE)
    desk.lit = True
    desk.wait(4)
    assert desk.feeder.stuck(), "it takes a person some time to come"
    desk.wait(2)
    assert not desk.feeder.stuck()
    assert desk.confirmed == 1


def test_a_good_tile_out_of_the_reject_cell_goes_back_into_the_drum(whole: tuple[PhysicalTile, ...]) -> None:
    desk = Desk(whole)
    desk.lead(Lane.CHUTE, 0, 3)
    desk.lead(Lane.REJECT)
    desk.lit = True
    desk.wait(6)
    assert not desk.feeder.census()["rejected"]
    assert sum(map(len, desk.feeder.census().values())) == 136
    assert desk.confirmed == 1


def test_a_fifth_copy_and_a_flower_stay_outside() -> None:
    desk = Desk(tuple(PhysicalTile(number, "5m", BACK) for number in range(5)))
    desk.lead(Lane.CHUTE, 0, 3)
    desk.lead(Lane.REJECT)
    desk.machine.hands.set_lid(True, desk.now_s)
    desk.machine.hands.add_to_drum([PhysicalTile(9, "flower", BACK)], desk.now_s)
    desk.machine.hands.set_lid(False, desk.now_s)
    while desk.faces("rejected")["flower"] == 0:
        desk.lead(Lane.REJECT)
    desk.lit = True
    desk.wait(6)
    assert desk.faces("in play")["flower"] == 1
    assert desk.faces("in play")["5m"] >= 1


def test_a_set_that_is_short_is_made_up_from_spares_and_confirm_is_pressed_until_the_lamp_goes_out() -> None:
    desk = Desk(tile_set(BACK, missing=("E", "3p")))
    desk.lead(Lane.CHUTE, 0, 3)
    desk.lit = True
    desk.wait(6)
    everywhere = Counter(tile.face for tiles in desk.feeder.census().values() for tile in tiles)
    assert everywhere == Counter(tile.text for tile in WHOLE_SET)
    desk.wait(10)
    assert desk.confirmed == 3
    desk.lit = False
    desk.wait(10)
    assert desk.confirmed == 3


@pytest.mark.parametrize("act", ["set_lid", "set_estop"])
def test_a_lid_that_was_open_and_a_stop_that_was_pressed_are_confirmed_once(act: str, whole: tuple[PhysicalTile, ...]) -> None:
    desk = Desk(whole)
    getattr(desk.feeder, act)(True)
    getattr(desk.feeder, act)(False)
    desk.lit = True
    desk.wait(6)
    desk.lit = False
    desk.wait(1)
    desk.lit = True
    desk.wait(20)
    assert desk.confirmed == 1
