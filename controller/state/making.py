"""State of the tray side: the wall of the next deal, from its first tile to the raised magazines. An opened deal has its
walls by seat, and the kind that each tray position wants.
"""

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
    """A deal at this table: the one in the making or the one in play. ``positions`` are all tray positions of its walls.

    At a table without cameras it is not opened: it has no walls, check or digest here.
    """

    n: int
    session: int
    hand: int
    rules: str
    check: str
    walls: Mapping[Seat, SeatWall]
    digest: str
    rest: TileRow = ()
    """The tiles of no seat."""
    rows: tuple[tuple[int, ...], ...] = NO_SHARED_TILES
    """Which of them stand behind each seat's wall, in the order in which they come out (``RuleSet.shared_rows``)."""
    positions: tuple[Position, ...] = field(init=False, repr=False, compare=False)
    _wanted: Mapping[Position, Tile] = field(init=False, repr=False, compare=False)
    _wanting: Mapping[Tile, tuple[Position, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Look the walls up once: a build asks for every tile what wants it."""
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
        """The wind of the round."""
        return round_wind(self.hand)

    def place(self, seat: Seat) -> int:
        """Where a seat sits in this hand."""
        return place_of(seat, self.hand)

    def seat(self, place: int) -> Seat:
        """The seat at a place in this hand."""
        return seat_at(place, self.hand)

    def wanted(self, position: Position) -> Tile:
        """The tile that belongs at a tray position."""
        return self._wanted[position]

    def wanting(self, tile: Tile) -> tuple[Position, ...]:
        """The tray positions where tiles of a kind belong."""
        return self._wanting.get(tile, ())

    def shared_row(self, seat: Seat) -> tuple[int, ...]:
        """The shared tiles behind a seat's wall, by their numbers in ``rest``."""
        return self.rows[seat.index]

    def _behind(self, seat: Seat) -> TileRow:
        """A seat's wall and the shared tiles behind it."""
        return (*self.walls[seat].tiles, *(self.rest[shared] for shared in self.shared_row(seat)))


def opened_deal(deal: Deal) -> OpenDeal:
    """A deal that has been checked, as the table holds it; how shared tiles stand behind walls is known once it is opened."""
    return OpenDeal(deal.n, deal.session, deal.hand, deal.rules, deal.check.hex(), deal.walls, deal.digest.hex(), deal.rest)


class WallStage(StrEnum):
    """Where the wall in the making is: not begun, being built, standing ready in the trays, waiting for the table to be
    cleared of the hand before, or on its way into the magazines."""

    NONE = "none"
    BUILDING = "building"
    READY = "ready"
    CLEARING = "clearing"
    RAISING = "raising"


class GateTile(FrozenStruct):
    """The tile in a gate's window, as event ``number`` of the feeder reported; ``doubled`` when a second one came with it.
    One of five copies is ``doubted``: this showing may be the one that was misread, so it goes round. ``reads`` are the
    readings of this showing in order (None where the reader refused, ``reason`` why the last one did), ``looks`` those that
    were reads; ``moving`` is the operation that takes it away."""

    number: int
    back: int
    doubled: bool = False
    doubted: bool = False
    reads: tuple[Tile | None, ...] = ()
    reason: str = ""
    looks: tuple[TileRead, ...] = ()
    moving: int | None = None


class Build(FrozenStruct):
    """A wall in the making. ``placed`` holds only trusted positions: read, moved and dropped under one operation.

    ``gates`` are the tiles that lie in a gate. ``bypass`` maps cells to the kind that waits there (None when unknown after a restart)
    and is not about to leave. ``doubted`` positions hold a tile that must go back to the gate. ``recounted`` are the kinds whose
    positions have been read again after a fifth copy showed up, until another tile is missing: then they are read once more.
    ``refusals`` counts showings in a row that could not be read, ``unknown_backs`` of each gate those in a row whose back is none of
    the table's. ``surveyed`` says that the sensors have been compared with the journal since the link was last lost. ``starved`` is the
    last of the feeder's events when the drum was found empty with positions open; ``decoys`` are the good positions being emptied so
    that the missing tile can be named without telling where it belongs. ``blocked`` is an operation that the feeder refused: it is left
    alone for a moment. ``looks`` are the readings with which the tile of a position, or of a cell, came there; ``reread`` are positions
    read again for the sake of certainty, ``rereading`` those of a wall that was ready which are out for it. ``sampled`` counts the
    positions that were, and ``differed`` those of them that came back as another kind. At ``left`` positions tiles may lie of a wall of
    another session, which is not played: they drop into the drum before anything is placed.
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
    """The table being cleared, so that all tiles of the set that was played are in the drum before the next wall rises.

    ``dropped`` tiles lay in the magazines when it began, until ``emptied`` they still do; ``fallen`` have been counted
    through the well, ``counted_before`` of them at earlier openings. ``accepted`` says that staff go on with the count as it is.
    """

    dropped: int
    emptied: bool
    counted_before: int = 0
    fallen: int = 0
    accepted: bool = False

    @property
    def total(self) -> int:
        """How many tiles are known to be in the drum."""
        return self.dropped + self.fallen


class Making(FrozenStruct):
    """The side of the trays: the wall of the next deal. ``back`` is the colour of the set that it is built from: the one that
    is not in play, or, while none is, the first that has come twice (one tile alone may have strayed); ``backs`` are those that
    have come before that is known. ``well_open`` is the well's door as it was last heard of."""

    stage: WallStage = WallStage.NONE
    deal: OpenDeal | None = None
    back: int | None = None
    backs: tuple[int, ...] = ()
    build: Build = Build()
    clearing: Clearing | None = None
    well_open: bool = False
