"""Mat observation: every tile that one frame shows anywhere on the mat, on a slot or beside it, and where the frame shows nothing.

The table reader answers for slots; people lay tiles beside them. An observation has no slots: the recorder's decoder
(``controller.recorder``) explains places and kinds by moves.
"""

from collections.abc import Mapping
from dataclasses import field

from twinwall.game.tiles import Tile
from twinwall.values import frozen

COVER_MM = 20.0
"""Side of the squares in which an observation says what is covered; square (i, j) has its centre at (i, j) times this."""


@frozen
class ObservedTile:
    """One tile that lies flat and whole, as one frame shows it.

    ``x_mm`` and ``y_mm`` place the middle of its upper face, from the mat's centre in the mat's own axes (``Mat.spot``).
    ``angle_deg``, 0 to 180 without 180, turns the tile's long side anticlockwise from the mat's y axis.
    ``shares`` are the probabilities of kinds by the camera alone, summing to at most 1; empty for a back and for a face
    that the light has washed away. ``sure`` says that the reader would name the likeliest kind from this frame alone.
    """

    x_mm: float
    y_mm: float
    angle_deg: float
    face_up: bool = True
    shares: Mapping[Tile, float] = field(default_factory=dict)
    sure: bool = False


@frozen
class MatObservation:
    """One frame: its time of capture in ms on the table's clock, the tiles, and the covered squares (see ``COVER_MM``).

    Where a square is not covered and no tile is reported, the cloth is bare.
    """

    at_ms: int
    tiles: tuple[ObservedTile, ...] = ()
    covered: frozenset[tuple[int, int]] = frozenset()
