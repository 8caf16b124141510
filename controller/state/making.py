"""State of the tray side: the wall of the next deal, from its first tile to the raised magazines."""

from collections.abc import Mapping
from enum import StrEnum

from controller.ledger.journal_events import TileRead
from controller.state.open_deal import OpenDeal, Position
from twinwall.game.tiles import Tile
from twinwall.values import FrozenStruct


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
