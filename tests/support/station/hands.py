"""Building by hand in memory: the real controller, the link's bytes, the station, and simulated hands."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from random import Random

from controller.state.sides import OpenDeal
from controller.state.table_state import Setup
from firmware_bridge.electrics.wired_core import WiredCore
from firmware_bridge.electrics.wired_machine import BY_HAND
from firmware_bridge.messages import Command
from simulator.scene import WindowTile
from simulator.tabletop import PhysicalTile, tile_set
from tableside.station.camera_worker import WallWatch
from tableside.station.confirmed_places import ConfirmedPlaces
from tableside.station.manual_feeder import ManualFeeder
from tableside.station.station import Screen, boot_station
from tableside.station.tasks import IN_HAND, Do, Task
from tests.support.building.bench import BuildBench
from tests.support.building.deals import BACK, MCR, any_deal
from tests.support.controller.rigs import opened, set_up
from tests.support.game.seigo_tables import seigo_deal
from twinwall.game.deals.deal import deal_tiles
from twinwall.game.rules import rule_set
from twinwall.game.tiles import parse_tile
from vision.table.building_mat import SeenPositions

PLACES = range(4)


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds that a practised person takes, who picks the next tile while the last one is being put down, and the camera's."""

    read_s: float = 0.25
    """To take in what the screen says."""
    put_s: float = 0.70
    """From the frame to the place."""
    pick_s: float = 0.45
    """From there, with the next tile, back into the frame."""
    spread: float = 0.25
    """Each of them is so much shorter or longer, at random."""
    notice_s: float = 0.10
    """Until the camera has seen that a tile lies still, or that the frame is empty."""
    touch_s: float = 0.60


@dataclass(frozen=True, slots=True)
class Mishaps:
    """Chances per tile: that it cannot be read as it lies, that it was put wrongly, which is noticed at once, and that it was
    put into a place near by, which the hands do not notice."""

    unread: float = 0.0
    slip: float = 0.0
    misplace: float = 0.0


@dataclass(frozen=True, slots=True)
class Overhead:
    """A camera above the walls that are built: how often it looks, and how soon a place counts as taken."""

    look_s: float = 0.2
    settle_s: float = 0.5


class SteppedCore(WiredCore):
    """Stops at whatever the board does, because hands may see it."""

    stops_at_changes = True


