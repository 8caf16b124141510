"""A whole hand from drum to record over serial bytes, the board's core and a machine whose draws stand behind blinds."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from controller.ledger.journal_events import OperationDone
from controller.state.sides import PlayStage, WallStage
from controller.state.table_state import REFUSED
from firmware_bridge.board.library import PinReading
from firmware_bridge.electrics.wired_machine import capabilities_of
from firmware_bridge.electrics.wiring import Input
from firmware_bridge.link.events import OperationRequest
from firmware_bridge.link.session import KnownBoot
from simulator.tabletop import PhysicalTile, tile_set
from tests.controller.hand.test_whole_hands import check
from tests.support.controller.feeder import Face, FakeFeeder, Move
from tests.support.controller.players import Players, written_hand
from tests.support.controller.rigs import Rig, opened, set_up
from tests.support.game.tables import walls_with_kongs
from tests.support.link.pair import FAST, Pair
from tests.support.tiers import some
from twinwall.game.play_events import KongDeclared, PlayEvent
from twinwall.game.tiles import Tile, parse_tile
from twinwall.wire.events.hand_events import TileTakenAgain
from twinwall.wire.events.trouble_events import Violation
from twinwall.wire.shapes.panel import Key

MACHINE = replace(FAST, blinds=True)
_STEP_S = 0.05


class WiredFeeder(FakeFeeder):
    """Takes what a rig asks of a feeder to the board, and people to the machine; it goes as far as the rig's time, and a step on."""

    def begin(self) -> None:
        """Put all tiles into the drum of a machine whose board gets its power now."""
        self.pair = Pair(machine=MACHINE, tiles=tile_set(1, tiles=[face for face in self.drum if isinstance(face, Tile)]))
        self.pair.auto_acknowledge = False
        self._began_s = self.pair.now_s
        self.boot, self.up = self.pair.boot_id, True
        self._in_hand: dict[int, PhysicalTile] = {}

    @property
    def now_s(self) -> float:
        """The rig's time to which the machine has come."""
        return self.pair.now_s - self._began_s

    def submit(self, request: OperationRequest) -> None:
        self.pair.link.submit(request, self.pair.now_s)

    def request_status(self) -> None:
        self.pair.link.request_status(self.pair.now_s)

    def acknowledge(self, number: int) -> None:
        self.pair.link.acknowledge(number, self.pair.now_s)

    def connect(self) -> None:
        """The link comes up by itself."""
        self.pair.on_event = self.post

    def new_host(self, boot: int | None, last_event: int) -> None:
        self.pair.restart_host(known=None if boot is None else KnownBoot(boot, last_event))

    def restart(self) -> None:
        """The board loses its power and comes back."""
        self.pair.reboot()
        self.boot = self.pair.boot_id

    def take(self, place: int, index: int) -> None:
        self.pair.mechanics.hands.take_hand_tile(place, index, self.pair.now_s)
        self._look()

    def lift(self, place: int) -> Tile:
        tile = self.pair.mechanics.hands.lift_draw(place, self.pair.now_s)
        assert tile is not None, f"no tile comes out of gate {place}"
        self._in_hand[place] = tile
        self._look()
        return parse_tile(tile.face)

    def put_back(self, place: int) -> None:
        """A hand has kept the shutter open for it."""
        gate = self.pair.mechanics._interlocks.gate(place)
        gate.open = True
        self.pair.mechanics.hands.put_back(place, self._in_hand.pop(place), self.pair.now_s)
        gate.open = False
        self._look()

    def is_open(self, place: int) -> bool:
        return place < 4 and self.pair.mechanics.view().gates_open[place]

    def moves(self) -> list[Move]:
        return [partial(self.go_on, _STEP_S)]

    def go_on(self, seconds: float) -> None:
        """Let the machine come to the rig's time, and go on for so long."""
        self.pair.run_for(max(self._now_s() - self.now_s, 0.0) + seconds)
        self._look()

    def _look(self) -> None:
        """What lies where a rig looks for it."""
        mechanics = self.pair.mechanics
        lying = mechanics.gate_tile()
        self.gates[0] = None if lying is None else parse_tile(lying.face)
        self.magazines = {
            (place, index): parse_tile(tile.face)
            for place, side in enumerate(mechanics._parts.sides)
            for index, tile in enumerate(side.magazine)
            if tile is not None
        }


class WiredRig(Rig):
    """A rig with such a feeder; its time is the machine's."""

    feeder: WiredFeeder

    def make_feeder(self, faces: list[Face]) -> FakeFeeder:
        feeder = WiredFeeder(faces, self.post, lambda: self.time.now_s, capabilities_of(MACHINE))
        feeder.begin()
        return feeder

    def _world(self, *, players: bool = True) -> bool:
        happened = super()._world(players=players)
        self.time.now_s = max(self.time.now_s, self.feeder.now_s)
        while self.time.is_due(self.time.now_s):
            self.time.pass_to_next()
        return happened


WITH_KONGS = 3
"""Seed of a hand with three kongs and their replacements."""
LEASE_S = 2.0

pytestmark = pytest.mark.slow
Disturb = Callable[[WiredRig, int], bool]
"""Happens at the open gate of a seat, before its tile is lifted; whether it has been lifted by then."""


