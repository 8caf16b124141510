"""State of the tray side: the wall of the next deal, from its first tile to the raised magazines."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from controller.ledger.journal_events import TileRead
from twinwall.game.deals import Deal
from twinwall.game.rule_set import NO_SHARED_TILES
from twinwall.game.session import place_of, round_wind, seat_at
from twinwall.game.tiles import Seat, Tile, TileRow
from twinwall.game.walls import SeatWall
from twinwall.values import FrozenStruct, frozen

Position = tuple[int, int]
"""A tray position: place 0–3 and index 0–33, hand tiles first and then the draws in order."""

HAND_TILES = 13


@frozen
class OpenDeal:
    """A deal at this table, in the making or in play. ``positions`` are all tray positions of its walls. At a table without cameras it is
    not opened: it has no walls, check or digest."""

    n: int
    session: int
    hand: int
    rules: str
    check: str
    walls: Mapping[Seat, SeatWall]
    digest: str
    rest: TileRow = ()
    """The shared tiles."""
    rows: tuple[tuple[int, ...], ...] = NO_SHARED_TILES
    """The shared tiles behind each seat's wall, in the order in which they come out (``RuleSet.shared_rows``)."""
    positions: tuple[Position, ...] = field(init=False, repr=False, compare=False)
    _wanted: Mapping[Position, Tile] = field(init=False, repr=False, compare=False)
    _wanting: Mapping[Tile, tuple[Position, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the walls once: a build asks for every tile which positions want it."""
        places = range(4) if self.walls else ()
        wanted = {(place, index): tile for place in places for index, tile in enumerate(self._behind(self.seat(place)))}
        wanting: dict[Tile, tuple[Position, ...]] = {}
        for position, tile in wanted.items():
            wanting[tile] = (*wanting.get(tile, ()), position)
        object.__setattr__(self, "positions", tuple(wanted))
        object.__setattr__(self, "_wanted", wanted)
        object.__setattr__(self, "_wanting", wanting)

    @property
    def round(self) -> Seat:
        return round_wind(self.hand)

    def place(self, seat: Seat) -> int:
        """Return the place of a seat in this hand."""
        return place_of(seat, self.hand)

    def seat(self, place: int) -> Seat:
        """Return the seat at a place in this hand."""
        return seat_at(place, self.hand)

    def wanted(self, position: Position) -> Tile:
        """Return the tile that belongs at a tray position."""
        return self._wanted[position]

    def wanting(self, tile: Tile) -> tuple[Position, ...]:
        """Return the tray positions of a kind."""
        return self._wanting.get(tile, ())

    def shared_row(self, seat: Seat) -> tuple[int, ...]:
        """Return the shared tiles behind a seat's wall, by their numbers in ``rest``."""
        return self.rows[seat.index]

    def _behind(self, seat: Seat) -> TileRow:
        """Return a seat's wall and the shared tiles behind it."""
        return (*self.walls[seat].tiles, *(self.rest[shared] for shared in self.shared_row(seat)))


def opened_deal(deal: Deal) -> OpenDeal:
    """Return a checked deal as the table keeps it; ``rows`` are set when it is opened."""
    return OpenDeal(deal.n, deal.session, deal.hand, deal.rules, deal.check.hex(), deal.walls, deal.digest.hex(), deal.rest)


class WallStage(StrEnum):
    """Stage of the wall in the making: none, being built, ready in the trays, waiting for the clearing, or rising into the magazines."""

    NONE = "none"
    BUILDING = "building"
    READY = "ready"
    CLEARING = "clearing"
    RAISING = "raising"


class GateTile(FrozenStruct):
    """The tile in a gate's window.

    - ``number``: the feeder's event that reported it; ``doubled``: a second tile came with it
    - ``doubted``: one of five copies, perhaps misread now, so it goes back to the drum
    - ``reads``: the readings of this showing in order (None: refused; ``reason``: why the last one was); ``looks``: those not refused
    - ``moving``: the operation that takes it away
    """

    number: int
    back: int
    doubled: bool = False
    doubted: bool = False
    reads: tuple[Tile | None, ...] = ()
    reason: str = ""
    looks: tuple[TileRead, ...] = ()
    moving: int | None = None


class Build(FrozenStruct):
    """A wall in the making.

    - ``placed``: trusted positions alone: read, moved and dropped under one operation
    - ``gates``: tiles in a gate; ``bypass``: the kind in each cell, unless about to leave (None: unknown after a restart)
    - ``surveyed``: sensors and journal have been compared since the link was last lost
    - ``doubted``: positions with a tile that must go back to the gate
    - ``recounted``: kinds read again because of a fifth copy; when another tile is missing, they are read once more
    - ``refusals``: unread showings in a row; ``unknown_backs``: by gate, showings in a row with an unknown back
    - ``starved``: the feeder's last event when the drum was found empty with positions open
    - ``decoys``: good positions being emptied, so that naming the missing tile does not tell where it belongs
    - ``blocked``: an operation that the feeder refused; nothing is asked for a moment
    - ``looks``: readings of the tile in a position or cell
    - ``reread``: positions read again for certainty; ``rereading``: those of a ready wall that are out for it
    - ``sampled``: count of those; ``differed``: count of those that came back as another kind
    - ``left``: positions that may hold a wall of another session, which drops into the drum first
    """

    placed: Mapping[Position, Tile] = {}
    bypass: Mapping[int, Tile | None] = {}
    gates: Mapping[int, GateTile] = {}
    feeding: bool = False
    surveyed: bool = False
    doubted: frozenset[Position] = frozenset()
    recounted: frozenset[Tile] = frozenset()
    refusals: int = 0
    unknown_backs: Mapping[int, int] = {}
    starved: int | None = None
    decoys: frozenset[Position] = frozenset()
    blocked: int | None = None
    looks: Mapping[Position | int, tuple[TileRead, ...]] = {}
    reread: frozenset[Position] = frozenset()
    rereading: frozenset[Position] = frozenset()
    sampled: int = 0
    differed: int = 0
    left: frozenset[Position] = frozenset()


class Clearing(FrozenStruct):
    """The table being cleared: all tiles of the played set return to the drum before the next wall rises.

    - ``dropped``: tiles in the magazines at the beginning; they are there until ``emptied``
    - ``fallen``: tiles counted through the well; ``counted_before``: those at earlier openings
    - ``accepted``: staff accept the count as it is
    """

    dropped: int
    emptied: bool
    counted_before: int = 0
    fallen: int = 0
    accepted: bool = False

    @property
    def total(self) -> int:
        """Number of tiles known to be in the drum."""
        return self.dropped + self.fallen


class Making(FrozenStruct):
    """The side of the trays: the wall of the next deal.

    - ``back``: backs of its set: the set not in play; if none is, the first backs that came twice, since one tile may have strayed
    - ``backs``: those that came before; ``well_open``: the last known state of the well's door
    """

    stage: WallStage = WallStage.NONE
    deal: OpenDeal | None = None
    back: int | None = None
    backs: tuple[int, ...] = ()
    build: Build = Build()
    clearing: Clearing | None = None
    well_open: bool = False
