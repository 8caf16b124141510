"""Events of the wall in the making: the deal, what the gate camera read, what is doubted, and how far the wall is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from twinwall.game.tiles import Seat, Tile
from twinwall.game.walls import SeatWall
from vision.reading import Candidate


@dataclass(frozen=True, slots=True)
class DealOpened:
    """The deal of the next hand was opened and agrees with its commitment."""

    n: int
    session: int
    hand: int
    rules: str
    check: str
    walls: Mapping[Seat, SeatWall]
    digest: str
    rest: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True)
class DealRefused:
    """A deal that must not be played; nothing was moved."""

    n: int
    reason: str
    sentence: str


@dataclass(frozen=True, slots=True)
class TileArrived:
    """A tile lies in a gate's window; ``number`` is the feeder's event number. ``doubled``: more than one slid in together."""

    number: int
    back: int
    doubled: bool = False
    gate: int = 0


@dataclass(frozen=True, slots=True)
class TileRead:
    """A gate camera's answer: a tile with its probability, or None with the reason of the refusal.

    ``others`` are the next likely kinds, ``second`` what a second model makes of the same frame, where there is one.
    """

    tile: Tile | None
    probability: float
    reason: str
    others: tuple[Candidate, ...] = ()
    second: tuple[Candidate, ...] = ()
    gate: int = 0


@dataclass(frozen=True, slots=True)
class PositionsDoubted:
    """The tiles at these tray positions (place, position) and in these bypass cells can no longer be trusted;
    they go back to the gate. ``reason`` is ``fifth-copy``, ``sensed``, ``covering``, ``recount``, ``naming``, ``doubtful`` or
    ``sampled``; with ``fifth-copy`` the tile in ``gate`` is doubted as well."""

    positions: tuple[tuple[int, int], ...]
    cells: tuple[int, ...]
    reason: str
    gate: int = 0


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The sensors of the trays were compared with the journal: these positions and cells turned out empty, these cells hold
    an unknown tile, these gates have lost theirs, the drum is feeding or not, the well is open or not, and so many tiles lie in
    the magazines."""

    emptied: tuple[tuple[int, int], ...]
    emptied_cells: tuple[int, ...]
    unknown_cells: tuple[int, ...]
    emptied_gates: tuple[int, ...]
    feeding: bool
    well_open: bool
    magazines: int


@dataclass(frozen=True, slots=True)
class DrumEmptied:
    """The drum is empty while positions are still open."""


@dataclass(frozen=True, slots=True)
class TilesNamed:
    """What the set lacks has been told to staff; the build goes on when they have added it."""

    missing: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Building:
    """How far the wall is."""

    placed: int
    of: int


@dataclass(frozen=True, slots=True)
class WallWeighed:
    """All looks at the tiles of a full wall were weighed together; ``doubt`` is the expected number of swapped pairs in it."""

    n: int
    doubt: float


@dataclass(frozen=True, slots=True)
class PositionsChecked:
    """Tiles drawn from a ready wall came back to the gate and were read once more: all as before, or not."""

    positions: tuple[tuple[int, int], ...]
    agreed: bool


@dataclass(frozen=True, slots=True)
class WallChecked:
    """So many positions of a ready wall were read again in spare time; ``differ`` of these looks found another kind, which was mended."""

    n: int
    read_again: int
    differ: int


@dataclass(frozen=True, slots=True)
class WallReady:
    """Every position is filled and sensed, every kind counts four, and the digest is the deal's."""

    n: int
    check: str
    digest: str


@dataclass(frozen=True, slots=True)
class ClearingBegan:
    """The wall of deal ``n`` is ready and the hand before it is over: what lies in the magazines (``dropped`` tiles) drops
    into the drum, and people push everything else into the well."""

    n: int
    dropped: int


@dataclass(frozen=True, slots=True)
class WellCounted:
    """So many tiles of the set are in the drum by now, of so many that belong there."""

    counted: int
    of: int


@dataclass(frozen=True, slots=True)
class Cleared:
    """The well is shut and the wall of deal ``n`` may rise; ``counted`` tiles are known to be in the drum."""

    n: int
    counted: int


@dataclass(frozen=True, slots=True)
class WallRaised:
    """The walls stand in the magazines."""

    n: int


@dataclass(frozen=True, slots=True)
class TilesWorn:
    """These kinds of a set, None where there is none any more, are read less surely than they were: ``looks`` at them in the last walls."""

    back: int
    set: str
    tiles: tuple[Tile, ...] | None
    looks: int


WallEvent = (
    DealOpened
    | DealRefused
    | TileArrived
    | TileRead
    | PositionsDoubted
    | Surveyed
    | DrumEmptied
    | TilesNamed
    | TilesWorn
    | Building
    | WallWeighed
    | PositionsChecked
    | WallChecked
    | WallReady
    | ClearingBegan
    | WellCounted
    | Cleared
    | WallRaised
)