class HandBench(BuildBench):
    """One table without a feeder; ``screens`` is everything that its screen has shown."""

    sizes = BY_HAND
    builders = 1
    order: Callable[[Command], None] | None = None
    """Takes what a machine is to do that brings the tiles."""
    lines_together = 1
    """People are slow: while entries wait for the disk, the station repeats its events. A test that cuts the controller's power sets 4."""

    def __init__(
        self,
        setup: Setup,
        deal: OpenDeal,
        tiles: Iterable[PhysicalTile],
        seed: int,
        *,
        pace: Pace,
        mishaps: Mishaps,
        overhead: Overhead | None = None,
    ) -> None:
        self.kept = ConfirmedPlaces()
        self._overhead = overhead
        self._watch = WallWatch(overhead.settle_s if overhead else 0.5)
        self.misplaced = self.moved = 0
        """Tiles put near their places unnoticed, and those that were moved because the screen said so."""
        self.pace, self.mishaps = pace, mishaps
        self._random = Random(f"hands {seed}")
        self.heap = list(tiles)
        self.frame: PhysicalTile | None = None
        self._obscured = False
        self.walls: list[dict[int, PhysicalTile]] = [{} for _ in PLACES]
        self.spots: dict[int, PhysicalTile] = {}
        self.rejected: list[PhysicalTile] = []
        self._last: PhysicalTile | None = None
        self._carried = 0
        self._busy = False
        self._slipped = False
        self.slips = 0
        self.screens: list[Screen] = []
        self._shown: tuple[object, ...] = ()
        super().__init__(setup, deal, self.heap, seed)
        if overhead is not None:
            self._after(overhead.look_s, self._look_from_above)

    def _boot(self) -> WiredCore:
        self.boots += 1
        memory, backs, first = self.kept, (BACK, BACK + 1), 1000 * self.boots
        self.person = ManualFeeder(self.sizes, memory, backs, self._keep, first_task=first, builders=self.builders, order=self.order)
        if self.frame is not None:
            self.person.shown(self.now_s)
        return boot_station(self.person, self.boots, self.now_s, SteppedCore)

    def _keep(self, memory: ConfirmedPlaces) -> None:
        self.kept = memory

    def gate_tile(self, gate: int = 0) -> WindowTile | None:
        return None if self.frame is None else WindowTile(self.frame.face, False, (0.0, 0.0), 0.0, self._obscured, 0)

    def tray(self, place: int) -> tuple[PhysicalTile | None, ...]:
        return tuple(self.walls[place].get(index) for index in range(self.sizes.tray_places))

    def _settle(self) -> None:
        super()._settle()
        self._look()
        super()._settle()

    # The camera above the walls ----------------------------------------------------------------------

    def seen(self) -> SeenPositions:
        """What lies where, as a camera sees it that is never wrong."""
        everywhere = {(seat, place) for seat in PLACES for place in range(self.sizes.tray_places)}
        taken = frozenset((seat, place) for seat, wall in enumerate(self.walls) for place in wall)
        return SeenPositions(taken, frozenset(everywhere - taken))

    def _look_from_above(self) -> None:
        assert self._overhead is not None
        person = self.person
        misplaced = self._watch.look(self.seen(), person.state.memory.trays, person.due, self.now_s, known=not person.moves_walls)
        if misplaced != person.state.misplaced:
            person.watched(misplaced, self.now_s)
        self._after(self._overhead.look_s, self._look_from_above)

    def _put_right(self) -> None:
        """Move the tile that the screen names to where it belongs."""
        wrong = self.person.state.misplaced
        if wrong is not None and wrong.belongs is not None and wrong.lies[1] in self.walls[wrong.lies[0]]:
            self.walls[wrong.belongs[0]][wrong.belongs[1]] = self.walls[wrong.lies[0]].pop(wrong.lies[1])
            self.moved += 1

    # Hands -------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Begin what the screen asks for, with free hands."""
        person, task = self.person, self.person.task
        self._note_screen(task)
        if self._busy:
            return
        if person.state.misplaced is not None:
            self._soon(self.pace.read_s + self.pace.put_s, self._put_right)
        elif self._slipped and person.may_undo:
            self._soon(self.pace.touch_s, self._undo)
        elif task.number and task.number != self._carried:
            self._begin(task)
        elif task.number and not (task.do in IN_HAND and self._next_tile()) and task.do is not Do.FETCH:
            self._soon(self.pace.touch_s, lambda: self.person.confirm(task.number, self.now_s))
        elif task.do is Do.SHOW and not person.state.in_frame and not self._next_tile():
            self._soon(self.pace.touch_s, lambda: self.person.none_left(self.now_s))

    def _note_screen(self, task: Task) -> None:
        """Keep what the screen shows where it has changed."""
        person = self.person
        state = person.state
        shown = (task, person.beside, state.memory.placed, state.building, state.in_frame, person.may_undo, state.misplaced)
        if shown != self._shown:
            self._shown = shown
            self.screens.append(Screen(*shown[:6], misplaced=state.misplaced))

    def _begin(self, task: Task) -> None:
        if task.do in IN_HAND:
            tile, self.frame = self.frame, None
            self._after(self.pace.notice_s, lambda: self.person.cleared(self.now_s) if self.frame is None else None)
            self._soon(self.pace.read_s + self.pace.put_s, lambda: self._put(task, tile))
        elif task.do is Do.FROM_ASIDE:
            self._soon(self.pace.read_s + self.pace.put_s, lambda: self._put(task, self.spots.pop(task.spot)))
        elif task.do is Do.FETCH:
            self._take_frame_back()
            self._soon(self.pace.read_s + self.pace.pick_s, lambda: self._fetch(task))
        elif task.do is Do.RECOVER:
            self._soon(self.pace.read_s + self.pace.put_s, lambda: self._recover(task))
        else:
            raise AssertionError(f"these hands only build, and the screen says {task}")

    def _put(self, task: Task, tile: PhysicalTile | None) -> None:
        self._carried = task.number
        if tile is None:
            return
        self._last = tile
        match task.do:
            case Do.PUT | Do.FROM_ASIDE:
                if task.place in self.walls[task.seat]:
                    assert self.misplaced, "nobody is sent to a place that is taken"
                    self._put_right()
                self.walls[task.seat][self._hits(task)] = tile
                self._slipped = task.do is Do.PUT and self._random.random() < self.mishaps.slip
                if self._slipped:
                    self._notice_slip(task)
            case Do.ASIDE:
                self.spots[task.spot] = tile
            case Do.REJECT:
                self.rejected.append(tile)
            case _:
                self.heap.append(tile)

    def _hits(self, task: Task) -> int:
        """The place at which a tile is really put: now and then one near by, and always where its own is taken."""
        wall = self.walls[task.seat]
        misses = task.do is Do.PUT and self.mishaps.misplace and self._random.random() < self.mishaps.misplace
        if not misses and task.place not in wall:
            return task.place
        free = [place for place in range(self.sizes.wall_places) if place not in wall and place != task.place]
        if not free:
            return task.place
        self.misplaced += 1
        return min(free, key=lambda place: abs(place - task.place))

    def _notice_slip(self, task: Task) -> None:
        """The tile lies wrongly: it is confirmed, and taken back after that."""
        self._soon(self.pace.touch_s, lambda: self.person.confirm(task.number, self.now_s))

    def _undo(self) -> None:
        self._slipped = False
        assert self._last is not None
        if self.person.undo(self.now_s):
            self.slips += 1
            self._lift_last()

    def _recover(self, task: Task) -> None:
        """What the screen names goes back to the heap, or the last tile where it names nothing."""
        if task.place >= 0 and task.place in self.walls[task.seat]:
            self.heap.append(self.walls[task.seat].pop(task.place))
        elif task.spot in self.spots:
            self.heap.append(self.spots.pop(task.spot))
        self._carried = task.number

    def _lift_last(self) -> None:
        """The last tile goes back to the heap from wherever it was put."""
        for places in (*self.walls, self.spots):
            for index in [index for index, tile in places.items() if tile is self._last]:
                self.heap.append(places.pop(index))

    def _fetch(self, task: Task) -> None:
        self._carried = task.number
        self._lay(self.walls[task.seat].pop(task.place))

    def _take_frame_back(self) -> None:
        if self.frame is not None:
            self.heap.append(self.frame)
            self.frame = None
        self.person.cleared(self.now_s)

    def _next_tile(self) -> bool:
        """Show the next tile of the heap; False when there is none."""
        if self.frame is not None:
            return True
        if not self.heap:
            return False
        tile = self.heap.pop(self._random.randrange(len(self.heap)))
        self._soon(self.pace.pick_s, lambda: self._lay(tile))
        return True

    def _lay(self, tile: PhysicalTile) -> None:
        self.frame, self._obscured = tile, self._random.random() < self.mishaps.unread
        self.person.cleared(self.now_s)
        self._after(self.pace.notice_s, lambda: self.person.shown(self.now_s) if self.frame is tile else None)

    def _about(self, seconds: float) -> float:
        return seconds * (1 + self._random.uniform(-self.pace.spread, self.pace.spread))

    def _soon(self, seconds: float, action: Callable[[], object]) -> None:
        """Have hands busy for so long, more or less, and act then."""
        self._busy = True
        seconds = self._about(seconds)

        def act() -> None:
            self._busy = False
            action()

        self._after(seconds, act)


