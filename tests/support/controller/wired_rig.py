"""Rig whose feeder has a line and a board: the host's link, every byte, the firmware's core and a machine with blinds."""

from dataclasses import replace
from functools import partial

from firmware_bridge.electrics.sizes import capabilities_of
from firmware_bridge.link.events import OperationRequest
from firmware_bridge.link.settings import KnownBoot
from simulator.physical_tiles import PhysicalTile, tile_set
from tests.support.controller.feeder import Face, FakeFeeder, Move
from tests.support.controller.rigs import Rig
from tests.support.link.pair import FAST, Pair
from twinwall.game.tiles import Tile, parse_tile

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
