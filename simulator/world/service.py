"""Worlds as a process: for each table the feeder behind its pty, the panel's file, the table, and their HTTP interface.

The attendant of a table comes when the fault lamp stays lit, repairs what can be seen, and presses CONFIRM. The attendant sees a fault at
the machine itself: a stuck part, tiles in the reject cell, a set that is short, which is counted and made up from spares, a lid that was
open or an emergency stop that was pressed. The controller's state is unknown here. CONFIRM is pressed only then, and again while the lamp
stays lit, because play may have used the key.
"""

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import Annotated, Literal

from msgspec import Meta
from werkzeug.exceptions import BadRequest

from simulator.by_hand.builders import People, StationScreen
from simulator.by_hand.hand_table import HandTable
from simulator.disturbances.kinds import Disturbances
from simulator.feeder_simulator import FeederSimulator
from simulator.firmware_choice import firmware_named
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.panel.panel_file import PanelFile
from simulator.settings import WorldSettings
from simulator.tabletop import FLOWER, PLACES, NotPossibleError, PhysicalTile, TileSet, swap_tiles, tile_set
from simulator.world.disturber import Disturber
from simulator.world.requests import Asked, world_app
from simulator.world.world import PlayedFeeder, World, WorldStoppedError
from twinwall.art.mat import Mat
from twinwall.game.rule_set import RuleSet
from twinwall.game.rules import rule_set
from twinwall.game.tiles import COPIES, WHOLE_SET, Tile
from twinwall.web.loopback_server import HttpServer
from twinwall.wire.shapes.panel import Key, PanelPins

_SPARES_FROM = 200_000
"""Ids of spare tiles."""
_LOOK_S = 0.2
"""Wall time between two looks at the lamp."""
_COMES_AFTER_S = 5.0
"""From the lit lamp until somebody stands at the table, in seconds of play time."""


class Attendant:
    """One table's attendant; ``run`` in a thread, or ``look`` from a test."""

    def __init__(
        self,
        feeder: PlayedFeeder,
        lamp: Callable[[], bool],
        confirm: Callable[[], None],
        kinds: Iterable[Tile],
        speed: float = 1.0,
    ) -> None:
        """``lamp`` tells whether the fault lamp is lit, ``confirm`` presses CONFIRM, ``kinds`` are a set's, play time passes
        ``speed`` times as fast as the wall clock."""
        self._feeder, self._lamp, self._confirm = feeder, lamp, confirm
        self._kinds, self._comes_after_s = kinds, _COMES_AFTER_S / speed
        self._lit_s: float | None = None
        self._confirming = False
        self._kept: list[PhysicalTile] = []
        self._spares = 0
        self._stops_ended = 0
        self.visits = 0

    def run(self, stopped: threading.Event, clock: Callable[[], float]) -> None:
        while not stopped.wait(_LOOK_S):
            self.look(clock())

    def look(self, now_s: float) -> None:
        """Look at the lamp; go there once it has been lit for long enough."""
        if not self._lamp():
            self._lit_s, self._confirming = None, False
            return
        if self._lit_s is None:
            self._lit_s = now_s
        if now_s - self._lit_s < self._comes_after_s:
            return
        self._lit_s = now_s
        done = self._put_right()
        self.visits += done
        self._confirming = self._confirming or done
        if self._confirming:
            self._confirm()

    def _put_right(self) -> bool:
        """Do what can be seen to need a hand; whether there was anything."""
        stops_ended, self._stops_ended = self._feeder.stops_ended - self._stops_ended, self._feeder.stops_ended
        stuck = self._feeder.stuck()
        for each in stuck:
            self._feeder.free(each)
        rejected = self._feeder.empty_reject_cell()
        good = [tile for tile in rejected if self._belongs(tile)]
        self._kept += [tile for tile in rejected if tile not in good]
        missing = [] if stuck or rejected else self._lacking()
        self._put_in([*good, *missing])
        return bool(stuck or rejected or missing or stops_ended)

    def _belongs(self, tile: PhysicalTile) -> bool:
        """Whether a tile out of the reject cell is one of the set in the making, and not a copy too many."""
        if tile.face == FLOWER or tile.back != self._back_being_dealt():
            return False
        return self._copies(tile.back)[tile.face] <= COPIES

    def _lacking(self) -> list[PhysicalTile]:
        """Spares for what the set in the making is short of."""
        back = self._back_being_dealt()
        if back is None:
            return []
        short = Counter(tile.text for tile in self._kinds)
        short.subtract(self._copies(back))
        return [self._spare(face, back) for face, count in short.items() for _ in range(count)]

    def _spare(self, face: str, back: int) -> PhysicalTile:
        kept = next((tile for tile in self._kept if (tile.face, tile.back) == (face, back)), None)
        if kept is not None:
            self._kept.remove(kept)
            return kept
        self._spares += 1
        return PhysicalTile(_SPARES_FROM + self._spares, face, back)

    def _back_being_dealt(self) -> int | None:
        backs = Counter(tile.back for tile in self._feeder.census()["trays"])
        return backs.most_common(1)[0][0] if backs else None

    def _copies(self, back: int) -> Counter[str]:
        """How many tiles of each face a set has, wherever they are but in the attendant's pocket."""
        kept = {tile.id for tile in self._kept}
        there = (tile for tiles in self._feeder.census().values() for tile in tiles)
        return Counter(tile.face for tile in there if tile.back == back and tile.id not in kept)

    def _put_in(self, tiles: list[PhysicalTile]) -> None:
        """Into the well where it stands open for staff, else through the lid."""
        if not tiles:
            return
        view = self._feeder.view()
        if view.well_open and not view.clearing:
            try:
                self._feeder.drop_into_well(tiles)
            except NotPossibleError:
                self._kept += tiles  # it has just been shut; they are put in at the next visit
            return
        _put_through_lid(self._feeder, tiles)