def any_heap(seed: int, missing: tuple[str, ...] = ()) -> tuple[Setup, OpenDeal, tuple[PhysicalTile, ...]]:
    """A table's setup, a deal, and one set but for what is ``missing``."""
    setup, deal = any_deal(seed)
    return setup, deal, tile_set(BACK, tiles=setup.rules.tiles, missing=missing)


def table_without_a_feeder(
    seed: int,
    *,
    pace: Pace | None = None,
    mishaps: Mishaps | None = None,
    missing: tuple[str, ...] = (),
    swap: Mapping[str, str] | None = None,
    overhead: Overhead | None = None,
) -> HandBench:
    """A table with one set on its heap but for what is ``missing``; ``swap`` changes kinds for each other, in deal and set alike."""
    setup, deal, tiles = any_heap(seed, missing)
    if swap:
        dealt = list(setup.rules.tiles)
        Random(f"deal {seed}").shuffle(dealt)
        changed = tuple(parse_tile(swap.get(tile.text, tile.text)) for tile in dealt)
        deal = opened(deal_tiles(changed, len(changed) // 4)[0], rules=MCR)
        tiles = tuple(replace(tile, face=swap.get(tile.face, tile.face)) for tile in tiles)
    return HandBench(setup, deal, tiles, seed, pace=pace or Pace(), mishaps=mishaps or Mishaps(), overhead=overhead)


def seigo_without_a_feeder(seed: int) -> HandBench:
    """A table with Seigo's shared tiles behind its walls."""
    rules = rule_set("seigo")
    walls, rest = seigo_deal(seed)
    deal = opened(walls, rules=rules.name, rest=rest)
    return HandBench(set_up(rules=rules, options={}), deal, tile_set(BACK), seed, pace=Pace(), mishaps=Mishaps())
