"""Tiles of a table without a feeder: a heap, walls built by hand, spots beside them, and a frame under a camera.

Tiles move only when hands move them. Everybody at the table sees the station's screen, which does not know where the tiles really are.
"""

import threading
from collections.abc import Callable, Iterable
from random import Random
from typing import Never

from firmware_bridge.messages import REAR_GATE, REAR_PLACES
from simulator.mechanics import FaultPlan, FeederView, MechanicsSettings, Stuck
from simulator.mechanics.intake import posed
from simulator.mechanics.parts import present
from simulator.scene import WindowTile
from simulator.tabletop import PLACES, NotPossibleError, PhysicalTile
from twinwall.values import frozen


@frozen
class Asked:
    """One task as on the screen's page (docs/how-to/table/manual-table.md)."""

    do: str
    number: int = 0
    seat: int = -1
    place: int = -1
    spot: int = -1


@frozen
class ScreenReading:
    """The station's screen as ``/now`` returns it."""

    version: int = 0
    task: Asked = Asked("rest")
    beside: tuple[Asked, ...] = ()
    in_frame: bool = False

    def due(self, do: str) -> tuple[Asked, ...]:
        return tuple(task for task in self.beside if task.do == do)


class HandTable:
    """What people see of the walls and do at them; any thread may call."""

    gates = 1
    """There is one frame for showing tiles."""
    stops_ended = 0

    def __init__(self, settings: MechanicsSettings, faults: FaultPlan, tiles: Iterable[PhysicalTile], seed: int) -> None:
        self._settings, self._faults = settings, faults
        self._random = Random(seed)  # noqa: S311 - a simulation must be repeatable
        self.changed = threading.Condition(threading.RLock())
        """Hold it to use the screen and the tiles, which follow by their places; notified at every change."""
        self.heap, self.walls, self.played = list(tiles), _empty(settings.tray_places), _empty(settings.wall_places)
        self.spots: dict[int, PhysicalTile] = {}
        self.rejected: list[PhysicalTile] = []
        self.frame: PhysicalTile | None = None
        self.screen = ScreenReading()
        self._pose: WindowTile | None = None
        self._lifted: set[int] = set()
        """Draws taken but not yet confirmed, by gate."""
        self._raised = 0
        self._watcher: Callable[[], None] = lambda: None

    def tell(self) -> None:
        """Something has moved, or the screen has changed."""
        with self.changed:
            self.changed.notify_all()
        self._watcher()

    # What the person at the frame does -------------------------------------------------------------

    def see(self, screen: ScreenReading) -> None:
        with self.changed:
            self.screen = screen
        self.tell()

    def take_from_heap(self) -> PhysicalTile | None:
        with self.changed:
            return self.heap.pop(self._random.randrange(len(self.heap))) if self.heap else None

    def show(self, tile: PhysicalTile) -> None:
        """Lay a tile into the frame at a random angle."""
        with self.changed:
            self.frame = tile
            self._pose = posed(tile.face, self._settings, self._random, lambda: self._random.random() < self._faults.unread)
        self.tell()

    def take_from_frame(self) -> PhysicalTile | None:
        with self.changed:
            tile, self.frame, self._pose = self.frame, None, None
        self.tell()
        return tile

    def raise_walls(self) -> None:
        with self.changed:
            size = self._settings.wall_places
            self.played = [wall[:size] for wall in self.walls]
            self.walls = [[*_empty(size)[0], *wall[size:]] for wall in self.walls]
            self._raised += 1
        self.tell()

    # What players have done, to be said at the screen -----------------------------------------------

    def was_drawn(self, gate: int) -> bool:
        with self.changed:
            return gate in self._lifted

    def said(self, gate: int) -> None:
        with self.changed:
            self._lifted.discard(gate)

    # What the world asks of a feeder ----------------------------------------------------------------

    def _refused(self, *_asked: object, **_named: object) -> Never:
        """Refuse what needs a machine: nothing sticks, and there is no lid, motor, cable or sensor."""
        raise NotPossibleError("there is no machine at this table")

    put_back = free = set_lid = set_estop = reboot = unplug = plug = _refused

    def stuck(self) -> tuple[Stuck, ...]:
        return ()

    def watch(self, watcher: Callable[[], None]) -> None:
        self._watcher = watcher

    def gate_tile(self, gate: int = 0) -> WindowTile | None:
        """The tile in the frame as the camera sees it; ``gate`` must be 0."""
        assert gate == 0
        with self.changed:
            return self._pose

    def view(self) -> FeederView:
        settings = self._settings
        hands, end = settings.hand_places, settings.wall_tiles or settings.wall_places
        whole = settings.wall_places if settings.rear_tiles else end
        with self.changed:
            drawing = {task.seat for task in self.screen.due("draw")} - self._lifted
            return FeederView(
                waiting=tuple(len(present(row[:hands])) for row in self.played),
                draws_left=tuple(len(present(row[hands:end])) for row in self.played),
                gates_open=tuple(place in drawing for place in PLACES),
                rear_gates_open=tuple(place + REAR_GATE in drawing for place in PLACES),
                well_open=bool(self.screen.due("gather")),
                walls_ready=all(None not in wall[:whole] for wall in self.walls),
                walls_raised=self._raised,
            )

    def census(self) -> dict[str, tuple[PhysicalTile, ...]]:
        """Every tile that is not in play, by its place."""
        with self.changed:
            return {
                "drum": tuple(self.heap),
                "gate": () if self.frame is None else (self.frame,),
                "bypass": tuple(self.spots.values()),
                "trays": tuple(tile for wall in self.walls for tile in present(wall)),
                "magazines": tuple(tile for row in self.played for tile in present(row)),
                "rejected": tuple(self.rejected),
            }

    def take_hand_tiles(self, place: int, count: int) -> tuple[PhysicalTile, ...]:
        with self.changed:
            row = self.played[place]
            there = [index for index in range(self._settings.hand_places) if row[index] is not None][:count]
            taken = tuple(tile for index in there if (tile := row[index]) is not None)
            for index in there:
                row[index] = None
        self.tell()
        return taken

    def lift_draw(self, place: int) -> PhysicalTile | None:
        """Take the next tile of one's wall when it is one's draw."""
        return self._lift(place, range(self._settings.hand_places, self._settings.wall_places))

    def lift_at_rear(self, place: int) -> PhysicalTile | None:
        """Take the due shared tile at the end of one's wall."""
        return self._lift(REAR_GATE + place, range(self._settings.wall_places - REAR_PLACES, self._settings.wall_places))

    def _lift(self, gate: int, places: range) -> PhysicalTile | None:
        with self.changed:
            row = self.played[gate % REAR_GATE]
            due = gate not in self._lifted and any(task.seat == gate for task in self.screen.due("draw"))
            index = next((index for index in places if row[index] is not None), None)
            if not due or index is None:
                return None
            tile, row[index] = row[index], None
            self._lifted.add(gate)
        self.tell()
        return tile

    def drop_into_well(self, tiles: Iterable[PhysicalTile]) -> None:
        with self.changed:
            self.heap.extend(tiles)
        self.tell()

    add_to_drum = drop_into_well

    def empty_reject_cell(self) -> tuple[PhysicalTile, ...]:
        with self.changed:
            tiles, self.rejected = tuple(self.rejected), []
        return tiles


def _empty(places: int) -> list[list[PhysicalTile | None]]:
    return [[None] * places for _ in PLACES]