def _put_through_lid(feeder: PlayedFeeder, tiles: Iterable[PhysicalTile]) -> None:
    feeder.set_lid(True)
    feeder.add_to_drum(tiles)
    feeder.set_lid(False)


DRUM_BACK, BOX_BACK = 1, 2
"""Backs of the set that is in the drum to begin with, and of the one in the box."""
_ENDING_LIMIT_S = 5.0
_STRAY_TILES_FROM = 100_000
"""Ids of tiles that come from outside the table."""

FaultName = Literal["add", "open_lid", "close_lid", "press_estop", "release_estop", "reboot", "unplug", "plug"]
BackNumber = Annotated[int, Meta(ge=0, le=255)]


def fault_requests(feeder: PlayedFeeder) -> Asked:
    """What can go wrong at a table while it plays."""
    numbers = count(_STRAY_TILES_FROM)
    plain: dict[str, Callable[[], object]] = {
        "open_lid": lambda: feeder.set_lid(True),
        "close_lid": lambda: feeder.set_lid(False),
        "press_estop": lambda: feeder.set_estop(True),
        "release_estop": lambda: feeder.set_estop(False),
        "reboot": feeder.reboot,
        "unplug": feeder.unplug,
        "plug": feeder.plug,
    }

    def faults(_world: World, do: FaultName, tiles: tuple[str, ...] = (), back: BackNumber = DRUM_BACK) -> None:
        """``POST /faults``: ``do`` names what happens; ``add`` drops ``tiles`` (faces, of back ``back``) through the open lid."""
        if (do == "add") != bool(tiles):
            raise BadRequest("tiles belong to add, which names at least one face")
        if do == "add":
            _put_through_lid(feeder, [PhysicalTile(next(numbers), face, back) for face in tiles])
        else:
            plain[do]()

    return faults


