"""A hand played step by step: hands, keys and what lies on the mat, by seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from controller.state.messages import PartFound, PartLost
from controller.state.sides import PlayStage
from controller.state.table_state import TABLE_CAMERA, Setup
from firmware_bridge.messages import REAR_GATE
from tests.support.controller.feeder import face_of
from tests.support.controller.rigs import MakeRig, Rig, opened, set_up
from tests.support.game.scripted import Dealt
from tests.support.game.seigo_tables import deal_of
from tests.support.narrowed import of_type, present
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles
from twinwall.game.walls import SeatWall
from twinwall.wire.events.trouble_events import Violation
from twinwall.wire.messages.ruling import Effect
from twinwall.wire.shapes.panel import Key
from vision.mat import Area, Slot

E, S, W, N = SEATS


def walls_of(written: Mapping[Seat, str]) -> dict[Seat, SeatWall]:
    """Walls of duplicate MCR that begin as written (13 hand tiles, then draws) and go on with what is left of the set, in order."""
    return dealt("mcr-duplicate", written)[0]


def dealt(rules: str, written: Mapping[Seat, str]) -> tuple[dict[Seat, SeatWall], tuple[Tile, ...]]:
    """Walls of a rule set that begin as written and go on with what is left of its set, in order; and the tiles of no seat."""
    wanted = {seat: parse_tiles(written.get(seat, "")) for seat in SEATS}
    left = Counter(rule_set(rules).tiles)
    left.subtract(Counter(tile for tiles in wanted.values() for tile in tiles))
    assert min(left.values()) >= 0, f"more than four of {[tile.text for tile, count in left.items() if count < 0]}"
    rest = sorted(left.elements())
    walls = {}
    for seat in SEATS:
        missing = rule_set(rules).walls.wall_size - len(wanted[seat])
        tiles = (*wanted[seat], *rest[:missing])
        del rest[:missing]
        walls[seat] = SeatWall(tiles[:13], tiles[13:])
    return walls, tuple(rest)


class Game:
    """One hand at a rig whose walls are raised."""

    def __init__(self, make_rig: MakeRig, walls: dict[Seat, SeatWall], *, hand: int = 1, setup: Setup | None = None) -> None:
        self._begin(make_rig(opened(walls, hand=hand), raised=True, setup=setup))

    @classmethod
    def by_the_rules_of(cls, rules: str, make_rig: MakeRig, written: Mapping[Seat, str], **changes: object) -> Game:
        """A hand of a rule set on walls that begin as written, with the default settings but for ``changes``; the hands are taken, and the
        shared tile before the first draw lies open."""
        return cls.on(rules, make_rig, dealt(rules, written), **changes)

    @classmethod
    def on(cls, rules: str, make_rig: MakeRig, deal: Dealt, **changes: object) -> Game:
        """The same on any deal."""
        walls, rest = deal
        options: dict[str, object] = {"minimum": 0} if rules == "mcr-duplicate" else {}
        game = cls.__new__(cls)
        setup = set_up(rules=rule_set(rules, options), options=options, **changes)
        game._begin(make_rig(opened(walls, rules=rules, rest=rest), raised=True, setup=setup))
        return game.take_hands().turn_up_shared()

    def _begin(self, rig: Rig) -> None:
        self.rig = rig
        self.rig.settle()
        self._rivers = dict.fromkeys(SEATS, 0)
        self._melds = dict.fromkeys(SEATS, 0)
        self._last: Slot | None = None

    @property
    def lit(self) -> str:
        return "".join(seat.value for seat in SEATS if self.place(seat) in self.rig.lamps.turn)

    @property
    def called(self) -> str:
        return "".join(seat.value for seat in SEATS if self.place(seat) in self.rig.lamps.call)

    @property
    def unlocked(self) -> str:
        return "".join(seat.value for seat in SEATS if self.rig.feeder.is_open(self.place(seat)))

    @property
    def referee_called_by(self) -> str:
        """The seats that call the referee, or that he is called to."""
        calling = {call.seat for call in self.rig.state.playing.referee}
        return "".join(seat.value for seat in SEATS if seat in calling)

    @property
    def table_calls_about(self) -> list[str]:
        """What the table itself calls the referee about, and accuses no seat."""
        return sorted(str(call.about) for call in self.rig.state.playing.referee if call.seat is None)

    def place(self, seat: Seat) -> int:
        return self.rig.seats()[seat]

    def take_hands(self) -> Game:
        for place, index in sorted(position for position in self.rig.feeder.magazines if position[1] < 13):
            self.rig.feeder.take(place, index)
            self.rig.settle()
        assert self.rig.state.playing.stage is PlayStage.PLAYING
        return self

    def turn_up_shared(self) -> Game:
        """Whoever sits at an open rear gate takes the tile and lays it face up."""
        for gate in range(REAR_GATE, 2 * REAR_GATE):
            if self.rig.feeder.is_open(gate):
                tile = of_type(Tile, face_of(self.rig.feeder.lift(gate)))
                self.rig.settle()
                (slot,) = self.rig.watched.slots
                self.rig.mat.tiles[slot] = tile
                self.look()
        return self

    def draw(self, seat: Seat) -> Game:
        self.rig.feeder.lift(self.place(seat))
        self.rig.settle()
        return self

    def discard(self, seat: Seat, tile: str, at: int | None = None) -> Game:
        """Lay a tile into the river; the camera sees it."""
        return self.lay(seat, tile, at).look()

    def lay(self, seat: Seat, tile: str, at: int | None = None) -> Game:
        """Lay a tile into the river, after the others or ``at`` a slot; the camera has not looked yet."""
        index = self._rivers[seat] if at is None else at
        self._last, self._rivers[seat] = Slot(self.place(seat), Area.RIVER, index), index + 1
        (self.rig.mat.tiles[self._last],) = parse_tiles(tile)
        return self

    def look(self) -> Game:
        self.rig.look_at_mat()
        return self

    def press(self, seat: Seat, key: Key) -> Game:
        self.rig.press(self.place(seat), key)
        return self

    def lose_camera(self, why: str = "silent") -> Game:
        self.rig.tell(PartLost(TABLE_CAMERA, why))
        return self

    def find_camera(self) -> Game:
        self.rig.tell(PartFound(TABLE_CAMERA))
        return self

    def wait(self, seconds: float) -> Game:
        self.rig.wait(seconds)
        return self

    def rule(self, *effects: Effect) -> Game:
        self.rig.rule(*effects)
        return self

    def close_window(self) -> Game:
        assert self.rig.lamps.window, "no claims are open"
        while self.rig.lamps.window:
            assert self.rig.time.pass_to_next()
            self.rig.settle()
        return self

    def turn(self, seat: Seat, tile: str, *keys: Key) -> Game:
        """Draw, press, discard, and nobody wants it."""
        self.draw(seat)
        for key in keys:
            self.press(seat, key)
        return self.discard(seat, tile).close_window()

    def take(self, seat: Seat, at: int) -> Game:
        del self.rig.mat.tiles[Slot(self.place(seat), Area.RIVER, at)]
        return self

    def expose(self, seat: Seat, tiles: str, of: Seat | None = None) -> Game:
        """Lay a meld open, the discard included: the last one, or the last of a seat."""
        taken = present(self._last if of is None else Slot(self.place(of), Area.RIVER, self._rivers[of] - 1))
        del self.rig.mat.tiles[taken]
        return self.meld(seat, tiles)

    def meld(self, seat: Seat, tiles: str) -> Game:
        self._put(seat, Area.MELD, tiles, 4 * self._melds[seat])
        self._melds[seat] += 1
        return self.look()

    def add(self, seat: Seat, group: int, tile: str) -> Game:
        """Lay a fourth tile on the pung of a group."""
        return self._put(seat, Area.MELD, tile, 4 * group + 3).look()

    def _put(self, seat: Seat, area: Area, tiles: str, first: int = 0) -> Game:
        for index, tile in enumerate(parse_tiles(tiles), first):
            self.rig.mat.tiles[Slot(self.place(seat), area, index)] = tile
        return self

    def lay_face_down(self, seat: Seat) -> Game:
        """Lay four tiles as a group of their own, backs up."""
        self.rig.mat.lay_face_down(self.place(seat), self._melds[seat])
        self._melds[seat] += 1
        return self.look()

    def turn_up(self, seat: Seat, group: int, tiles: str) -> Game:
        """Turn a group that lies face down."""
        self.rig.mat.blurred -= {Slot(self.place(seat), Area.MELD, 4 * group + index) for index in range(4)}
        return self._put(seat, Area.MELD, tiles, 4 * group).look()

    def lay_open(self, seat: Seat, tiles: str, winning: str | None = None) -> Game:
        """Show a hand; ``winning`` apart when it was self-drawn."""
        return self._put(seat, Area.HAND, tiles)._put(seat, Area.WIN, winning or "").look()

    def violations(self) -> list[str]:
        """What the rules did not allow, so far."""
        return [event.what for event in self.rig.happened(Violation)]

    def held(self, seat: Seat) -> Counter[Tile]:
        return Counter(self.rig.deal.walls[seat].hand)


def seigo_game(make_rig: MakeRig, **begun: str) -> Game:
    """A hand of Seigo whose walls begin so."""
    return Game.on("seigo", make_rig, deal_of(**begun))
