"""People and services around a simulated table: the attendant, who disturbs, and what is served."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from firmware_bridge.electrics.wired_machine import Divert, Grip, Lane, Sensor, Switch
from firmware_bridge.electrics.wiring import Output
from simulator.disturbances.acts import Discard, Draw, Expose, Show, done
from simulator.disturbances.kinds import NONE, Disturbance, Disturbances
from simulator.feeder_simulator import FeederSimulator
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.mechanics.machine import Mechanics
from simulator.panel.fake import lgpio
from simulator.scene import CLEAR
from simulator.settings import WorldSection, WorldSettings
from simulator.tabletop import PhysicalTile, Tabletop, tile_set
from simulator.world.disturber import Disturber
from simulator.world.service import Attendant, serve
from tests.simulator.mechanics.test_machine import run_until
from tests.support.narrowed import present
from tests.support.patience import PATIENCE_S
from tests.support.simulator.world_fakes import NoFirmware
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import WHOLE_SET

BACK = 1


class Desk:
    """A feeder without its firmware, a lamp and a key."""

    def __init__(self, tiles: tuple[PhysicalTile, ...], faults: FaultPlan | None = None) -> None:
        plan = faults or FaultPlan(unread=0.0)
        self.feeder = FeederSimulator(MechanicsSettings(), 1, plan, tiles, firmware=lambda _: NoFirmware(lambda: self.now_s))
        self.now_s = time.monotonic()
        self.machine: Mechanics = self.feeder._mechanics  # the test drives what firmware would
        self.lit = False
        self.confirmed = 0
        self.attendant = Attendant(self.feeder, lambda: self.lit, self._confirm, WHOLE_SET)

    def _confirm(self) -> None:
        self.confirmed += 1

    def lead(self, lane: Lane, seat: int = 0, position: int | None = None) -> None:
        """Bring the next tile somewhere."""
        self.machine.drive(Switch(Output.DRUM, True), self.now_s)
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


def settings_of(folder: Path, name: str = "", port: int = 0, *, staff: bool = False) -> WorldSettings:
    return WorldSettings(WorldSection("1", folder / f"{name}panel", folder / f"{name}feeder", port=port, staff=staff))


@contextmanager
def serving(*tables: WorldSettings) -> Iterator[list[str]]:
    """The worlds of one process, by their addresses."""
    stop, urls = threading.Event(), SimpleQueue[str]()
    thread = threading.Thread(target=serve, args=(tables, stop, urls.put))
    thread.start()
    try:
        yield [urls.get(timeout=PATIENCE_S) for _ in tables]
    finally:
        stop.set()
        thread.join()


def test_worlds_open_their_ports_their_pins_and_their_doors_and_close_them(tmp_path: Path) -> None:
    names = ("", "other-")
    with serving(*(settings_of(tmp_path, name) for name in names)) as urls:
        for name, url in zip(names, urls, strict=True):
            assert (tmp_path / f"{name}feeder").resolve().is_char_device()
            assert (tmp_path / f"{name}panel").stat().st_size == lgpio.SIZE
            with urlopen(f"{url}/scene/gate", timeout=PATIENCE_S) as answer:
                assert answer.read() == b'{"tile":null}'
    assert not list(tmp_path.glob("*feeder"))


def test_a_port_that_is_taken_ends_all_worlds_of_a_process_at_once(tmp_path: Path) -> None:
    before, opened = threading.active_count(), list[str]()
    with serving(settings_of(tmp_path)) as (url,):
        taken = int(url.rsplit(":", 1)[1])
        others = settings_of(tmp_path, "second-", staff=True), settings_of(tmp_path, "third-", taken)
        with pytest.raises(OSError, match="in use"):
            serve(others, threading.Event(), opened.append)
        with pytest.raises(URLError):
            urlopen(f"{opened[0]}/scene/gate", timeout=PATIENCE_S)
    assert (threading.active_count(), list(tmp_path.glob("*feeder"))) == (before, [])


MAT = Mat()
DISCARD = Discard(0, "5p", 0)
SLOT = Slot(0, Area.RIVER, 0)


def dealt() -> Tabletop:
    table = Tabletop(1)
    for place in range(4):
        for number, face in enumerate(["5p", "5p", "5p", "1m", "E"]):
            table = table.take(place, PhysicalTile(10 * place + number, face, 1))
    return table


def always(kind: Disturbance) -> Disturber:
    """People who do nothing but this, at every occasion."""
    return Disturber(Disturbances(1, 1.0, {other: 1e6 if other is kind else 0.0 for other in Disturbance}), MAT)


def test_people_who_do_not_disturb_do_what_they_mean() -> None:
    disturber, table = Disturber(NONE, MAT), dealt()
    for act in (DISCARD, Expose(1, ("5p", "5p"), SLOT), Draw(2, PhysicalTile(99, "E", 1), 2), Show(3, None)):
        before, table = table, disturber.done(table, act, 1, 0)
        assert table == done(before, act)
    assert (disturber.since(table, 60_000), disturber.between(60_000)) == (table, CLEAR)
    assert not disturber.counts


def test_people_who_disturb_in_each_way_once_do_so_discard_by_discard() -> None:
    disturber, table = Disturber(Disturbances(1), MAT, once=True), dealt()
    for turn in range(8):
        for place in range(4):
            face = next(tile.face for tile in table.racks[place].tiles)
            table = disturber.done(table, Discard(place, face, turn), 1, 0)
            table = disturber.done(table, Draw(place, PhysicalTile(100 + 4 * turn + place, face, 1), 5 + turn), 1, 0)
    assert len(disturber.counts) == 17
    assert {kind for kind, count in disturber.counts.items() if count > 1} <= {Disturbance.ARM_OVER_MAT, Disturbance.ARM_STAYS}


def test_a_discard_laid_face_down_is_turned_up_after_a_while() -> None:
    disturber = always(Disturbance.DISCARD_FACE_DOWN)
    table = disturber.done(dealt(), DISCARD, 1, 0)
    lain = present(table.at(SLOT))
    assert lain.face_down
    assert disturber.since(table, 700) is table
    lain = present(disturber.since(table, 3000).at(SLOT))
    assert not lain.face_down
    assert disturber.counts == {"discard-face-down": 1}


def test_a_tile_that_was_claimed_meanwhile_is_not_turned_up() -> None:
    disturber = always(Disturbance.DISCARD_FACE_DOWN)
    table = disturber.done(dealt(), DISCARD, 1, 0)
    claimed = disturber.done(table, Expose(1, ("5p", "5p"), SLOT), 1, 500)
    assert disturber.since(claimed, 3000) == claimed