class Disturbed(Players):
    """Players at whose every ninth draw something happens; in all else they play as it is written."""

    def __init__(self, rig: WiredRig, script: list[PlayEvent], disturb: Disturb) -> None:
        super().__init__(rig, script)
        self._wired, self._disturb = rig, disturb
        self._draws = 0
        self.disturbed = 0
        self._put_back = -1
        """Where a tile lies in its gate again."""

    def next_move(self) -> Move | None:
        place = self._put_back
        if place < 0 or self._rig.state.playing.halted:
            return super().next_move()
        return self._take_again if self._rig.feeder.is_open(place) else None

    def _draw(self, place: int) -> None:
        self._draws += 1
        if self._draws % 9 != 5:
            super()._draw(place)
            return
        self.disturbed += 1
        if self._disturb(self._wired, place):
            self._put_back = place
            self._next()

    def _take_again(self) -> None:
        self._rig.feeder.lift(self._put_back)
        self._put_back = -1


def nothing_happens(_rig: WiredRig, _place: int) -> bool:
    return False


def the_lease_ends_without_a_draw(rig: WiredRig, place: int) -> bool:
    """The line is cut meanwhile, else the table would prolong it."""
    pair = rig.feeder.pair
    pair.cut = True
    rig.feeder.go_on(LEASE_S + 3.0)
    assert pair.mechanics.hands.lift_draw(place, pair.now_s) is None
    pair.cut = False
    return False


def the_board_restarts(rig: WiredRig, place: int) -> bool:
    rig.feeder.restart()
    rig.feeder.go_on(0.0)
    assert not rig.feeder.is_open(place)
    return False


def a_tile_is_put_back(rig: WiredRig, place: int) -> bool:
    """The hand stays in the shutter for it."""
    board, shutter = rig.feeder.pair.firmware.board, Input.LOCK_IS_OPEN + place
    board.stick(shutter, PinReading.HIGH)
    rig.feeder.lift(place)
    rig.feeder.go_on(0.3)
    rig.feeder.put_back(place)
    rig.feeder.go_on(0.3)
    board.stick(shutter, PinReading.AS_WIRED)
    return True


def the_emergency_stop_is_pressed(rig: WiredRig, place: int) -> bool:
    """It shuts the gate, and stands for a while; a person confirms when it is released."""
    hands = rig.feeder.pair.mechanics.hands
    hands.set_estop(True, rig.feeder.pair.now_s)
    rig.run(lambda: rig.state.has_fault("estop"))
    ends_s = rig.feeder.now_s + LEASE_S + 1.0
    rig.run(lambda: rig.feeder.now_s >= ends_s)
    assert not rig.feeder.is_open(place)
    hands.set_estop(False, rig.feeder.pair.now_s)
    rig.run(lambda: rig.state.has_fault("feeder-estop"))
    rig.press(0, Key.CONFIRM)
    return False


def refusals(rig: WiredRig) -> list[str]:
    return [event.result for event in rig.happened(OperationDone) if event.result.startswith(REFUSED)]


def table(folder: Path) -> tuple[WiredRig, list[PlayEvent]]:
    """A drum full of tiles, and the hand that will be played."""
    walls = walls_with_kongs(WITH_KONGS)
    rig = WiredRig(folder, opened(walls), seed=WITH_KONGS, setup=set_up(capabilities=capabilities_of(MACHINE), last_hand=1))
    return rig, written_hand(rig.setup.rules, walls, WITH_KONGS)


def played(rig: WiredRig) -> None:
    rig.run(lambda: rig.state.playing.stage is PlayStage.CLOSED, most=60_000, most_s=1800)
    rig.confirm()
    rig.settle()


@pytest.mark.parametrize(
    "disturb",
    [
        the_board_restarts,
        a_tile_is_put_back,
        the_emergency_stop_is_pressed,
        *(pytest.param(each, marks=pytest.mark.nightly) for each in (nothing_happens, the_lease_ends_without_a_draw)),
    ],
)
def test_a_hand_with_kongs_is_played_to_its_end_behind_blinds_whatever_happens_at_its_draws(tmp_path: Path, disturb: Disturb) -> None:
    rig, script = table(tmp_path)
    players = Disturbed(rig, script, disturb)
    rig.build()
    played(rig)
    check(rig, script)
    assert len(refusals(rig)) <= players.disturbed, "what a gate refuses is not asked again and again"
    assert sum(isinstance(event, KongDeclared) for event in script) == 3
    returned = disturb is a_tile_is_put_back
    assert {violation.what for violation in rig.happened(Violation)} == ({"put-back"} if returned else set())
    assert bool(rig.happened(TileTakenAgain)) is returned
    assert list(rig.feeder.pair.wires.kept[:4]) == [MACHINE.wall_places] * 4, "each blind has moved once for each draw"
    rig.stop()


@pytest.mark.parametrize("after_s", some([0.04, 0.0, 0.08], 1))
def test_so_is_one_whose_board_lost_its_power_while_the_walls_rose(tmp_path: Path, after_s: float) -> None:
    rig, script = table(tmp_path)
    Disturbed(rig, script, nothing_happens)
    rig.run(lambda: Input.LIFT_DOWN in rig.feeder.pair.wires.actuators.turning)
    rig.feeder.go_on(after_s)
    rig.feeder.restart()
    rig.build()
    played(rig)
    check(rig, script)
    rig.stop()


def test_a_shutter_that_keeps_walls_from_rising_is_named_after_each_confirm_until_it_shuts(tmp_path: Path) -> None:
    rig, _script = table(tmp_path)
    board, shutter = rig.feeder.pair.firmware.board, Input.LOCK_IS_OPEN + 1
    board.stick(shutter, PinReading.HIGH)
    for stage in (WallStage.BUILDING, WallStage.RAISING, WallStage.RAISING):
        rig.run(lambda: rig.state.has_fault("feeder-lock"))
        assert rig.state.making.stage is stage
        rig.press(0, Key.CONFIRM)
    board.stick(shutter, PinReading.AS_WIRED)
    rig.build()
    assert not rig.state.has_fault("feeder-lock")
    rig.stop()