class WorldService:
    """A world with its door open between ``start`` and ``stop``."""

    def __init__(self, settings: WorldSettings, feeder: PlayedFeeder, panel: PanelFile, box: TileSet = ()) -> None:
        """``feeder`` and ``panel`` belong to the caller, who ends them; ``box`` is what lies in the box beside the table."""
        faults, table = settings.faults, settings.world
        people = Disturbances(table.seed, 1.0 if table.disturb_once else table.disturb)
        self.world = World(
            feeder,
            panel,
            seed=table.seed,
            speed=settings.mechanics.speed,
            first_hand=table.hand,
            box=box,
            lost_at=(faults.lost_in_hand, table.seed % len(PLACES)),
            finds_lost=faults.lost_is_found,
            disturber=Disturber(people, Mat(), once=table.disturb_once),
        )
        self._server = HttpServer(world_app(self.world, fault_requests(feeder)), table.port)

    @property
    def url(self) -> str:
        return self._server.url

    def start(self) -> None:
        self._server.start()

    def stop(self) -> None:
        self.world.stop()
        self._server.stop(_ENDING_LIMIT_S)


def both_sets(faults: FaultPlan, tiles: Iterable[Tile] = WHOLE_SET) -> tuple[TileSet, TileSet]:
    """Two sets of ``tiles``, the one in the drum and the one in the box, as the fault plan wants them; raises ValueError for
    what no sets can be."""
    whole = tuple(tiles)
    drum = tile_set(DRUM_BACK, tiles=whole, missing=faults.missing, extra=faults.extra, foreign=faults.foreign)
    return swap_tiles(drum, tile_set(BOX_BACK, tiles=whole, missing=faults.box_missing), faults.swapped)


def with_walls_of(rules: RuleSet, mechanics: MechanicsSettings) -> MechanicsSettings:
    """The machine as it is filled by these rules: the hands, the draws, and shared tiles behind the rear gates."""
    return replace(mechanics, wall_tiles=rules.walls.wall_size, rear_tiles=any(rules.shared_rows))


def serve(tables: Iterable[WorldSettings], stop: threading.Event, ready: Callable[[str], None] = lambda _: None) -> None:
    """Be the worlds of tables until ``stop`` is set; ``ready`` gets each one's address once everything of it answers.

    Raises OSError when a port or one of the files cannot be had.
    """
    with contextlib.ExitStack() as worlds:
        for settings in tables:
            ready(worlds.enter_context(_world(settings)))
        stop.wait()


@contextlib.contextmanager
def _world(settings: WorldSettings) -> Iterator[str]:
    """The address of a world that answers; however this ends, nothing of it is left."""
    rules = rule_set(settings.world.rules)
    drum, box = both_sets(settings.faults, rules.tiles)
    with contextlib.ExitStack() as parts:
        panel = PanelFile(settings.world.panel_file, PanelPins())
        parts.callback(panel.close)
        feeder, moved_by = _walls(settings, with_walls_of(rules, settings.mechanics), drum)
        parts.callback(moved_by.stop)
        service = WorldService(settings, feeder, panel, box)
        moved_by.start()
        service.start()
        if settings.world.staff:
            over, staff = threading.Event(), _staff(settings, rules, feeder, panel, service.world)
            attendant = threading.Thread(target=staff.run, args=(over, time.monotonic), name=f"attendant of table {settings.world.table}")
            attendant.start()
            parts.callback(attendant.join)
            parts.callback(over.set)
        parts.callback(service.stop)
        yield service.url


def _walls(settings: WorldSettings, mechanics: MechanicsSettings, drum: TileSet) -> tuple[PlayedFeeder, FeederSimulator | People]:
    """What the walls stand in, and what moves their tiles: the feeder itself, or people by the station's screen."""
    world = settings.world
    if world.station:
        table = HandTable(mechanics, settings.faults, drum, world.seed)
        return table, People(table, StationScreen(world.station), mechanics.speed)
    firmware = firmware_named(world.firmware)
    feeder = FeederSimulator(mechanics, world.seed, settings.faults, drum, link=world.feeder_link, firmware=firmware)
    return feeder, feeder


def _staff(settings: WorldSettings, rules: RuleSet, feeder: PlayedFeeder, panel: PanelFile, world: World) -> Attendant:
    """Somebody who looks after the table, and presses CONFIRM at place 0 when something has been put right."""

    def confirm() -> None:
        with contextlib.suppress(WorldStoppedError):
            world.press(0, Key.CONFIRM)

    return Attendant(feeder, lambda: panel.lamps().fault, confirm, rules.tiles, settings.mechanics.speed)
